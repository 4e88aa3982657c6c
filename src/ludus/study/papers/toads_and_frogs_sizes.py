"""The boards of the Toads and Frogs paper, and the tasks on them that experiments and claims share."""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.study.papers.lab import Lab
from ludus.study.papers.task import Task
from ludus.study.papers.tasks import grading, training
from ludus.study.papers.toads_and_frogs_late import late_grade
from ludus.study.papers.toads_and_frogs_tasks import evaluation, seated

_FEW = 3  # seeds of the boards on which a training takes minutes


class Size(NamedTuple):
    """A board of the paper: its key, strip and game, the games of a training by scale, and the best agent for it."""

    key: str
    strip: str
    game: str
    trained: dict[str, int]
    best: str
    preset: str | None
    best_games: dict[str, int]
    best_settings: dict[str, str]

    @property
    def is_listed(self) -> bool:
        """Whether all its positions are, so that networks are graded on all of them."""
        return self.key != "large"


# A table begun astray knows this game to the end where the positions can be listed; the large board needs a network.
_TABLE = {"epsilon": "0", "alpha": "1", "gamma": "0.95", "astray": "both", "backward": "true", "symmetry": "true"}

SMALL = Size(
    "small",
    "T^3 _^3 F^3",
    "toads-and-frogs",
    {"full": 6_000, "quick": 450, "tiny": 120},
    "dqn",
    "strong",
    {"full": 60_000, "quick": 4_000, "tiny": 128},
    {},
)
MEDIUM = Size(
    "medium",
    "T^4 _^6 F^4",
    "toads-and-frogs(toads=4, gaps=6, frogs=4)",
    {"full": 20_000, "quick": 300, "tiny": 120},
    "q-table",
    None,
    {"full": 8_000_000, "quick": 200_000, "tiny": 1_000},
    _TABLE | {"exploring": "56"},
)
LARGE = Size(
    "large",
    "T^6 _^9 F^6",
    "toads-and-frogs(toads=6, gaps=9, frogs=6)",
    {"full": 20_000, "quick": 240, "tiny": 120},
    "dqn",
    "strong",
    {"full": 10_000, "quick": 512, "tiny": 64},
    {},
)
SIZES = SMALL, MEDIUM, LARGE


def seeds_of(lab: Lab, size: Size) -> range:
    """All seeds on the small board, a few on the others."""
    return lab.seeds if size is SMALL else lab.seeds[:_FEW]


def as_paper(lab: Lab, size: Size, seed: int, **settings: Any) -> Task:
    """A training by the paper's settings, or by others."""
    number = size.trained[lab.scale]
    every = max(number // lab.pick(10, 3, 1), 1)
    return training(
        size.game, "dqn", seed, preset="paper", games=number, every=every, matches=lab.pick(1000, 400, 20), **settings
    )


def best_training(lab: Lab, size: Size) -> Task:
    """The best agent for a board, or a smaller one of its kind where the scale is smaller."""
    number = size.best_games[lab.scale]
    rate: dict[str, Any] = {"rate": f"{_rate(size)}..0@{number}"} if size.best == "dqn" else {}
    return training(
        size.game,
        size.best,
        0,
        preset=size.preset,
        games=number,
        every=max(number // lab.pick(10, 4, 1), 1),
        matches=lab.pick(1000, 400, 20),
        **(rate | size.best_settings),
    )


def _rate(size: Size) -> str:
    return "0.002" if size is SMALL else "0.001"


def tested(lab: Lab) -> int:
    """In how many games each protocol is measured."""
    return lab.pick(1000, 500, 20)


def evaluations(lab: Lab, size: Size) -> list[Task]:
    """The protocols for each training by the paper's settings."""
    return [evaluation(as_paper(lab, size, seed), size.game, tested(lab), seed) for seed in seeds_of(lab, size)]


def chance_by_seat(lab: Lab, size: Size) -> Task:
    """Random play by all protocols."""
    return seated("random", size.game, lab.pick(40_000, 40_000, 400), 0)


def best_by_seat(lab: Lab, size: Size) -> Task:
    """The best agent by all protocols."""
    return seated(best_training(lab, size), size.game, tested(lab), 0)


def grades(lab: Lab, size: Size) -> list[Task]:
    """What tells the grade on a board: of random play where it is listed, else of trainings on a sample."""
    if size.is_listed:
        return [grading("random", size.game)]
    trainings = [as_paper(lab, size, seed) for seed in seeds_of(lab, size)]
    positions = lab.pick(300, 30, 5)
    return [late_grade(one, size.game, positions) for one in [*trainings, best_training(lab, size)]]
