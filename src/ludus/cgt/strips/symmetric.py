"""Big boards of Toads and Frogs: whether a start T^a []^b F^a is worth 0, * or neither, without canonical forms.

A position is worth 0 if whoever moves first loses it, * if whoever moves first loses its sum with *, and only then.
Two methods that have nothing in common but the rules find out: a pass over all arrangements, and a search.
"""

from __future__ import annotations

from time import perf_counter
from typing import NamedTuple

from ludus.cgt.strips.outcome_pass import Board, Outcomes, outcomes, pass_bytes
from ludus.cgt.strips.outcome_search import MOST_SQUARES, Progress, Searcher, Sum, mirrored
from ludus.errors import LudusError
from ludus.machine import budget

MOST_BY_METHOD = {"pass": 40, "search": MOST_SQUARES}

MOST_NUMBER = 200

_MOST_TABLE_BYTES = 1 << 31

_ENTRY_BYTES = 8

_ORDERS = {  # by who wins the difference, moving first: toads, frogs
    (False, False): "equal",
    (True, False): "more",
    (False, True): "less",
    (True, True): "confused",
}


class Decided(NamedTuple):
    """What a start is worth: a number such as "0", that number and a star ("*" for 0*), or "neither".

    compared: how it compares with 0, *, 1, 1* and so on up to the number asked about: equal, more, less or confused; by
    the pass alone. arrangements: in how many ways its pieces can stand; looked_at: how many arrangements the pass went
    through, or how many sums the search; bytes: the memory of the pass, or of the table of the search.
    """

    value: str
    compared: dict[str, str]
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
    memory: int | None = None,
) -> Decided:
    """Decide whether T^pieces []^gaps F^pieces, or F^frogs, is worth a number, that number and a star, or neither.

    `progress` is told what has been looked at so far. The pass runs on all cores, or on so many threads. It may take so
    many bytes of memory, by default 70 % of what is free.
    """
    if method not in MOST_BY_METHOD:
        raise LudusError(f"method must be {' or '.join(MOST_BY_METHOD)}, not {method!r}")
    board = _checked(Board(pieces, gaps, pieces if frogs is None else frogs, number), method)
    allowed = budget() if memory is None else memory
    if method == "pass":
        return _by_pass(board, threads, progress, allowed)
    return _by_search(board, progress, allowed)


def _checked(board: Board, method: str) -> Board:
    """The same board if it is one that the method takes."""
    if min(board) < 0 or board.number > MOST_NUMBER:
        raise LudusError(
            f"pieces, gaps and frogs must be at least 0, and the number 0 to {MOST_NUMBER},"
            f" not {board.toads}, {board.gaps}, {board.frogs} and {board.number}"
        )
    most = MOST_BY_METHOD[method]
    if not 1 <= board.squares <= most:
        start = f"T^{board.toads} []^{board.gaps} F^{board.frogs}"
        raise LudusError(f"{start} has {board.squares} squares: the {method} takes strips of 1 to {most}")
    return board


def _by_pass(board: Board, threads: int | None, progress: Progress | None, allowed: int) -> Decided:
    began, memory = perf_counter(), pass_bytes(board)
    if memory > allowed:
        raise LudusError(
            f"the pass needs {memory / 1e9:,.1f} GB, and only {allowed / 1e9:,.1f} GB may be used:"
            " take fewer pieces or gaps, or the method search"
        )
    compared = _compared(outcomes(board, threads=threads, progress=progress))
    is_number, is_with_star = (order == "equal" for order in [*compared.values()][-2:])
    value, arrangements = _named(board, is_number, is_with_star), board.arrangements
    return Decided(value, compared, "pass", arrangements, arrangements, perf_counter() - began, memory)


def _compared(found: Outcomes) -> dict[str, str]:
    """How a start compares with each number, and that number and a star."""
    names = [f"{number or ('' if star else 0)}{star}" for number in range(len(found.toads) // 2) for star in ("", "*")]
    return {
        name: _ORDERS[toads_win, frogs_win]
        for name, toads_win, frogs_win in zip(names, found.toads, found.frogs, strict=True)
    }


def _by_search(board: Board, progress: Progress | None, allowed: int) -> Decided:
    began, wanted = perf_counter(), min(_ENTRY_BYTES << board.arrangements.bit_length(), _MOST_TABLE_BYTES)
    searcher = Searcher(min(wanted, allowed), progress)
    toads, frogs = (1 << board.toads) - 1, (1 << board.squares) - (1 << board.toads + board.gaps)

    def first_loses(star: int) -> bool:
        pos = Sum(toads, frogs, board.squares, -board.number, star)
        return searcher.mover_loses(pos) and (pos == mirrored(pos) or searcher.mover_loses(mirrored(pos)))

    is_number = first_loses(0)
    value = _named(board, is_number, not is_number and first_loses(1))
    looked_at, memory = searcher.looked_at, searcher.table.nbytes
    return Decided(value, {}, "search", board.arrangements, looked_at, perf_counter() - began, memory)


def _named(board: Board, is_number: bool, is_with_star: bool) -> str:
    if is_number:
        return str(board.number)
    return f"{board.number or ''}*" if is_with_star else "neither"
