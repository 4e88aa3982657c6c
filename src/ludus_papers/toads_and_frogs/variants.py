"""The other experiments of the Toads and Frogs paper: text and program, Death Leap, self-play, dead pieces, bots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ludus.report.document import Bars, Curves, Level, Part, Results, Table, Words
from ludus.study.paper import Lab
from ludus.study.paper.tasks import Task, Working, grading, matching
from ludus.study.paper.verdict import Mean, accuracy, games, mean, series
from ludus_papers.toads_and_frogs.boards import AS_PAPER, BEST, CHANCE
from ludus_papers.toads_and_frogs.networks import killing, pairing, self_play
from ludus_papers.toads_and_frogs.tasks import (
    LARGE,
    MEDIUM,
    SIZES,
    SMALL,
    as_paper,
    best_by_seat,
    best_training,
    chance_by_seat,
    counting,
    evaluation,
    seated,
    seeds_of,
)

# ---- what text and program do otherwise ----


def variants(lab: Lab, **settings: Any) -> list[Task]:
    """Trainings on the small board by these settings, and their protocols."""
    trainings = [as_paper(lab, SMALL, seed, **settings) for seed in lab.seeds]
    tests = [evaluation(one, SMALL.game, lab.pick(1000, 500, 20), seed) for seed, one in enumerate(trainings)]
    return [*trainings, *tests]


def compared(lab: Lab, **settings: Any) -> Working[tuple[list[Any], list[Any], float, list[Any]]]:
    """The paper's settings and these on the small board: metrics and protocols of either; random; the best agent."""
    one, other = variants(lab), variants(lab, **settings)
    (*found, chance, best) = yield [*one, *other, grading("random", SMALL.game), best_training(lab, SMALL)]
    return found[: len(one)], found[len(one) :], chance["all"]["accuracy"], best["lines"]


def text_and_program(lab: Lab) -> Working[Sequence[Part]]:
    """Exploring among legal moves or among all pieces, and what an illegal choice in play means."""
    text, program, chance, best = yield from compared(lab, explore="all")
    number = len(lab.seeds)
    names = "explores legal moves (text)", "explores all pieces (program)"
    columns = {
        "illegal choice loses": ("strict first", "strict second"),
        "best legal instead": ("toads first", "toads second"),
        "program's protocol": ("program",),
    }
    rows = []
    for name, found in zip(names, (text, program), strict=True):
        tests = found[number:]
        shares = [mean([sum(each[key] for key in keys) / len(keys) for each in tests]) for keys in columns.values()]
        ends = mean([accuracy(one["lines"])[-1] for one in found[:number]])
        rows.append((name, *(each.shown() for each in [*shares, ends])))
    return [
        Table(
            "text-and-program",
            f"Text and program on {SMALL.strip}: games won against random, and optimal decisions at the end",
            ("training", *columns, "optimal decisions"),
            rows,
            caption="As toads, both sides starting alternately; by the program's protocol the agent always moves"
            " first.",
        ),
        _two_grades(lab, "text-and-program-grade", names, (text, program), chance, best),
    ]


def _two_grades(
    lab: Lab, key: str, names: Sequence[str], found: Sequence[Sequence[Any]], chance: float, best: Any
) -> Curves:
    number = len(lab.seeds)
    x = games(found[0][0]["lines"])
    curves = [
        series(name, x, [accuracy(one["lines"]) for one in each[:number]])
        for name, each in zip(names, found, strict=True)
    ]
    return Curves(
        key,
        f"Optimal decisions on {SMALL.strip}",
        "games",
        "right",
        curves,
        Level(CHANCE, chance),
        [Level(f"{BEST}, at its end", accuracy(best)[-1])],
        caption="All decisions of either side: the network sees the strip turned round where frogs move.",
    )


