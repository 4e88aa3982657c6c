"""The two games that the Toads and Frogs paper lists, move by move, with its Q-values and ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ludus import catalog, face
from ludus.masks import actions
from ludus.report.parts import Board, Boards, Part, Table, Words
from ludus.study.papers.lab import Lab
from ludus.study.papers.numbers import Move
from ludus.study.papers.task import Task
from ludus.study.papers.toads_and_frogs_sizes import LARGE, MEDIUM, Size, as_paper, seeds_of
from ludus.study.papers.toads_and_frogs_tasks import outputs_on, truths
from ludus.study.papers.working import Working


def highest_listed(lab: Lab, size: Size) -> tuple[list[Task], list[float]]:
    """What tells our networks' outputs on the listed strips of a board; and the paper's highest where ours are told."""
    moves = lab.moves(f"{size.key}-game")
    strips = [move.before for move in moves]
    squares = catalog.make_game(size.game).squares
    tasks = [outputs_on(as_paper(lab, size, seed), size.game, strips) for seed in seeds_of(lab, size)]
    return tasks, [max(move.q) for move in moves if len(move.before) == squares]


def listed_games(lab: Lab) -> Working[Sequence[Part]]:
    """The paper's own games, with what is legal and what wins in each of its strips."""
    listed = [(size, lab.moves(f"{size.key}-game")) for size in (MEDIUM, LARGE)]
    strips = [[move.before for move in moves] for _, moves in listed]
    asked = [
        outputs_on(as_paper(lab, size, 0), size.game, each) for (size, _), each in zip(listed, strips, strict=True)
    ]
    found = yield [*(truths(each) for each in strips), *asked]
    told = [each for tells in found[: len(listed)] for each in tells]
    said = [each for tells in found[len(listed) :] for each in tells]
    moves = [(size, move) for size, moves in listed for move in moves]
    rows = [_row(*move, *rest) for move, *rest in zip(moves, told, said, strict=True)]
    judged = [each for each in told if each["wins"] is not None]
    idle = sum(each["wins"] == each["legal"] for each in judged)
    first = listed[0][1][0]
    return [
        Words(
            f"In {idle} of the {len(judged)} strips whose truth is known every legal move wins: there these games show"
            " no choice that mattered."
        ),
        Table("listed-games", "The two games of the paper", _COLUMNS, rows, _CAPTION),
        Boards(
            "listed-boards",
            "The blockade that the paper points out",
            [Board(_picture(strip), strip) for strip in (first.before, first.after)],
            caption="The move by which four pieces, TTFF, die.",
        ),
    ]


_COLUMNS = ("board", "strip", "squares", "the paper's Q-values", "ours, seed 0", "legal", "wins", "played", "which is")
_CAPTION = (
    "Toads to move; moves and Q-values by number, 1 for the toad furthest ahead. The boards have 14 and 21 squares: a"
    " strip of another length was misprinted, and a network cannot be asked about it. Where too much can follow, what"
    " wins is not told."
)


def _row(size: Size, move: Move, told: Any, said: list[float] | None) -> tuple[str | int, ...]:
    game = catalog.make_game(f"toads-and-frogs(strip={move.before})")
    pos = game.start()
    played = [action for action in actions(game.legal(pos)) if game.signs(game.play(pos, action)) == move.after]
    wins = told["wins"]
    if not played:
        verdict = "no move of the printed strip"
    elif wins is None:
        verdict = "not known"
    else:
        verdict = "a win" if played[0] in wins else "a mistake" if wins else "lost, like all"
    values = [_values(move.q), "another length" if said is None else _values(said)]
    numbers = [_numbers(told["legal"]), "not known" if wins is None else _numbers(wins), _numbers(played)]
    return (size.strip, f"`{move.before}`", len(move.before), *values, *numbers, verdict)


def _values(worth: Sequence[float]) -> str:
    return ", ".join(f"{each:g}" for each in worth)


def _numbers(moves: Sequence[int]) -> str:
    return ", ".join(str(action + 1) for action in moves) or "none"


def _picture(strip: str) -> str:
    game = catalog.make_game(f"toads-and-frogs(strip={strip})")
    return face.draw(game, game.start()).svg
