"""Fox and Hounds by two tables of Q-values, run again: experiments 1 to 5, and what the paper leaves for later."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from ludus.report.document import Curves, Level, Part, Result, Results, Series, Words
from ludus.study.paper import FULL, TINY, Experiment, Lab, Paper
from ludus.study.paper.tasks import Working
from ludus.study.paper.verdict import BEST, accuracy_figure, over_width, series
from ludus_papers.fox_and_hounds import cycles
from ludus_papers.fox_and_hounds.claims import CLAIMS, findings, what_would_have_worked
from ludus_papers.fox_and_hounds.cycles import PAIRS, SIDES, last, won

_VISITED = (
    "Perhaps the paper counts others, too: here a position counts when an action taken in it has been taught, and none"
    " that ends a game does."
)
_TOP = 0.99  # of a test, won by the hounds


def _wins(name: str, found: Sequence[Any], side: str, test: int = 0) -> Series:
    plies = [float(round(at, -5)) for at in found[0]["plies"]]
    return series(name, plies, [won(one, side, test) for one in found])


def _points(name: str, found: Sequence[Any], what: str, side: str) -> Series:
    """The accuracy of a side, or the positions that it has visited, over training; the mean over seeds."""
    column = 1 + SIDES.index(side)
    plies = [float(round(point[0], -5)) for point in found[0][what]]
    return series(name, plies, [[float(point[column]) for point in one[what]] for one in found])


def _width(strong: Any) -> str:
    return f"The last curve is drawn over the same width: it learned for {strong['plies'][-1]:,} plies."


def _wins_figure(
    key: str, title: str, curves: list[Series], random: Any, levels: list[Level], caption: str, sides: Any = SIDES
) -> Curves:
    first, *others = [Level(f"random {side}", fmean(random[side])) for side in sides]
    return Curves(key, title, "plies", "games won of 100", curves, first, [*others, *levels], caption)


def _grade_figure(key: str, side: str, curves: list[Series], random: Any) -> Curves:
    caption = f"Over all positions in which the {side} can throw away a win."
    level = random["accuracy"][SIDES.index(side)]
    return accuracy_figure(key, curves, level, (), caption, of=f" of the {side}", log=True, x_title="plies")


def _range(lab: Lab, key: str, what: str) -> list[Level]:
    number = lab.number(key)
    if number.until is None:
        return [Level(f"paper, {what}", number.value)]
    return [Level(f"paper, {what}, least", number.value), Level(f"paper, {what}, most", number.until)]


# ---- experiments ----


def random_sides(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 1."""
    found = (yield {"random": [cycles.chance(lab, seed) for seed in lab.seeds]})["random"]
    plies = [float(cycles.PLIES * (place + 1)) for place in range(len(found[0]["fox"]))]
    curves = [series(side, plies, [one[side] for one in found]) for side in SIDES]
    means = {side: [fmean(one[side]) for one in found] for side in SIDES}
    caption = (
        "Each point is 100 games. Nothing is learned: both curves are random play, and its levels are their means. The"
        " paper's random players are untrained tables, among whose equal best actions one is drawn at random."
    )
    levels = [level for side in SIDES for level in _range(lab, f"random-{side}", side)]
    figure = _wins_figure("exp-1-graph-1", "Random fox v random hounds", curves, means, levels, caption)
    results = [lab.result(side, f"random-{side}", means[side], whole=lab.scale != TINY) for side in SIDES]
    return [figure, Results("exp-1", results)]


