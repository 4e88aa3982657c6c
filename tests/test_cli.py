"""The command line through its real entry point."""

import json
import re

import pytest
from conftest import TESTS

from ludus.commands import COMMANDS, load
from ludus.errors import printable

BROKEN = """
from typing import NamedTuple

class Position(NamedTuple):
    heap: int
    turn: int

class Countdown(NamedTuple):
    def start(self):
        return Position(5, 0)

    def player(self, pos):
        return pos.turn

    def legal(self, pos):
        return 1 if pos.heap else 0

    def play(self, pos, action):
        return pos._replace(heap=pos.heap - 1)

    def score(self, pos):
        return 1
"""


def test_games_lists_every_game_with_its_parameters_and_what_is_known(ludus):
    done = ludus("games")
    assert done.returncode == 0
    for words in ("toads-and-frogs", "capture=none/standard/empty", "5,478 positions; a draw"):
        assert words in done.stdout


def test_games_as_json_is_one_document(ludus):
    entries = json.loads(ludus("games", "--json").stdout)
    assert len(entries) == 8
    mancala = next(entry for entry in entries if entry["name"] == "mancala")
    assert mancala["parameters"][:2] == ["holes=6", "stones=4"]
    assert set(mancala) == {"name", "about", "parameters", "positions", "known"}


def test_games_fits_a_terminal_of_eighty_columns(ludus):
    assert max(len(line.rstrip()) for line in ludus("games").stdout.splitlines()) <= 80


def test_check_accepts_a_game_from_a_file(ludus):
    done = ludus("check", str(TESTS / "user_games" / "nim.py"))
    assert done.returncode == 0
    assert "kept" in done.stdout
    assert "broken" not in done.stdout


def test_check_names_the_method_and_what_to_write_instead(ludus, tmp_path):
    path = tmp_path / "broken.py"
    path.write_text(BROKEN)
    done = ludus("check", str(path))
    assert done.returncode == 1
    message = " ".join(done.stderr.split())
    assert "Countdown.play calls _replace (line 19), which cannot be compiled" in message
    assert "Position(...)" in message
    assert "Traceback" not in done.stderr


