"""The single trainings of the TapnSwap paper, and how long they are at each scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ludus.report.document import Level
from ludus.study.paper import Lab
from ludus.study.paper.tasks import Task, grading, random_play, training
from ludus.study.paper.verdict import mean

GAME = "tapnswap"

OVER = {"legal": "the text: best of the legal actions", "all": "the program: best of all 8 actions"}

BEST = "what would have worked"


# What may not be done in training, by what it is called; half: until half of the games are played.
FORBIDDEN = {
    "nothing forbidden": "none",
    "winning forbidden": "second:win",
    "winning forbidden from ply 4 on": "second:win@4-",
    "the last move forbidden": "second:last",
}

HALF = "winning forbidden in the first half"

AS_PAPER: dict[str, Any] = {"tables": "mover", "win": "10", "loss": "-10", "cap": "1000000"}

GAMMAS = (1.0, 0.95, 0.8, 0.5)


def _as_in_the_paper(seed: int, **settings: Any) -> Task:
    """A training with the paper's rewards and table; without a limit, as its author's are."""
    return training(GAME, "q-table", seed, **AS_PAPER, **settings)


def figure_1(lab: Lab, over: str, seed: int) -> Task:
    """Exploration 0.8 against a second learner, tested after every game."""
    return _as_in_the_paper(seed, epsilon=0.8, opponent="twin", max_over=over, **_tests(lab))


def best_of_figure_1(lab: Lab) -> Task:
    """The best learner, tested likewise."""
    return training(GAME, "q-table", 0, preset="perfect", **_tests(lab))


def _tests(lab: Lab) -> dict[str, Any]:
    return {"games": lab.pick(full=100, quick=100, tiny=8), "eval_every": 1, "eval_games": tests_of_figure_1(lab)}


def tests_of_figure_1(lab: Lab) -> int:
    """The games of each test."""
    return lab.pick(full=10_000, quick=1_000, tiny=50)


def _long(lab: Lab) -> dict[str, Any]:
    games = lab.pick(full=50_000, quick=10_000, tiny=40)
    return {"games": games, "eval_every": games // 10, "eval_against": "none"}


def with_gamma(lab: Lab, gamma: float, seed: int) -> Task:
    """Exploration 0.4 against a second learner, with this discount."""
    return _as_in_the_paper(seed, epsilon=0.4, opponent="twin", gamma=gamma, **_long(lab))


def best_with_gamma(lab: Lab, gamma: float) -> Task:
    """The best learner with another discount than its own."""
    return training(GAME, "q-table", 0, preset="perfect", gamma=gamma, **_long(lab))


def forbidding(lab: Lab, what: str, seed: int) -> Task:
    """Exploration 0.2 against a second learner, where this is forbidden to who moves second."""
    if what != HALF:
        return _forbidding(seed, _long(lab), forbid=FORBIDDEN[what])
    half = _long(lab) | {"games": _long(lab)["games"] // 2}
    return _forbidding(seed, half, init_from=_forbidding(seed, half, forbid="second:win"))


def _forbidding(seed: int, long: dict[str, Any], **settings: Any) -> Task:
    return _as_in_the_paper(seed, epsilon=0.2, opponent="twin", **long, **settings)


def best(lab: Lab) -> Task:
    """The settings found by measuring; a game is learned from its end backwards, and begins anywhere."""
    games = lab.pick(full=200_000, quick=60_000, tiny=400)
    return training(GAME, "q-table", 0, preset="perfect", games=games, eval_every=games // 20, eval_games=1000)


def best_beginning(lab: Lab, games: int, every: int, matches: int) -> Task:
    """The same for as many games, and as many tests, as others have."""
    return training(GAME, "q-table", 0, preset="perfect", games=games, eval_every=every, eval_games=matches)


def chance(lab: Lab) -> tuple[Task, Task]:
    """Random play: games, and the grade."""
    return random_play(GAME, lab.pick(full=100_000, quick=100_000, tiny=1_000), 0), grading("random", GAME)


def random_levels(played: Any, graded: Any) -> tuple[Level, Level]:
    """What random play wins of its games, from either seat alike, and how often it is right."""
    won = (played["first_wins"] + played["second_wins"]) / 2 / played["games"]
    return Level("random play", won), Level("random play", graded["all"]["accuracy"])


def as_share(values: Sequence[float]) -> str:
    """The mean of shares over seeds with its interval, as it is shown in tables."""
    return mean(values).shown()


def by_seeds(lab: Lab, found: Sequence[Any]) -> list[list[Any]]:
    """Results that came for all seeds of one setting after those of another, in groups."""
    size = len(lab.seeds)
    return [list(found[place : place + size]) for place in range(0, len(found), size)]
