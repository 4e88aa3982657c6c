"""A game of one's own: the file to begin with works, and the tutorial is true."""

import json
import re

import httpx
import pytest
from conftest import TESTS
from web_server import serving

import ludus as package
from ludus import catalog
from ludus.checking import check
from ludus.commands.new_game import write_game

PAGE = (TESTS.parent / "docs" / "tutorial-game.md").read_text()
RULES, *SESSIONS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def new(tmp_path):
    """The game that a new file holds."""
    return package.make_game(str(write_game("my-game", tmp_path).path))


@pytest.fixture
def domineering(tmp_path, monkeypatch):
    """The file of the tutorial, in the folder that the session runs in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "domineering.py").write_text(RULES)
    return tmp_path / "domineering.py"


def broken(game):
    return check(game).problem


def refusal(*arguments):
    with pytest.raises(package.LudusError) as error:
        write_game(*arguments)
    assert "\n" not in str(error.value)
    return str(error.value)


# ---- the file ----


def test_a_new_game_keeps_the_contract(new, plain):
    assert broken(new) == ""


@pytest.mark.slow
def test_a_new_game_keeps_the_contract_compiled(new):
    assert broken(new) == ""


def test_a_new_game_is_solved_and_learned(new, plain, tmp_path):
    small = new._replace(squares=6)
    assert package.solve(small).value(small.start()).score == 1  # by the middle
    run = package.train(small, "q-table", games=500, epsilon=0.5, eval_against="none", out=tmp_path / "run")
    assert package.grade(run.agent(), small).guarantee.first.result == "win"


def test_the_command_writes_a_file_that_is_named_after_the_game(ludus, tmp_path):
    done = ludus("new-game", "my-game", "--out", str(tmp_path), "--json")
    path = tmp_path / "my_game.py"
    assert json.loads(done.stdout) == {"game": "my-game", "class": "MyGame", "file": str(path)}
    assert "class MyGame(NamedTuple):" in path.read_text()
    assert "$" not in path.read_text()


def test_a_file_that_is_there_stays_as_it_is(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("mine")
    assert "is there already" in refusal("my-game", path)
    assert path.read_text() == "mine"


@pytest.mark.parametrize("name", ["", "My-Game", "my game", "9lives", "a--b", "-a", "../a", "a_b", "a" * 41, "é"])
def test_a_bad_name_says_what_a_name_is(name, tmp_path):
    assert "a game is called by small letters, digits and single hyphens" in refusal(name, tmp_path)


@pytest.mark.parametrize("name", ["tic-tac-toe", "position", "named-tuple", "class", "random", "numpy", "ludus"])
def test_a_name_that_is_taken_is_refused(name, tmp_path):
    assert f"{name} is taken" in refusal(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("out", "words"), [("game.txt", "must end in .py"), ("no/game.py", "cannot be written")])
def test_a_bad_place_is_refused(out, words, tmp_path):
    assert words in refusal("my-game", tmp_path / out)


# ---- the tutorial ----


def test_the_tutorial_begins_with_the_command():
    assert "\nludus new-game domineering\n" in PAGE


@pytest.mark.slow
def test_the_game_of_the_tutorial_keeps_the_contract(domineering):
    assert broken(package.make_game(f"{domineering}(rows=3, columns=3)")) == ""


def test_the_session_of_the_tutorial_runs(domineering, plain, home):
    names = {}
    for session in SESSIONS:
        exec(session, names)


def test_the_game_of_the_tutorial_is_played_in_the_browser(domineering, plain, home):
    with serving([("domineering", catalog.make_game(str(domineering)))]) as address:
        view = httpx.get(f"{address}api/game", params={"game": "domineering(rows=3, columns=3)"}).json()
        asked = {"game": view["game"], "at": view["start"]}
        shown = httpx.get(f"{address}api/position", params=asked).json()
    assert 'data-target="action-0"' in shown["svg"]
    assert len(shown["actions"]) == 6


@pytest.mark.parametrize(("rows", "columns", "form"), [(2, 3, "{2|-1/2}"), (3, 2, "{1/2|-2}"), (2, 2, "+-1")])
def test_small_boards_have_the_published_values(domineering, plain, rows, columns, form):
    game = package.make_game(f"{domineering}(rows={rows}, columns={columns})")
    assert str(package.canonical_form(game)) == form
