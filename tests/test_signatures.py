"""Works from somebody else run no code that they name, until the user trusts them."""

import json
import shutil

import pytest
from conftest import TESTS

from ludus.catalog import make_agent
from ludus.errors import LudusError
from ludus.learning.runs import read_run, resume, train, trust_run
from ludus.learning.runs.files import MANIFEST, read_manifest
from ludus.study.sweep import FILE, Kind
from ludus.study.sweep.rounds import Order, new_sweep, resume_sweep

pytestmark = pytest.mark.usefixtures("plain")


@pytest.fixture
def somebody(tmp_path, monkeypatch):
    """Become another user, who has not seen what was made before."""

    def become():
        monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "somebody"))

    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "maker"))
    return become


@pytest.fixture
def game_file(tmp_path):
    """A game in a file that says when it is loaded."""
    path = tmp_path / "trap.py"
    source = (TESTS / "user_games" / "nim.py").read_text()
    path.write_text(f"open({str(tmp_path / 'sprung')!r}, 'a').close()\n{source}")
    return path


def settings(**more):
    return {"games": 4, "eval_games": 2, "grade": "no"} | more


def test_a_run_on_a_game_in_a_file_is_read_by_its_maker_alone(somebody, game_file, tmp_path):
    run = train(str(game_file), "q-table", out=tmp_path / "run", **settings())
    assert read_run(run.path).metrics()
    (tmp_path / "sprung").unlink()
    somebody()
    with pytest.raises(LudusError, match=r"run\.json comes from elsewhere and names code, .* not run: .*trap\.py"):
        make_agent(str(run.path))
    assert not (tmp_path / "sprung").exists()
    trust_run(str(run.path))
    assert make_agent(str(run.path))


def test_a_run_that_plays_a_program_is_resumed_by_its_maker_alone(somebody, tmp_path):
    opponent = f"cmd:touch {tmp_path / 'sprung'}"
    run = train("tic-tac-toe", "q-table", out=tmp_path / "run", **settings())
    manifest = json.loads((run.path / MANIFEST).read_text())
    assert manifest["signature"] == ""
    somebody()
    assert read_run(run.path).metrics()  # it names no code
    plan = read_manifest(run.path).plan | {"opponent": opponent}
    forged = read_manifest(run.path)._replace(plan=plan, signature="0" * 64)
    write_as_somebody(run.path, forged)
    with pytest.raises(LudusError, match="names code, which is not run: cmd:touch"):
        resume(read_run(run.path))
    assert not (tmp_path / "sprung").exists()


def write_as_somebody(folder, manifest):
    """Write a manifest with a checksum, but with the signature that it has."""
    from ludus.documents import write_document
    from ludus.learning.runs import files

    write_document(folder / MANIFEST, files._VERSION, manifest._asdict())


def test_a_changed_name_needs_another_signature(somebody, game_file, tmp_path):
    run = train(str(game_file), "q-table", out=tmp_path / "run", **settings())
    shutil.copy(game_file, tmp_path / "other.py")
    manifest = read_manifest(run.path)
    write_as_somebody(run.path, manifest._replace(game=manifest.game.replace("trap.py", "other.py")))
    with pytest.raises(LudusError, match=r"names code, which is not run: .*other\.py"):
        read_run(run.path)


def test_a_sweep_on_a_game_in_a_file_is_resumed_by_its_maker_alone(somebody, game_file, tmp_path):
    orders = [Order(Kind.GRID, 4)]
    grid = {"epsilon": ("0.1", "0.2"), "eval_games": ("2",), "grade": ("no",)}
    new_sweep(str(game_file), "q-table", grid, orders, 0, tmp_path / "sweep")
    (tmp_path / "sprung").unlink(missing_ok=True)
    somebody()
    with pytest.raises(LudusError, match=r"sweep\.json comes from elsewhere and names code, .* not run: .*trap\.py"):
        resume_sweep(tmp_path / "sweep", "local=1")
    assert not (tmp_path / "sprung").exists()
    assert json.loads((tmp_path / "sweep" / FILE).read_text())["signature"]


def test_the_secret_is_readable_by_its_user_alone(somebody, game_file, tmp_path):
    train(str(game_file), "q-table", out=tmp_path / "run", **settings())
    assert (tmp_path / "maker" / "secret").stat().st_mode & 0o777 == 0o600


def test_a_damaged_secret_is_refused(somebody, game_file, tmp_path):
    run = train(str(game_file), "q-table", out=tmp_path / "run", **settings())
    (tmp_path / "maker" / "secret").write_bytes(b"")
    with pytest.raises(LudusError, match=r"secret is damaged: remove it, .* ludus runs --trust"):
        read_run(run.path)