def _alone(number: str, side: str, lab: Lab) -> Working[Sequence[Part]]:
    """One side learns against random play: a graph for each learning rate, and the grade of its first two agents."""
    points = [(eta, epsilon, gamma) for eta in cycles.RATES for gamma in cycles.GAMMAS for epsilon in cycles.EPSILONS]
    found = yield {
        "random": cycles.chance(lab, 0),
        "best": cycles.best(lab),
        "trained": {point: [cycles.alone(lab, side, *point, seed) for seed in lab.seeds] for point in points},
    }
    random, strong, trained = found["random"], found["best"], found["trained"]
    other = over_width(_wins(BEST, [strong], side), float(max(trained[points[0]][0]["plies"])))
    caption = f"Greedy play against random play, 100 games after every 100,000 plies. {_width(strong)}"
    key, graphs, results = f"{side}-v-random", [], list[Result]()
    for graph, eta in enumerate(cycles.RATES, 1):
        named = {f"epsilon {point[1]}, gamma {point[2]}": trained[point] for point in points if point[0] == eta}
        curves = [*(_wins(name, each, side) for name, each in named.items()), other]
        title, levels = f"Graph {graph}: the {side}, eta {eta}", _range(lab, key, "last 50 cycles")
        graphs.append(_wins_figure(f"exp-{number}-graph-{graph}", title, curves, random, levels, caption, [side]))
        for point in points:
            if point[0] == eta:
                name, values = f"epsilon {point[1]}, gamma {point[2]}", [last(one, side) for one in trained[point]]
                results.append(lab.result(f"eta {eta}, {name}", _of_setting(key, point), values))
    graded = [_points(f"epsilon {at[1]}, eta 0.5, gamma 0.99", trained[at], "accuracy", side) for at in points[:2]]
    curves = [*graded, _points(BEST, [strong], "accuracy", side)]
    return [*graphs, _grade_figure(f"exp-{number}-grade", side, curves, random), Results(f"exp-{number}", results)]


