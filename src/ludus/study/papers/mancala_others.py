"""The Mancala paper's training against random play; and beside it its mistake, small boards, and more games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ludus.report.parts import Curves, Level, Part, Results, Table, Words
from ludus.study.papers.lab import Lab
from ludus.study.papers.mancala_plan import (
    BEST,
    LOOKS_AHEAD,
    PROGRAM,
    TEXT,
    against_random,
    beside,
    best,
    best_right,
    boards,
    by_seeds,
    chance,
    long_run,
    people,
    right_level,
    sample,
    self_play,
    small,
    small_best,
    small_chance,
    won_level,
)
from ludus.study.papers.mancala_shown import (
    curve,
    right_decisions,
    right_figure,
    shares,
    summary,
    won_against_random,
    won_figure,
)
from ludus.study.papers.measured import games, right, won
from ludus.study.papers.task import Task
from ludus.study.papers.tasks import grading
from ludus.study.papers.verdict import mean, series
from ludus.study.papers.working import Working

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
        level = Level("random play", graded["all"]["right"])
        parts.append(_small_figure(f"small-{place}", board, both, level))
        rows += [_small_row(board, name, each) for name, each in both.items()]
        rows.append((board, level.name, f"{level.y:.1%}", f"{won_level(played).y:.1%}"))
    columns = ("board", "learner", "right decisions", "won against random play")
    caption = f"Means over {len(lab.seeds)} seeds with their intervals; of {BEST} one seed."
    return [*parts, Table("small", "At the end", columns, rows, caption)]


def _of_board(lab: Lab, board: str) -> list[Task]:
    tasks = [small(lab, board, seed, late=late) for late in (False, True) for seed in lab.seeds]
    return [grading("random", board), small_chance(lab, board), small_best(lab, board), *tasks]


def _small_figure(key: str, board: str, both: dict[str, Any], random: Level) -> Curves:
    curves = [
        series(name, games(each[0]["lines"]), [right(one["lines"]) for one in each]) for name, each in both.items()
    ]
    return Curves(key, f"Right decisions on {board}", _GAMES, "right", curves, random, caption=_EXACT)


_SMALL = (
    "Boards so small that positions come again, and that every decision can be judged. A weight of 1 leaves nothing to"
    " try, and a lost game teaches its good moves, too, to be bad."
)
_EXACT = "Of all decisions that can be reached; a decision is right if it keeps the score. Means over seeds."


def _small_row(board: str, name: str, found: Sequence[Any]) -> tuple[str, str, str, str]:
    rights = mean([right(one["lines"])[-1] for one in found])
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
