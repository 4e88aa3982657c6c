"""Fox and Hounds by two tables of Q-values, run again: experiments 1 to 5, and what the paper leaves for later."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from ludus import face
from ludus.report.document import Board, Boards, Curves, Level, NotCovered, Part, Result, Results, Series, Table, Words
from ludus.study.paper import FULL, TINY, Experiment, Lab, Paper
from ludus.study.paper.tasks import Working
from ludus.study.paper.verdict import BEST, accuracy_figure, over_width, series
from ludus_papers.fox_and_hounds import cycles
from ludus_papers.fox_and_hounds.claims import CLAIMS, findings, what_would_have_worked
from ludus_papers.fox_and_hounds.cycles import PAIRS, SIDES, last, won
from ludus_papers.fox_and_hounds.tables import KINDS, game

_KINDS = (
    "never taught there",
    "no winning action ever taken there",
    "a winning action had been taken, but had a lower value",
)


def _wins(name: str, found: Sequence[Any], side: str, test: int = 0) -> Series:
    plies = [float(round(at, -5)) for at in found[0]["plies"]]
    return series(name, plies, [won(one, side, test) for one in found])


def _accuracy(name: str, found: Sequence[Any], side: str) -> Series:
    """The accuracy of a side over training; the mean over seeds."""
    column = 1 + SIDES.index(side)
    plies = [float(round(point[0], -5)) for point in found[0]["accuracy"]]
    return series(name, plies, [[float(point[column]) for point in one["accuracy"]] for one in found])


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


def _levels(lab: Lab, keys: Sequence[str], what: str) -> list[Level]:
    """The paper's number, or the least and the most of several."""
    values = sorted({lab.number(key).value for key in keys})
    if len(values) == 1:
        return [Level(f"paper, {what}", values[0])]
    return [Level(f"paper, {what}, least", values[0]), Level(f"paper, {what}, most", values[-1])]


def _digits(*shares: float) -> str:
    """Settings below 1 as their digits after the point: 0.5 and 0.99 as 5-99."""
    return "-".join(str(share).partition(".")[2] for share in shares)


def _named(pair: tuple[float, float]) -> str:
    return f"fox {pair[0]} v hounds {pair[1]}"


# ---- experiments 1 to 3 ----


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
    levels = [level for side in SIDES for level in _levels(lab, [f"random-{side}"], side)]
    figure = _wins_figure("exp-1-graph-1", "Random fox v random hounds", curves, means, levels, caption)
    results = [lab.result(side, f"random-{side}", means[side], whole=lab.scale != TINY) for side in SIDES]
    return [figure, Results("exp-1", results)]


def _alone(number: str, side: str, eta: float, lab: Lab) -> Working[Sequence[Part]]:
    """One side learns against random play with one learning rate: a graph, and the result of each setting."""
    points = [(eta, epsilon, gamma) for gamma in cycles.GAMMAS for epsilon in cycles.EPSILONS]
    found = yield {
        "random": cycles.chance(lab, 0),
        "best": cycles.best(lab),
        "trained": {point: [cycles.alone(lab, side, *point, seed) for seed in lab.seeds] for point in points},
    }
    random, strong, trained = found["random"], found["best"], found["trained"]
    other = over_width(_wins(BEST, [strong], side), float(max(trained[points[0]][0]["plies"])))
    caption = f"Greedy play against random play, 100 games after every 100,000 plies. {_width(strong)}"
    names = {point: f"epsilon {point[1]}, gamma {point[2]}" for point in points}
    keys = {point: f"{side}-v-random-{_digits(point[0], point[2], point[1])}" for point in points}
    curves = [*(_wins(names[point], trained[point], side) for point in points), other]
    graph = 1 + cycles.RATES.index(eta)
    figure = _wins_figure(
        f"exp-{number}-graph-{graph}",
        f"Graph {graph}: the {side}, eta {eta}",
        curves,
        random,
        _levels(lab, list(keys.values()), "last 50 cycles"),
        caption,
        [side],
    )
    results = [
        lab.result(f"eta {eta}, {names[point]}", keys[point], [last(one, side) for one in trained[point]])
        for point in points
    ]
    return [figure, Results(f"exp-{number}-{graph}", results)]


def _alone_grades(number: str, side: str, lab: Lab) -> Working[Sequence[Part]]:
    """The grades of the first two agents of an experiment, which learn on in experiment 4."""
    found = yield {
        "random": cycles.chance(lab, 0),
        "best": cycles.best(lab),
        "trained": {
            epsilon: [cycles.alone(lab, side, 0.5, epsilon, 0.99, seed) for seed in lab.seeds]
            for epsilon in cycles.EPSILONS
        },
    }
    curves = [
        _accuracy(f"epsilon {epsilon}, eta 0.5, gamma 0.99", group, side) for epsilon, group in found["trained"].items()
    ]
    curves.append(_accuracy(BEST, [found["best"]], side))
    return [_grade_figure(f"exp-{number}-grade", side, curves, found["random"])]


