"""Playing in a terminal, through a pseudo-terminal as a person would."""

import io
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import pytest
from rich.console import Console
from rich.text import Text

from ludus import catalog, face
from ludus.agents.simple import First
from ludus.commands import terminal as terminal_module
from ludus.commands.play import Seat, Shown, sit
from ludus.commands.terminal import LeftError, lines
from ludus.compiled.masks import actions
from ludus.errors import LudusError


class Terminal:
    """`ludus` in a pseudo-terminal."""

    def __init__(self, *arguments, columns=80):
        self.master, slave = pty.openpty()
        environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": "40"}
        command = [sys.executable, "-c", "from ludus.commands import main; main()", *arguments]
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment)
        os.close(slave)
        self.seen = ""

    def wait_for(self, words, seconds=60):
        """Read until these words stand on the screen; all up to them. What follows is kept."""
        latest = time.monotonic() + seconds
        while words not in self.plain():
            assert time.monotonic() < latest, f"{words!r} did not come; the screen:\n{self.plain()}"
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.master, 65536).decode()
                except OSError:
                    break
        text = self.plain()
        assert words in text, text
        end = text.index(words) + len(words)
        self.seen = text[end:]
        return text[:end]

    def rest(self):
        """Read until the program has ended; all that came."""
        while True:
            try:
                self.seen += os.read(self.master, 65536).decode()
            except OSError:
                return self.plain()

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

    def start(*arguments, columns=80):
        opened.append(Terminal(*arguments, columns=columns))
        return opened[-1]

    yield start
    for window in opened:
        window.close()


def board_on(screen):
    """The last board in a frame."""
    return screen[screen.rindex("╭") : screen.rindex("╯")]


def first_name_in(screen):
    """The name of the first action in the menu, without its number."""
    first = re.split(r" {3}|\n", screen.split("to move:\n")[1].strip())[0]
    return first if "slides" in first else first.removeprefix("1 ")


def ludus_with_input(words, *arguments):
    """The finished process of `ludus`, with these words as its input."""
    command = [sys.executable, "-c", "from ludus.commands import main; main()", *arguments]
    return subprocess.run(command, input=words, capture_output=True, text=True, timeout=120, check=False)


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
    window.wait_for("Bob>")
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
    "name", ["connect-four", "toads-and-frogs", "tapnswap", "mancala", "fox-and-hounds", "chung-toi", "dobutsu-shogi"]
)
def test_every_game_can_be_played_by_name_or_number_and_fits_eighty_columns(terminal, name):
    window = terminal("play", name, "--against", "random", "--seed", "2")
    screen = window.wait_for("You>")
    assert max(len(line) for line in screen.splitlines()) <= 80
    if name == "fox-and-hounds":  # the fox first chooses where to stand, and moves then
        window.say("c1")
        screen = window.wait_for("You>")
    for words in ("1", first_name_in(screen)):
        window.say(words)
        played = window.wait_for("You>")
        assert "Computer plays" in played
        assert board_on(played) != board_on(screen)
        window.say("undo")
        assert board_on(window.wait_for("You>")) == board_on(screen)
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
    window.wait_for("DIFFICULT (perfect)", seconds=120)  # solved first
    window.say("difficult")
    window.wait_for("Who starts")
    window.say("grace")
    assert "Grace (First) to move" in window.wait_for("Grace>")
    window.say("Tap with 1 on 1")
    window.wait_for("Computer plays")
    window.say("quit")
    window.wait_for("Goodbye.")
    assert window.process.wait(timeout=20) == 0


def test_a_hint_can_be_asked_for(terminal):
    window = terminal("play", "tic-tac-toe", "--against", "human", "--name", "Ada")
    window.wait_for("Ada>")
    window.say("hint")
    assert "5 b2 (draw in 9)" in window.wait_for("Ada>", seconds=120)  # solved first
    window.say("b2")
    assert "draw" not in window.wait_for("Friend>")


def test_an_interrupt_ends_the_game_quietly(terminal):
    window = terminal("play", "tic-tac-toe")
    window.wait_for("You>")
    time.sleep(0.5)  # the prompt stands a moment before the program waits
    window.process.send_signal(signal.SIGINT)
    assert window.rest().strip() == ""
    assert window.process.wait(timeout=20) == 130


def test_the_end_of_input_ends_the_game(ludus):
    done = ludus("play", "tic-tac-toe")
    assert done.returncode == 0
    assert "Goodbye." in done.stdout


def test_replaying_forwards_and_back(terminal, ludus, tmp_path):
    path = str(tmp_path / "games.jsonl")
    ludus("match", "tic-tac-toe", "first", "last", "--games", "1", "--record", path)
    window = terminal("replay", path)
    assert "enter forwards" in window.wait_for("quit to leave")
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


