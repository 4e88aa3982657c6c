"""Figure 3 of the Chung Toi paper by several readings, longer trainings, and what would have worked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from ludus.report.document import Best, Curves, Level, Part, Result, Results, Table, Words
from ludus.study.paper import FULL, Lab
from ludus.study.paper.tasks import Working, solving
from ludus.study.paper.verdict import (
    BEST,
    RANDOM,
    SEATS,
    accuracy,
    accuracy_figure,
    curve,
    games,
    guaranteed,
    over_width,
    series,
    won_figure,
)
from ludus_papers.chung_toi import plan
from ludus_papers.chung_toi.plan import (
    EASY,
    GAME,
    HELPED,
    PLAIN,
    RESULTS,
    SKILL,
    SMART,
    STATED,
    TAUGHT,
    WAYS,
    Reading,
    as_long,
    trained,
)

_KINDS = {"wins": "won", "losses": "lost", "draws": "drawn"}
_DRAWN = (*(Reading(way) for way in WAYS), EASY)  # as figure 3


def by_way(lab: Lab) -> dict[str, Working[plan.Trained]]:
    """The paper's training, graded, by each way of play."""
    return {name: trained(lab, **settings) for name, settings in WAYS.items()}


def _beside(lab: Lab) -> dict[str, Any]:
    """What every figure shows beside the trainings: what is reached without learning, and what would have worked."""
    return {"level": plan.levels(lab), "table": plan.best_table(lab), "network": plan.best_network(lab)}


def _figures(key: str, found: dict[str, plan.Trained], beside: dict[str, Any]) -> list[Curves]:
    level, width = beside["level"], next(iter(found.values())).x()[-1]
    strong = {f"{BEST}: a table": beside["table"], "a larger network of the same kind": beside["network"]}
    number, other = (games(one["lines"])[-1] for one in strong.values())
    caption = (
        f"The last two are drawn over the same width: a table of {number:,.0f} games, and a network of {other:,.0f}."
    )
    wins = [series(name, one.x(), one.share("wins")) for name, one in found.items()]
    wins += [over_width(curve(name, [one], plan.wins_of), width) for name, one in strong.items()]
    grades = [series(name, one.graded_at(), one.accuracy()) for name, one in found.items()]
    grades += [over_width(curve(name, [one], accuracy), width) for name, one in strong.items()]
    helped = [Level("random play with the help", level.helped)] if HELPED in found else []
    judged = f"All positions in which moves differ in value, judged by the exact solution. {caption}"
    title = "Games won as first player against smart-random"
    return [
        won_figure(f"{key}-wins", wins, level.random, helped, caption, title=title),
        accuracy_figure(f"{key}-grade", grades, level.accuracy, (), judged),
    ]


def training_curve(lab: Lab) -> Working[Sequence[Part]]:
    """Figure 3 by five readings, beside what is reached without learning and what would have worked."""
    found = yield {"ways": by_way(lab), "beside": _beside(lab)}
    ways, level = found["ways"], found["beside"]["level"]
    results = [
        lab.result(f"{what}, {name}", None, values)
        for name, one in ways.items()
        for what, values in (("drawn after it", one.ends("draws")), ("optimal decisions after it", one.accuracies()))
    ]
    return [
        Words(
            f"Five readings. {STATED.capitalize()}: the network evaluates final positions like any other, though they"
            f" are never taught to it, and gets no help in evaluation. {TAUGHT.capitalize()}: the last update moves"
            f" the value of the final position towards the reward, too. {RESULTS.capitalize()}: a move that ends the"
            f" game counts as what it is; its opponent is smart, as the paper says, or, in the fifth, plainly random."
            f" {HELPED.capitalize()}: wins and blocks are taken before anything else in evaluation as in training,"
            " which the paper says it does not do."
        ),
        *(_figure_3(lab, place, one, ways[one.way], level) for place, one in enumerate(_DRAWN, 1)),
        *_figures("curve", ways, found["beside"]),
        Results("curve-results", results),
    ]


