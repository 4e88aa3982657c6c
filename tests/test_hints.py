"""Hints: the value of each action, in words and colours, where a person plays."""

import io
import re
import time

import pytest
from conftest import EXAMPLES
from rich.console import Console

from ludus import activity, catalog, face
from ludus.commands import play
from ludus.commands.play import SOLVED, UNSOLVED, Hints, Seat, Shown, open_menu, sit
from ludus.commands.progress import waiting
from ludus.commands.terminal import LeftError, bounds_in_words, value_in_words
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.solving.action_bounds import Bounds
from ludus.solving.alpha_beta import Searcher
from ludus.solving.solver import Searched
from ludus.solving.value import UNIT, Value

PIG = str(EXAMPLES / "pig.py") + "(target=4)"


@pytest.fixture
def tic_tac_toe():
    return catalog.make_game("tic-tac-toe")


@pytest.fixture
def console():
    """A wide screen without colours; `console.file.getvalue()` is what stands on it."""
    return Console(file=io.StringIO(), width=200)


@pytest.fixture
def screen(monkeypatch, console):
    """Do something with the console while a person says these words; what is seen of it."""

    def see(words, do, console=console):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{word}\n" for word in words)))
        with pytest.raises(LeftError):
            do(console)
        return console.file.getvalue()

    return see


def together(game, **settings):
    """Two people at a game."""
    return lambda console: sit(game, (Seat("Ada"), Seat("Bob")), console, 1, Shown(**settings))


def naive_value(game, pos):
    """The outcome for the player to move and the plies to it, by looking at all lines of play."""
    legal = actions(game.legal(pos))
    if not legal:
        return game.score(pos) * (1 if game.player(pos) == 0 else -1), 0
    found = [naive_value(game, game.play(pos, action)) for action in legal]
    best = max(-score for score, _ in found)
    lengths = [plies + 1 for score, plies in found if -score == best]
    return best, max(lengths) if best < 0 else min(lengths)


def in_words(score, plies):
    return f"({('loss', 'draw', 'win')[score + 1]} in {plies})"


def hints_on(text):
    """The words in brackets behind each action of each menu."""
    menus = re.findall(r"to move:\n(.*?)\n\w+>", text, re.DOTALL)
    return [dict(re.findall(r"(?<= )([a-c][1-3])(?: (\(.*?\)))?", menu)) for menu in menus]


def test_each_action_has_its_value_and_plies(screen, tic_tac_toe):
    *_, last = hints_on(screen(["b2", "b1"], together(tic_tac_toe, hints=True)))
    pos = tic_tac_toe.start()
    for name in ("b2", "b1"):
        pos = tic_tac_toe.play(pos, face.parse_action(tic_tac_toe, pos, name))
    for action, name in face.menu(tic_tac_toe, pos):
        score, plies = naive_value(tic_tac_toe, tic_tac_toe.play(pos, action))
        assert last.pop(name) == in_words(-score, plies + 1)
    assert last == {}


def test_values_are_coloured(screen, tic_tac_toe):
    colourful = Console(file=io.StringIO(), width=200, force_terminal=True, color_system="standard")
    text = screen(["b2", "b1"], together(tic_tac_toe, hints=True), colourful)
    assert "\x1b[32m(win in 5)\x1b[0m" in text
    assert "\x1b[33m(draw in 7)\x1b[0m" in text


def test_without_hints_they_are_shown_when_asked_for_and_once(screen, tic_tac_toe):
    before, asked, after = hints_on(screen(["hint", "b2"], together(tic_tac_toe)))
    assert set(before.values()) == set(after.values()) == {""}
    assert set(asked.values()) == {"(draw in 9)"}


def test_a_hint_in_a_game_of_chance_is_the_expected_score(screen):
    game = catalog.make_game(PIG)
    text = screen([], together(game, hints=True))
    roll, hold = (float(words) for words in re.findall(r"\(expects ([+-]\d\.\d{4})\)", text))
    assert roll > hold == pytest.approx(-roll, abs=1e-4)  # to hold nothing is to pass


class Stuck(Searcher):
    """A searcher that proves a little and then nothing more: most actions win nothing."""

    visited = 0

    @property
    def nodes(self):
        return self.visited

    def narrowing(self, pos):
        yield (1 - UNIT, UNIT) if pos.mine & 1 or pos.theirs & 1 else (0, UNIT - 2)
        while True:
            self.visited += 1 << 20
            self.progress(self.visited)