def untrained_sides(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 5."""
    pairs = PAIRS[0], PAIRS[-1]
    found = yield {
        "parts": _both("5", "scratch", lab),
        "trained": {pair: [cycles.untrained(lab, pair, seed) for seed in lab.seeds] for pair in pairs},
    }
    curves, results = [], []
    for pair, group in found["trained"].items():
        for column, side in enumerate(SIDES, 1):
            name, ends = f"{side}, epsilon {pair[0]}", [float(one["visited"][-1][column]) for one in group]
            curves.append(_points(name, group, "visited", side))
            results.append(lab.result(f"positions met by the {name}", "states-visited", ends, _VISITED))
    number = lab.number("states-visited")
    figure = Curves(
        "exp-5-graph-5",
        "Graph 5: positions met",
        "plies",
        "positions",
        curves,
        None,
        [Level("paper, least", number.value), Level("paper, most", number.until or number.value)],
        "How many positions of its table each side has learned something about. Random play learns nothing.",
        percent=False,
    )
    return [*found["parts"], figure, Results("exp-5-states", results)]


def _both(number: str, key: str, lab: Lab) -> Working[Sequence[Part]]:
    """Both sides learn from each other: a graph for each pair of explorations, and the grades."""
    make = cycles.pretrained if number == "4" else cycles.untrained
    found = yield {
        "random": cycles.chance(lab, 0),
        "best": cycles.best(lab),
        "trained": {pair: [make(lab, pair, seed) for seed in lab.seeds] for pair in PAIRS},
    }
    random, strong, trained = found["random"], found["best"], found["trained"]
    end = float(max(trained[PAIRS[0]][0]["plies"]))
    other = over_width(_wins(f"hounds, {BEST}", [strong], "hounds", test=1), end)
    levels = [*_range(lab, f"{key}-fox", "fox"), Level("paper, hounds", lab.number(f"{key}-hounds").value)]
    caption = f"The wins of a side that plays greedily while the other continues to explore. {_width(strong)}"
    parts: list[Part] = [
        Words(
            'One side plays greedily, the other continues to explore. The text counts the wins of "the other" side; the'
            " program and the figures those of the side that plays greedily, and so does this report. There are no"
            " draws: by the other reading a share x is 1 - x."
        )
    ]
    results = list[Result]()
    for graph, (pair, group) in enumerate(trained.items(), 1):
        title = f"Graph {graph}: fox epsilon {pair[0]}, hounds epsilon {pair[1]}"
        curves = [*(_wins(side, group, side) for side in SIDES), other]
        parts.append(_wins_figure(f"exp-{number}-graph-{graph}", title, curves, random, levels, caption))
        for side in reversed(SIDES):
            values = [last(one, side) for one in group]
            own = f"{key}-{side}" if side == "hounds" else f"{key}-{side}-{_digits(*pair)}"
            results.append(lab.result(f"{side}, {_named(pair)}", own, values))
        if number == "5":
            results.append(_plies_to_the_top(lab, pair, group))
    for side in reversed(SIDES):
        curves = [_points(_named(pair), group, "accuracy", side) for pair, group in trained.items()]
        curves.append(_points(BEST, [strong], "accuracy", side))
        parts.append(_grade_figure(f"exp-{number}-grade-{side}", side, curves, random))
    return [*parts, Results(f"exp-{number}", results)]


def _of_setting(key: str, point: tuple[float, float, float]) -> str:
    """The key of the paper's number for a learning rate, epsilon and gamma; it gives one for all foxes."""
    eta, epsilon, gamma = point
    return f"{key}-{_digits(eta, gamma, epsilon)}" if key == "hounds-v-random" else key


def _digits(*shares: float) -> str:
    """Settings below 1 as their digits after the point: 0.5 and 0.99 as 5-99."""
    return "-".join(str(share).partition(".")[2] for share in shares)


def _named(pair: tuple[float, float]) -> str:
    return f"fox {pair[0]} v hounds {pair[1]}"


def _plies_to_the_top(lab: Lab, pair: tuple[float, float], group: Sequence[Any]) -> Result:
    """The plies after which the hounds first won nearly all of a test; all plies of those that never did."""
    first = [
        next((plies for plies, wins in zip(one["plies"], won(one, "hounds"), strict=True) if wins >= _TOP), None)
        for one in group
    ]
    reached = [float(one["plies"][-1] if plies is None else plies) for plies, one in zip(first, group, strict=True)]
    never = first.count(None)
    why = f"{never} of {len(first)} never came to {_TOP:.0%}, and count with all their plies." if never else ""
    return lab.result(f"plies until {_TOP:.0%}, {_named(pair)}", f"first-at-99-{_digits(*pair)}", reached, why)


def adaptive_exploration(lab: Lab) -> Working[Sequence[Part]]:
    """What the paper leaves for later: exploration that adapts, on tables of half the size."""
    found = yield {
        "random": cycles.chance(lab, 0),
        "trained": {
            "adaptive, 0.5 to 0.01": [cycles.adaptive(lab, seed) for seed in lab.seeds],
            "always 0.1": [cycles.untrained(lab, PAIRS[0], seed) for seed in lab.seeds],
        },
    }
    random, trained = found["random"], found["trained"]
    each = [(f"{side}, {name}", group, side) for name, group in trained.items() for side in reversed(SIDES)]
    caption = (
        "Adaptive: near 0.5 while a side loses its games, near 0.01 while it wins. Tested against exploration 0.1."
    )
    title = "Exploration that adapts to results"
    results = [
        lab.result(f"{name}, last {cycles.last_cycles(group[0])} cycles", None, [last(one, side) for one in group])
        for name, group, side in each
    ]
    return [
        Words(
            "All trainings of this report keep a table for each side, numbered by the paper's own index with the"
            " parity of the rows left out: half of it, as the paper proposes. `--tables shared` is one whole table."
        ),
        _wins_figure("adaptive-wins", title, [_wins(*one) for one in each], random, [], caption),
        _grade_figure(
            "adaptive-grade",
            "hounds",
            [_points(name, group, "accuracy", "hounds") for name, group in trained.items()],
            random,
        ),
        Results("adaptive", results),
    ]


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
            partial(_alone, "2", "hounds"),
        ),
        Experiment(
            "3",
            "Experiment 3: fox against random hounds",
            "The fox learns with the same settings; 100 cycles.",
            partial(_alone, "3", "fox"),
        ),
        Experiment(
            "4",
            "Experiment 4: trained players",
            "The first two hounds of experiment 2 and the first two foxes of experiment 3 learn on, from each other.",
            partial(_both, "4", "schooled"),
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
    settings=cycles.settings(0.1, 0.1)
    | {"games": str(cycles.untrained(Lab("fox-and-hounds", FULL, range(1)), PAIRS[0], 0).games)},
    findings=findings,
)
