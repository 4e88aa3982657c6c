"""The single trainings of the TapnSwap paper, and how long they are at each scale."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ludus.study.paper import Lab
from ludus.study.paper.tasks import Task, Working, grading, random_play, training

GAME = "tapnswap"
PROGRAM = "tapnswap(distinct=true)"  # the same, with the actions that the paper's program lists
OVER = {"legal": "the text: best of the legal actions", "all": "the program: best of all 8 actions"}

# Actions forbidden in training, by name; half: until half of the games are played.
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
    return training(PROGRAM, "q-table", seed, **AS_PAPER, **settings)


def figure_1(lab: Lab, over: str, seed: int) -> Task:
    """Exploration 0.8 against a second learner, tested after every game."""
    return _as_in_the_paper(seed, epsilon=0.8, opponent="twin", max_over=over, **_tests(lab))


def best_of_figure_1(lab: Lab) -> Task:
    """The best learner, tested likewise."""
    return training(PROGRAM, "q-table", 0, preset="perfect", **_tests(lab))


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
    return training(PROGRAM, "q-table", 0, preset="perfect", gamma=gamma, **_long(lab))


def forbidding(lab: Lab, what: str, seed: int) -> Task:
    """Exploration 0.2 against a second learner, where this is forbidden to the second player."""
    if what != HALF:
        return _forbidding(seed, _long(lab), forbid=FORBIDDEN[what])
    half = _long(lab) | {"games": _long(lab)["games"] // 2}
    return _forbidding(seed, half, init_from=_forbidding(seed, half, forbid="second:win"))


def _forbidding(seed: int, long: dict[str, Any], **settings: Any) -> Task:
    return _as_in_the_paper(seed, epsilon=0.2, opponent="twin", **long, **settings)


def best(lab: Lab) -> Task:
    """The settings found by experiment; a game is learned from its end backwards, and begins anywhere."""
    games = lab.pick(full=200_000, quick=60_000, tiny=400)
    return training(PROGRAM, "q-table", 0, preset="perfect", games=games, eval_every=games // 20, eval_games=1000)


def best_beginning(lab: Lab, games: int, every: int, matches: int) -> Task:
    """The same for as many games, and as many tests, as others have."""
    return training(PROGRAM, "q-table", 0, preset="perfect", games=games, eval_every=every, eval_games=matches)


class Chance(NamedTuple):
    """Random play: the share of its games that it wins, from either seat alike, and its accuracy."""

    won: float
    accuracy: float


def chance(lab: Lab) -> Working[Chance]:
    """Random play."""
    games = lab.pick(full=100_000, quick=100_000, tiny=1_000)
    found = yield {"games": random_play(PROGRAM, games, 0), "grade": grading("random", PROGRAM)}
    played = found["games"]
    won = (played["first_wins"] + played["second_wins"]) / 2 / played["games"]
    return Chance(won, found["grade"]["all"]["accuracy"])


def both_ways(lab: Lab, make: Callable[[Lab, str, int], Task]) -> dict[str, list[Task]]:
    """A training for all seeds, with the best of the legal actions as in the text, and of all as in the program."""
    return {over: [make(lab, over, seed) for seed in lab.seeds] for over in OVER}


def by_gamma(lab: Lab) -> dict[float, list[Task]]:
    """The paper's learner with each discount, for all seeds."""
    return {gamma: [with_gamma(lab, gamma, seed) for seed in lab.seeds] for gamma in GAMMAS}


def best_by_gamma(lab: Lab) -> dict[float, Task]:
    """The best learner with each discount."""
    return {gamma: best_with_gamma(lab, gamma) for gamma in GAMMAS}


def by_ban(lab: Lab) -> dict[str, list[Task]]:
    """Trainings with each ban, for all seeds."""
    return {what: [forbidding(lab, what, seed) for seed in lab.seeds] for what in (*FORBIDDEN, HALF)}
