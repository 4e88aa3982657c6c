"""The TapnSwap paper's seven tournaments: the best are retrained, some are put back."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from ludus.report.document import Curves, Level, Listing, Part, Result, Results, Series, Table, Words
from ludus.study.paper import Lab
from ludus.study.paper.tasks import Working
from ludus.study.paper.verdict import accuracy, guarantee_in_words, series
from ludus_papers.tapnswap.schedule import random_points, sweeps
from ludus_papers.tapnswap.trainings import BEST, OVER, best, by_seeds, chance, random_levels


def retraining(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 4."""
    played, graded, strong, *found = yield [*chance(lab), best(lab), *sweeps(lab)]
    legal, every = by_seeds(lab, found)
    _, right_at_random = random_levels(played, graded)
    rounds = len(legal[0]["rounds"])
    parts: list[Part] = [
        Words(_BEST_ROUNDS.format(rounds=rounds - 2)),
        _points_figure(lab, legal, every),
        _right_figure(legal, every, right_at_random, Level(BEST, accuracy(strong["lines"])[-1])),
        _tournaments(lab, legal[0]),
        _put_backs(legal),
        _last_ranking(legal[0]),
        Results("schedule", [*_best_results(lab, legal, every), *_last_results(lab, legal, every)]),
        Listing("tournaments.txt", "All rankings of seed 0, in the shape of the paper's files", legal[0]["rankings"]),
    ]
    return parts


_BEST_ROUNDS = (
    "In each of {rounds} rounds the agents with at least 0.3 of the best one's points learn on; who then loses a match"
    " of 10 games to its old self is put back. An epsilon without any survivor is dropped. Then all agents of the"
    " others meet again. What random play says of an agent no longer tells it from another; the truth does."
)


def best_of(done: Any) -> Any:
    """The agent with the most points of a tournament."""
    return max(done["agents"], key=lambda agent: agent["share"])


def _points_figure(lab: Lab, legal: Sequence[Any], every: Sequence[Any]) -> Curves:
    numbers = [float(number) for number in range(1, len(legal[0]["rounds"]) + 1)]
    shares = [
        series(name, numbers, [[best_of(done)["share"] for done in one["rounds"]] for one in each])
        for name, each in zip(OVER.values(), (legal, every), strict=True)
    ]
    told = Series("the paper's", tuple(numbers), tuple(lab.number(f"best-{number:.0f}").value for number in numbers))
    random = random_points(legal, len(numbers) - 1)
    return Curves(
        "tournaments-points",
        "The best agent of each tournament: share of the points",
        "tournament",
        "share of the points",
        [*shares, told],
        random,
        caption="Among agents that all play perfectly each would have half: who moves second wins.",
    )


def _right_figure(legal: Sequence[Any], every: Sequence[Any], random: Level, level: Level) -> Curves:
    numbers = [float(number) for number in range(1, len(legal[0]["rounds"]) + 1)]
    firsts = [
        series(f"the best, {name}", numbers, [[best_of(done)["accuracy"] for done in one["rounds"]] for one in each])
        for name, each in zip(OVER.values(), (legal, every), strict=True)
    ]
    everyone = [[fmean(agent["accuracy"] for agent in done["agents"]) for done in one["rounds"]] for one in legal]
    return Curves(
        "tournaments-right",
        "Optimal decisions of those who take part",
        "tournament",
        "right",
        [*firsts, series("the mean of all, by the text", numbers, everyone)],
        random,
        [level],
        caption="The best by points, and all agents of a tournament.",
    )


def _tournaments(lab: Lab, one: Any) -> Table:
    rows = []
    for number, done in enumerate(one["rounds"], 1):
        first, told = best_of(done), lab.number(f"best-{number}")
        agents = len(done["agents"])
        rows.append(
            (
                number,
                agents,
                called(first),
                f"{first['share']:.1%}",
                f"{first['accuracy']:.1%}",
                f"{told.value:.1%}",
                told.source,
            )
        )
    columns = (
        "tournament",
        "agents",
        "best, seed 0",
        "share of the points",
        "optimal decisions",
        "the paper's best",
        "which is",
    )
    return Table("tournaments", "The tournaments", columns, rows)


def _put_backs(found: Sequence[Any]) -> Table:
    rows: list[tuple[str | int | float, ...]] = []
    for place in range(1, len(found[0]["rounds"])):
        rounds = [one["rounds"][place]["agents"] for one in found]
        trained, back, erred = (
            [sum(agent[name] for agent in done) for done in rounds] for name in ("is_trained", "put_back", "erred")
        )
        dropped = fmean(one["rounds"][place]["dropped"] for one in found)
        rows.append((place + 1, *(f"{fmean(each):.1f}" for each in (trained, back, erred)), f"{dropped:.1f}"))
    return Table(
        "put-backs",
        "Who was put back",
        ("round", "retrained", "put back", "of these stronger by the exact grade", "agents dropped"),
        rows,
        "Means over seeds. Two agents that both win as second player part 5 to 5: a match of ten games says little.",
    )


def _last_ranking(one: Any) -> Table:
    ranked = sorted(one["rounds"][-1]["agents"], key=lambda agent: -agent["share"])
    rows = [
        (
            rank,
            agent["epsilon"],
            agent["history"],
            agent["games"],
            f"{agent['share']:.1%}",
            f"{agent['accuracy']:.1%}",
            guarantee_in_words(agent["guarantee"]),
        )
        for rank, agent in enumerate(ranked, 1)
    ]
    columns = (
        "rank",
        "epsilon",
        "trained",
        "games",
        "share of the points",
        "optimal decisions",
        "guaranteed, moving second",
    )
    return Table("last-ranking", "The last tournament, seed 0", columns, rows)


def called(agent: Any) -> str:
    """An agent by its exploration and its opponents, as the paper names them."""
    return f"epsilon {agent['epsilon']} {agent['history']}"


def _best_results(lab: Lab, legal: Sequence[Any], every: Sequence[Any]) -> list[Result]:
    return [
        lab.result(
            f"tournament {place + 1}: the best one's share of the points, best of {over} actions",
            f"best-{place + 1}",
            [best_of(one["rounds"][place])["share"] for one in each],
        )
        for over, each in zip(OVER, (legal, every), strict=True)
        for place in range(len(legal[0]["rounds"]))
    ]


def _last_results(lab: Lab, legal: Sequence[Any], every: Sequence[Any]) -> list[Result]:
    found = []
    for over, each in zip(OVER, (legal, every), strict=True):
        words = f"the last tournament, best of {over} actions"
        last = [sorted((agent["share"] for agent in one["rounds"][-1]["agents"]), reverse=True) for one in each]
        found += [lab.result(f"{words}: the second's share", "second", [shares[1] for shares in last])]
        never = [
            max(
                (agent["share"] for agent in one["rounds"][-1]["agents"] if agent["history"] == "vsRandom"), default=0.0
            )
            for one in each
        ]
        found += [lab.result(f"{words}: the best that never met vsSelf", "never-self", never)]
        found += [lab.result(f"{words}: agents", "agents-left", [float(len(shares)) for shares in last], _WHY_LEFT)]
        found += [
            lab.result(
                f"training games in all, best of {over} actions",
                "games-in-all",
                [float(one["games"]) for one in each],
                _WHY_LEFT,
            )
        ]
    return found


_WHY_LEFT = "Perhaps the author kept other parts than 0.3, which it is here throughout"
