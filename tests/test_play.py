"""Playing in a terminal, through a pseudo-terminal as a person would."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import pytest


class Terminal:
    """`ludus` in a pseudo-terminal of 80 columns."""

    def __init__(self, *arguments):
        self.master, slave = pty.openpty()
        environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "40"}
        command = [sys.executable, "-c", "from ludus.cli import main; main()", *arguments]
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment)
        os.close(slave)
        self.seen = ""

    def wait_for(self, words, seconds=60):
        """Read until these words stand on the screen; what came with them."""
        end = time.monotonic() + seconds
        while words not in self.plain():
            assert time.monotonic() < end, f"{words!r} did not come; the screen:\n{self.plain()}"
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.master, 65536).decode()
                except OSError:
                    break
        text = self.plain()
        assert words in text, text
        self.seen = ""
        return text

    def plain(self):
        """What was seen, without colours."""
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.seen).replace("\r", "")

    def say(self, words):
        os.write(self.master, f"{words}\n".encode())

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)


@pytest.fixture
def terminal():
    opened = []

    def start(*arguments):
        opened.append(Terminal(*arguments))
        return opened[-1]

    yield start
    for window in opened:
        window.close()


def test_a_whole_game_against_a_friend(terminal):
    window = terminal("play", "tic-tac-toe", "--against", "human", "--name", "Ada", "--friend", "Bob")
    screen = window.wait_for("Ada>")
    assert "Ada (Crosses) to move" in screen
    for words, who in (("b2", "Bob>"), ("a1", "Ada>"), ("5", "Bob>"), ("b1", "Ada>")):
        window.say(words)
        window.wait_for(who)
    window.say("nonsense")
    assert "'nonsense' is no action here; allowed:" in window.wait_for("Ada>")
    window.say("rules")
    window.wait_for("enter for the next page")
    window.say("")
    window.wait_for("Winning")
    window.wait_for("Ada>")
    window.say("undo")
    window.wait_for("Ada>")
    window.say("resign")
    screen = window.wait_for("Play again?")
    assert "Ada resigns." in screen
    assert "Bob 1" in screen
    window.say("perhaps")
    window.wait_for("say y or n")
    window.say("n")
    assert window.process.wait(timeout=20) == 0


def test_the_computer_answers_and_the_score_runs(terminal):
    window = terminal("play", "tic-tac-toe", "--against", "first", "--seat", "second", "--seed", "1")
    for action in ("b2", "c1"):
        assert "Computer plays" in window.wait_for("You>")
        window.say(action)
    screen = window.wait_for("Play again?")
    assert "Computer wins." in screen
    assert "Computer 1   You 0" in screen
    window.say("y")
    window.wait_for("You>")
    window.say("quit")
    window.wait_for("Goodbye.")
    assert window.process.wait(timeout=20) == 0


@pytest.mark.parametrize(
    "name", ["connect-four", "toads-and-frogs", "tapnswap", "mancala", "fox-and-hounds", "chung-toi"]
)
def test_every_game_can_be_played_by_name_or_number_and_fits_eighty_columns(terminal, name):
    window = terminal("play", name, "--against", "random", "--seed", "2")
    screen = window.wait_for("You>")
    assert max(len(line) for line in screen.splitlines()) <= 80
    window.say("1")
    window.wait_for("You>")
    window.say("undo")
    window.wait_for("You>")
    window.say("quit")
    window.wait_for("Goodbye.")


def test_the_menu_of_the_paper_for_all_games(terminal):
    window = terminal("play")
    window.wait_for("Which game?")
    window.wait_for(">")
    window.say("zzz")
    window.wait_for("'zzz' is no choice")
    window.say("tapn")
    window.wait_for("PLAY or RULES?")
    window.say("RULES")
    window.wait_for("1/")
    window.say("quit")
    window.wait_for("PLAY or RULES?")
    window.say("play")
    window.wait_for("How many players?")
    window.say("one")
    window.wait_for("Your name?")
    window.say("Grace")
    window.wait_for("DIFFICULT")
    window.say("difficult")
    window.wait_for("Who starts")
    window.say("grace")
    assert "Grace (First) to move" in window.wait_for("Grace>")
    window.say("Tap with 1 on 1")
    window.wait_for("Computer plays")
    window.say("quit")
    window.wait_for("Goodbye.")
    assert window.process.wait(timeout=20) == 0


def test_an_interrupt_ends_the_game_quietly(terminal):
    window = terminal("play", "tic-tac-toe")
    window.wait_for("You>")
    window.process.send_signal(signal.SIGINT)
    assert window.process.wait(timeout=20) == 130
    assert "Traceback" not in window.plain()


def test_the_end_of_input_ends_the_game(ludus):
    done = ludus("play", "tic-tac-toe")
    assert done.returncode == 0
    assert "Goodbye." in done.stdout


def test_replaying_forwards_and_back(terminal, ludus, tmp_path):
    path = str(tmp_path / "games.jsonl")
    ludus("match", "tic-tac-toe", "first", "last", "--games", "1", "--record", path)
    window = terminal("replay", path)
    window.wait_for("enter forwards")
    window.say("")
    assert "1. Crosses (first) plays a3" in window.wait_for("quit to leave")
    window.say("b")
    window.wait_for("quit to leave")
    window.say("3")
    assert "3. Crosses (first) plays b3" in window.wait_for("quit to leave")
    window.say("77")
    window.wait_for("say enter, b, a number")
    window.say("quit")
    assert window.process.wait(timeout=20) == 0


def test_a_person_can_play_a_match(terminal):
    window = terminal("match", "tic-tac-toe", "human", "first", "--games", "1")
    for words in ("b2", "a1"):
        window.wait_for("You>")
        window.say(words)
    window.wait_for("You>")
    window.say("nonsense")
    window.wait_for("is no action here")
    window.say("c2")
    window.wait_for("a's wins")
    assert window.process.wait(timeout=30) == 0