def death_leap(lab: Lab) -> Working[Sequence[Part]]:
    """The extra reward for entering a Death Leap zero."""
    plain, shaped, chance, best = yield from compared(lab, shaping=15)
    counts = yield [counting(size.game, lab.pick(400, 100, 10)) for size in SIZES]
    number = len(lab.seeds)
    names = "no extra reward", "with the extra reward"
    results = [
        lab.result(f"{what}, {name}", None, values)
        for name, found in zip(names, (plain, shaped), strict=True)
        for what, values in (
            ("optimal decisions", [accuracy(one["lines"])[-1] for one in found[:number]]),
            ("won as toads", [(one["toads first"] + one["toads second"]) / 2 for one in found[number:]]),
        )
    ]
    rows = [(size.strip, f"{count['leaps']:.1%}") for size, count in zip(SIZES, counts, strict=True)]
    return [
        _two_grades(lab, "death-leap-grade", names, (plain, shaped), chance, best),
        Results("death-leap-results", results),
        Table(
            "death-leap-share",
            "Positions in random play that the Death Leap Principle makes zero",
            ("board", "share"),
            rows,
            caption="How often there is something to reward.",
        ),
    ]


# ---- self-play ----


def fights(lab: Lab) -> list[Task]:
    """A toad and a frog agent on the small board, by seed."""
    return [
        self_play(
            as_paper(lab, SMALL, seed),
            as_paper(lab, SMALL, seed, seats="second"),
            SMALL.game,
            lab.pick(5, 2, 1),
            lab.pick(2_000, 100, 10),
            lab.pick(1_000, 200, 20),
            seed,
        )
        for seed in lab.seeds[: lab.pick(3, 1, 1)]
    ]


def against_each_other(lab: Lab) -> Working[Sequence[Part]]:
    """Toads and frogs that go on learning against each other."""
    (chance, *found) = yield [grading("random", SMALL.game), *fights(lab)]
    x = tuple(range(len(found[0])))
    names = {
        "toads": "toads against the frog agent",
        "toads against random": "toads against random",
        "frogs against random": "frogs against random",
    }
    curves = [series(name, x, [[each[key] for each in one] for one in found]) for key, name in names.items()]
    grades = [
        series(f"the {side} agent", x, [[each[f"{side} right"] for each in one] for one in found]) for side in _SIDES
    ]
    return [
        Curves(
            "self-play-wins",
            f"Toads and frogs that learn against each other on {SMALL.strip}",
            "epochs",
            "won",
            curves,
            Level(CHANCE, 0.5),
            caption="Both sides start alternately, so random play wins half. Before epoch 1 each has met only random;"
            " in an epoch the toads learn against the frogs, then the frogs against the toads.",
        ),
        Curves(
            "self-play-grade",
            "Optimal decisions of either agent",
            "epochs",
            "right",
            grades,
            Level(CHANCE, chance["all"]["accuracy"]),
            caption="All decisions of either side, seen as the agent's own.",
        ),
        Results(
            "self-play-results",
            [
                lab.result(
                    "games that toads win against frogs at the end",
                    "self-play",
                    [one[-1]["toads"] for one in found],
                    "perhaps because between two networks that hardly ever slip there are but a few different games,"
                    " so that one choice decides hundreds of them",
                )
            ],
        ),
    ]


_SIDES = "toads", "frogs"


# ---- dead pieces ----

Heights = list[tuple[float, float, float]]


def dead_tests(lab: Lab) -> list[Task]:
    """The tests of dead pieces: positions of the medium board, pairs of the large one; the best agent's come last."""
    number = lab.pick(300, 60, 10)
    killings = [killing(as_paper(lab, MEDIUM, seed), MEDIUM.game, number) for seed in seeds_of(lab, MEDIUM)]
    pairings = [pairing(as_paper(lab, LARGE, seed), LARGE.game, number) for seed in seeds_of(lab, LARGE)]
    best = [
        killing(best_training(lab, MEDIUM), MEDIUM.game, number),
        pairing(best_training(lab, LARGE), LARGE.game, number),
    ]
    return [*killings, *pairings, *best]