def other_rates(lab: Lab) -> Working[Sequence[Part]]:
    """The learning rates that the authors tried and do not show."""
    found = (yield {"trained": {rate: _rate(lab, rate) for rate in cycles.TRIED}})["trained"]
    rates = list(found)
    seeds = range(len(lab.seeds))
    whole = [[fmean(won(found[rate][seed], "hounds")) for rate in rates] for seed in seeds]
    ends = [[last(found[rate][seed], "hounds") for rate in rates] for seed in seeds]
    names = "all tests of the training", "the last 50 cycles"
    curves = [series(name, rates, each) for name, each in zip(names, (whole, ends), strict=True)]
    caption = (
        "Hounds against a random fox, epsilon 0.1, gamma 0.99. Over all tests those win most that learn fastest. The"
        " paper shows 0.5 and 0.3."
    )
    return [Curves("rates", "Learning rates", "eta", "games won of 100", curves, None, [], caption)]


def _rate(lab: Lab, rate: float) -> Any:
    return [cycles.alone(lab, "hounds", rate, 0.1, 0.99, seed) for seed in lab.seeds]


# ---- experiments 4 and 5 ----


def which_side_counts(lab: Lab) -> Working[Sequence[Part]]:
    """The words about the tests."""
    yield {}
    return [
        Words(
            'One side plays greedily, the other continues to explore. The text counts the wins of "the other" side; the'
            " program and the figures those of the side that plays greedily, and so does this report. There are no"
            " draws: by the other reading a share x is 1 - x."
        )
    ]


def _both(number: str, pair: tuple[float, float], lab: Lab) -> Working[Sequence[Part]]:
    """Both sides learn from each other: the graph and the results of a pair of explorations."""
    make, key = (cycles.pretrained, "schooled") if number == "4" else (cycles.untrained, "scratch")
    found = yield {
        "random": cycles.chance(lab, 0),
        "best": cycles.best(lab),
        "trained": [make(lab, pair, seed) for seed in lab.seeds],
    }
    strong, group, graph = found["best"], found["trained"], 1 + PAIRS.index(pair)
    other = over_width(_wins(f"hounds, {BEST}", [strong], "hounds", test=1), float(max(group[0]["plies"])))
    keys = {side: f"{key}-{side}-{_digits(*pair)}" for side in reversed(SIDES)}
    figure = _wins_figure(
        f"exp-{number}-graph-{graph}",
        f"Graph {graph}: fox epsilon {pair[0]}, hounds epsilon {pair[1]}",
        [*(_wins(side, group, side) for side in SIDES), other],
        found["random"],
        [level for side, own in keys.items() for level in _levels(lab, [own], side)],
        f"The wins of a side that plays greedily while the other continues to explore. {_width(strong)}",
    )
    results = [
        lab.result(f"{side}, {_named(pair)}", own, [last(one, side) for one in group]) for side, own in keys.items()
    ]
    return [figure, Results(f"exp-{number}-{graph}", results)]


def _both_grades(number: str, lab: Lab) -> Working[Sequence[Part]]:
    """The grades of both sides, by the pair of explorations."""
    make = cycles.pretrained if number == "4" else cycles.untrained
    found = yield {
        "random": cycles.chance(lab, 0),
        "best": cycles.best(lab),
        "trained": {pair: [make(lab, pair, seed) for seed in lab.seeds] for pair in PAIRS},
    }
    figures = list[Part]()
    for side in reversed(SIDES):
        curves = [_accuracy(_named(pair), group, side) for pair, group in found["trained"].items()]
        curves.append(_accuracy(BEST, [found["best"]], side))
        figures.append(_grade_figure(f"exp-{number}-grade-{side}", side, curves, found["random"]))
    return figures


def _plies_to_the_top(pair: tuple[float, float], lab: Lab) -> Working[Sequence[Part]]:
    """The plies after which the hounds first won nearly all of a test."""
    group = (yield {"trained": [cycles.until_steady(lab, pair, seed) for seed in _several(lab)]})["trained"]
    reached = [_to_the_top(one) for one in group]
    why = (
        "The paper's number is of a single training, in which the first test with 99 wins of 100 comes early or late by"
        f" chance: our {len(reached)} trainings needed {min(reached):,.0f} to {max(reached):,.0f} plies. The means of"
        " the four pairs stand below."
    )
    result = lab.result(f"plies until {cycles.TOP:.0%}, {_named(pair)}", f"first-at-99-{_digits(*pair)}", reached, why)
    return [Results(f"exp-5-first-{_digits(*pair)}", [result])]


