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

GAME, SMART, PLAIN = "chung-toi", "smart-random", "random"
STATED, TAUGHT, RESULTS, HELPED = (
    "as the paper says",
    "final positions trained, too",
    "wins taken by their result",
    "help in play, too",
)
# The text says that in evaluation the network gets no help. It is silent on whether final positions are trained, on how
# they are valued, and on how far a piece moves.
WAYS: dict[str, dict[str, str]] = {
    STATED: {},
    TAUGHT: {"ends": "trained"},
    RESULTS: {"ends": "result"},
    HELPED: {"smart": "always"},
}
TWO, SHORT, NO_JUMPS = "one or two squares", "one square", "no jumps"
RULES = {TWO: GAME, SHORT: f"{GAME}(reach=one)", NO_JUMPS: f"{GAME}(jump=false)"}
SKILL = "perfect(skill=0.8)"
PAPER_GAMES = 2_000


class Reading(NamedTuple):
    """A reading of the text: the network's way of play, the opponent of its evaluation, and how far pieces move."""

    way: str
    foe: str = SMART
    rules: str = TWO

    def __str__(self) -> str:
        words = [self.way, "against random play" if self.foe == PLAIN else ""]
        words.append("" if self.rules == TWO else f"moves of {self.rules}" if self.rules == SHORT else self.rules)
        return ", ".join(filter(None, words))


READINGS = tuple(Reading(way, foe, rules) for rules in RULES for foe in (SMART, PLAIN) for way in WAYS)
BY_TEXT = tuple(one for one in READINGS if one.foe == SMART and one.way != HELPED)
EASY, NO_JUMPING = Reading(RESULTS, PLAIN), Reading(HELPED, SMART, NO_JUMPS)  # both fit, and leave the text


class Trained(NamedTuple):
    """Trainings by seed: metrics, grades as `graded_on_the_way` returns them, and metrics before the first game."""

    lines: list[list[Line]]
    graded: list[dict[str, Any]]
    before: list[Line]

    def x(self) -> tuple[float, ...]:
        """The games at each evaluation, 0 first."""
        return (0.0, *games(self.lines[0]))

    def share(self, kind: str, foe: str = SMART) -> list[tuple[float, ...]]:
        """The share of games as first player that ended in wins, losses or draws, by seed, at each evaluation."""
        pairs = zip(self.before, self.lines, strict=True)
        return [tuple(_share(line, kind, foe) for line in [before, *lines]) for before, lines in pairs]

    def graded_at(self) -> tuple[float, ...]:
        """The games at each grade, 0 first."""
        return (0.0, *self.graded[0]["games"])

    def accuracy(self) -> list[tuple[float, ...]]:
        """The accuracy, by seed, at each grade."""
        pairs = zip(self.before, self.graded, strict=True)
        return [(*accuracy([before]), *graded["accuracy"]) for before, graded in pairs]

    def ends(self, kind: str = "wins", foe: str = SMART) -> list[float]:
        """The share of wins, losses or draws at the end, by seed."""
        return [each[-1] for each in self.share(kind, foe)]

    def accuracies(self) -> list[float]:
        """The accuracy at the end, by seed."""
        return [each[-1] for each in self.accuracy()]


def _share(line: Line, kind: str, foe: str) -> float:
    counted = line["against"][foe]["first"]
    return float(counted[kind] / (counted["wins"] + counted["losses"] + counted["draws"]))


# ---- trainings ----


def many(lab: Lab, most: int) -> Lab:
    """The same with as many seeds as cheap trainings can have at once: those of the last round, but no more than this.

    At full scale they are the same in every round, so that no verdict is looked for twice.
    """
    return lab._replace(seeds=range(min(max((*lab.rounds, len(lab.seeds))), most)))


def as_paper(lab: Lab, seed: int, **settings: Any) -> Task:
    """The paper's training, or one by other settings, evaluated against both opponents."""
    number = lab.pick(PAPER_GAMES, PAPER_GAMES, 40)
    plan: dict[str, Any] = {"games": number, "eval_every": lab.pick(100, 200, 20), "grade": "no"}
    plan["eval_against"] = f"{SMART},{PLAIN}"
    return training(GAME, "td-lambda", seed, preset="paper", **plan | settings)


def untrained(seed: int, **settings: Any) -> Task:
    """The same network before it has learned anything; of the settings only those of play matter."""
    play = {name: value for name, value in settings.items() if name in ("ends", "smart", "grade")}
    plan: dict[str, Any] = {"games": 1, "eval_every": 1, "alpha": 0, "eval_against": f"{SMART},{PLAIN}"}
    found = training(GAME, "td-lambda", seed, preset="paper", **plan | play)
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


def evaluated(lab: Lab, **settings: Any) -> Working[Trained]:
    """The paper's training with these settings for all seeds, without grades, and as it was before."""
    found = yield {
        "trainings": [as_paper(lab, seed, **settings) for seed in lab.seeds],
        "before": [untrained(seed, grade="no", **settings) for seed in lab.seeds],
    }
    lines, before = ([one["lines"] for one in found[name]] for name in ("trainings", "before"))
    return Trained(lines, [], [one[0] for one in before])


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
    """Games won as first player against smart-random by random play, also with help; and random play's accuracy.

    plain: games won by random play against itself.
    """

    random: float
    helped: float
    plain: float
    accuracy: float


def levels(lab: Lab) -> Working[Levels]:
    """What is reached without learning."""
    number = lab.pick(20_000, 20_000, 200)
    found = yield {
        "matches": [
            matching(GAME, agent, foe, number, 1, seats="first")
            for agent, foe in ((PLAIN, SMART), (SMART, SMART), (PLAIN, PLAIN))
        ],
        "grade": grading("random", GAME),
    }
    random, helped, plain = (match["all"]["won"] for match in found["matches"])
    return Levels(random, helped, plain, found["grade"]["all"]["accuracy"])


def best_table(lab: Lab) -> Task:
    """The best agent: a table, at smaller scales not taught to the end."""
    number = lab.pick(8_000_000, 100_000, 1_000)
    plan: dict[str, Any] = {"games": number, "eval_every": number // lab.pick(8, 2, 1)}
    plan |= {"eval_against": SMART, "eval_games": lab.pick(2_000, 1_000, 40)}
    return training(GAME, "q-table", 0, preset="perfect", **plan)


def best_network(lab: Lab) -> Task:
    """The strongest network of the paper's kind, at smaller scales one of fewer games."""
    number = lab.pick(100_000, 1_000, 20)
    plan: dict[str, Any] = {"games": number, "eval_every": number // lab.pick(5, 1, 1)}
    plan |= {"alpha": f"0.002..0@{number}", "eval_games": lab.pick(2_000, 1_000, 40)}
    return training(GAME, "td-lambda", 0, preset="strong", **plan)


def wins_of(lines: Sequence[Line]) -> tuple[float, ...]:
    """The share of games won as first player against smart-random at each evaluation."""
    return won(lines, SMART, "first")
