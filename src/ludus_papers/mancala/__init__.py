"""The Mancala paper's example of adjusted weights, worked out by the learner's own rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ludus import catalog, face
from ludus.learning.move_weights import shift
from ludus.report.document import Board, Boards, Curves, Level, Part, Result, Results, Table, Words
from ludus.study.paper import Experiment, Lab, Paper
from ludus.study.paper.tasks import Task, Working, grading
from ludus.study.paper.verdict import accuracy, games, mean, series, won
from ludus_papers.mancala.claims import CLAIMS, what_would_have_worked
from ludus_papers.mancala.figures import (
    ENDS,
    chart,
    curve,
    difference_figure,
    is_whole_part,
    lead,
    right_decisions,
    right_figure,
    shares,
    stage_at,
    summary,
    won_against_random,
    won_figure,
)
from ludus_papers.mancala.plan import (
    BEST,
    GAME,
    LAST,
    LOOKS_AHEAD,
    PROGRAM,
    TEXT,
    VARIANTS,
    against_random,
    all_stages,
    beside,
    best,
    best_right,
    boards,
    by_seeds,
    chance,
    charts,
    long_run,
    people,
    right_level,
    sample,
    self_play,
    small,
    small_best,
    small_chance,
    untaught,
    won_level,
)

_HOLES = range(1, 7)

_PLAYED = 4

_STEP = 0.7


_SHARING = (
    "What the hole played gains or loses is shared equally over the other holes that are not empty; none falls below"
    " nothing, and what one cannot give is taken from the others. The example: hole 4 is played, by 70 %."
)

_WHY = "The paper says what the weights might look like; by its own rule hole 5 has less to give than its share"


def equal_sharing(lab: Lab) -> list[Part]:
    """The example, won and lost, beside what the paper says."""
    before = np.array([lab.number(f"before-{hole}").value for hole in _HOLES])
    mask = sum(1 << place for place, weight in enumerate(before) if weight)
    results = []
    for word, step in (("won", _STEP), ("lost", -_STEP)):
        weights = before.copy()
        shift(weights, mask, _PLAYED - 1, step)
        results += [
            lab.result(f"hole {hole} after the game is {word}", f"{word}-{hole}", [float(weights[hole - 1])], _WHY)
            for hole in _HOLES
        ]
    return [Words(_SHARING), Results("update", results)]


_GAMES = "games of training"

_MEANS = "From both seats, without learning; means over seeds."


def against_random_play(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 7."""
    tasks = [against_random(lab, seed, late=late) for late in (False, True) for seed in lab.seeds]
    long = [against_random(lab, seed, long=True) for seed in lab.seeds]
    own = [self_play(lab, "70/70", seed) for seed in lab.seeds]
    played, strong, *found = yield [chance(lab), best(lab), *tasks, *long, *own]
    text, program, longer_, itself = by_seeds(lab, found)
    counted = f"of {text[0][-1]['games']:,} games"
    results = [
        lab.result(f"{what} {counted}, {how}", key, [shares(one[-1])[place] for one in each], why)
        for how, each, why in ((TEXT, text, WHY_LAST["text"]), (PROGRAM, program, WHY_LAST["program"]))
        for what, key, place in (("won", "random-won", 0), ("tied", "random-tied", 2))
    ]
    curves = [
        curve("against random play", longer_, won_against_random),
        curve("against itself", itself, won_against_random),
        curve("against random play, the program", program, won_against_random),
        series(BEST, games(strong["lines"]), [won(strong["lines"], "random")]),
    ]
    ends = {"the text": text, "the program": program}
    return [
        summary(
            "random-ends",
            f"How {text[0][-1]['games']:,} games against random play ended, the learner moving first",
            ends,
            beside(played),
        ),
        won_figure("random-won", curves, won_level(played), _MEANS),
        Results("random", results),
    ]