def _several(lab: Lab) -> range:
    """At full scale at least four times the seeds of the first round: learning times are far apart."""
    return range(max(len(lab.seeds), 4 * lab.rounds[0])) if lab.scale == FULL else lab.seeds


def _to_the_top(one: Any) -> float:
    """The plies until then; all plies of a training that never came there."""
    return float(cycles.PLIES * (cycles.first_at(one, cycles.TOP) or len(one["plies"])))


def _plies_to_the_top_on_average(lab: Lab) -> Working[Sequence[Part]]:
    """Where the paper's four trainings together lie among as many of ours, in words: they are one draw."""
    found = yield {pair: [cycles.until_steady(lab, pair, seed) for seed in _several(lab)] for pair in PAIRS}
    reached = [fmean(map(_to_the_top, each)) for each in zip(*found.values(), strict=True)]
    paper = lab.number("first-at-99")
    words = (
        f"The paper's four trainings first won {cycles.TOP:.0%} of a test after {paper} plies on average. Such means of"
        f" our {len(reached)} seeds are {min(reached):,.0f} to {max(reached):,.0f}, on average {fmean(reached):,.0f};"
        f" {sum(each <= paper.value for each in reached)} are as low as the paper's, or lower."
    )
    return [Words(words)]


def _positions(pairs: Sequence[tuple[float, float]], lab: Lab) -> Working[Sequence[Part]]:
    """The positions met, as the authors' program counts them, and as they are taught."""
    found = yield {pair: [cycles.untrained(lab, pair, seed) for seed in lab.seeds] for pair in pairs}
    results, ours, curves = list[Result](), list[Result](), list[Series]()
    for pair, group in found.items():
        plies = [float(round(point[0], -5)) for point in group[0]["met"]]
        for column, side in enumerate(SIDES, 1):
            counted = [[float(point[column] + point[3]) for point in one["met"]] for one in group]
            taught = [float(one["met"][-1][column]) for one in group]
            name = f"positions met by the {side}, {_named(pair)}"
            curves.append(series(f"{side}, epsilon {pair[0]}", plies, counted))
            results.append(lab.result(name, f"met-{side}-{_digits(*pair)}", [one[-1] for one in counted], _MET))
            ours.append(lab.result(f"{name}, without final ones", None, taught, unit="count"))
    if any(fox != hounds for fox, hounds in pairs):
        return [Results("exp-5-positions-unequal", [*results, *ours])]
    levels = _levels(lab, [f"met-{side}-{_digits(*pair)}" for pair in pairs for side in SIDES], "in the end")
    caption = (
        "As the authors' program counts: positions in which a side was taught, and final positions, which it counts for"
        " both. Random play learns nothing."
    )
    graph = "Graph 5: positions met", "plies", "positions", curves, None, levels, caption
    return [Curves("exp-5-graph-5", *graph, percent=False), Results("exp-5-positions", [*results, *ours])]


_MET = (
    "The program's clones share one array of marks, so that it does not count what was first met in a test; here tests"
    " leave no marks."
)


def why_hounds_lose(lab: Lab) -> Working[Sequence[Part]]:
    """Where hounds that nearly always win give the win away."""
    found = yield {
        "steady": {pair: [cycles.until_steady(lab, pair, seed) for seed in lab.seeds] for pair in PAIRS},
        "end": {pair: [cycles.untrained(lab, pair, seed) for seed in lab.seeds] for pair in PAIRS},
    }
    stages = {f"first steadily {cycles.TOP:.0%}": found["steady"], "in the end": found["end"]}
    rows: list[tuple[str | int, ...]] = [
        (_named(pair), stage, *_lost_in([one["lost"] for one in group]))
        for stage, by_pair in stages.items()
        for pair, group in by_pair.items()
    ]
    examples = {
        kind: example
        for by_pair in reversed(stages.values())
        for group in by_pair.values()
        for one in group
        for kind, example in one["lost"]["examples"].items()
    }
    columns = "exploration", "when", "games", "lost", *_KINDS
    caption = (
        "Hounds that play greedily against a fox that explores. Of each training up to 50 lost games count by the last"
        " action of the hounds that gave the win away: what they had been taught in that position."
    )
    parts: list[Part] = [Table("losses", "Why hounds lose", columns, rows, caption)]
    if examples:
        boards = [
            _mistake(words, *examples[kind]) for kind, words in zip(KINDS, _KINDS, strict=True) if kind in examples
        ]
        parts.append(Boards("mistakes", "Actions that gave the win away", boards, "The hounds are to move."))
    return parts


