"""`ludus check` notes what keeps the contract but is hardly meant."""

from typing import NamedTuple

import pytest
from broken_games import Countdown, Position
from conftest import EXAMPLES, TESTS
from loop_game import Loop

from ludus import CHANCE, catalog
from ludus.checking import check
from ludus.checking.notes import known_names

SOUND = [
    *catalog.GAMES.built_in,
    *(str(EXAMPLES / name) for name in ("breakthrough.py", "pig.py")),
    *map(str, (TESTS / "user_games").glob("*.py")),
]


def notes_of(game):
    checked = check(game, positions=500, games=5)
    assert checked.problem == ""
    return checked.notes


class OverAtOnce(Countdown):
    """Take one or two."""

    def legal(self, pos):
        return 0


class OnlyOneMoves(Countdown):
    """Take one or two."""

    def play(self, pos, action):
        return Position(pos.heap - action - 1, pos.turn)


class NothingToWin(Countdown):
    """Take one or two."""

    def score(self, pos):
        return 1


class Misspelt(Countdown):
    """Take one or two."""

    num_action = 2

    def canditates(self, pos):
        return self.legal(pos)


class Endless(Countdown):
    """Take one or two."""

    def legal(self, pos):
        return 7 if pos.heap else 0

    def play(self, pos, action):
        return Position(pos.heap if action == 2 else max(pos.heap - action - 1, 0), 1 - pos.turn)


class Capped(Endless):
    """Take one or two."""

    max_plies = 50


class Growing(Countdown):
    """Put one or two on a heap, for ever."""

    max_plies = 50

    def legal(self, pos):
        return 3

    def play(self, pos, action):
        return Position(pos.heap + action + 1, 1 - pos.turn)


class CappedTooSoon(Countdown):
    """Take one or two."""

    max_plies = 2


class Unmasked(Countdown):
    """Take one or two."""

    def start(self):
        return Position(self.heap, 0)

    def player(self, pos):
        return pos.turn & 1

    def play(self, pos, action):
        return Position(pos.heap - action - 1, ~(pos.turn | 1 << 40) if pos.turn >= 0 else 0)

    def score(self, pos):
        return 1 if pos.turn else -1


class Deal(NamedTuple):
    first: int
    second: int
    bets: int
    turn: int


class Kuhn(NamedTuple):
    """Kuhn poker with open cards: each gets one of three cards, antes one, and may bet one more."""

    num_actions = 3

    def start(self):
        return Deal(0, 0, 1, 0)

    def player(self, pos):
        return CHANCE if pos.second == 0 else pos.turn

    def legal(self, pos):
        if pos.first == 0:
            return 7
        if pos.second == 0:
            return 7 & ~(1 << pos.first - 1)
        return 3 if pos.bets in (1, 2, 3, 6) else 0  # bets: the sequence of passes and bets in bits

    def odds(self, pos, action):
        return 1

    def play(self, pos, action):
        if pos.first == 0:
            return Deal(action + 1, 0, 1, 0)
        if pos.second == 0:
            return Deal(pos.first, action + 1, 1, 0)
        return Deal(pos.first, pos.second, 2 * pos.bets + action, 1 - pos.turn)

    def score(self, pos):
        sign = 1 if pos.first > pos.second else -1
        return sign * (2 if pos.bets % 2 else 1)


class Card(NamedTuple):
    card_of_first: int
    heap: int
    turn: int


class Cards(NamedTuple):
    """A card is drawn and a heap is played."""

    def start(self):
        return Card(0, 5, 0)

    def player(self, pos):
        return CHANCE if pos.card_of_first == 0 else pos.turn

    def legal(self, pos):
        return 3 if pos.heap > 1 else pos.heap

    def odds(self, pos, action):
        return 1

    def play(self, pos, action):
        if pos.card_of_first == 0:
            return Card(action + 1, pos.heap - action, 0)
        return Card(pos.card_of_first, pos.heap - action - 1, 1 - pos.turn)

    def score(self, pos):
        return pos.card_of_first if pos.turn else -1


@pytest.mark.parametrize(
    ("game", "notes"),
    [
        (OverAtOnce(), ["the game is over at its start"]),
        (OnlyOneMoves(), ["player 1 never moves in all", "every end scores -1"]),
        (NothingToWin(), ["every end scores 1: no action matters"]),
        (Misspelt(), ["num_action is no hook: did you mean num_actions?", "canditates is no hook: did you mean"]),
        (Endless(), ["play can come back to Position(heap="]),
        (Capped(), []),
        (Growing(), ["a random game went on for 10,000 plies: if play never ends, the game cannot be solved"]),
        (CappedTooSoon(), ["max_plies is 2, but no game ends before 3 plies"]),
        (Unmasked(), ["the field turn holds -10995116277"]),
        (Kuhn(), ["what chance draws at Deal(first=0, second=0, bets=1, turn=0) changes no later choice, only scores"]),
        (Cards(), ["the field card_of_first sounds like something that a player hides"]),
        (Countdown(), []),
        (Loop(), ["player 1 never moves in all"]),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "legal") else "",
)
def test_what_is_hardly_meant_is_noted(game, notes, plain):
    found = notes_of(game)
    assert len(found) == len(notes), found
    assert all(part in note for part, note in zip(notes, found, strict=True)), found


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (Countdown(), "play always ends, within 6 plies"),
        (CappedTooSoon(), "play always ends, within 6 plies"),
        (Capped(), "play can come back to Position(heap="),
        (Growing(), "a random game went on for 10,000 plies"),
        (Countdown(heap=2000), "no random game came back to a position"),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "legal") else "",
)
def test_whether_play_always_ends_is_found_out_whatever_the_cap(game, words, plain):
    assert f"; {words}" in check(game, positions=500, games=5).verdicts[2].detail


@pytest.mark.parametrize("written", SOUND, ids=lambda written: written.rpartition("/")[2])
def test_good_games_get_no_notes(written, plain):
    checked = check(catalog.find(catalog.GAMES, written), positions=300, games=3)
    assert (checked.problem, checked.notes) == ("", [])


def test_names_of_hooks_and_face_are_known():
    assert {"num_actions", "candidates", "legal", "title", "validate", "parse_position"} <= known_names()


def test_notes_are_printed_and_in_the_json(ludus, tmp_path):
    path = tmp_path / "nim.py"
    nim = (TESTS / "user_games" / "nim.py").read_text()
    path.write_text(nim.replace("    def start(self)", "    max_plie = 3\n\n    def start(self)"))
    done = ludus("check", str(path))
    assert done.returncode == 0, done.stderr
    assert "note    max_plie is no hook: did you mean max_plies?" in done.stdout
