"""What the Chung Toi paper's experiments and claims ask for, by scale."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ludus.grading.grade import standing
from ludus.learning.loop.evaluation import Line
from ludus.learning.runs import read_run
from ludus.solving.solution import Solution
from ludus.study.paper import Lab
from ludus.study.paper.tasks import Task, Working, exact_solution, grading, matching, training
from ludus.study.paper.verdict import accuracy, games, won

GAME, FOE = "chung-toi", "smart-random"

STATED, RESULTS, HELPED = "as the paper says", "wins taken by their result", "help in play, too"


# The text says that in evaluation the network gets no help. It is silent on the value of a final position, which is
# never taught; its first point is that of a network that gets the help.
READINGS: dict[str, dict[str, str]] = {STATED: {}, RESULTS: {"ends": "result"}, HELPED: {"smart": "always"}}


SKILL = "perfect(skill=0.8)"


_PAPER_GAMES = 2_000


class Trained(NamedTuple):
    """Trainings by seed, as metrics, and their grades, as `graded_on_the_way` tells them; before: at the beginning."""

    lines: list[list[Line]]
    graded: list[dict[str, Any]]
    before: list[Line]

    def x(self) -> tuple[float, ...]:
        """The games at each measure, 0 first."""
        return (0.0, *games(self.lines[0]))

    def share(self, kind: str) -> list[tuple[float, ...]]:
        """The share of games as first player that ended in wins, losses or draws, by seed, at each measure."""
        return [
            tuple(_share(line, kind) for line in [before, *lines])
            for before, lines in zip(self.before, self.lines, strict=True)
        ]

    def graded_at(self) -> tuple[float, ...]:
        """The games at each grade, 0 first."""
        return (0.0, *self.graded[0]["games"])

    def accuracy(self) -> list[tuple[float, ...]]:
        """The share of optimal decisions, by seed, at each grade."""
        pairs = zip(self.before, self.graded, strict=True)
        return [(*accuracy([before]), *graded["accuracy"]) for before, graded in pairs]

    def ends(self) -> list[float]:
        """The share of wins at the end, by seed."""
        return [each[-1] for each in self.share("wins")]


def _share(line: Line, kind: str) -> float:
    counted = line["against"][FOE]["first"]
    return float(counted[kind] / (counted["wins"] + counted["losses"] + counted["draws"]))


# ---- trainings ----


def as_paper(lab: Lab, seed: int, **settings: Any) -> Task:
    """The paper's training, or one by other settings."""
    number = lab.pick(_PAPER_GAMES, _PAPER_GAMES, 40)
    every = lab.pick(100, 100, 20)
    told: dict[str, Any] = {"games": number, "eval_every": every, "grade": "no"} | settings
    return training(GAME, "td-lambda", seed, preset="paper", **told)


def untrained(seed: int, **settings: Any) -> Task:
    """The same network before it has learned anything; of the settings only those that tell how it plays matter."""
    told = {name: value for name, value in settings.items() if name in ("ends", "smart")}
    return training(GAME, "td-lambda", seed, preset="paper", games=1, eval_every=1, alpha=0, **told)


def trained(lab: Lab, **settings: Any) -> Working[Trained]:
    """The paper's training with these settings, for all seeds."""
    tasks = [as_paper(lab, seed, **settings) for seed in lab.seeds]
    return (yield from _graded_beside(lab, tasks, settings))


def _graded_beside(lab: Lab, tasks: Sequence[Task], settings: dict[str, Any]) -> Working[Trained]:
    """Trainings by seed, with their grades, and as they were before."""
    found = yield [*_with_grades(lab, tasks), *(untrained(seed, **settings) for seed in lab.seeds)]
    third = len(tasks)
    lines, before = ([one["lines"] for one in part] for part in (found[:third], found[2 * third :]))
    return Trained(lines, list(found[third : 2 * third]), [each[0] for each in before])


def _with_grades(lab: Lab, tasks: Sequence[Task]) -> list[Task]:
    points = lab.pick(5, 1, 1)
    command = f"ludus grade RUN {GAME}"
    return [
        *tasks,
        *(
            Task(f"grades of {one.name}", graded_on_the_way, (GAME, points), needs=(one,), command=command)
            for one in tasks
        ),
    ]


def graded_on_the_way(game: str, points: int, folders: Sequence[Path]) -> dict[str, Any]:
    """The share of optimal decisions at so many points of a training, its end the last; and its guarantee there."""
    run, truth = read_run(folders[0]), exact_solution(game)
    assert isinstance(truth, Solution)
    at = run.snapshots()
    at = [at[len(at) * number // points - 1] for number in range(1, points + 1)]
    found = [standing(run.agent_at(games), truth) for games in at]
    return {
        "games": at,
        "accuracy": [float(one.all.optimal) / one.all.decisions for one in found],
        "guarantee": [str(each.result) for each in found[-1].guarantee or ()],
    }


def long_games(lab: Lab) -> int:
    """How many games a long run has."""
    return lab.pick(300_000, 12_000, 80)


def long_run(lab: Lab, **settings: Any) -> Working[Trained]:
    """The paper's training with many more games, for all seeds."""
    tasks = [as_long(lab, seed, **settings) for seed in lab.seeds]
    return (yield from _graded_beside(lab, tasks, settings))


def as_long(lab: Lab, seed: int, **settings: Any) -> Task:
    """The paper's training with many more games, annealed over all of them."""
    number = long_games(lab)
    schedules = {"alpha": f"0.0012..0@{number}", "epsilon": f"0.15..0@{number}"}
    more = {"games": number, "eval_every": number // lab.pick(10, 3, 1)} | schedules | settings
    return as_paper(lab, seed, **more)


# ---- levels, and what would have worked ----


class Levels(NamedTuple):
    """Random play, and random play with help, as first player against smart-random; and random moves' right ones."""

    random: float
    helped: float
    accuracy: float


def levels(lab: Lab) -> Working[Levels]:
    """What is reached without learning."""
    number = lab.pick(20_000, 20_000, 200)
    plain, helped = (matching(GAME, agent, FOE, number, 1, seats="first") for agent in ("random", FOE))
    found = yield [plain, helped, grading("random", GAME)]
    return Levels(found[0]["all"]["won"], found[1]["all"]["won"], found[2]["all"]["accuracy"])


def best_table(lab: Lab) -> Task:
    """The best agent: a table, at smaller scales not taught to the end."""
    number = lab.pick(8_000_000, 100_000, 1_000)
    every, matches = number // lab.pick(8, 2, 1), lab.pick(2_000, 1_000, 40)
    return training(
        GAME, "q-table", 0, preset="perfect", games=number, eval_every=every, eval_against=FOE, eval_games=matches
    )


def best_network(lab: Lab) -> Task:
    """The strongest network of the paper's kind, at smaller scales one of fewer games."""
    number = lab.pick(100_000, 1_000, 20)
    every, matches = number // lab.pick(5, 1, 1), lab.pick(2_000, 1_000, 40)
    alpha = f"0.002..0@{number}"
    return training(
        GAME, "td-lambda", 0, preset="strong", games=number, eval_every=every, alpha=alpha, eval_games=matches
    )


def wins_of(lines: Sequence[Line]) -> tuple[float, ...]:
    """The share of games won as first player at each measure."""
    return won(lines, FOE, "first")