def _lost_in(found: Sequence[Any]) -> tuple[int, ...]:
    games, lost, *kinds = (sum(one[name] for one in found) for name in ("games", "lost", *KINDS))
    return games, lost, *kinds


def _mistake(kind: str, position: str, played: str, winning: str) -> Board:
    pos = face.parse_position(game(), position)
    return Board(face.draw(game(), pos).svg, f"{played}; {winning} would win ({kind})")


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
            "adaptive-grade", "hounds", [_accuracy(name, group, "hounds") for name, group in trained.items()], random
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
        Experiment(
            "1",
            "Experiment 1: random against random",
            "Both sides play at random.",
            random_sides,
            "experiment 1, graph 1",
        ),
        Experiment(
            "2",
            "Experiment 2: hounds against a random fox",
            "Hounds learn with exploration 0.1 and 0.2, learning rate 0.5 and 0.3, discount 0.99 and 0.95; 100 cycles.",
            (*(partial(_alone, "2", "hounds", eta) for eta in cycles.RATES), partial(_alone_grades, "2", "hounds")),
            "experiment 2, graphs 1 and 2",
        ),
        Experiment(
            "rates",
            "Experiment 2: other learning rates",
            "The authors tried many learning rates, and show two of them.",
            other_rates,
            'experiment 2: "From the many learning rates we have tried, 0.5 seems to produce the fastest learning"',
        ),
        Experiment(
            "3",
            "Experiment 3: fox against random hounds",
            "The fox learns with the same settings; 100 cycles.",
            (*(partial(_alone, "3", "fox", eta) for eta in cycles.RATES), partial(_alone_grades, "3", "fox")),
            "experiment 3, graphs 1 and 2",
        ),
        Experiment(
            "4",
            "Experiment 4: trained players",
            "The first two hounds of experiment 2 and the first two foxes of experiment 3 learn on, from each other.",
            (which_side_counts, *(partial(_both, "4", pair) for pair in PAIRS), partial(_both_grades, "4")),
            "section 4, the evaluation phase; experiment 4, graphs 1 to 4",
        ),
        Experiment(
            "5",
            "Experiment 5: untrained players",
            "Both sides learn from each other from the first game on, up to 480 cycles; and the positions they visit.",
            (
                *(partial(_both, "5", pair) for pair in PAIRS),
                *(partial(_plies_to_the_top, pair) for pair in PAIRS),
                _plies_to_the_top_on_average,
                partial(_positions, (PAIRS[0], PAIRS[-1])),
                partial(_positions, PAIRS[1:-1]),
                partial(_both_grades, "5"),
            ),
            "experiment 5, graphs 1 to 5",
        ),
        Experiment(
            "losses",
            "Experiment 5: why hounds still lose",
            "It explains that hounds still lose occasionally as they have not yet explored all of the states.",
            why_hounds_lose,
            'experiment 5: "why the hounds still occationally lose in our experiments"',
        ),
        Experiment(
            "later",
            "Left for later: adaptive exploration, tables of half the size",
            "It proposes to halve the tables by parity, and to adjust exploration to results. It did neither.",
            adaptive_exploration,
            "sections 3.1 and 5, further improvements",
        ),
    ),
    not_covered=(
        NotCovered(
            "A human player can easily find an optimal strategy for the hounds (section 1).",
            "it would take people; the strategy derived here shows how many positions one has to know",
        ),
        NotCovered(
            "The fox wins when it reaches the row of the last hound, which is to speed up the learning (section 3).",
            "the authors never trained by another rule; what it does to the game is judged among the claims, and"
            " `goal=none` trains without it",
        ),
        NotCovered(
            "The learning system can learn fast, as it does not depend on other systems for its data (section 5).",
            "nothing is compared; the time of each training is in the table of tasks",
        ),
        NotCovered(
            "Positions that were first met in a test are marked in the program, and not counted later (its source).",
            "a slip of the count, not of the method: tests here leave no marks",
        ),
        NotCovered(
            "Decrease the exploration if the system does well; all the tools are there (section 5).",
            "the program has no such experiment; Ludus's own is experiment later",
        ),
    ),
    claims=CLAIMS,
    best=what_would_have_worked,
    seeds={"full": 5, "quick": 2, "tiny": 2},
    headline="exp-5-grade-hounds",
    numbers=Path(__file__).with_name("numbers.toml"),
    settings=cycles.settings(0.1, 0.1)
    | {"games": str(cycles.untrained(Lab("fox-and-hounds", FULL, range(1)), PAIRS[0], 0).games)},
    findings=findings,
)