def dead_pieces(lab: Lab) -> Working[Sequence[Part]]:
    """Positions built and found to test whether the network understands dead pieces."""
    found = yield dead_tests(lab)
    number = len(seeds_of(lab, MEDIUM))
    killed, paired, (best_killed, best_paired) = found[:number], found[number:-2], found[-2:]
    heights: Heights = []
    low: Heights = []
    high: Heights = []
    for kind in ("killing wins", "killing loses"):
        ours = mean([one[kind]["accuracy"] for one in killed])
        _push(heights, low, high, ours, best_killed[kind]["accuracy"], best_killed[kind]["chance"])
    ours = mean([one["alike"] for one in paired])
    _push(heights, low, high, ours, best_paired["alike"], best_paired["chance"])
    kills = [mean([one[kind]["kills"] for one in killed]).mean for kind in ("killing wins", "killing loses")]
    sizes = [best_killed[kind]["positions"] for kind in ("killing wins", "killing loses")]
    return [
        Words(
            f"Three tests. On {MEDIUM.strip}, {sizes[0]} positions of random games in which only moves that leave more"
            f" frogs dead win, and {sizes[1]} in which such a move is there, but loses, while another wins: who"
            " understands plays well in both, who merely likes to kill only in the first."
            f" On {LARGE.strip}, {best_paired['pairs']} pairs of built strips that differ in nothing but how the inside"
            " of a dead wall is arranged, `TTTFFF` or `TTFTFF`: who understands moves the same piece in both."
        ),
        Bars(
            "dead-pieces",
            "Dead pieces: right moves, and same moves in pairs",
            "right, or the same",
            ("only killing wins", "killing loses", "pairs of walls"),
            (AS_PAPER, BEST, CHANCE),
            _turned(heights),
            _turned(low),
            _turned(high),
            caption=f"The paper's network kills in {kills[0]:.0%} of the first positions and in {kills[1]:.0%} of the"
            " second.",
        ),
    ]


def _push(heights: Heights, low: Heights, high: Heights, ours: Mean, best: float, chance: float) -> None:
    for ends, end in zip((heights, low, high), (ours.mean, *ours.bounds), strict=True):
        ends.append((end, best, chance))


def _turned(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    return [list(column) for column in zip(*rows, strict=True)]


# ---- the end bots ----


def end_bots(lab: Lab) -> Working[Sequence[Part]]:
    """The paper's bots that always move the piece furthest ahead or furthest back."""
    number = lab.pick(1000, 500, 20)
    bots, agents = ("first", "last"), [as_paper(lab, SMALL, seed) for seed in lab.seeds]
    against = [
        matching(SMALL.game, agent, bot, number, 0, seats="first", alternate_starter=True)
        for bot in ("random", *bots)
        for agent in agents
    ]
    others = [seated(bot, SMALL.game, number, 0) for bot in bots]
    (*found, chance, best) = yield [*against, *others, chance_by_seat(lab, SMALL), best_by_seat(lab, SMALL)]
    seeds = len(agents)
    ours = [mean([one["all"]["won"] for one in found[seeds * which : seeds * (which + 1)]]) for which in range(3)]
    rows = [(f"{AS_PAPER}, against {bot}", each.shown()) for bot, each in zip(("random", *bots), ours, strict=True)]
    rows += [(f"{bot} against random", f"{one['text']:.1%}") for bot, one in zip(bots, found[3 * seeds :], strict=True)]
    rows += [(f"{BEST}, against random", f"{best['text']:.1%}"), ("random against random", f"{chance['text']:.1%}")]
    return [
        Table(
            "end-bots",
            f"The end bots on {SMALL.strip}: games won as toads, both sides starting alternately",
            ("who", "won"),
            rows,
            caption="`first` moves the piece furthest ahead, `last` the one furthest back. Between two that always"
            " answer alike there are two games, one for each side that begins: they win none, half or all.",
        )
    ]