def test_a_person_in_a_match_leaves_standard_output_alone():
    done = ludus_with_input("b2\na1\nc2\n", "match", "tic-tac-toe", "human", "first", "--games", "1", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
    assert "You>" in done.stderr


@pytest.mark.parametrize("words", ["²", "9" * 5000])
def test_odd_numbers_are_no_choice(words):
    done = ludus_with_input(f"{words}\n", "play")
    assert done.returncode == 0, done.stderr
    assert "is no choice" in done.stdout


def test_a_whole_name_wins_over_the_beginning_of_another():
    assert terminal_module.read_choice("ann", ["Anna", "Ann"]) == 1
    assert terminal_module.read_choice("b", ["Anna", "Bob"]) == 1
    assert terminal_module.read_choice("2", ["Anna", "Ann"]) == 1
    with pytest.raises(LudusError, match="'an' is no choice"):
        terminal_module.read_choice("an", ["Anna", "Ann"])


def test_equal_names_are_distinguished_in_the_score():
    done = ludus_with_input("resign\nn\n", "play", "tic-tac-toe", "--name", "computer")
    assert "computer 0   Computer (2) 1" in done.stdout
    done = ludus_with_input(
        "a1\nresign\nn\n", "play", "tic-tac-toe", "--against", "human", "--name", "Ann", "--friend", "Ann"
    )
    assert "Ann 1   Ann (2) 0" in done.stdout


@pytest.mark.parametrize("start", ["toads", "frogs"])
def test_the_first_seat_moves_first(start):
    game = f"toads-and-frogs(first={start})"
    first, second = (ludus_with_input("", "play", game, "--seat", seat).stdout for seat in ("first", "second"))
    assert f"You ({start.title()}) to move" in first
    assert "Computer plays" not in first
    assert f"You ({start.title()}) to move" not in second
    assert second.index("Computer plays") < second.index("to move")


def test_two_people_take_back_the_last_move():
    done = ludus_with_input("b2\nundo\nundo\n", "play", "tic-tac-toe", "--against", "human", "--name", "Ada")
    assert re.findall(r"(\w+) \(.*\) to move", done.stdout) == ["Ada", "Friend", "Ada", "Ada"]
    assert done.stdout.count("There is nothing to take back.") == 1


def test_the_entries_of_the_menu_stay_whole():
    entries = [Text(f"{n} Tap with 1 on {n}") for n in range(1, 9)]
    for width in (10, 30, 50, 80):
        shown = [line.plain for line in lines(entries, width)]
        assert re.split(" {2,}", "".join(shown).strip()) == [entry.plain for entry in entries]
        assert all(len(line) <= width or line.count("Tap") == 1 for line in shown)


def test_arrow_keys_bring_back_earlier_answers(terminal):
    window = terminal("play", "tic-tac-toe", "--against", "human")
    window.wait_for("You>")
    window.say("nonsense")
    window.wait_for("is no action here")
    window.wait_for("You>")
    window.say("\x1b[A")
    assert "'nonsense' is no action here" in window.wait_for("You>")


def test_the_menu_goes_back_to_another_game(terminal):
    window = terminal("play")
    window.wait_for(">")
    for words, answer in (("mancala", "Another game"), ("another", "Which game?"), ("chung", "PLAY or RULES?")):
        window.say(words)
        window.wait_for(answer)
    window.say("quit")
    window.wait_for("Goodbye.")


def test_outside_programs_end_with_the_game(monkeypatch):
    class Closing:
        closed = False

        def close(self):
            self.closed = True

    agent, silent = Closing(), Console(file=io.StringIO())
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    with pytest.raises(LeftError):
        sit(catalog.make_game("tic-tac-toe"), (Seat("You"), Seat("Computer", agent)), silent, 1)
    assert agent.closed


def test_what_an_agent_remarks_of_a_game_is_shown_first(monkeypatch):
    class Remarking:
        def remark(self, game):
            return "it searches"

    screen = Console(file=io.StringIO())
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    with pytest.raises(LeftError):
        sit(catalog.make_game("tic-tac-toe"), (Seat("You"), Seat("Computer", Remarking())), screen, 1)
    assert screen.file.getvalue().startswith("Computer: it searches\n")


def test_a_narrow_terminal_shows_the_board_without_a_frame(terminal):
    window = terminal("play", "mancala", columns=48)
    screen = window.wait_for("You>")
    game = catalog.make_game("mancala")
    assert face.board(game, game.start()) in screen
    assert "╭" not in screen


def test_the_evaluation_of_an_agent_is_shown(monkeypatch):
    class Thinking(First):
        def evaluation(self, game, pos):
            return dict.fromkeys(actions(game.legal(pos)), 0.25)

    screen, seats = Console(file=io.StringIO(), width=300), (Seat("You"), Seat("Computer", Thinking()))
    monkeypatch.setattr("sys.stdin", io.StringIO("b2\n"))
    with pytest.raises(LeftError):
        sit(catalog.make_game("tic-tac-toe"), seats, screen, 1, Shown(evaluations=True))
    assert "evaluation: a3 0.25, b3 0.25, c3 0.25, a2 0.25" in screen.file.getvalue()
