"""Studies from the page: tournaments, leagues, the benchmark and papers, started, followed, cancelled and resumed."""

import json
import time

import anyio
import httpx
import pytest
from web_server import browser, plain_home, serving, watched_page  # noqa: F401

from ludus.documents import read_document, write_document
from ludus.web import studies
from ludus.web.access import is_from_here
from ludus.web.server import Site, make_app

pytestmark = pytest.mark.slow

GAME = "tapnswap(limit=2)"  # small
SHORT = {"game": GAME, "agents": ["random", "smart-random", "first"], "games": 4}
LONG = {  # kind: an order that takes long, even on a fast machine
    "tournament": {"game": "tic-tac-toe", "agents": ["mcts(sims=20000)", "mcts(sims=19999)", "random"], "games": 1000},
    "league": {"game": "tic-tac-toe", "games": 10_000},
    "benchmark": {"scale": "quick"},
    "papers": {"paper": "all", "scale": "quick"},
}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder for what is kept; rules run as plain Python, which needs no compiling."""
    with plain_home(tmp_path_factory) as folder:
        yield folder


@pytest.fixture(scope="module")
def address(home):
    with serving() as address:
        yield address


@pytest.fixture(scope="module")
def ask(address):
    with httpx.Client(base_url=f"{address}api/", timeout=60) as client:
        yield client


def start(ask, kind, order, status=200):
    answer = ask.post(f"studies/{kind}", json=order)
    assert answer.status_code == status, answer.text
    return answer.json()


def until(ask, kind, is_so, seconds=120):
    end = time.monotonic() + seconds
    while not is_so(now := found(ask, kind)):
        assert time.monotonic() < end, now
        time.sleep(0.05)
    return now


def found(ask, kind):
    return next(one for one in ask.get("studies").json()["studies"] if one["kind"] == kind)


def is_over(now):
    return now["state"] not in ("none", "running")


def test_a_tournament_runs_to_its_end_and_stands_in_the_league(ask):
    start(ask, "tournament", SHORT)
    now = until(ask, "tournament", is_over)
    assert (now["state"], now["words"]) == ("finished", "")
    assert now["order"]["agents"] == SHORT["agents"]
    table = ask.get("ratings", params={"game": GAME}).json()
    assert {one["name"] for one in table["members"]} == set(SHORT["agents"])
    assert [one["games"] for one in table["members"]] == [8, 8, 8]


@pytest.mark.parametrize("kind", LONG)
def test_a_study_is_followed_refused_twice_cancelled_and_resumed(ask, home, kind):
    start(ask, kind, LONG[kind])
    with ask.stream("GET", "studies/stream") as answer:
        for line in answer.iter_lines():
            if line.startswith("data:"):
                now = next(one for one in json.loads(line[5:])["studies"] if one["kind"] == kind)
                if now["jobs"]:
                    break
    assert now["state"] == "running"
    assert now["done"] < now["jobs"]
    assert start(ask, kind, LONG[kind], 409)["detail"].endswith("is already running: wait for it, or cancel it")
    assert ask.delete(f"studies/{kind}").status_code == 200
    stopped = until(ask, kind, is_over)
    assert stopped["state"] == "stopped"
    start(ask, kind, stopped["order"])
    ask.delete(f"studies/{kind}")
    assert until(ask, kind, is_over)["state"] == "stopped"


def test_what_a_page_may_not_study_is_refused_in_one_line(ask):
    for kind, order, words in (
        ("tournament", {"game": GAME, "agents": ["random"]}, "choose at least two agents"),
        ("tournament", {"game": GAME, "agents": ["random", "cmd:touch /tmp/x"]}, "is not allowed on the page"),
        ("tournament", {"game": "chess", "agents": ["random", "first"]}, "no game is called 'chess'"),
        ("benchmark", {"scale": "tiny"}, "there is no scale 'tiny'; there is: small, quick"),
        ("papers", {"paper": "../x"}, "there is no paper '../x'; there is: all, "),
        ("papers", {"paper": "all", "changes": "epsilon=0.5"}, "choose the paper whose settings are changed"),
        ("papers", {"paper": "tapnswap", "changes": "epsilon"}, "write each setting once, as name=value"),
        (
            "papers",
            {"paper": "tapnswap", "changes": "opponent=cmd:touch x"},
            "there is no setting 'opponent'; there is: games",
        ),
    ):
        assert words in start(ask, kind, order, 400)["detail"]
    assert ask.post("studies/tournament", json=SHORT | {"games": 1}).status_code == 422
    assert ask.post("studies/war", json={}).status_code == 422
    theirs = {"origin": "http://evil.example", "sec-fetch-site": "cross-site"}
    assert ask.post("studies/tournament", json=SHORT, headers=theirs).status_code == 403


def test_a_guest_and_an_unknown_visitor_can_neither_start_nor_see_studies(home):
    with serving(key="owner-key") as address, httpx.Client(base_url=f"{address}api/", timeout=60) as visitor:
        owner = {"authorization": "Bearer owner-key"}
        assert visitor.post("studies/tournament", json=SHORT).status_code == 401
        card = visitor.post("rooms", json={"game": GAME}, headers=owner).json()
        join = visitor.get(f"rooms/{card['key']}", headers=owner).json()["join"]
        guest = {"authorization": f"Bearer {join}"}
        for method, path in (("POST", "tournament"), ("DELETE", "tournament"), ("GET", "")):
            answer = visitor.request(method, f"studies/{path}".rstrip("/"), headers=guest)
            assert answer.status_code == 403


def test_only_somebody_at_the_machine_itself_starts_studies_whatever_the_key(ask):
    own = {"server": ("192.168.1.5", 80)}
    assert is_from_here(own | {"client": ("127.0.0.1", 5)})
    assert is_from_here(own | {"client": ("::1", 5)})
    assert is_from_here(own | {"client": ("192.168.1.5", 5)})
    assert not is_from_here(own | {"client": ("192.168.1.9", 5)})
    assert not is_from_here(own | {"client": None})
    assert ask.get("me").json()["is_here"]


def test_the_owner_at_another_machine_is_refused():
    async def start():
        transport = httpx.ASGITransport(app=make_app((), Site(key="owner-key")), client=("192.168.1.9", 50_000))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as owner:
            key = {"authorization": "Bearer owner-key"}
            return await owner.post("/api/studies/tournament", json=SHORT, headers=key)

    answer = anyio.run(start)
    assert answer.status_code == 403
    assert answer.json()["detail"] == "a study is started at the machine that serves this page, not from another one"


def test_a_study_of_a_killed_server_is_stopped_and_can_be_resumed(home, monkeypatch, tmp_path):
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path))
    with serving() as address, httpx.Client(base_url=f"{address}api/", timeout=60) as client:
        start(client, "tournament", LONG["tournament"])
        until(client, "tournament", lambda now: now["jobs"] > 0)
    path = tmp_path / "studies" / "tournament.json"
    kept = read_document(path, 1, studies._Kept)
    assert kept.state == "stopped"  # it was stopped with the server; had that been killed, it would run in the file
    write_document(path, 1, kept._replace(state="running", order=SHORT)._asdict())
    with serving() as address, httpx.Client(base_url=f"{address}api/", timeout=60) as client:
        again = found(client, "tournament")
        assert again["state"] == "stopped"
        start(client, "tournament", again["order"])
        assert until(client, "tournament", is_over)["state"] == "finished"


def test_a_person_starts_a_tournament_on_an_empty_page_and_sees_its_table(browser, address):  # noqa: F811
    with watched_page(browser) as page:
        page.goto(f"{address}#/leagues?game=toads-and-frogs")
        page.get_by_text("Nobody has played this game in a tournament yet").wait_for()
        panel = page.locator(".study", has_text="Hold a tournament")
        for agent in ("mcts(sims=100)", "perfect(skill=0.7)", "perfect"):
            panel.locator(f"input[value='{agent}']").uncheck()
        panel.get_by_label("Games").fill("4")
        panel.get_by_role("button", name="Start the tournament").click()
        page.get_by_role("heading", name="Standings").wait_for()
        page.get_by_role("heading", name="Each against each").wait_for()
        assert sorted(page.locator(".list th[scope=row]").all_inner_texts()) == ["random", "smart-random"]
        panel.get_by_text("Finished").wait_for()


@pytest.mark.parametrize(("place", "button"), [("benchmark", "Run it"), ("papers", "Reproduce it")])
def test_a_person_starts_and_cancels_what_an_empty_page_offers(browser, address, place, button):  # noqa: F811
    with watched_page(browser) as page:
        page.goto(f"{address}#/{place}")
        page.get_by_text("There are no").wait_for()
        assert page.locator("code").count() == 0
        page.get_by_role("button", name=button).click()
        page.get_by_role("progressbar").wait_for()
        page.get_by_role("button", name="Cancel").click()
        page.get_by_role("button", name="Resume").wait_for()
