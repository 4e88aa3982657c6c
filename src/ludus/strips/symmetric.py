"""Big boards of Toads and Frogs: whether a start T^a []^b F^a is worth 0, * or neither, without canonical forms.

A position is worth 0 if whoever moves first loses it, * if whoever moves first loses its sum with *, and only then.
Two methods that have nothing in common but the rules find out: a pass over all arrangements, and a search.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

from ludus.errors import LudusError
from ludus.solving.memory import budget
from ludus.strips.symmetric_pass import Board, Outcomes, outcomes, pass_bytes
from ludus.strips.symmetric_search import Searcher
from ludus.strips.symmetric_strips import MOST_SQUARES as MOST_SEARCHED
from ludus.strips.symmetric_strips import Sum, mirrored

Progress = Callable[[int], None]

MOST_SQUARES = {"pass": 40, "search": MOST_SEARCHED}
_MOST_TABLE_BYTES = 1 << 31
_ENTRY_BYTES = 8


class Decided(NamedTuple):
    """What a start is worth: a number such as "0", that number and a star ("*" for 0*), or "neither".

    arrangements: in how many ways its pieces can stand; looked_at: how many arrangements the pass went through, or how
    many sums the search; bytes: the memory of the pass, or of the table of the search.
    """

    value: str
    method: str
    arrangements: int
    looked_at: int
    seconds: float
    bytes: int


def decide(
    pieces: int,
    gaps: int,
    *,
    frogs: int | None = None,
    number: int = 0,
    method: str = "pass",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Decided:
    """Decide whether T^pieces []^gaps F^pieces, or F^frogs, is worth a number, that number and a star, or neither.

    `progress` is told what has been looked at so far. The pass runs on all cores, or on so many threads.
    """
    if method not in MOST_SQUARES:
        raise LudusError(f"method must be {' or '.join(MOST_SQUARES)}, not {method!r}")
    board = _checked(Board(pieces, gaps, pieces if frogs is None else frogs, number), MOST_SQUARES[method])
    began = perf_counter()
    if method == "pass":
        value, looked_at, memory = _by_pass(board, threads, progress)
    else:
        value, looked_at, memory = _by_search(board, progress)
    return Decided(value, method, board.arrangements, looked_at, perf_counter() - began, memory)


def _checked(board: Board, most: int) -> Board:
    """The same board if it is one, of at most so many squares."""
    if min(board) < 0 or not 1 <= board.squares <= most:
        raise LudusError(
            f"pieces, gaps, frogs and number must be at least 0, and the strip 1 to {most} squares long,"
            f" not {board.toads}, {board.gaps}, {board.frogs} and {board.number}"
        )
    return board


def _by_pass(board: Board, threads: int | None, progress: Progress | None) -> tuple[str, int, int]:
    """The value, what was looked at, and the memory used."""
    memory, allowed = pass_bytes(board), budget()
    if memory > allowed:
        raise LudusError(
            f"the pass needs {memory / 1e9:.1f} GB, and only {allowed / 1e9:.1f} GB may be used:"
            " take fewer pieces or gaps, or the method search"
        )
    found = outcomes(board, threads=threads, progress=progress)
    return _named(board, _first_loses(found, -2), _first_loses(found, -1)), board.arrangements, memory


def _first_loses(found: Outcomes, plane: int) -> bool:
    return not found.toads[plane] and not found.frogs[plane]


def _by_search(board: Board, progress: Progress | None) -> tuple[str, int, int]:
    """The value, what was looked at, and the memory used."""
    searcher = Searcher(min(_ENTRY_BYTES << board.arrangements.bit_length(), _MOST_TABLE_BYTES, budget()), progress)
    toads, frogs = (1 << board.toads) - 1, (1 << board.squares) - (1 << board.toads + board.gaps)

    def first_loses(star: int) -> bool:
        pos = Sum(toads, frogs, board.squares, -board.number, star)
        return searcher.mover_loses(pos) and (pos == mirrored(pos) or searcher.mover_loses(mirrored(pos)))

    is_number = first_loses(0)
    return _named(board, is_number, not is_number and first_loses(1)), searcher.looked_at, searcher.table.nbytes


def _named(board: Board, is_number: bool, is_with_star: bool) -> str:
    if is_number:
        return str(board.number)
    return f"{board.number or ''}*" if is_with_star else "neither"