def test_check_as_json_is_one_document(ludus):
    document = json.loads(ludus("check", "tapnswap", "--json").stdout)
    assert document["game"] == "tapnswap"
    assert document["ok"] is True
    assert not any(rule["problem"] for rule in document["rules"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "mancalla"], "no game is called 'mancalla'; did you mean mancala?"),
        (["check", "mancala(stones=0)"], "stones must be 1 to 10"),
        (["check", "nowhere.py"], "there is no file nowhere.py"),
        (["check"], "Missing argument 'GAME'"),
        (["check", "mancala", "--positions", "0"], "Invalid value for '--positions'"),
        (["gamez"], "No such command 'gamez'. Did you mean 'games'"),
        (["games", "--jsn"], "No such option"),
    ],
)
def test_bad_input_gets_one_line_and_a_non_zero_exit(ludus, arguments, words):
    done = ludus(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("ludus: ")
    assert done.stderr.count("\n") == 1
    assert words in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["match", "tic-tac-toe", "first", "last", "--games", "1" + "0" * 18], "not in the range 1<=x<=1000000000."),
        (["match", "tic-tac-toe", "first", "last", "--threads", "1000000"], "'--threads': 1000000 is not in the range"),
        (["tournament", "tic-tac-toe", "first", "last", "--on", "local=1000000"], "no number of processes from 1 to"),
        (["train", "tic-tac-toe", "q-table", "--seeds", "1000000"], "not in the range 1<=x<=1000."),
        (["puzzle", "tic-tac-toe", "--seed", str(2**53)], "not in the range 0<=x<=9007199254740991."),
        (["solve", "connect-four(width=50, height=50)"], "connect-four: "),
        (["play", "tic-tac-toe", "--name", "x" * 10_001], "an argument has at most 10,000 letters: 'xxx"),
        (["solve", "\udcff"], "'\\udcff' is no text in UTF-8"),
        (["solve", "a\nb", "\x1b[31m"], "Got unexpected extra argument(s) (\\x1b[31m)"),
        (["solve", "tic-tac-toe", "--save", "x" * 300], "File name too long"),
        (["grade", "first", "tic-tac-toe", "--on", "ray=a:" + "9" * 5000], "write ray=HOST:PORT"),
        (["grade", "first", "tic-tac-toe", "--on", f"ray={'a' * 300}:1"], "no Ray cluster answers at aaa"),
        (["serve", "--host", "a" * 300], "cannot listen on aaa"),
    ],
)
def test_what_cannot_be_meant_gets_one_clean_line(ludus, arguments, words):
    done = ludus(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    line, end = done.stderr.split("\n")
    assert line.startswith("ludus: ")
    assert words in line
    assert (line.isprintable(), len(line) < 1100, end) == (True, True, "")


def test_a_message_is_shortened_and_its_letters_are_visible():
    assert printable("a\x1bb\nc\n  file.py:1\u202e") == "a\\x1bb\\nc\n  file.py:1\\u202e"
    assert printable("x" * 2000 + "!") == f"{'x' * 500} ... {'x' * 499}!"


def test_help_is_shown_without_arguments_and_teaches_how_games_are_written(ludus):
    text = ludus().stdout
    assert re.findall(r"╭─ (\w+) ", text) == ["Options", *COMMANDS]
    assert "ludus train tapnswap q-table" in " ".join(text.split())
    text = " ".join(ludus("check", "--help").stdout.replace("│", " ").split())
    assert "mancala(stones=3, capture=standard)" in text


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("check", "ludus check ./nim.py"),
        ("play", "without one a menu opens"),
        ("match", "or human, who is asked here"),
        ("solve", "mancala(stones=3, capture=standard)"),
        ("grade", "an outside program as 'cmd:./bot'"),
        ("prove", "print the command that checks it"),
        ("puzzle", "ludus puzzle tic-tac-toe --count 5"),
        ("book", "ludus book connect-four --plies 2"),
        ("warm", "so that they start at once"),
    ],
)
def test_the_help_of_a_command_teaches_and_ends_with_an_example(ludus, command, words):
    text = " ".join(ludus(command, "--help").stdout.replace("│", " ").split())
    assert words in text
    assert f"Example: ludus {command}" in text


def test_the_help_of_grade_does_not_offer_a_person(ludus):
    assert "human" not in ludus("grade", "--help").stdout


@pytest.mark.parametrize("name", [name for commands in COMMANDS.values() for name in commands])
def test_every_command_in_the_table_can_be_loaded(name):
    assert load(name).help


STARTED = """
import sys
from ludus.commands import app
app({arguments}, standalone_mode=False)
print([name for name in ("numba", "jax", "numpy", "ludus.commands.train") if name in sys.modules])
"""


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["games"], ["games", "--help"]])
def test_help_and_the_list_of_games_import_nothing_heavy(fresh_python, arguments):
    assert fresh_python(STARTED.format(arguments=arguments)).splitlines()[-1] == "[]"


def test_version(ludus):
    assert ludus("--version").stdout.startswith("ludus 0.")


@pytest.mark.slow
def test_the_demonstration_solves_and_plays_every_game(ludus):
    done = ludus("demo", "--games", "2000", "--json")
    assert done.returncode == 0
    stops = {stop["game"]: stop for stop in json.loads(done.stdout)}
    assert len(stops) == 8
    assert stops["tic-tac-toe"]["positions"] == 5478
    assert stops["chung-toi"]["complete"]
    assert (stops["tapnswap"]["score"], stops["tapnswap"]["plies"]) == (-1, 26)
    assert all(stop["games"] == 2000 for stop in stops.values())


@pytest.mark.slow
def test_the_demonstration_prints_a_table_of_eighty_columns(ludus):
    lines = ludus("demo", "--games", "1000").stdout.splitlines()
    assert max(len(line.rstrip()) for line in lines) <= 80
    assert any("fox-and-hounds" in line and "783,268" in line for line in lines)
