"""A user's game that breaks the contract is refused at the door, by every command, in the words of `ludus check`."""

import pytest
from broken_games import BROKEN, Countdown, Forgetful, Overflowing
from conftest import EXAMPLES

import ludus
from ludus import catalog
from ludus.checking import check, door, patience
from ludus.checking.door import require_sound
from ludus.checking.overflow import may_overflow
from ludus.checking.plain import take_sample
from ludus.commands import COMMANDS

LATER_RULES = (
    "compiled and plain rules agree",
    "parts add up to the position",
    "heaps make up the position and never grow",
    "perfect play keeps to candidates and bounds",
    "compiled and plain hooks agree",
    "people can see, name and write it",
)
NIM = """
from typing import NamedTuple


class Position(NamedTuple):
    heap: int
    turn: int


class Nim(NamedTuple):
    '''Take one or two.'''

    heap: int = 9

    def start(self):
        return Position(self.heap, 0)

    def player(self, pos):
        return pos.turn

    def legal(self, pos):
        return (1 << min(pos.heap, 2)) - 1

    def play(self, pos, action):
        return Position(pos.heap - action - 1, 1 - pos.turn)

    def score(self, pos):
        return 1 if pos.turn == 1 else -1
"""
HALF = NIM.replace("return 1 if pos.turn == 1 else -1", "return 0.5")
# By command: arguments after its name, with a broken game in place of GAME.
TAKES_A_GAME = {
    "play": "GAME",
    "serve": "GAME --port 0",
    "puzzle": "GAME",
    "solve": "GAME",
    "tablebase": "GAME",
    "value": "9,0 --game GAME",
    "prove": "GAME",
    "crib": "GAME",
    "book": "GAME",
    "train": "GAME q-table --games 10",
    "sweep": "GAME q-table --grid epsilon=0.1,0.2 --games 10 --out sweep",
    "tables": "",
    "grade": "random GAME",
    "match": "GAME random random --games 10",
    "tournament": "GAME random first",
    "ratings": "GAME",
    "benchmark": "--game GAME",
    "export": "GAME",
    "warm": "GAME",
}
OTHERS = {"replay", "runs", "tables", "paper", "demo", "games", "new-game", "check"}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of its own, so that nothing is remembered from earlier tests."""
    monkeypatch.setattr("ludus.memo.machine_code.directory", lambda: tmp_path / "cache")
    monkeypatch.setattr(door, "_sound", set())


@pytest.mark.parametrize(
    "broken", [entry[0] for entry in BROKEN if entry[0] is not Forgetful], ids=lambda broken: broken.__name__
)
def test_the_door_and_check_agree(broken, plain, monkeypatch):
    monkeypatch.setattr(door, "_SECONDS", 20.0)
    checked = check(broken(), positions=500, games=5)
    if checked.verdicts[-1].rule in LATER_RULES or not checked.problem:
        require_sound(broken())  # what it breaks takes longer to find
        return
    with pytest.raises(ludus.LudusError) as error:
        require_sound(broken())
    assert str(error.value) == checked.problem


def test_every_refusal_names_a_line_of_the_author(plain):
    for broken, *_ in BROKEN:
        verdict = check(broken(), positions=200, games=2).verdicts[-1]
        assert not verdict.problem or "broken_games.py:" in "".join(verdict.lines), verdict


def test_a_constant_is_shown_where_it_is_written(ludus, tmp_path):
    (tmp_path / "nim.py").write_text(NIM.replace("    heap: int = 9\n", "    heap: int = 9\n    max_plies = 30.0\n"))
    done = ludus("solve", str(tmp_path / "nim.py"))
    *_, line, frame = done.stderr.splitlines()  # a busy machine says what it does first
    assert line == "ludus: Nim.max_plies is 30.0; give a whole number of plies, 0 for no cap"
    assert frame.endswith("nim.py:14, in Nim: max_plies = 30.0")


def test_a_rule_that_does_not_return_is_stopped_where_it_is(monkeypatch):
    class Stuck(Countdown):
        def legal(self, pos):
            while pos.heap == 3:
                pass
            return Countdown.legal(self, pos)

    monkeypatch.setattr(patience, "SECONDS", 0.1)
    monkeypatch.setattr(patience, "_LOOK", 0.02)
    with pytest.raises(ludus.LudusError, match=r"Stuck\.legal at Position\(heap=3, turn=.\) does not return") as error:
        require_sound(Stuck())
    assert "in legal: " in error.value.__notes__[-1]


@pytest.mark.parametrize(
    ("score", "is_wide"),
    [
        ("1 if (1 << 64 + pos.turn) >> 65 else -1", True),
        ("1 if (0x9E3779B97F4A7C15 * (pos.turn + 7) >> 5) % 3 else -1", True),
        ("1 if (pos.turn + 1 << 63) > 0 else -1", True),
        ("1 if ~((pos.turn + 1) * 3 ** 50) >> 70 else -1", True),
        ("1 if (1 << 62 + pos.turn) - 1 > 0 else -1", False),
        ("1 if 3 * pos.turn // 2 % 5 else -1", False),
    ],
)
def test_rules_beyond_64_bits_are_suspected_in_plain_python(score, is_wide, tmp_path):
    (tmp_path / "wide.py").write_text(NIM.replace("1 if pos.turn == 1 else -1", score))
    game = catalog.find(catalog.GAMES, str(tmp_path / "wide.py"))
    assert may_overflow(game, take_sample(game, 100, 1)) == is_wide


@pytest.mark.parametrize("written", [*catalog.GAMES.built_in, str(EXAMPLES / "breakthrough.py")])
def test_sound_rules_are_not_suspected(written):
    game = catalog.find(catalog.GAMES, written)
    assert not may_overflow(game, take_sample(game, 100, 1))


def test_what_compiled_code_says_otherwise_is_refused_at_the_door():
    with pytest.raises(ludus.LudusError, match=r"Overflowing\.score at .* when compiled and 1 in plain Python"):
        require_sound(Overflowing())


def test_a_failing_face_gets_the_words_of_check(ludus, tmp_path):
    draw = "    def draw(self, pos):\n        return 1 / 0\n\n    def start(self):"
    (tmp_path / "nim.py").write_text(NIM.replace("    def start(self):", draw))
    done = ludus("export", str(tmp_path / "nim.py"), "--out", str(tmp_path / "page"), LUDUS_HOME=str(tmp_path))
    *_, line, frame = done.stderr.splitlines()  # a busy machine says what it does first
    assert line.startswith("ludus: Nim.draw at Position(heap=9, turn=0) or what belongs to it raises ZeroDivisionError")
    assert frame.endswith("in draw: return 1 / 0")


def test_random_rules_are_refused(plain):
    with pytest.raises(ludus.LudusError, match=r"Forgetful\.play at .* gives another answer when asked again"):
        require_sound(Forgetful())


def test_every_command_is_told_whether_it_takes_a_game():
    everything = {name for commands in COMMANDS.values() for name in commands}
    assert everything == set(TAKES_A_GAME) | OTHERS


@pytest.mark.slow
@pytest.mark.parametrize("command", sorted(set(TAKES_A_GAME) - {"tables"}))
def test_a_command_refuses_a_broken_game_in_the_words_of_check(command, ludus, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "half.py").write_text(HALF)
    done = ludus(command, *TAKES_A_GAME[command].replace("GAME", "half.py").split(), LUDUS_HOME=str(tmp_path))
    assert done.returncode == 2, done.stderr
    *_, line, frame = done.stderr.splitlines()  # a busy machine says what it does first
    assert line == (
        "ludus: Nim.score at Position(heap=0, turn=1) returns 0.5; return a whole number: use // instead of /,"
        " or count in smaller units"
    )
    assert frame == "  half.py:27, in score: def score(self, pos):"


def test_check_itself_shows_the_verdicts(ludus, tmp_path):
    (tmp_path / "half.py").write_text(HALF)
    done = ludus("check", str(tmp_path / "half.py"))
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].startswith("broken  actions are legal")
    assert "returns 0.5; return a whole number" in done.stderr
    assert done.stderr.splitlines()[-1].endswith("half.py:27, in score: def score(self, pos):")


def test_a_rule_that_raises_shows_the_line_that_did(ludus, tmp_path):
    (tmp_path / "nim.py").write_text(NIM.replace("return pos.turn", "return pos.turn // (pos.heap - 3)"))
    done = ludus("solve", str(tmp_path / "nim.py"))
    assert done.returncode == 2
    *_, line, frame = done.stderr.splitlines()  # a busy machine says what it does first
    assert "Nim.player at Position(heap=3, turn=" in line
    assert "raises ZeroDivisionError" in line
    assert frame.endswith("nim.py:19, in player: return pos.turn // (pos.heap - 3)")


def test_what_only_the_compiler_finds_gets_the_words_of_check_too(ludus, tmp_path):
    rare = NIM.replace("return 1 if", "return 0.5 if pos.heap < 0 else 1 if")
    (tmp_path / "rare.py").write_text(rare)
    done = ludus("match", str(tmp_path / "rare.py"), "random", "random", "--games", "1000000")
    assert done.returncode == 2
    *_, line, frame = done.stderr.splitlines()  # a busy machine says what it does first
    assert line.startswith("ludus: Nim.score returns a fraction in some position; return a whole number on every path")
    assert frame.endswith("rare.py:27, in score: def score(self, pos):")


def test_a_game_that_passed_is_not_checked_again(monkeypatch):
    require_sound(Countdown())
    monkeypatch.setattr(door, "_sound", set())  # as in another process
    monkeypatch.setattr(door, "take_sample", None)
    require_sound(Countdown())


def test_other_parameters_are_checked_anew(monkeypatch):
    require_sound(Countdown(5))
    taken = []
    monkeypatch.setattr(door, "take_sample", lambda game, *args, **named: taken.append(game))
    with pytest.raises(AttributeError):  # the sample is missing
        require_sound(Countdown(7))
    assert taken == [Countdown(7)]


def test_slow_rules_do_not_hold_up_a_command(monkeypatch):
    calls = []

    class Slow(Countdown):
        def player(self, pos):
            calls.append(pos)
            return Countdown.player(self, pos)

    monkeypatch.setattr(door, "_SECONDS", 0.0)
    require_sound(Slow(heap=10**6))
    assert len(calls) < 20


@pytest.mark.slow
def test_a_job_in_another_process_fails_in_the_words_of_check(ludus, tmp_path):
    (tmp_path / "rare.py").write_text(NIM.replace("return 1 if", "return 0.5 if pos.heap < 0 else 1 if"))
    command = "tournament", str(tmp_path / "rare.py"), "random", "mcts(sims=9)", "--games", "1000"
    done = ludus(*command, "--on", "local=2", LUDUS_HOME=str(tmp_path))
    assert done.returncode == 2
    assert "Nim.score returns a fraction in some position" in done.stderr
    assert "Traceback" not in done.stderr
