"""Games and agents by name: built in, from installed packages, from files; and errors that say what is allowed."""

import pytest
from conftest import TESTS
from count_perft import VARIANTS
from hypothesis import given
from hypothesis import strategies as st

import ludus
from ludus import catalog
from ludus.games.fox_and_hounds import FoxAndHounds, Goal
from ludus.games.mancala import Capture, Leftovers, Mancala
from ludus.games.toads_and_frogs import Side, Strip, ToadsAndFrogs

NIM = str(TESTS / "user_games" / "nim.py")
GAME = (TESTS / "user_games" / "nim.py").read_text()


def message(written, make=catalog.make_game):
    with pytest.raises(ludus.LudusError) as error:
        make(written)
    text = str(error.value)
    assert "\n" not in text
    return text


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install a package that announces a game and an agent; returns a function that writes its entry points."""
    (tmp_path / "mygames.py").write_text(GAME)
    (tmp_path / "myagents.py").write_text(
        "from typing import NamedTuple\n\nclass Lazy(NamedTuple):\n    skill: float = 0.5\n\n"
        "    def policy(self, game, pos, out):\n        out[0] = 1\n"
    )
    folder = tmp_path / "mygames-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: mygames\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return lambda text: (folder / "entry_points.txt").write_text(text)


@pytest.mark.parametrize(
    ("written", "game"),
    [
        ("mancala", Mancala()),
        ("mancala()", Mancala()),
        (" mancala( stones = 3 , capture=standard ) ", Mancala(stones=3, capture=Capture.STANDARD)),
        ("mancala(leftovers=OWNER)", Mancala(leftovers=Leftovers.OWNER)),
        ("fox-and-hounds(size=6, goal=safe)", FoxAndHounds(6, Goal.SAFE)),
        ("toads-and-frogs(strip=(TF)^2T_, first=frogs)", ToadsAndFrogs(first=Side.FROGS, strip=Strip.parse("TFTFT_"))),
    ],
)
def test_a_game_is_read_from_its_name_and_parameters(written, game):
    assert catalog.make_game(written) == game


@given(
    st.builds(Mancala, st.integers(1, 6), st.integers(1, 8), st.sampled_from(Capture), st.sampled_from(Leftovers))
    | st.builds(FoxAndHounds, st.sampled_from([4, 6, 8, 10]), st.sampled_from(Goal))
)
def test_a_name_reads_back(game):
    assert catalog.make_game(catalog.name_of(game)) == game


@pytest.mark.parametrize("name", catalog.GAMES.built_in)
def test_every_variant_has_a_name_that_reads_back(name):
    for variant in VARIANTS[name]:
        game = catalog.make_game(f"{name}({variant})")
        assert catalog.make_game(catalog.name_of(game)) == game


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("mancalla", "no game is called 'mancalla'; did you mean mancala?"),
        ("zzz", "there are: tic-tac-toe, connect-four, toads-and-frogs"),
        ("mancala(seeds=3)", "mancala has no parameter 'seeds'; allowed: holes, stones, capture, leftovers"),
        ("tic-tac-toe(size=4)", "tic-tac-toe has no parameter 'size'; allowed: none"),
        ("mancala(stones=many)", "mancala: stones must be a whole number, not 'many'"),
        ("mancala(stones=0)", "mancala: stones must be 1 to 10 with 6 holes a side, not 0"),
        ("mancala(capture=sometimes)", "mancala: capture must be none, standard or empty, not 'sometimes'"),
        ("tapnswap(tap_dead=perhaps)", "tapnswap: tap_dead must be true or false, not 'perhaps'"),
        ("toads-and-frogs(strip=TXF)", "toads-and-frogs: strip: a strip is 1 to 62 squares of T, F and _"),
        ("mancala(stones=3, stones=4)", "stones is given twice"),
        ("mancala(stones)", "cannot read 'stones' in 'mancala(stones)': write param=value"),
        ("mancala(stones=3", "cannot read 'mancala(stones=3': write name or name(param=value, ...)"),
        ("", "cannot read ''"),
        ("no/such/file.py", "there is no file no/such/file.py"),
    ],
)
def test_bad_names_and_parameters_say_what_is_allowed(written, words):
    assert words in message(written)


def test_a_game_is_read_from_a_file_with_parameters():
    assert catalog.make_game(f"{NIM}(a=1, misere=yes)")[:4] == (1, 4, 5, True)


def test_the_name_of_a_game_from_a_file_reads_back():
    game = catalog.make_game(f"{NIM}(a=1)")
    assert catalog.name_of(game) == f"{NIM}(a=1)"
    assert catalog.make_game(catalog.name_of(game)) == game


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = 1\n", "holds no game: a game is a NamedTuple class with the methods start, player, legal, play, score"),
        ("def broken(:\n", "cannot be loaded: SyntaxError: invalid syntax"),
        ("import nothing_of_that_name\n", "cannot be loaded: ModuleNotFoundError: No module named"),
        ("raise SystemError('stop')\n", "cannot be loaded: SystemError: stop"),
        ("import sys\nsys.exit(3)\n", "cannot be loaded: SystemExit: 3"),
        (GAME.replace("def score", "def points"), "the game Nim has no method score"),
        (GAME + "\nclass Other(Nim):\n    pass\n", "holds several games: say"),
    ],
)
def test_bad_files_get_one_line(tmp_path, source, words):
    (tmp_path / "game.py").write_text(source)
    assert words in message(str(tmp_path / "game.py"))


def test_one_of_several_games_in_a_file_is_chosen_by_class(tmp_path):
    (tmp_path / "two.py").write_text(GAME + "\nclass Other(Nim):\n    pass\n")
    game = catalog.make_game(f"{tmp_path / 'two.py'}:Other(a=2)")
    assert type(game).__name__ == "Other"
    assert catalog.make_game(catalog.name_of(game)) == game
    assert "holds no class Third" in message(f"{tmp_path / 'two.py'}:Third")


def test_installed_packages_announce_games_and_agents(installed):
    installed("[ludus.games]\nmy-nim = mygames:Nim\n[ludus.agents]\nlazy = myagents:Lazy\n")
    game = catalog.make_game("my-nim(a=2)")
    assert game.a == 2
    assert catalog.name_of(game) == "my-nim(a=2)"
    assert "my-nim" in catalog.games()
    assert catalog.make_agent("lazy(skill=0.8)").skill == 0.8


def test_a_package_cannot_replace_a_built_in_game(installed):
    installed("[ludus.games]\nmancala = mygames:Nim\n")
    assert catalog.make_game("mancala") == Mancala()


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("mygames:Nothing", "cannot be imported: AttributeError"),
        ("nowhere:Nim", "cannot be imported: ModuleNotFoundError"),
        ("mygames:NamedTuple", "is no game: it must be a NamedTuple class"),
        ("mygames:Position", "has no method start"),
    ],
)
def test_bad_packages_get_one_line(installed, target, words):
    installed(f"[ludus.games]\nmy-nim = {target}\n")
    assert words in message("my-nim")


def test_agents_are_looked_for_under_their_own_name():
    assert "no agent is called 'mancala'" in message("mancala", catalog.make_agent)


def test_a_position_with_a_field_called_like_a_method_is_no_game(tmp_path):
    source = GAME.replace("turn: int", "player: int").replace("pos.turn", "pos.player")
    (tmp_path / "game.py").write_text(source)
    assert type(catalog.make_game(str(tmp_path / "game.py"))).__name__ == "Nim"


def test_a_file_that_is_not_called_py_is_refused(tmp_path):
    (tmp_path / "noext").write_text(GAME)
    assert "its name must end in .py" in message(f"{tmp_path}/noext")


def test_a_broken_package_does_not_hide_the_other_games(installed):
    installed("[ludus.games]\nbad = nowhere:Nim\n")
    assert list(catalog.games()) == list(catalog.GAMES.built_in)


def test_a_parameter_that_cannot_be_written_says_so(tmp_path):
    (tmp_path / "game.py").write_text(GAME.replace("a: int = 3", "a: int | None = 3"))
    assert "cannot be written as text" in message(f"{tmp_path}/game.py(a=2)")
