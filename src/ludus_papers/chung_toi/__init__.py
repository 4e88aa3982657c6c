"""Chung Toi by TD(lambda), run again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ludus.learning.loop.evaluation import Line
from ludus.report.document import Best, Curves, Level, Part, Result, Results, Series, Table, Words
from ludus.study.paper import FULL, TINY, Experiment, Lab, Paper
from ludus.study.paper.tasks import Working, solving, together
from ludus.study.paper.verdict import accuracy, games, guaranteed, mean, over_width, series
from ludus_papers.chung_toi.beyond import beyond_board_games
from ludus_papers.chung_toi.claims import CLAIMS
from ludus_papers.chung_toi.plan import (
    GAME,
    HELPED,
    READINGS,
    RESULTS,
    SKILL,
    STATED,
    Levels,
    Trained,
    best_network,
    best_table,
    levels,
    long_games,
    long_run,
    trained,
    wins_of,
)

_TABLE, _NETWORK = "what would have worked: a table", "a larger network of the same kind"

_KINDS = {"wins": "won", "losses": "lost", "draws": "drawn"}

_SEATS = "first", "second"


# ---- the training curve ----


def training_curve(lab: Lab) -> Working[Sequence[Part]]:
    """Figure 3 by three readings, beside what is reached without learning and what would have worked."""
    *found, beside = yield from together([*(trained(lab, **each) for each in READINGS.values()), _beside(lab)])
    level, table, network = beside
    by_reading = dict(zip(READINGS, found, strict=True))
    figures = [_figure_3(lab, place, name, by_reading[name], level) for place, name in enumerate(READINGS)]
    return [
        Words(
            f"Three readings. {STATED.capitalize()}: the network is asked about final positions like any other, though"
            " they are never taught to it, and gets no help in evaluation."
            f" {RESULTS.capitalize()}: the same, but a move that ends the game counts as what it is."
            f" {HELPED.capitalize()}: wins and blocks are taken before anything else in evaluation as in training,"
            " which the paper says it does not do."
        ),
        *figures,
        _wins(by_reading, level, table, network),
        _grades(by_reading, level, table, network),
        Results("curve-results", _results(lab, by_reading, level)),
    ]


def _beside(lab: Lab) -> Working[tuple[Levels, list[Line], list[Line]]]:
    """What is reached without learning, and the metrics of what would have worked."""
    found = yield from together([levels(lab), _lines(lab)])
    return found[0], *found[1]


def _lines(lab: Lab) -> Working[list[list[Line]]]:
    found = yield [best_table(lab), best_network(lab)]
    return [one["lines"] for one in found]


def _figure_3(lab: Lab, place: int, name: str, found: Trained, level: Levels) -> Curves:
    curves = [series(word, found.x(), found.share(kind)) for kind, word in _KINDS.items()]
    chance = level.helped if name == HELPED else level.random
    told = [
        Level("paper, untrained", lab.number("untrained").value),
        Level("paper, trained", lab.number("trained").value),
    ]
    return Curves(
        f"figure-3-{place + 1}",
        f"Figure 3, {name}",
        "games",
        "share of games as first player",
        curves,
        Level("random play with the help, won" if name == HELPED else "random play, won", chance),
        told,
        caption=f"Against smart-random, {lab.number('evaluation-games').value:,.0f} games at each point and seed.",
    )


def _scaled(name: str, lines: Sequence[Line], y: Sequence[float], width: float) -> Series:
    """A curve of another number of games over the same width."""
    return over_width(Series(name, games(lines), tuple(y)), width)


def _width(lab_games: Sequence[Line], network: Sequence[Line]) -> str:
    return (
        f"The last two are drawn over the same width: a table of {games(lab_games)[-1]:,.0f} games, and a network of"
        f" {games(network)[-1]:,.0f}."
    )


def _wins(found: dict[str, Trained], level: Levels, table: list[Line], network: list[Line]) -> Curves:
    width = found[STATED].x()[-1]
    curves = [series(name, one.x(), one.share("wins")) for name, one in found.items()]
    curves += [_scaled(_TABLE, table, wins_of(table), width), _scaled(_NETWORK, network, wins_of(network), width)]
    return Curves(
        "curve-wins",
        "Games won as first player against smart-random",
        "games",
        "won",
        curves,
        Level("random play", level.random),
        [Level("random play with the help", level.helped)],
        caption=_width(table, network),
    )


def _grades(found: dict[str, Trained], level: Levels, table: list[Line], network: list[Line]) -> Curves:
    width = found[STATED].x()[-1]
    curves = [series(name, one.graded_at(), one.accuracy()) for name, one in found.items()]
    curves += [_scaled(_TABLE, table, accuracy(table), width), _scaled(_NETWORK, network, accuracy(network), width)]
    return Curves(
        "curve-grade",
        "Optimal decisions",
        "games",
        "right",
        curves,
        Level("random play", level.accuracy),
        caption=f"All positions in which moves differ in value, judged by the truth. {_width(table, network)}",
    )


def _results(lab: Lab, found: dict[str, Trained], level: Levels) -> list[Result]:
    unhelped = f"without help random play wins {level.random:.1%}"
    before = {STATED: unhelped, RESULTS: unhelped}
    after = {STATED: "perhaps since final positions, which it is asked about, are never taught"}
    told = []
    for when, key, place, whys in (("before training", "untrained", 0, before), ("after it", "trained", -1, after)):
        for name, one in found.items():
            values = [each[place] for each in one.share("wins")]
            told.append(lab.result(f"won {when}, {name}", key, values, whys.get(name, ""), whole=lab.scale != TINY))
    told += [
        lab.result(f"drawn after it, {name}", None, [each[-1] for each in one.share("draws")])
        for name, one in found.items()
    ]
    told += [
        lab.result(f"optimal decisions after it, {name}", None, [each[-1] for each in one.accuracy()])
        for name, one in found.items()
    ]
    return told


# ---- what the text leaves open ----


def left_open(lab: Lab) -> Working[Sequence[Part]]:
    """Other schedules and another rate, by the two readings that learn something."""
    number = lab.number("games").value
    ways = {
        "annealed to the end (linear)": {},
        "not annealed": {"alpha": "0.0012", "epsilon": "0.15"},
        "ten times the rate, annealed": {"alpha": f"0.012..0@{number:.0f}"},
    }
    cases = [(way, reading) for way in ways for reading in (RESULTS, HELPED)]
    found = yield from together([trained(lab, **(ways[way] | READINGS[reading])) for way, reading in cases])
    level = yield from levels(lab)
    rows = []
    for (way, reading), one in zip(cases, found, strict=True):
        ends, grade = mean(one.ends()), mean([each[-1] for each in one.accuracy()])
        highest = f"{max(one.ends()):.1%}"
        rows.append((way, reading, ends.shown(), highest, grade.shown()))
    rows.append(("random play", "", f"{level.random:.1%}", "", f"{level.accuracy:.1%}"))
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


def more_games(lab: Lab) -> Working[Sequence[Part]]:
    """One long run, by the two readings."""
    found = yield from together([long_run(lab, **READINGS[name]) for name in (RESULTS, HELPED)])
    level, table, network = yield from _beside(lab)
    return [
        *_long_figures("long", dict(zip((RESULTS, HELPED), found, strict=True)), level, table, network),
        _long_results(lab, found),
    ]


def _long_results(lab: Lab, found: Sequence[Trained]) -> Results:
    told = [
        lab.result(f"{what} after {long_games(lab):,} games, {name}", None, values)
        for name, one in zip((RESULTS, HELPED), found, strict=True)
        for what, values in (("won", one.ends()), ("optimal decisions", [each[-1] for each in one.accuracy()]))
    ]
    return Results("long-results", told)


def another_opponent(lab: Lab) -> Working[Sequence[Part]]:
    """As many games against a perfect player that errs now and then."""
    self_play, taught = yield from together(
        [long_run(lab, **READINGS[RESULTS]), long_run(lab, **READINGS[RESULTS], opponent=SKILL)]
    )
    level, table, network = yield from _beside(lab)
    names = "against itself", f"against {SKILL}"
    figures = _long_figures("opponent", dict(zip(names, (self_play, taught), strict=True)), level, table, network)
    told = [
        lab.result(f"{what}, {name}", None, values)
        for name, one in zip(names, (self_play, taught), strict=True)
        for what, values in (
            ("won at the end", one.ends()),
            ("optimal decisions", [each[-1] for each in one.accuracy()]),
        )
    ]
    return [*figures, Results("opponent-results", told)]


def _long_figures(
    key: str, found: dict[str, Trained], level: Levels, table: list[Line], network: list[Line]
) -> list[Curves]:
    width = next(iter(found.values())).x()[-1]
    wins = [series(name, one.x(), one.share("wins")) for name, one in found.items()]
    wins += [_scaled(_TABLE, table, wins_of(table), width), _scaled(_NETWORK, network, wins_of(network), width)]
    grades = [series(name, one.graded_at(), one.accuracy()) for name, one in found.items()]
    grades += [_scaled(_TABLE, table, accuracy(table), width), _scaled(_NETWORK, network, accuracy(network), width)]
    helped = [Level("random play with the help", level.helped)] if HELPED in found else []
    random, knowing = Level("random play", level.random), Level("random play", level.accuracy)
    caption = _width(table, network)
    return [
        Curves(
            f"{key}-wins",
            "Games won as first player against smart-random",
            "games",
            "won",
            wins,
            random,
            helped,
            caption,
        ),
        Curves(f"{key}-grade", "Optimal decisions", "games", "right", grades, knowing, (), caption),
    ]


# ---- what would have worked ----


def what_would_have_worked(lab: Lab) -> Working[Best]:
    """A table taught by games that begin astray."""
    table, network, truth = yield [best_table(lab), best_network(lab), solving(GAME)]
    rows = []
    for name, lines in (("q-table", table["lines"]), ("td-lambda, 400 units", network["lines"])):
        last = f"{games(lines)[-1]:,.0f}"
        by_seat = [guaranteed(lines, seat)[-1] for seat in _SEATS]
        rows.append((name, last, f"{wins_of(lines)[-1]:.1%}", f"{accuracy(lines)[-1]:.2%}", *by_seat))
    grade = table["lines"][-1]["grade"]
    holds = " and ".join(f"{guaranteed(table['lines'], seat)[-1]} moving {seat}" for seat in _SEATS)
    smaller = "" if lab.scale == FULL else ", fewer than it takes to the end"
    return Best(
        "`q-table`, preset `perfect`: games begin with random plies, both sides then play the best they know, and what"
        " comes of it is learned backwards",
        f"{games(table['lines'])[-1]:,.0f} games{smaller}",
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
                    "guaranteed, first",
                    "guaranteed, second",
                ),
                rows,
                caption=f"The game has {truth['counts']['positions']:,} positions and is a draw.",
            )
        ],
        short=lab.scale != FULL,
    )


PAPER = Paper(
    name="chung-toi",
    title="A brief tutorial on reinforcement learning: The game of Chung Toi",
    authors="C. J. Gatti, J. D. Linton, M. J. Embrechts, 2011",
    game=GAME,
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
