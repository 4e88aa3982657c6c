"""Fox and Hounds by two tables of Q-values, run again: experiments 1 to 5, and what the paper leaves for later."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from ludus.report.document import Curves, Level, Part, Result, Results, Series, Words
from ludus.study.paper import FULL, Experiment, Lab, Paper
from ludus.study.paper.tasks import Task, Working
from ludus.study.paper.verdict import over_width, series
from ludus_papers.fox_and_hounds.claims import CLAIMS, what_would_have_worked
from ludus_papers.fox_and_hounds.cycles import (
    EPSILONS,
    PAIRS,
    RATES,
    adaptive,
    best,
    chance,
    last,
    last_cycles,
    learning_fox,
    learning_hounds,
    schooled,
    settings,
    untrained,
    won,
)

_BEST = "what would have worked"

_TURNS = "turns"


# ---- curves ----


def _wins(name: str, found: Sequence[Any], side: str, test: int = 0) -> Series:
    """The wins of a side over training, the mean over seeds."""
    turns = [float(round(at, -5)) for at in found[0]["turns"]]
    return series(name, turns, [won(one, side, test) for one in found])


def _right(name: str, found: Sequence[Any], side: str) -> Series:
    """The optimal decisions of a side over training, the mean over seeds."""
    column = {"fox": 1, "hounds": 2}[side]
    turns = [float(round(point[0], -5)) for point in found[0]["accuracy"]]
    return series(name, turns, [[point[column] for point in one["accuracy"]] for one in found])


def _width(strong: Any) -> str:
    """What tells that the best agent is drawn so."""
    return f"The last curve is drawn over the same width: it learned for {strong['turns'][-1]:,} plies."


def _wins_figure(
    key: str, title: str, curves: list[Series], random: dict[str, float], levels: list[Level], caption: str
) -> Curves:
    """Wins over training, with the wins of each side that plays at random."""
    first, *others = [Level(f"random {side}", wins) for side, wins in random.items()]
    return Curves(key, title, _TURNS, "games won of 100", curves, first, [*others, *levels], caption)


def _chance(random: Any) -> dict[str, float]:
    return {side: fmean(random[side]) for side in ("fox", "hounds")}


def _grade_figure(key: str, side: str, curves: list[Series], random: Any) -> Curves:
    level = Level("random play", random["accuracy"][0 if side == "fox" else 1])
    title, caption = f"Optimal decisions of the {side}", f"Over all positions in which the {side} can throw away a win."
    return Curves(key, title, _TURNS, "right", curves, level, (), caption, log=True)


def _range(lab: Lab, key: str, what: str) -> list[Level]:
    told = lab.number(key)
    if told.until is None:
        return [Level(f"paper, {what}", told.value)]
    return [Level(f"paper, {what}, least", told.value), Level(f"paper, {what}, most", told.until)]


def _by_seeds(lab: Lab, tasks: Sequence[Task], results: Sequence[Any]) -> list[list[Any]]:
    """Results that came for all seeds of one setting after those of another, in groups."""
    size = len(lab.seeds)
    return [list(results[place : place + size]) for place in range(0, len(tasks), size)]


# ---- experiments ----


def random_sides(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 1."""
    found = yield [chance(lab, seed) for seed in lab.seeds]
    cycles = [float(100_000 * (place + 1)) for place in range(len(found[0]["fox"]))]
    curves = [series(side, cycles, [one[side] for one in found]) for side in ("fox", "hounds")]
    fox, hounds = ([fmean(one[side]) for one in found] for side in ("fox", "hounds"))
    results = [lab.result("fox", "random-fox", fox), lab.result("hounds", "random-hounds", hounds)]
    caption = (
        "Each point is 100 games. Nothing is learned: both curves are random play, and its levels are their means. The"
        " paper's random players are untrained tables, of which the best actions are drawn by lot."
    )
    levels = [*_range(lab, "random-fox", "fox"), *_range(lab, "random-hounds", "hounds")]
    both = {"fox": fmean(fox), "hounds": fmean(hounds)}
    figure = _wins_figure("exp-1-graph-1", "Random fox v random hounds", curves, both, levels, caption)
    return [figure, Results("exp-1", results)]