def _figure_3(lab: Lab, place: int, reading: Reading, found: plan.Trained, level: plan.Levels) -> Curves:
    is_helped, is_plain = reading.way == HELPED, reading.foe == PLAIN
    number = f"{lab.number('evaluation-games').value:,.0f}"
    return Curves(
        f"figure-3-{place}",
        f"Figure 3, {reading}",
        "games of training",
        "share of games as first player",
        [series(word, found.x(), found.share(kind, reading.foe)) for kind, word in _KINDS.items()],
        Level(
            f"{RANDOM}{' with the help' if is_helped else ''}, won",
            level.helped if is_helped else level.plain if is_plain else level.random,
        ),
        [Level(f"paper, {key}", lab.number(key).value) for key in ("untrained", "trained")],
        caption=f"Against {reading.foe}, {number} games at each point and seed.",
    )


# ---- more games, another opponent ----


def _long(lab: Lab, key: str, runs: dict[str, dict[str, str]], won: str, after: str) -> Working[Sequence[Part]]:
    """Long runs by their settings; won, after: words for their results."""
    found = yield {
        "runs": {name: trained(lab, as_long, **settings) for name, settings in runs.items()},
        "beside": _beside(lab),
    }
    results = [_long_results(lab, name, one, won, after) for name, one in found["runs"].items()]
    return [*_figures(key, found["runs"], found["beside"]), Results(f"{key}-results", list(chain(*results)))]


def _long_results(lab: Lab, name: str, found: plan.Trained, won: str, after: str) -> list[Result]:
    against = {f"{won}{after} against {foe}": found.ends("wins", foe) for foe in (SMART, PLAIN)}
    measured = against | {f"optimal decisions{after}": found.accuracies()}
    return [lab.result(f"{what}, {name}", None, values) for what, values in measured.items()]


def more_games(lab: Lab) -> Working[Sequence[Part]]:
    """One long run, by two ways of play."""
    ways = {name: WAYS[name] for name in (RESULTS, HELPED)}
    return (yield from _long(lab, "long", ways, "won", f" after {plan.long_games(lab):,} games"))


def another_opponent(lab: Lab) -> Working[Sequence[Part]]:
    """As many games against a perfect player that errs now and then."""
    settings = WAYS[RESULTS]
    opponents = {"taught by itself": settings, f"taught by {SKILL}": settings | {"opponent": SKILL}}
    return (yield from _long(lab, "opponent", opponents, "won at the end", ""))


# ---- what would have worked ----


def what_would_have_worked(lab: Lab) -> Working[Best]:
    """A table taught by games that begin with random plies."""
    found = yield {
        "q-table": plan.best_table(lab),
        "td-lambda, 400 units": plan.best_network(lab),
        "game": solving(GAME),
    }
    rows = []
    for name in ("q-table", "td-lambda, 400 units"):
        lines = found[name]["lines"]
        by_seat = [guaranteed(lines, seat)[-1] for seat in SEATS]
        shares = f"{plan.wins_of(lines)[-1]:.1%}", f"{accuracy(lines)[-1]:.2%}"
        rows.append((name, f"{games(lines)[-1]:,.0f}", *shares, *by_seat))
    lines = found["q-table"]["lines"]
    grade = lines[-1]["grade"]
    holds = " and ".join(f"{guaranteed(lines, seat)[-1]} moving {seat}" for seat in SEATS)
    smaller = "" if lab.scale == FULL else ", fewer than it takes to the end"
    return Best(
        "`q-table`, preset `perfect`: games begin with random plies, both sides then play the best they know, and what"
        " comes of it is learned backwards",
        f"{games(lines)[-1]:,.0f} games{smaller}",
        f"optimal in {grade['optimal']:,.0f} of {grade['decisions']:,} decisions; guaranteed: {holds}",
        "ludus train chung-toi q-table --preset perfect",
        [
            Table(
                "best",
                "What would have worked",
                (
                    "agent",
                    "games",
                    "won as first player",
                    "optimal decisions",
                    *(f"guaranteed, {seat}" for seat in SEATS),
                ),
                rows,
                caption=f"The game has {found['game']['counts']['positions']:,} positions and is a draw.",
            )
        ],
        short=lab.scale != FULL,
    )
