"""The engine of an exported game: what a browser needs to play by its rules, and to solve or search it.

A game of few positions is solved in the browser, exactly and at once; any other is searched there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ludus.agents.mcts import FIELDS as TREE_FIELDS
from ludus.compiled.webassembly import Entry, module_of, numbers_in
from ludus.errors import LudusError
from ludus.game import endgame_heaps, gives_banked, gives_odds, max_plies, num_actions
from ludus.solving import opening_book
from ludus.solving.alpha_beta import (
    COUNTERS,
    DEEPEST,
    FIELDS,
    FIRST_DEPTH,
    FRAME,
    LONGEST,
    NODES_PER_ENDGAME,
    SLICE,
    Search,
    obstacle_to_search,
)
from ludus.solving.endgames import CHUNK, LARGEST, Line, no_endgames
from ludus.solving.endgames import DEEPEST as LONGEST_WAIT
from ludus.solving.explore import Explored, Graph, Room, explore
from ludus.solving.position_index import Lookup, Packing
from ludus.solving.retrograde import Backwards, State
from ludus.solving.transposition_table import FIRST_ENTRIES
from ludus.solving.value import UNIT
from ludus.web.api.views import has_margins
from ludus.web.export import entries

SOLVED_THERE = 200_000  # positions, up to symmetry
_FIELDS = "its positions or parameters are not whole numbers"
OnProgress = Callable[[str, int, int], None]  # the stage, how many are done, of how many


class Engine(NamedTuple):
    """A head for JSON, and its binary parts: the module, and the opening book if there is one."""

    head: dict[str, Any]
    parts: dict[str, bytes]


def obstacle_to_engine(game: Any) -> str:
    """Why a browser cannot play a game by its rules; empty if nothing is known against it."""
    if gives_odds(game):
        return "it leaves something to chance"
    try:
        return "" if all(isinstance(field, int) for field in game.start()) and list(numbers_in(game)) else _FIELDS
    except TypeError:
        return _FIELDS


def engine_of(game: Any, on_progress: OnProgress) -> Engine:
    """The engine of a game; LudusError if there can be none."""
    if obstacle := obstacle_to_engine(game):
        raise LudusError(f"{type(game).__name__} cannot run in a browser: {obstacle}")
    on_progress("exploring", 0, SOLVED_THERE)
    explored = explore(game, symmetric=True, limit=SOLVED_THERE)
    is_solved = explored.complete and len(explored) <= SOLVED_THERE
    if not is_solved and (obstacle := obstacle_to_search(game)):
        raise LudusError(
            f"{type(game).__name__} has more than {SOLVED_THERE:,} positions and cannot be searched: {obstacle}"
        )
    on_progress("compiling", 0, 1)
    module = module_of(_rules(game) | _tree_search(game) | (_table(game) if is_solved else _search(game)))
    head = {
        "kind": "table" if is_solved else "search",
        "start": [str(int(field)) for field in game.start()],
        "actions": num_actions(game),
        "stack": module.stack,
        "margins": has_margins(game),
        "endless": max_plies(game) > 0,
        "treeColumns": TREE_FIELDS,
    }
    if is_solved:
        return Engine(head | {"table": _table_sizes(explored)}, {"wasm": module.code})
    return Engine(head | {"search": _search_settings(game)}, {"wasm": module.code} | _book(game))


def _array(dimensions: int, kind: Any = np.int64) -> Any:
    return np.zeros((0,) * dimensions, kind)


def _entries(game: Any, **args: Any) -> dict[str, Entry]:
    """Kernels of `entries` by name, with the arguments after game and position."""
    return {name: Entry(getattr(entries, name), (game, game.start(), *rest)) for name, rest in args.items()}


# ---- what is compiled ----


def _rules(game: Any) -> dict[str, Entry]:
    row = _array(1)
    one = dict.fromkeys(("player", "score"), (row,))
    two = dict.fromkeys(("legal", "rest", "least"), (row, row))
    return _entries(game, **one, **two, play=(row, 0, row))


def _tree_search(game: Any) -> dict[str, Entry]:
    tree, stream = (_array(2), _array(2, np.float64), _array(1)), _array(1, np.uint64)
    return _entries(
        game, plant=(_array(1), tree, 0, stream), grow=(tree, 0, 0, stream), harvest=(tree, _array(2, np.float64))
    )


def _search(game: Any) -> dict[str, Entry]:
    row, table = _array(1), no_endgames()
    search = Search(_array(3), _array(2), _array(2), _array(1), _array(2), table)
    found = _entries(game, begin=(row, search), advance=(0, search, 0), enlarge=(_array(2),))
    if endgame_heaps(game):
        found |= _entries(game, fill=(table, 0, 0, Line(_array(2), _array(2)), row))
    return found


def _table(game: Any) -> dict[str, Entry]:
    row, packing = _array(1), Packing(*(_array(1) for _ in range(3)))
    words, table, targets, flips = _array(2), _array(1, np.int32), _array(1, np.int32), _array(1, np.bool_)
    mover = _array(1, np.int8)
    room = Room(packing, words, table, row, targets, flips, mover, row)
    graph = Graph(row, targets, mover, row, _array(1, np.float64))
    edges = Backwards(row, _array(1, np.uint32))
    plies = _array(1, np.int32)
    return _entries(
        game,
        root=(row, room),
        expand=(room, row, 0, 0, 0),
        reverse=(graph, flips, edges),
        settle=(graph, edges, State(row, plies, plies, plies)),
        locate=(row, Lookup(packing, words, table, True), row),
    )


# ---- what goes with it ----


def _table_sizes(explored: Explored) -> dict[str, Any]:
    """How large a table becomes, and how its positions are packed."""
    packing = explored.lookup.packing
    return {
        "positions": len(explored),
        "edges": explored.edges,
        "slots": len(explored.lookup.table),
        "flips": bool(len(explored.flips)),
        "width": packing.num_words,
        "packing": [[str(number) for number in column.tolist()] for column in packing],
    }


def _search_settings(game: Any) -> dict[str, Any]:
    """What the search in Python goes by."""
    return {
        "unit": UNIT,
        "banked": bool(gives_banked(game)),
        "slice": SLICE,
        "columns": [FIELDS, FRAME, COUNTERS],
        "entries": FIRST_ENTRIES,
        "depth": FIRST_DEPTH,
        "deepest": DEEPEST if gives_banked(game) else LONGEST,
        "heaps": endgame_heaps(game),
        "endgames": {"largest": LARGEST, "nodes": NODES_PER_ENDGAME, "chunk": CHUNK, "plies": LONGEST_WAIT},
    }


def _book(game: Any) -> dict[str, bytes]:
    """The positions of the opening book, and behind them their values and best actions."""
    book = opening_book.load(game)
    if book is None:
        return {}
    positions, values, actions, _ = book.columns
    return {"book": b"".join(column.astype("<i8").tobytes() for column in (positions, values, actions))}
