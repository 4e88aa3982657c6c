"""Chung Toi by TD(lambda), run again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludus.report.document import Best, Curves, Level, Part, Result, Results, Table, Words
from ludus.study.paper import FULL, TINY, Experiment, Lab, Paper
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
    mean,
    over_width,
    series,
    won_figure,
)
from ludus_papers.chung_toi import plan
from ludus_papers.chung_toi.beyond import beyond_board_games
from ludus_papers.chung_toi.claims import CLAIMS, by_reading

_KINDS = {"wins": "won", "losses": "lost", "draws": "drawn"}


def _beside(lab: Lab) -> dict[str, Any]:
    """What every figure shows beside the trainings: what is reached without learning, and what would have worked."""
    return {"level": plan.levels(lab), "table": plan.best_table(lab), "network": plan.best_network(lab)}


def _figures(key: str, found: dict[str, plan.Trained], beside: dict[str, Any]) -> list[Curves]:
    """Games won and optimal decisions over training."""
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
    helped = [Level("random play with the help", level.helped)] if plan.HELPED in found else []
    judged = f"All positions in which moves differ in value, judged by the exact solution. {caption}"
    title = "Games won as first player against smart-random"
    return [
        won_figure(f"{key}-wins", wins, level.random, helped, caption, title=title),
        accuracy_figure(f"{key}-grade", grades, level.accuracy, (), judged),
    ]


# ---- the training curve ----


def training_curve(lab: Lab) -> Working[Sequence[Part]]:
    """Figure 3 by three readings, beside what is reached without learning and what would have worked."""
    found = yield {"readings": by_reading(lab), "beside": _beside(lab)}
    readings, level = found["readings"], found["beside"]["level"]
    return [
        Words(
            f"Three readings. {plan.STATED.capitalize()}: the network evaluates final positions like any other, though"
            " they are never taught to it, and gets no help in evaluation."
            f" {plan.RESULTS.capitalize()}: the same, but a move that ends the game counts as what it is."
            f" {plan.HELPED.capitalize()}: wins and blocks are taken before anything else in evaluation as in training,"
            " which the paper says it does not do."
        ),
        *(_figure_3(lab, place, name, one, level) for place, (name, one) in enumerate(readings.items(), 1)),
        *_figures("curve", readings, found["beside"]),
        Results("curve-results", _results(lab, readings, level)),
    ]


def _figure_3(lab: Lab, place: int, name: str, found: plan.Trained, level: plan.Levels) -> Curves:
    is_helped = name == plan.HELPED
    return Curves(
        f"figure-3-{place}",
        f"Figure 3, {name}",
        "games of training",
        "share of games as first player",
        [series(word, found.x(), found.share(kind)) for kind, word in _KINDS.items()],
        Level(f"{RANDOM}{' with the help' if is_helped else ''}, won", level.helped if is_helped else level.random),
        [Level(f"paper, {key}", lab.number(key).value) for key in ("untrained", "trained")],
        caption=f"Against smart-random, {lab.number('evaluation-games').value:,.0f} games at each point and seed.",
    )


def _results(lab: Lab, found: dict[str, plan.Trained], level: plan.Levels) -> list[Result]:
    unhelped = f"without help random play wins {level.random:.1%}"
    before = {plan.STATED: unhelped, plan.RESULTS: unhelped}
    after = {plan.STATED: "perhaps since final positions, which it is asked about, are never taught"}
    results = []
    for when, key, place, whys in (("before training", "untrained", 0, before), ("after it", "trained", -1, after)):
        for name, one in found.items():
            values = [each[place] for each in one.share("wins")]
            results.append(lab.result(f"won {when}, {name}", key, values, whys.get(name, ""), whole=lab.scale != TINY))
    results += [lab.result(f"drawn after it, {name}", None, one.ends("draws")) for name, one in found.items()]
    results += [
        lab.result(f"optimal decisions after it, {name}", None, one.accuracies()) for name, one in found.items()
    ]
    return results


# ---- what the text leaves open ----


def left_open(lab: Lab) -> Working[Sequence[Part]]:
    """Other schedules and another rate, by the two readings that learn something."""
    number = lab.number("games").value
    ways = {
        "annealed to the end (linear)": {},
        "not annealed": {"alpha": "0.0012", "epsilon": "0.15"},
        "ten times the rate, annealed": {"alpha": f"0.012..0@{number:.0f}"},
    }
    found = yield {
        "ways": {
            way: {
                reading: plan.trained(lab, **settings | plan.READINGS[reading])
                for reading in (plan.RESULTS, plan.HELPED)
            }
            for way, settings in ways.items()
        },
        "level": plan.levels(lab),
    }
    level, rows = found["level"], []
    for way, readings in found["ways"].items():
        for reading, one in readings.items():
            won, grade = mean(one.ends()).shown(), mean(one.accuracies()).shown()
            rows.append((way, reading, won, f"{max(one.ends()):.1%}", grade))
    rows.append((RANDOM, "", f"{level.random:.1%}", "", f"{level.accuracy:.1%}"))
    rows.append(("random play with the help", "", f"{level.helped:.1%}", "", ""))
    return [
        Table(
            "left-open",
            "Schedules and rates: games won as first player at the end, and optimal decisions",
            ("training", "reading", "won", "best seed", "optimal decisions"),
            rows,
            caption="The text says that both parameters were annealed, not how.",
        )
    ]


# ---- more games, and another opponent ----


def _long(lab: Lab, key: str, runs: dict[str, dict[str, str]], won: str, after: str) -> Working[Sequence[Part]]:
    """Long runs by their settings; won, after: words for their results."""
    found = yield {
        "runs": {name: plan.trained(lab, plan.as_long, **settings) for name, settings in runs.items()},
        "beside": _beside(lab),
    }
    results = [
        lab.result(f"{what}{after}, {name}", None, values)
        for name, one in found["runs"].items()
        for what, values in ((won, one.ends()), ("optimal decisions", one.accuracies()))
    ]
    return [*_figures(key, found["runs"], found["beside"]), Results(f"{key}-results", results)]


def more_games(lab: Lab) -> Working[Sequence[Part]]:
    """One long run, by the two readings."""
    readings = {name: plan.READINGS[name] for name in (plan.RESULTS, plan.HELPED)}
    return (yield from _long(lab, "long", readings, "won", f" after {plan.long_games(lab):,} games"))


def another_opponent(lab: Lab) -> Working[Sequence[Part]]:
    """As many games against a perfect player that errs now and then."""
    settings = plan.READINGS[plan.RESULTS]
    opponents = {"against itself": settings, f"against {plan.SKILL}": settings | {"opponent": plan.SKILL}}
    return (yield from _long(lab, "opponent", opponents, "won at the end", ""))


# ---- what would have worked ----

_GUARANTEED = ("guaranteed, first", "guaranteed, second")


def what_would_have_worked(lab: Lab) -> Working[Best]:
    """A table taught by games that begin with random plies."""
    found = yield {
        "q-table": plan.best_table(lab),
        "td-lambda, 400 units": plan.best_network(lab),
        "game": solving(plan.GAME),
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


PAPER = Paper(
    name="chung-toi",
    title="A brief tutorial on reinforcement learning: The game of Chung Toi",
    authors="C. J. Gatti, J. D. Linton, M. J. Embrechts, 2011",
    game=plan.GAME,
    learner="td-lambda",
    about="A network of 30 hidden units learned the value of positions by TD(lambda) and self-play, and was measured as"
    " first player against a random opponent that takes wins and blocks. The text gives it no such help in evaluation,"
    " and is silent on the value of a final position, which is never taught: three readings are run, random play with"
    " and without that help beside them. The game is solved, position by position, so that every network is also"
    " measured by the exact solution.",
    experiments=(
        Experiment(
            "1",
            "The training curve",
            "2,000 games of self-play, and after every 100 of them 300 against a smart random opponent (figure 3).",
            training_curve,
        ),
        Experiment(
            "2",
            "What the text leaves open",
            "Both parameters were annealed, the text does not say how; many settings were tried.",
            left_open,
        ),
        Experiment(
            "3",
            "More games",
            "More training should improve it further, upwards of hundreds of thousands of games.",
            more_games,
        ),
        Experiment(
            "4", "Another opponent", "Other training strategies than self-play may serve better.", another_opponent
        ),
        Experiment(
            "5",
            "Beyond board games",
            "The aim is a framework for game-like decisions beyond board games, such as options and portfolios.",
            beyond_board_games,
        ),
    ),
    claims=CLAIMS,
    best=what_would_have_worked,
    seeds={"full": 5, "quick": 2, "tiny": 1},
    headline="curve-grade",
    numbers=Path(__file__).with_name("numbers.toml"),
    preset="paper",
)