def hounds_alone(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 2."""
    return (yield from _alone(lab, "2", "hounds", "hounds-v-random"))


def fox_alone(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 3."""
    return (yield from _alone(lab, "3", "fox", "fox-v-random"))


def _alone(lab: Lab, number: str, side: str, key: str) -> Working[Sequence[Part]]:
    """One side learns against random play: a graph for each learning rate, and the grade of its first two agents."""
    make = learning_hounds if side == "hounds" else learning_fox
    points = [(eta, epsilon, gamma) for eta in RATES for gamma in (0.99, 0.95) for epsilon in EPSILONS]
    tasks = [make(lab, *point, seed) for point in points for seed in lab.seeds]
    random, strong, *found = yield [chance(lab, 0), best(lab), *tasks]
    groups = dict(zip(points, _by_seeds(lab, tasks, found), strict=True))
    end = float(max(groups[points[0]][0]["turns"]))
    other = over_width(_wins(_BEST, [strong], side), end)
    graphs, results = [], list[Result]()
    for graph, eta in enumerate(RATES, 1):
        chosen = [point for point in points if point[0] == eta]
        curves = [_wins(f"epsilon {point[1]}, gamma {point[2]}", groups[point], side) for point in chosen]
        caption = f"Greedy play against random play, 100 games after every 100,000 plies. {_width(strong)}"
        title, levels = f"Graph {graph}: the {side}, eta {eta}", _range(lab, key, "last 50 cycles")
        chance_of = {side: fmean(random[side])}
        graphs.append(_wins_figure(f"exp-{number}-graph-{graph}", title, [*curves, other], chance_of, levels, caption))
        for point in chosen:
            values = [last(one, side) for one in groups[point]]
            results.append(lab.result(f"eta {eta}, epsilon {point[1]}, gamma {point[2]}", key, values))
    graded = [_right(f"epsilon {point[1]}, eta 0.5, gamma 0.99", groups[point], side) for point in points[:2]]
    grade = _grade_figure(f"exp-{number}-grade", side, [*graded, _right(_BEST, [strong], side)], random)
    return [*graphs, grade, Results(f"exp-{number}", results)]


def trained_sides(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 4."""
    return (yield from _both(lab, "4", "schooled"))


def untrained_sides(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 5."""
    parts = yield from _both(lab, "5", "scratch")
    tasks = [untrained(lab, pair, seed) for pair in (PAIRS[0], PAIRS[-1]) for seed in lab.seeds]
    found = yield tasks
    curves, results = [], []
    for pair, group in zip((PAIRS[0], PAIRS[-1]), _by_seeds(lab, tasks, found), strict=True):
        turns = [float(round(point[0], -5)) for point in group[0]["met"]]
        for column, side in ((1, "fox"), (2, "hounds")):
            name, met = f"{side}, epsilon {pair[0]}", [[float(point[column]) for point in one["met"]] for one in group]
            curves.append(series(name, turns, met))
            last_met = [each[-1] for each in met]
            results.append(lab.result(f"positions met by the {name}", "states-visited", last_met, _MET))
    told = lab.number("states-visited")
    figure = Curves(
        "exp-5-graph-5",
        "Graph 5: positions met",
        _TURNS,
        "positions",
        curves,
        None,
        [Level("paper, least", told.value), Level("paper, most", told.until or told.value)],
        "How many positions of its table each side has been taught something about. Random play is taught nothing.",
        percent=False,
    )
    return [*parts, figure, Results("exp-5-states", results)]


_MET = (
    "Perhaps the paper counts others, too: here a position counts when an action taken in it has been taught, and none"
    " that ends a game does."
)


def _both(lab: Lab, number: str, key: str) -> Working[Sequence[Part]]:
    """Both sides learn from each other: a graph for each pair of explorations, and the grades."""
    make = schooled if number == "4" else untrained
    tasks = [make(lab, pair, seed) for pair in PAIRS for seed in lab.seeds]
    random, strong, *found = yield [chance(lab, 0), best(lab), *tasks]
    groups = _by_seeds(lab, tasks, found)
    parts: list[Part] = []
    results = list[Result]()
    end = float(max(groups[0][0]["turns"]))
    other = over_width(_wins(f"hounds, {_BEST}", [strong], "hounds", test=1), end)
    levels = [*_range(lab, f"{key}-fox", "fox"), Level("paper, hounds", lab.number(f"{key}-hounds").value)]
    for graph, (pair, group) in enumerate(zip(PAIRS, groups, strict=True), 1):
        title = f"Graph {graph}: fox epsilon {pair[0]}, hounds epsilon {pair[1]}"
        curves = [_wins("fox", group, "fox"), _wins("hounds", group, "hounds"), other]
        caption = f"The wins of a side that plays greedily while the other goes on exploring. {_width(strong)}"
        parts.append(_wins_figure(f"exp-{number}-graph-{graph}", title, curves, _chance(random), levels, caption))
        for side in ("hounds", "fox"):
            values = [last(one, side) for one in group]
            results.append(lab.result(f"{side}, fox {pair[0]} v hounds {pair[1]}", f"{key}-{side}", values))
        if number == "5":
            results.append(_turns_to_the_top(lab, pair, group))
    for side in ("hounds", "fox"):
        curves = [
            _right(f"fox {pair[0]} v hounds {pair[1]}", group, side) for pair, group in zip(PAIRS, groups, strict=True)
        ]
        parts.append(
            _grade_figure(f"exp-{number}-grade-{side}", side, [*curves, _right(_BEST, [strong], side)], random)
        )
    return [Words(_GREEDY), *parts, Results(f"exp-{number}", results)]


_GREEDY = (
    'One side plays greedily, the other goes on exploring. The text counts the wins of "the other" side; the program'
    " and the figures those of the side that plays greedily, and so does this report. There are no draws: by the other"
    " reading a share x is 1 - x."
)

_TOP = 0.99  # of a test, won by the hounds


def _turns_to_the_top(lab: Lab, pair: tuple[float, float], group: Sequence[Any]) -> Result:
    """The turns after which the hounds first won nearly all of a test; all turns of those that never did."""
    first = [
        next((turns for turns, wins in zip(one["turns"], won(one, "hounds"), strict=True) if wins >= _TOP), None)
        for one in group
    ]
    reached = [float(one["turns"][-1] if turns is None else turns) for turns, one in zip(first, group, strict=True)]
    never = first.count(None)
    why = f"{never} of {len(first)} never came to {_TOP:.0%}, and count with all their plies." if never else ""
    return lab.result(f"plies until {_TOP:.0%}, fox {pair[0]} v hounds {pair[1]}", "first-at-99", reached, why)


def adaptive_exploration(lab: Lab) -> Working[Sequence[Part]]:
    """What the paper leaves for later: exploration that adapts, on tables of half the size."""
    changing = [adaptive(lab, seed) for seed in lab.seeds]
    constant = [untrained(lab, PAIRS[0], seed) for seed in lab.seeds]
    random, *found = yield [chance(lab, 0), *changing, *constant]
    adapts, stays = found[: len(changing)], found[len(changing) :]
    pairs = (("adaptive, 0.5 to 0.01", adapts), ("always 0.1", stays))
    curves = [_wins(f"{side}, {name}", group, side) for name, group in pairs for side in ("hounds", "fox")]
    caption = (
        "Adaptive: near 0.5 while a side loses its games, near 0.01 while it wins. Tested against exploration 0.1."
    )
    wins = _wins_figure("adaptive-wins", "Exploration that adapts to results", curves, _chance(random), [], caption)
    graded = [_right(name, group, "hounds") for name, group in pairs]
    results = [
        lab.result(f"{side}, {name}, last {last_cycles(group[0])} cycles", None, [last(one, side) for one in group])
        for name, group in pairs
        for side in ("hounds", "fox")
    ]
    return [Words(_HALF), wins, _grade_figure("adaptive-grade", "hounds", graded, random), Results("adaptive", results)]


_HALF = (
    "All trainings of this report keep a table for each side, numbered by the paper's own index with the parity of the"
    " rows left out: half of it, as the paper proposes. `--tables shared` is one whole table."
)


PAPER = Paper(
    name="fox-and-hounds",
    title="Q-learning for Fox and Hounds Board Game",
    authors="Javad Bakhshi, Martynas Budriunas, 2012",
    game="fox-and-hounds",
    learner="q-table",
    about=(
        "Two tables of Q-values, one for the fox and one for the four hounds, learn by playing each other or a random"
        " opponent, in cycles of 100,000 plies. The paper measures them by games against an opponent that explores;"
        " here every table is also compared with the solution of the whole game, which the hounds win."
    ),
    experiments=(
        Experiment("1", "Experiment 1: random against random", "Both sides play at random.", random_sides),
        Experiment(
            "2",
            "Experiment 2: hounds against a random fox",
            "Hounds learn with exploration 0.1 and 0.2, learning rate 0.5 and 0.3, discount 0.99 and 0.95; 100 cycles.",
            hounds_alone,
        ),
        Experiment(
            "3",
            "Experiment 3: fox against random hounds",
            "The fox learns with the same settings; 100 cycles.",
            fox_alone,
        ),
        Experiment(
            "4",
            "Experiment 4: trained players",
            "The first two hounds of experiment 2 and the first two foxes of experiment 3 learn on, from each other.",
            trained_sides,
        ),
        Experiment(
            "5",
            "Experiment 5: untrained players",
            "Both sides learn from each other from the first game on, up to 480 cycles; and the positions they visit.",
            untrained_sides,
        ),
        Experiment(
            "later",
            "Left for later: adaptive exploration, tables of half the size",
            "It proposes to halve the tables by parity, and to adjust exploration to results. It did neither.",
            adaptive_exploration,
        ),
    ),
    claims=CLAIMS,
    best=what_would_have_worked,
    seeds={"full": 5, "quick": 3, "tiny": 2},
    headline="exp-5-grade-hounds",
    numbers=Path(__file__).with_name("numbers.toml"),
    settings=settings(0.1, 0.1) | {"games": str(untrained(Lab("fox-and-hounds", FULL, range(1)), PAIRS[0], 0).games)},
)