def wrong_result(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 8."""
    looked = sample(lab)
    tasks = [self_play(lab, "70/70", seed, late=late) for late in (False, True) for seed in lab.seeds]
    played, strong, known, *found = yield [chance(lab), best(lab), best_right(lab), *looked, *tasks]
    judged, (text, program) = found[: len(looked)], by_seeds(lab, found[len(looked) :])
    wins = [curve(TEXT, text, won_against_random), curve(PROGRAM, program, won_against_random)]
    rights = [curve(TEXT, text, right_decisions), curve(PROGRAM, program, right_decisions)]
    strong_curve = series(BEST, games(strong["lines"]), [won(strong["lines"], "random")])
    decisions = sum(each["decisions"] for each in judged)
    ends = {"the text": text, "the program": program}
    results = [
        lab.result(f"{end}, {how}", f"70-70-last-{place}", [shares(one[-1])[place] for one in each], why)
        for (how, each), why in zip(ends.items(), WHY_LAST.values(), strict=True)
        for place, end in enumerate(("player 1 wins", "player 2 wins", "ties"))
    ]
    return [
        Words(_MISTAKE),
        summary("program-ends", f"All {text[0][-1]['games']:,} games of training", ends, beside(played)),
        won_figure("program-won", [*wins, strong_curve], won_level(played), _MEANS),
        right_figure("program-right", rights, right_level(judged), decisions, [Level(BEST, known)]),
        Results("program", results),
    ]


WHY_LAST = {
    "text": "The author ran the program, which teaches each game with the result of the game before",
    "program": "Perhaps because the program's weights are whole numbers of per cent, which was not tried here",
}

_MISTAKE = (
    "The program asks who won before it has found out: what it finds is who won the game before, whatever the moves of"
    " this one. The curves are those of 70/70, taught both ways; the charts above have all variants."
)


def small_boards(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 9."""
    asked = [_of_board(lab, board) for board in boards(lab)]
    found = iter((yield [task for tasks in asked for task in tasks]))
    parts: list[Part] = [Words(_SMALL)]
    rows = []
    for place, (board, tasks) in enumerate(zip(boards(lab), asked, strict=True), 1):
        graded, played, strong, *learned = [next(found) for _ in tasks]
        text, program = by_seeds(lab, learned)
        both = {TEXT: text, PROGRAM: program, BEST: [strong]}
        level = Level("random play", graded["all"]["accuracy"])
        parts.append(_small_figure(f"small-{place}", board, both, level))
        rows += [_small_row(board, name, each) for name, each in both.items()]
        rows.append((board, level.name, f"{level.y:.1%}", f"{won_level(played).y:.1%}"))
    columns = ("board", "learner", "optimal decisions", "won against random play")
    caption = f"Means over {len(lab.seeds)} seeds with their intervals; of {BEST} one seed."
    return [*parts, Table("small", "At the end", columns, rows, caption)]


def _of_board(lab: Lab, board: str) -> list[Task]:
    tasks = [small(lab, board, seed, late=late) for late in (False, True) for seed in lab.seeds]
    return [grading("random", board), small_chance(lab, board), small_best(lab, board), *tasks]


def _small_figure(key: str, board: str, both: dict[str, Any], random: Level) -> Curves:
    curves = [
        series(name, games(each[0]["lines"]), [accuracy(one["lines"]) for one in each]) for name, each in both.items()
    ]
    return Curves(key, f"Optimal decisions on {board}", _GAMES, "right", curves, random, caption=_EXACT)


_SMALL = (
    "Boards so small that positions come again, and that every decision can be judged. A weight of 1 leaves nothing to"
    " try, and a lost game teaches its good moves, too, to be bad."
)

_EXACT = "Of all decisions that can be reached; a decision is right if it keeps the score. Means over seeds."


def _small_row(board: str, name: str, found: Sequence[Any]) -> tuple[str, str, str, str]:
    rights = mean([accuracy(one["lines"])[-1] for one in found])
    wins = mean([won(one["lines"], "random")[-1] for one in found])
    return board, name, rights.shown(), wins.shown()


def longer(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 10."""
    others = [people(lab, each) for each in ("random", best(lab))]
    played, run, strong, idle, match = yield [chance(lab), long_run(lab), best(lab), *others]
    lines = strong["lines"]
    curves = [
        curve("70/70 against itself", [run], won_against_random),
        series(BEST, games(lines), [won(lines, "random")]),
    ]
    rows = [
        ("random play", f"{idle['all']['won']:.1%}"),
        (f"70/70 after {run[-1]['games']:,} games", f"{run[-1]['rivals'][LOOKS_AHEAD]:.1%}"),
        (f"{BEST}, after {lines[-1]['games']:,} games", f"{match['all']['won']:.1%}"),
    ]
    title = "Games won against a player who looks two plies ahead"
    return [
        won_figure("long-won", curves, won_level(played), "One seed each."),
        Table("long", title, ("player", "won"), rows, _PEOPLE),
    ]


_PEOPLE = (
    "It counts what can be in the stores after its own move and the reply; a person of any decent skill sees as much."
    " One seed each."
)


_WAYS = ("text", "program")


# ---- the board ----


def board_and_update(lab: Lab) -> Working[Sequence[Part]]:
    """Figures 1 and 2, and how weights are adjusted."""
    yield []
    game = catalog.make_game(GAME)
    moved = game.play(game.start(), 2)
    boards = [
        Board(face.draw(game, game.start()).svg, "Figure 1: before any move."),
        Board(face.draw(game, moved).svg, "Figure 2: after player 1 moved from hole 3."),
    ]
    return [Boards("board", "The board", boards, "Hole n is n steps from its owner's store."), *equal_sharing(lab)]


# ---- the four variants ----


def variant_work(variant: str, figure: int) -> Callable[[Lab], Working[Sequence[Part]]]:
    """What shows a variant; figure: the number of its first chart in the paper."""

    def work(lab: Lab) -> Working[Sequence[Part]]:
        tasks = [self_play(lab, variant, seed, late=late) for late in (False, True) for seed in lab.seeds]
        played, *found = yield [chance(lab), *tasks]
        both = dict(zip(_WAYS, by_seeds(lab, found), strict=True))
        told_too = _told_first(lab) if variant == "70/70" else {}
        figures = [
            chart(
                f"figure-{figure + place}",
                f"Figure {figure + place}: {variant}",
                both,
                stages,
                ({} if place else told_too) | beside(played),
            )
            for place, stages in enumerate(charts(lab, variant))
        ]
        told = [
            each
            for way, one in both.items()
            for each in (*_told_early(lab, variant, way, one), *_told_last(lab, variant, way, one))
        ]
        leads = [Words(_who_leads(way, one, all_stages(lab, variant))) for way, one in both.items()]
        return [*figures, *leads, Results(f"results-{variant.replace('/', '-')}", told)]

    return work


def _told_first(lab: Lab) -> dict[str, list[float]]:
    """The paper's first chart, which the text tells in numbers."""
    return {
        f"paper, {games}": [lab.number(f"70-70-{games}-{place}").value for place in range(len(ENDS))]
        for games in charts(lab, "70/70")[0]
    }


def _who_leads(way: str, found: Sequence[Any], stages: Sequence[int]) -> str:
    leads = [[lead(stage_at(one, games)) for games in stages] for one in found]
    counts = [sum(each[place] > 0 for each in leads) for place in range(len(stages))]
    told = ", ".join(f"{count} at {games:,}" for count, games in zip(counts, stages, strict=True))
    return f"Of {len(found)} trainings by the {way} player 1 is ahead in: {told} games."


def _told_early(lab: Lab, variant: str, way: str, found: Sequence[Any]) -> list[Result]:
    first, second, _ = charts(lab, variant)
    if variant == "70/70":
        return [
            lab.result(
                f"{way}: {end}, first {games} games",
                f"70-70-{games}-{place}",
                [shares(stage_at(one, games))[place] for one in found],
                whole=True,
            )
            for games in first
            for place, end in enumerate(ENDS)
        ]
    if variant == "50/50":
        stages = {"30": first[0], "50": first[1], "100": first[2], "2000": second[2]}
        return [
            lab.result(
                f"{way}: player 1 ahead, {games:,} games",
                f"50-50-lead-{key}",
                [lead(stage_at(one, games)) for one in found],
                whole=games == int(key),
            )
            for key, games in stages.items()
        ]
    return []


def _told_last(lab: Lab, variant: str, way: str, found: Sequence[Any]) -> list[Result]:
    key, games = variant.replace("/", "-"), found[0][-1]["games"]
    ends = [
        lab.result(
            f"{way}: {end}, {games:,} games",
            f"{key}-last-{place}",
            [shares(one[-1])[place] for one in found],
            WHY_LAST[way],
        )
        for place, end in enumerate(ENDS)
    ]
    absolute = [one[-1]["absolute"] for one in found]
    return [
        *ends,
        lab.result(f"{way}: mean difference in score", "difference", absolute, _why_three(lab, absolute, way)),
        lab.result(
            f"{way}: the same with its sign, for player 1", None, [one[-1]["signed"] for one in found], unit="score"
        ),
    ]


def _why_three(lab: Lab, differences: Sequence[float], way: str) -> str:
    """Why it is 3 in the paper and not this."""
    whole = is_whole_part(differences, lab.number("difference").value)
    return "Perhaps a division of whole numbers dropped the fraction: it leaves 3 of this" if whole else WHY_LAST[way]


# ---- all together ----


def all_variants(lab: Lab) -> Working[Sequence[Part]]:
    """Figure 15, and what each variant has learned."""
    tasks = [
        self_play(lab, variant, seed, late=late) for late in (False, True) for variant in VARIANTS for seed in lab.seeds
    ]
    looked = sample(lab)
    played, (idle,), strong, right, *found = yield [
        chance(lab),
        untaught(lab),
        best(lab),
        best_right(lab),
        *looked,
        *tasks,
    ]
    judged, trained = found[: len(looked)], by_seeds(lab, found[len(looked) :])
    groups = dict(zip(VARIANTS, trained, strict=False))
    programs = {f"program, {variant}": each for variant, each in zip(VARIANTS, trained[len(VARIANTS) :], strict=True)}
    decisions = sum(each["decisions"] for each in judged)
    lines = strong["lines"]
    three = Level("paper", lab.number("difference").value)
    absolute = [curve(name, each, lambda stage: stage["absolute"]) for name, each in groups.items()]
    signed = [curve(name, each, lambda stage: stage["signed"]) for name, each in groups.items()]
    wins = [curve(name, each, won_against_random) for name, each in groups.items()]
    rights = [curve(name, each, right_decisions) for name, each in groups.items()]
    end = int(found[-1][-1]["games"])
    return [
        summary(
            "figure-15",
            f"Figure 15: all variants, {end:,} games",
            groups | programs,
            _told_in_the_end(lab) | beside(played),
        ),
        Words(_adding_up(lab)),
        won_figure("all-won", [*wins, series(BEST, games(lines), [won(lines, "random")])], won_level(played), _WON),
        right_figure("all-right", rights, right_level(judged), decisions, [Level(BEST, right)]),
        difference_figure("all-absolute", "Mean difference in score", absolute, idle["absolute"], [three]),
        difference_figure(
            "all-signed",
            "Mean difference with its sign, for player 1",
            signed,
            played["total_score"] / played["games"],
            [],
        ),
    ]


def _told_in_the_end(lab: Lab) -> dict[str, list[float]]:
    return {
        f"paper, {variant}": [
            lab.number(f"{variant.replace('/', '-')}-last-{place}").value for place in range(len(ENDS))
        ]
        for variant in VARIANTS
    }


def _adding_up(lab: Lab) -> str:
    """Whether the paper's own numbers come to all its games."""
    told = []
    for variant in VARIANTS:
        ends = [lab.number(f"{variant.replace('/', '-')}-last-{place}") for place in range(len(ENDS))]
        told.append((variant, sum(round(end.value * end.games) for end in ends), ends[0].games))
    astray = ", ".join(f"{variant} to {total:,}" for variant, total, games in told if total != games)
    all_of_them = f"{told[0][-1]:,} games"
    if not astray:
        return f"The paper's numbers in figure 15 add up to {all_of_them}."
    return (
        f"The paper's numbers in figure 15, as far as they can be read, do not all add up to {all_of_them}: {astray}."
    )


_WON = "From both seats, without learning; means over seeds."


_ABOUT = (
    "Birrell keeps, for each position of Mancala, how likely each hole is to be played, and shifts these weights after"
    f" every game by its result: four variants, {LAST:,} games against itself each, and one training against random"
    " play. The board is too large to be listed, so decisions are judged by search on a sample, and exactly on small"
    " boards. Random play stands beside every chart."
)


def _variant(key: str, variant: str, figure: int) -> Experiment:
    win, loss = variant.split("/")
    did = f"Wins teach by {win} %, losses by {loss} %; {LAST:,} games against itself, reported at nine stages."
    return Experiment(
        key, f"Adjusting by {variant}: figures {figure} to {figure + 2}", did, variant_work(variant, figure)
    )


PAPER = Paper(
    name="mancala",
    title="Padawan to Jedi: Using Reinforcement Learning to Train an Agent to Play Mancala",
    authors="T. Birrell, 2019",
    game=GAME,
    learner="move-weights",
    about=_ABOUT,
    experiments=(
        Experiment(
            "1", "The board, and the update", "Two figures of the board, and an example of weights.", board_and_update
        ),
        _variant("2", "70/70", 3),
        _variant("3", "50/50", 6),
        _variant("4", "90/50", 9),
        _variant("5", "50/90", 12),
        Experiment(
            "6",
            "Summary: figure 15, and the difference in score",
            f"All four after {LAST:,} games, and the mean difference in score at each stage.",
            all_variants,
        ),
        Experiment(
            "7",
            "A learner against random play",
            "An untrained agent learns for 100,000 games against an agent that always plays at random.",
            against_random_play,
        ),
        Experiment(
            "8",
            "The program's mistake",
            "Not in the text: the author's program teaches each game with the result of the game before, and lets steps"
            " shrink by 0.8.",
            wrong_result,
        ),
        Experiment("9", "Small boards", "Not in the paper: boards that can be solved exactly.", small_boards),
        Experiment(
            "10",
            "A couple of million games",
            "Not tried: the paper suspects that it would take so many before the agent could threaten a person.",
            longer,
        ),
    ),
    claims=CLAIMS,
    best=what_would_have_worked,
    seeds={"full": 5, "quick": 3, "tiny": 1},
    headline="all-right",
    numbers=Path(__file__).with_name("numbers.toml"),
    settings={"win": "0.7", "loss": "0.7", "games": str(LAST)},
)
