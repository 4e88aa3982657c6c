"""Who may ask for what, on a server that others in the network reach: its owner, guests, and nobody else."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager

import httpx
import pytest
from web_server import serving, web_home  # noqa: F401

from ludus.learning.runs import train
from ludus.web.server import bound, make_app, site_of

KEY = "owner-key"
GAME = "tic-tac-toe"


@pytest.fixture(scope="module")
def address(web_home):  # noqa: F811
    with serving(key=KEY) as address:
        yield address


@contextmanager
def visitor(address, key=""):
    """A browser that has followed the address with a key."""
    with httpx.Client(base_url=address, follow_redirects=False, timeout=60) as client:
        if key:
            client.get("/", params={"key": key})
        yield client


@pytest.fixture(scope="module")
def owner(address):
    with visitor(address, KEY) as client:
        yield client


@pytest.fixture
def nobody(address):
    with visitor(address) as client:
        yield client


@pytest.fixture(scope="module")
def room(owner):
    """A room, with the key of the friend's seat."""
    card = owner.post("api/rooms", json={"game": GAME}).json()
    return owner.get(f"api/rooms/{card['key']}").json()


@pytest.fixture(scope="module")
def guest(address, room):
    with visitor(address) as client:
        client.get(f"join/{room['join']}")
        yield client


ROUTES = [(path, method) for path, methods in make_app().openapi()["paths"].items() for method in methods]
PLAYING = {
    "/api/me", "/api/games", "/api/game", "/api/position", "/api/doing", "/api/hints", "/api/hints/stream", "/api/line",
    "/api/values", "/api/rooms/{key}", "/api/rooms/{key}/stream",
}  # fmt: skip


def refusal(client, path, method):
    return client.request(method, path.replace("{", "").replace("}", "")).status_code


@pytest.mark.parametrize(("path", "method"), ROUTES)
def test_nobody_gets_in_without_a_key(address, path, method):
    for key in ("", "wrong"):
        with visitor(address, key) as nobody:
            assert refusal(nobody, path, method) == 401


@pytest.mark.parametrize(("path", "method"), [route for route in ROUTES if route[0] not in PLAYING])
def test_a_guest_may_only_play(guest, path, method):
    assert refusal(guest, path, method) == 403


def test_a_guest_reads_the_rules_and_the_own_room(guest, room):
    assert guest.get("api/me").json()["role"] == "guest"
    assert guest.get("api/game", params={"game": GAME}).status_code == 200
    assert guest.get(f"api/rooms/{room['join']}").json()["you"] == 1


def test_the_reports_of_papers_are_the_owners_alone(nobody, guest, owner):
    statuses = [client.get("papers/quick/tapnswap.html").status_code for client in (nobody, guest, owner)]
    assert statuses == [401, 403, 404]


def test_the_page_itself_holds_no_secret_and_is_shown_to_all(nobody):
    assert "Ludus" in nobody.get("/").text
    assert nobody.get("assets/js/main.js").status_code == 200


def test_a_key_is_kept_in_the_browser_and_leaves_the_address(address):
    with httpx.Client(base_url=address) as client:
        found = client.get("/", params={"key": KEY})
    assert (found.status_code, found.headers["location"]) == (303, "/")
    assert re.fullmatch(rf"ludus-\d+={KEY}; Path=/; HttpOnly; SameSite=Strict", found.headers["set-cookie"])


def test_an_owner_who_opens_an_invitation_stays_the_owner(address, room):
    with visitor(address, KEY) as client:
        client.get(f"join/{room['join']}")
        assert client.get("api/me").json()["role"] == "owner"


def test_a_program_asks_with_a_bearer_token(address):
    asked = httpx.get(f"{address}api/runs", headers={"authorization": f"Bearer {KEY}"})
    assert asked.status_code == 200


def test_an_invitation_that_was_removed_lets_nobody_in(address, owner):
    card = owner.post("api/rooms", json={"game": GAME}).json()
    join = owner.get(f"api/rooms/{card['key']}").json()["join"]
    with visitor(address) as client:
        client.get(f"join/{join}")
        assert client.get("api/me").status_code == 200
        assert owner.delete(f"api/rooms/{card['id']}").status_code == 204
        assert client.get("api/me").status_code == 401


def test_a_server_for_this_machine_alone_asks_for_no_key():
    with bound("127.0.0.1", 0) as listener:
        site = site_of(listener, "127.0.0.1")
    assert (site.network, site.key, site.with_key(site.here)) == (None, "", site.here)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_a_server_for_the_network_has_an_address_that_a_phone_can_open(host):
    with bound(host, 0) as listener:
        site = site_of(listener, host)
    assert re.match(r"http://(127\.0\.0\.1|\[::1\]):\d+/$", site.here)
    assert "0.0.0.0" not in site.network
    assert "[::]" not in site.network
    assert len(site.key) > 20


@pytest.mark.slow
def test_serve_prints_addresses_with_a_key_that_open_the_page(tmp_path):
    command = [sys.executable, "-c", "from ludus.commands import main; main()", "serve", "--port", "0"]
    environment = os.environ | {"LUDUS_HOME": str(tmp_path), "COLUMNS": "200"}
    with subprocess.Popen(
        [*command, "--host", "0.0.0.0"], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        here, network = (re.search(r"http://\S+", process.stdout.readline())[0] for _ in range(2))
        try:
            for address in (here, network):
                with httpx.Client(follow_redirects=True) as client:
                    assert "Ludus" in client.get(address).text
                    assert client.get(httpx.URL(address).join("/api/runs")).json() == []
            assert httpx.get(httpx.URL(here).join("/api/runs")).status_code == 401
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(20)


# ---- code ----


def test_the_page_resumes_no_run_that_plays_a_program(owner, web_home, monkeypatch):  # noqa: F811
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    trap = web_home / "sprung"
    program = f"cmd:{sys.executable} -c \"open({json.dumps(str(trap))}, 'a'); import sys; sys.stdin.read()\""
    settings = {"games": 4, "eval_games": 2, "grade": "no", "eval_against": "none"}
    run = train(GAME, "q-table", out=web_home / "runs" / "plays-a-program", **settings)
    from ludus.learning.runs.files import read_manifest, write_manifest

    manifest = read_manifest(run.path)
    write_manifest(run.path, manifest._replace(plan=manifest.plan | {"eval_against": program}))
    found = owner.post("api/trainings/plays-a-program/resume", json={"games": 8})
    assert found.status_code == 400
    assert "ludus train --resume plays-a-program" in found.json()["detail"]
    assert not trap.exists()


def test_a_list_of_runs_loads_no_game_of_somebody_else(owner, web_home):  # noqa: F811
    folder, trap = web_home / "runs" / "sent", web_home / "loaded"
    folder.mkdir(parents=True)
    (folder / "game.py").write_text(f"open({json.dumps(str(trap))}, 'a').close()\n")
    from ludus.documents import write_document
    from ludus.learning.runs import files
    from ludus.learning.runs.files import Manifest

    named = Manifest(str(folder / "game.py"), "0" * 16, {"name": "q-table"}, {}, {}, {}, {}, {}, "f" * 64)
    write_document(folder / files.MANIFEST, files._VERSION, named._asdict())
    card = next(card for card in owner.get("api/runs").json() if card["run"] == "sent")
    assert card["state"] == "damaged"
    assert not trap.exists()
