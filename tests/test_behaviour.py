"""The fingerprint of behaviour: changed by rules and parameters, not by anything else."""

import pytest
from conftest import TESTS

import ludus
from ludus import catalog
from ludus.games.connect_four import ConnectFour

NIM = (TESTS / "user_games" / "nim.py").read_text()


@pytest.fixture
def nim(tmp_path):
    """The fingerprint of nim.py after an edit, whether or not the rules still keep the contract."""

    def edited(old, new):
        assert old in NIM
        path = tmp_path / "nim.py"
        path.write_text(NIM.replace(old, new))
        return ludus.fingerprint(catalog.find(catalog.GAMES, str(path)))

    return edited


def test_touching_a_comment_or_a_name_keeps_it(nim):
    same = nim("class Nim", "class Nim")
    assert nim("# seven times the heap", "# heap times seven") == same
    assert nim("class Nim", "class Heaps") == same


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("last = 1 if", "last = 2 if"),
        ("(1 << pos.a) - 1 |", "(1 << min(pos.a, 2)) - 1 |"),
        ("1 - pos.turn\n", "pos.turn\n"),
        ("a: int = 3", "a: int = 2"),
        ("return pos.turn", "return 1 - pos.turn"),
    ],
    ids=["score", "legal", "play", "parameter", "player"],
)
def test_changing_a_rule_or_a_parameter_changes_it(nim, old, new):
    assert nim(old, new) != nim("class Nim", "class Nim")


class LinesLose(ConnectFour):
    def score(self, pos):
        return -ConnectFour.score(self, pos)


def test_a_rule_that_shows_only_at_the_end_of_long_games_changes_it():
    assert ludus.fingerprint(LinesLose()) != ludus.fingerprint(ConnectFour())


def test_an_endless_game_has_one():
    assert len(ludus.fingerprint(ludus.make_game(str(TESTS / "loop_game.py")))) == 16


def test_it_is_the_same_in_every_process(fresh_python):
    code = "import ludus; print(ludus.fingerprint(ludus.make_game('mancala(capture=empty)')))"
    assert fresh_python(code) == ludus.fingerprint(ludus.make_game("mancala(capture=empty)"))


def test_games_differ():
    names = ["tic-tac-toe", "mancala", "mancala(capture=empty)", "mancala(leftovers=owner)", "connect-four"]
    assert len({ludus.fingerprint(ludus.make_game(name)) for name in names}) == len(names)
