"""What a search cannot do, and how far its numbers go."""

from typing import NamedTuple

import pytest

import ludus
from ludus.game import CHANCE
from ludus.solving.alpha_beta import Searcher
from ludus.solving.value import Value

SMALL = 1 << 20  # bytes of a table


class Place(NamedTuple):
    number: int


class Endless(NamedTuple):
    """Walk on, for ever perhaps: who stops loses."""

    def start(self):
        return Place(0)

    def player(self, pos):
        return pos.number & 1

    def legal(self, pos):
        return 3 if pos.number >= 0 else 0

    def play(self, pos, action):
        return Place(pos.number + 1) if action == 0 else Place(-1 - (pos.number & 1))

    def score(self, pos):
        return -1 if pos.number == -1 else 1


class Huge(Endless):
    def score(self, pos):
        return 1000 if pos.number == -1 else -1000


@pytest.mark.slow
@pytest.mark.parametrize(("game", "why"), [(Endless(), "more than 2048 plies"), (Huge(), "larger than a search")])
def test_what_cannot_be_searched_is_reported(game, why):
    with pytest.raises(ludus.LudusError, match=why):
        Searcher(game, memory=SMALL).value(game.start())


class Walk(NamedTuple):
    """Player 0 walks thirty steps; after two of them the game gives bounds."""

    points: int = -1
    low: int = -1
    high: int = -1
    most: int = 30

    def start(self):
        return Place(0)

    def player(self, pos):
        return 0

    def legal(self, pos):
        return 1 if pos.number < 30 else 0

    def play(self, pos, action):
        return Place(pos.number + 1)

    def score(self, pos):
        return self.points

    def bounds(self, pos):
        return (self.low, self.high) if pos.number > 1 else (-1, 1)

    def plies_left(self, pos):
        return 1, self.most


@pytest.mark.parametrize("most", [30, 2047, 2048, 4094, 5000, 1 << 62])
def test_a_loss_that_may_take_long_is_no_draw(plain, most):
    assert Searcher(Walk(most=most), memory=SMALL).value(Place(0)) == Value(-1, 30)


@pytest.mark.parametrize("far", [1 << 20, 1 << 51, 1 << 62])
def test_bounds_may_be_as_wide_as_numbers_go(far):
    assert Searcher(Walk(low=-far, high=far), memory=SMALL).value(Place(0)) == Value(-1, 30)


@pytest.mark.parametrize("points", [128, 1 << 52, -(1 << 52), -(1 << 63)])
def test_a_score_that_is_too_large_is_reported(points):
    with pytest.raises(ludus.LudusError, match="larger than a search"):
        Searcher(Walk(points, -(1 << 20), 1 << 20), memory=SMALL).value(Place(0))


def test_a_search_that_met_what_is_too_large_can_be_asked_again(plain):
    game = Walk(128, -(1 << 20), 1 << 20)
    searcher = Searcher(game, memory=SMALL)
    with pytest.raises(ludus.LudusError, match="larger than a search"):
        searcher.value(Place(0))
    searcher.game = Walk()
    assert searcher.value(Place(0)) == Value(-1, 30)


class Purse(NamedTuple):
    number: int
    points: int


class Earning(NamedTuple):
    """Player 0 earns or pays so much at each of ten steps."""

    wage: int

    def start(self):
        return Purse(0, 0)

    def player(self, pos):
        return 0

    def legal(self, pos):
        return 1 if pos.number < 10 else 0

    def play(self, pos, action):
        return Purse(pos.number + 1, pos.points + self.wage)

    def score(self, pos):
        return pos.points

    def banked(self, pos):
        return pos.points

    def unbanked(self, pos):
        return Purse(pos.number, 0)


@pytest.mark.parametrize("wage", [52_000, -52_000])
def test_points_may_add_up_to_half_a_million(plain, wage):
    assert Searcher(Earning(wage), memory=SMALL).value(Purse(0, 0)) == Value(10 * wage)


@pytest.mark.parametrize("wage", [53_000, -53_000, 600_000, 1 << 40])
def test_points_that_add_up_to_more_are_reported(plain, wage):
    with pytest.raises(ludus.LudusError, match="larger than a search"):
        Searcher(Earning(wage), memory=SMALL).value(Purse(0, 0))


class Lottery(NamedTuple):
    """Walk so far, then draw a lot; nothing is said of the odds."""

    steps: int

    def start(self):
        return Place(0)

    def player(self, pos):
        return CHANCE if pos.number == self.steps else 0

    def legal(self, pos):
        return 3 if pos.number <= self.steps else 0

    def play(self, pos, action):
        return Place(pos.number + 1 + action * (pos.number == self.steps))

    def score(self, pos):
        return 1 if pos.number == self.steps + 1 else -1


@pytest.mark.parametrize("steps", [0, 3])
def test_chance_is_refused_wherever_it_appears(plain, steps):
    with pytest.raises(ludus.LudusError, match=r"Lottery cannot be searched.*nothing to chance"):
        Searcher(Lottery(steps), memory=SMALL).value(Place(0))
