"""The trainings and matches of the Chung Toi paper, by scale."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import ludus
from ludus.solving.solution import Solution
from ludus.study.paper import Lab
from ludus.study.paper.tasks import Task, Trains, Working, exact_solution, grading, matching, training
from ludus.study.paper.verdict import Line, accuracy, games, won

GAME, FOE = "chung-toi", "smart-random"
STATED, RESULTS, HELPED = "as the paper says", "wins taken by their result", "help in play, too"

# The text says that in evaluation the network gets no help. It is silent on the value of a final position, which is
# never taught; its first point is that of a network that gets the help.
READINGS: dict[str, dict[str, str]] = {STATED: {}, RESULTS: {"ends": "result"}, HELPED: {"smart": "always"}}
SKILL = "perfect(skill=0.8)"
_PAPER_GAMES = 2_000


class Trained(NamedTuple):
    """Trainings by seed: metrics, grades as `graded_on_the_way` returns them, and metrics before the first game."""

    lines: list[list[Line]]
    graded: list[dict[str, Any]]
    before: list[Line]

    def x(self) -> tuple[float, ...]:
        """The games at each evaluation, 0 first."""
        return (0.0, *games(self.lines[0]))

    def share(self, kind: str) -> list[tuple[float, ...]]:
        """The share of games as first player that ended in wins, losses or draws, by seed, at each evaluation."""
        pairs = zip(self.before, self.lines, strict=True)
        return [tuple(_share(line, kind) for line in [before, *lines]) for before, lines in pairs]

    def graded_at(self) -> tuple[float, ...]:
        """The games at each grade, 0 first."""
        return (0.0, *self.graded[0]["games"])

    def accuracy(self) -> list[tuple[float, ...]]:
        """The accuracy, by seed, at each grade."""
        pairs = zip(self.before, self.graded, strict=True)
        return [(*accuracy([before]), *graded["accuracy"]) for before, graded in pairs]

    def ends(self, kind: str = "wins") -> list[float]:
        """The share of wins, losses or draws at the end, by seed."""
        return [each[-1] for each in self.share(kind)]

    def accuracies(self) -> list[float]:
        """The accuracy at the end, by seed."""
        return [each[-1] for each in self.accuracy()]


def _share(line: Line, kind: str) -> float:
    counted = line["against"][FOE]["first"]
    return float(counted[kind] / (counted["wins"] + counted["losses"] + counted["draws"]))


# ---- trainings ----


def as_paper(lab: Lab, seed: int, **settings: Any) -> Task:
    """The paper's training, or one by other settings."""
    number = lab.pick(_PAPER_GAMES, _PAPER_GAMES, 40)
    plan: dict[str, Any] = {"games": number, "eval_every": lab.pick(100, 100, 20), "grade": "no"}
    return training(GAME, "td-lambda", seed, preset="paper", **plan | settings)


def untrained(seed: int, **settings: Any) -> Task:
    """The same network before it has learned anything; of the settings only those of play matter."""
    play = {name: value for name, value in settings.items() if name in ("ends", "smart")}
    found = training(GAME, "td-lambda", seed, preset="paper", games=1, eval_every=1, alpha=0, **play)
    return found._replace(trains=Trains("td-lambda", "paper", keeps=("alpha",)))


def long_games(lab: Lab) -> int:
    """How many games a long run has."""
    return lab.pick(300_000, 12_000, 80)


def as_long(lab: Lab, seed: int, **settings: Any) -> Task:
    """The paper's training with many more games, annealed over all of them."""
    number = long_games(lab)
    schedules = {"alpha": f"0.0012..0@{number}", "epsilon": f"0.15..0@{number}"}
    more = {"games": number, "eval_every": number // lab.pick(10, 3, 1)} | schedules | settings
    return as_paper(lab, seed, **more)


def trained(lab: Lab, make: Any = as_paper, **settings: Any) -> Working[Trained]:
    """A training with these settings for all seeds, with its grades, and as it was before."""
    tasks = [make(lab, seed, **settings) for seed in lab.seeds]
    points, command = lab.pick(5, 1, 1), f"ludus grade RUN {GAME}"
    found = yield {
        "trainings": tasks,
        "grades": [
            Task(f"grades of {one.name}", graded_on_the_way, (GAME, points), needs=(one,), command=command)
            for one in tasks
        ],
        "before": [untrained(seed, **settings) for seed in lab.seeds],
    }
    lines = [one["lines"] for one in found["trainings"]]
    return Trained(lines, found["grades"], [one["lines"][0] for one in found["before"]])


def graded_on_the_way(game: str, points: int, folders: Sequence[Path]) -> dict[str, Any]:
    """The accuracy at this many points of a training, its end the last; and its guaranteed results there."""
    run, truth = ludus.read_run(folders[0]), exact_solution(game)
    assert isinstance(truth, Solution)
    at = run.snapshots()
    at = [at[len(at) * number // points - 1] for number in range(1, points + 1)]
    found = [ludus.standing(run.agent_at(games), truth) for games in at]
    return {
        "games": at,
        "accuracy": [float(one.all.optimal) / one.all.decisions for one in found],
        "guarantee": [str(each.result) for each in found[-1].guarantee or ()],
    }


class Levels(NamedTuple):
    """Games won as first player against smart-random by random play, also with help; and random play's accuracy."""

    random: float
    helped: float
    accuracy: float


def levels(lab: Lab) -> Working[Levels]:
    """What is reached without learning."""
    number = lab.pick(20_000, 20_000, 200)
    found = yield {
        "matches": [matching(GAME, agent, FOE, number, 1, seats="first") for agent in ("random", FOE)],
        "grade": grading("random", GAME),
    }
    random, helped = (match["all"]["won"] for match in found["matches"])
    return Levels(random, helped, found["grade"]["all"]["accuracy"])


def best_table(lab: Lab) -> Task:
    """The best agent: a table, at smaller scales not taught to the end."""
    number = lab.pick(8_000_000, 100_000, 1_000)
    plan: dict[str, Any] = {"games": number, "eval_every": number // lab.pick(8, 2, 1)}
    plan |= {"eval_against": FOE, "eval_games": lab.pick(2_000, 1_000, 40)}
    return training(GAME, "q-table", 0, preset="perfect", **plan)


def best_network(lab: Lab) -> Task:
    """The strongest network of the paper's kind, at smaller scales one of fewer games."""
    number = lab.pick(100_000, 1_000, 20)
    plan: dict[str, Any] = {"games": number, "eval_every": number // lab.pick(5, 1, 1)}
    plan |= {"alpha": f"0.002..0@{number}", "eval_games": lab.pick(2_000, 1_000, 40)}
    return training(GAME, "td-lambda", 0, preset="strong", **plan)


def wins_of(lines: Sequence[Line]) -> tuple[float, ...]:
    """The share of games won as first player at each evaluation."""
    return won(lines, FOE, "first")