@pytest.fixture
def stuck(monkeypatch, tic_tac_toe):
    """Solutions come from a search that proves little."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    truth = Searched(tic_tac_toe, tic_tac_toe.start(), Stuck(tic_tac_toe, memory=1 << 10))
    monkeypatch.setattr(play, "truth_about", lambda game, start: truth)


def test_what_is_not_proven_in_time_has_its_bounds(screen, stuck, tic_tac_toe):
    (hints,) = hints_on(screen([], together(tic_tac_toe, hints=True)))
    assert sorted(hints.values()) == ["(loss or draw, not proven)"] * 8 + ["(not proven)"]


def test_a_game_too_large_to_solve_is_tried_once(screen, monkeypatch, tic_tac_toe):
    tried = []

    def give_up(game, start):
        tried.append(start)
        raise LudusError("too large to enumerate")

    monkeypatch.setattr(play, "truth_about", give_up)
    text = screen(["b2"], together(tic_tac_toe, hints=True))
    assert text.count("no hint: the game is too large to solve") == 2
    assert len(tried) == 1


def test_a_searched_draw_has_no_plies_and_is_not_for_ever(monkeypatch, console, tic_tac_toe):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    hints = Hints(tic_tac_toe, console)
    hints.truth = Searched(tic_tac_toe, tic_tac_toe.start(), Searcher(tic_tac_toe, memory=1 << 16))
    assert hints.actions(tic_tac_toe.start())[4].plain == "(draw)"


@pytest.mark.parametrize(
    ("low", "high", "player", "words"),
    [
        (-1, 1, 0, ""),
        (0, 1, 0, "draw or win"),
        (0, -1, 1, "draw or win"),
        (-5, 3, 0, "-5 to +3"),
        (5, -3, 1, "-5 to +3"),
    ],
)
def test_bounds_in_words(low, high, player, words):
    assert bounds_in_words(Bounds(Value(low), Value(high)), player) == words


@pytest.mark.parametrize(
    ("value", "player", "words", "colour"),
    [
        (Value(1, 5), 0, "win in 5", "green"),
        (Value(1, 5), 1, "loss in 5", "red"),
        (Value(-3, 2), 1, "win by 3 in 2", "green"),
        (Value(7), 0, "win by 7", "green"),
        (Value(0, 4), 0, "draw in 4", "yellow"),
        (Value(0), 0, "draw for ever", "yellow"),
        (Value(-2147483653.0, 6), 1, "win by 2147483653 in 6", "green"),
    ],
)
def test_values_in_words(value, player, words, colour):
    assert value_in_words(value, player, chance=False) == (words, colour)


def test_an_agent_is_made_ready_once_for_a_sitting(screen, tic_tac_toe):
    prepared = []

    class Prepares:
        def for_game(self, game, starts):
            prepared.append(starts)
            return catalog.make_agent("first")

    text = screen(
        ["resign", "y", "b2"], lambda console: sit(tic_tac_toe, (Seat("Ada"), Seat("Computer", Prepares())), console, 1)
    )
    assert "Computer plays a3" in text
    assert prepared == [(tic_tac_toe.start(),)]


def test_difficult_is_perfect(screen):
    text = screen(
        ["tic-tac-toe", "play", "one", "Ada", "difficult", "ada", "a1"], lambda console: open_menu(console, seed=1)
    )
    assert "MEDIUM (perfect(skill=0.8))" in text
    assert "DIFFICULT (perfect)" in text
    assert "Computer plays b2" in text  # all else loses


def test_difficult_is_a_search_where_there_is_no_solution(screen, stuck):
    text = screen(["tic-tac-toe", "play", "one", "Ada"], lambda console: open_menu(console, seed=1))
    assert f"DIFFICULT ({UNSOLVED['DIFFICULT']})" in text


@pytest.mark.parametrize("agent", sorted({*SOLVED.values(), *UNSOLVED.values()}))
def test_every_level_is_an_agent(agent):
    assert catalog.name_of(catalog.make_agent(agent)) == agent


def test_the_menu_can_show_hints(screen):
    text = screen(
        ["tic-tac-toe", "play", "two", "Ada", "Bob", "ada"], lambda console: open_menu(console, 1, Shown(hints=True))
    )
    assert "(draw in 9)" in text


@pytest.mark.parametrize(("seconds", "shown"), [(0.5, True), (0.0, False)])
def test_a_long_wait_is_explained(monkeypatch, seconds, shown):
    monkeypatch.setattr(activity, "PATIENCE", 0.1)
    screen = Console(file=io.StringIO(), force_terminal=True, color_system=None)
    with waiting(screen, "solving nim(a=[3]) ..."):
        time.sleep(seconds)
    assert ("solving nim(a=[3]) ..." in screen.file.getvalue()) == shown
