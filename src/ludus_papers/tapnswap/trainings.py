"""The single trainings of the TapnSwap paper, and how long they are at each scale."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ludus.study.paper import Lab
from ludus.study.paper.tasks import Task, Working, grading, random_play, training

GAME = "tapnswap"
PROGRAM = "tapnswap(distinct=true)"  # the same, with the actions that the paper's program lists

# How the author's program learns, and what his text says, where they differ; the settings that the learner has for it.
READINGS = {"program": {"max_over": "all", "ties": "first"}, "text": {"max_over": "legal", "ties": "random"}}
NAMES = {"program": "the program: best of all 8 actions", "text": "the text: best of the legal actions"}

# What differs from the program one by one: the game, and the settings.
CHANGED: dict[str, tuple[str, dict[str, str]]] = {
    "the program": (PROGRAM, {}),
    "with all 8 codes as actions": (GAME, {}),
    "best of the legal actions": (PROGRAM, {"max_over": "legal"}),
    "ties at random": (PROGRAM, {"ties": "random"}),
}

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


def as_in_the_paper(seed: int, reading: str = "program", **settings: Any) -> Task:
    """A training with the paper's rewards and table; without a limit, as its author's are."""
    return training(PROGRAM, "q-table", seed, **AS_PAPER | READINGS[reading] | settings)


def figure_1(lab: Lab, reading: str, seed: int) -> Task:
    """Exploration 0.8 against a second learner, tested after every game."""
    return as_in_the_paper(seed, reading, epsilon=0.8, opponent="twin", **_tests(lab))


def session(lab: Lab, epsilon: str, opponent: str, seed: int) -> Task:
    """The first session of an agent of the grid, tested as in the paper."""
    games = lab.pick(full=5000, quick=1000, tiny=20)
    tests: dict[str, Any] = {"eval_every": games // 5, "eval_games": tests_of_figure_1(lab), "grade": "no"}
    return as_in_the_paper(seed, epsilon=epsilon, opponent=opponent, games=games, **tests)


def first_thousand(lab: Lab, what: str, epsilon: str, opponent: str, seed: int) -> Task:
    """The first 1,000 games of such an agent, changed by the name of CHANGED, and tested once."""
    game, changes = CHANGED[what]
    games = lab.pick(full=1000, quick=1000, tiny=10)
    tests = {"games": games, "eval_every": games, "eval_games": tests_of_figure_1(lab), "grade": "no"}
    settings = AS_PAPER | READINGS["program"] | changes | tests
    return training(game, "q-table", seed, epsilon=epsilon, opponent=opponent, **settings)


def by_exploration(lab: Lab, epsilon: float, part: int, seed: int) -> Task:
    """A part of a short training against a second learner, with as much exploration, if any."""
    games = lab.pick(full=1000, quick=1000, tiny=40) // part
    tests: dict[str, Any] = {"games": games, "eval_every": games, "eval_against": "none"}
    return as_in_the_paper(seed, epsilon=epsilon, opponent="twin", cap=1000, **tests)  # it never ends without a cap


def by_rate(lab: Lab, reading: str, rate: str, seed: int) -> Task:
    """A long training against a second learner, with learning rates 1/n or a constant one."""
    return as_in_the_paper(seed, reading, epsilon=0.4, opponent="twin", alpha=rate, **_longest(lab))


def _longest(lab: Lab) -> dict[str, Any]:
    games = lab.pick(full=400_000, quick=20_000, tiny=80)
    return {"games": games, "eval_every": games // 8, "eval_against": "none"}


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
    return as_in_the_paper(seed, epsilon=0.4, opponent="twin", gamma=gamma, **_long(lab))


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
    return as_in_the_paper(seed, epsilon=0.2, opponent="twin", **long, **settings)


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
    """A training for all seeds, by either of READINGS."""
    return {reading: [make(lab, reading, seed) for seed in lab.seeds] for reading in READINGS}


def by_gamma(lab: Lab) -> dict[float, list[Task]]:
    """The paper's learner with each discount, for all seeds."""
    return {gamma: [with_gamma(lab, gamma, seed) for seed in lab.seeds] for gamma in GAMMAS}


def by_rates(lab: Lab) -> dict[str, list[Task]]:
    """Long trainings for all seeds, by the learning rate and by the reading."""
    rates = {"1/n, the program": ("program", "1/n"), "1/n, the text": ("text", "1/n"), "0.1, the text": ("text", "0.1")}
    return {name: [by_rate(lab, *chosen, seed) for seed in lab.seeds] for name, chosen in rates.items()}


def best_by_gamma(lab: Lab) -> dict[float, Task]:
    """The best learner with each discount."""
    return {gamma: best_with_gamma(lab, gamma) for gamma in GAMMAS}


def by_ban(lab: Lab) -> dict[str, list[Task]]:
    """Trainings with each ban, for all seeds."""
    return {what: [forbidding(lab, what, seed) for seed in lab.seeds] for what in (*FORBIDDEN, HALF)}
