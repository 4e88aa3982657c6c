"""How the Mancala paper's trainings are shown: its charts, and the curves that it does not have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ludus.report.document import Bars, Curves, Level, Series
from ludus.study.paper.verdict import mean, series

Stage = dict[str, Any]

Trainings = Sequence[Sequence[Stage]]  # of one kind, for each seed

Beside = Mapping[str, Sequence[float]]  # shares of all ends by name, such as those of random play


_GAMES = "games of training"

ENDS = ("player 1 wins", "player 2 wins", "ties")


def shares(stage: Stage) -> list[float]:
    """Of all games up to a stage: wins of player 1, of player 2, and ties."""
    return [stage[name] / stage["games"] for name in ("wins", "losses", "ties")]


def lead(stage: Stage) -> float:
    """By how many games player 1 is ahead."""
    return float(stage["wins"] - stage["losses"])


def is_whole_part(differences: Sequence[float], told: float) -> bool:
    """Whether what is told is what is left of all these without their fractions."""
    return all(int(each) == told for each in differences)


def stage_at(one: Sequence[Stage], games: int) -> Stage:
    """The stage after so many games."""
    return next(stage for stage in one if stage["games"] == games)


def chart(key: str, title: str, found: Mapping[str, Trainings], stages: Sequence[int], beside: Beside) -> Bars:
    """One of the paper's charts, as shares of the games up to each stage; found: trainings by their names there."""
    groups = {
        f"{name}, {games:,}": [stage_at(one, games) for one in each] for name, each in found.items() for games in stages
    }
    return _bars(key, title, groups, beside)


def summary(key: str, title: str, groups: Mapping[str, Trainings], beside: Beside) -> Bars:
    """The last stage of several trainings."""
    return _bars(key, title, {name: [one[-1] for one in found] for name, found in groups.items()}, beside)


def _bars(key: str, title: str, groups: Mapping[str, Sequence[Stage]], beside: Beside) -> Bars:
    """Groups with their means over seeds, and others beside them."""
    ours = [[mean([shares(stage)[end] for stage in found]) for found in groups.values()] for end in range(len(ENDS))]
    others = [[told[end] for told in beside.values()] for end in range(len(ENDS))]
    both = list(zip(ours, others, strict=True))
    return Bars(
        key,
        title,
        "share of the games",
        [*groups, *beside],
        ENDS,
        [[*(each.mean for each in row), *more] for row, more in both],
        [[*(each.bounds[0] for each in row), *more] for row, more in both],
        [[*(each.bounds[1] for each in row), *more] for row, more in both],
        caption="All games up to each stage; intervals over seeds.",
    )


def curve(name: str, found: Sequence[Sequence[Stage]], measure: Callable[[Stage], float]) -> Series:
    """What is measured of a training at each stage, the mean over seeds."""
    return series(
        name, [float(stage["games"]) for stage in found[0]], [[measure(each) for each in one] for one in found]
    )


def won_against_random(stage: Stage) -> float:
    """The share of games with random play that the learner wins by then, from both seats."""
    first, second, _ = stage["against"]
    return float(first + second) / 2


def right_decisions(stage: Stage) -> float:
    """How often it is right by then in the sample."""
    return float(stage["accuracy"])


def won_figure(key: str, curves: Sequence[Series], random: Level, caption: str) -> Curves:
    """Games won against random play over training."""
    return Curves(key, "Games won against random play", _GAMES, "won", curves, random, caption=caption, log=True)


def right_figure(key: str, curves: Sequence[Series], random: Level, decisions: int, levels: Sequence[Level]) -> Curves:
    """Optimal decisions over training."""
    caption = f"In {decisions} decisions of middle games and endgames out of random games, each searched to its end."
    return Curves(key, "Optimal decisions", _GAMES, "right", curves, random, levels, caption, log=True)


def difference_figure(key: str, title: str, curves: Sequence[Series], random: float, told: Sequence[Level]) -> Curves:
    """Differences of the stores over training, in stones."""
    level = Level("random play", random)
    caption = "The mean of all games up to each stage."
    return Curves(key, title, _GAMES, "stones", curves, level, told, caption, percent=False, log=True)
