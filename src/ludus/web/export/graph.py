"""The file format of an exported game: a head in JSON, and columns of numbers behind it."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.cgt.positions import Evaluator
from ludus.compiled.rows import unpack
from ludus.game import CHANCE, gives_parts
from ludus.solving.explore import Explored, Graph
from ludus.solving.retrograde import ENDLESS
from ludus.solving.solution import Solution, after
from ludus.solving.value import Value
from ludus.web.api.views import PositionView, mover_name, position_view, value_view

Ints = npt.NDArray[np.int64]
OnProgress = Callable[[str, int, int], None]  # the stage, how many are done, of how many
_OFTEN = 512  # positions between two reports of progress
_DIGITS = 6  # of expected scores
_PIECES = re.compile(r"(?=<g )|(?<=</g>)")  # a picture is split before and after each piece,
_SHAPES = re.compile(r"(?=<)")  # and what lies between into shapes


class Pool(dict[Any, int]):
    """Distinct things with their numbers; a new one is added when its number is looked up."""

    def __missing__(self, thing: Any) -> int:
        return self.setdefault(thing, len(self))


class Columns:
    """Columns of numbers by name, each of the smallest type that holds its largest number."""

    def __init__(self) -> None:
        self._columns: dict[str, npt.NDArray[Any]] = {}

    def add(self, name: str, numbers: npt.ArrayLike) -> None:
        """Adds a column of non-negative integers, or of floats."""
        column = np.asarray(numbers)
        kind = "f8" if column.dtype.kind == "f" else np.min_scalar_type(int(column.max(initial=0)))
        self._columns[name] = column.astype(np.dtype(kind).newbyteorder("<"))

    def add_lists(self, name: str, lists: Iterable[list[int]]) -> None:
        """Adds a list of numbers for each row: all numbers in one column, and the length of each list in another."""
        rows = list(lists)
        self.add(name, [number for row in rows for number in row])
        self.add(f"{name}.count", [len(row) for row in rows])

    def packed(self, head: dict[str, Any]) -> bytes:
        """The head, and of each column all first bytes, all second bytes, and so on, which compresses best."""
        listed = [[name, column.dtype.str.lstrip("<|"), len(column)] for name, column in self._columns.items()]
        planes = (column.view(np.uint8).reshape(-1, column.itemsize).T.tobytes() for column in self._columns.values())
        return packed(head | {"columns": listed}, planes)


def packed(head: dict[str, Any], parts: Iterable[bytes]) -> bytes:
    """A head in JSON, with its length before it, and bytes behind it, all compressed."""
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
    return gzip.compress(b"".join([len(text).to_bytes(4, "little"), text, *parts]), 9, mtime=0)


def as_script(packed: bytes) -> bytes:
    """A script that hands the file to the page, because a page from disk may load scripts and nothing else."""
    return b'globalThis.ludusGame = "' + base64.b64encode(packed) + b'";\n'


class Positions(NamedTuple):
    """All positions of a game, and the action of each of their edges."""

    explored: Explored
    actions: Ints


class PositionColumns:
    """The views of all positions; what they share, such as parts of pictures, is stored once."""

    def __init__(self) -> None:
        self.at: list[str] = []
        self.players: list[int] = []
        self.result: list[int] = []  # the number of the result plus one, 0 before the end
        self.lists: dict[str, list[list[int]]] = {"pictures": [], "squares": [], "actions": [], "notes": []}
        self.pieces, self.squares, self.actions, self.notes, self.results = Pool(), Pool(), Pool(), Pool(), Pool()

    def append(self, view: PositionView) -> None:
        """Adds the next position."""
        self.at.append(view.at)
        self.players.append(view.player)
        self.result.append(0 if view.result is None else 1 + self.results[tuple(dict(view.result).items())])
        pieces, squares, actions, notes = self.lists.values()
        pieces.append([self.pieces[piece] for piece in _PIECES.split(view.svg) if piece])
        squares.append([self.squares[one] for one in view.squares.items()])
        actions.append([self.actions[one.action, one.name, tuple(one.path)] for one in view.actions])
        notes.append([self.notes[one.words, tuple(one.targets)] for one in view.notes])

    def put(self, columns: Columns) -> dict[str, Any]:
        """Adds all positions to the columns; returns their part of the head."""
        shapes = Pool()
        pieces = [[shapes[shape] for shape in _SHAPES.split(piece)] for piece in self.pieces]
        columns.add("player", self.players)
        columns.add("result", self.result)
        for name, lists in ({"pieces": pieces} | self.lists).items():
            columns.add_lists(name, lists)
        return {
            "at": self.at,
            "shapes": list(shapes),
            "squares": list(self.squares),
            "actions": [{"action": action, "name": name, "path": path} for action, name, path in self.actions],
            "notes": [{"words": words, "targets": targets} for words, targets in self.notes],
            "results": [dict(one) for one in self.results],
        }


def put_graph(columns: Columns, explored: Explored, on_progress: OnProgress) -> tuple[dict[str, Any], Positions]:
    """Adds every position and its edges to the columns; returns their part of the head, and the positions."""
    game, graph, views = explored.game, explored.graph, PositionColumns()
    for number, row in enumerate(explored.positions):
        views.append(position_view(game, unpack(explored.start, row)))
        if number % _OFTEN == 0:
            on_progress("drawing", number, len(explored))
    columns.add("targets", graph.targets)
    if len(graph.weights):
        columns.add("weights", graph.weights)
    movers = [mover_name(game, player) for player in (0, 1, CHANCE)]
    actions = list(views.actions)
    edge_actions = [actions[number][0] for row in views.lists["actions"] for number in row]
    return views.put(columns) | {"movers": movers}, Positions(explored, np.array(edge_actions, np.int64))


def put_forms(columns: Columns, explored: Explored) -> dict[str, Any]:
    """Adds the canonical form of each position, in games that split into the parts of a sum; returns all forms."""
    if not gives_parts(explored.game):
        return {"forms": []}
    pool, evaluator = Pool(), Evaluator(explored.game)
    forms = (str(evaluator.form(unpack(explored.start, row))) for row in explored.positions)
    columns.add("form", [pool[form] for form in forms])
    return {"forms": list(pool)}


def put_values(columns: Columns, solution: Solution, graph: Graph) -> dict[str, Any]:
    """Adds the value of every position and the first of its best actions; returns all values."""
    pool, expected = Pool(), solution.gap is not None
    scores = solution.answers.score.round(_DIGITS) if expected else solution.answers.score
    keys = zip(scores.tolist(), solution.answers.plies.tolist(), strict=True)
    columns.add("value", [pool[key] for key in keys])
    columns.add("best", _best(scores, solution.answers.plies, graph))
    return {"values": [_value(solution, score, plies) for score, plies in pool]}


def _value(solution: Solution, score: float, plies: int) -> dict[str, Any]:
    """A value from each player's side, in the position itself and one ply before it."""
    value, expected = Value(score, None if plies == ENDLESS else plies), solution.gap is not None
    return {
        name: [value_view(solution.game, one, player, expected=expected).model_dump() for player in (0, 1)]
        for name, one in (("here", value), ("before", after(value)))
    }


def _best(scores: npt.NDArray[Any], plies: npt.NDArray[np.int32], graph: Graph) -> Ints:
    """The first of the best edges of each position: the highest score, then the sooner win or the later loss."""
    counts = np.diff(graph.first)
    source = np.repeat(np.arange(len(counts)), counts)
    own = np.where(graph.mover[source] == 1, -scores[graph.targets], scores[graph.targets])
    left = np.where(plies[graph.targets] == ENDLESS, -1, plies[graph.targets]) + 1
    order = np.lexsort((np.arange(len(source)), np.where(own > 0, left, -left), -own, source))
    best = np.zeros(len(counts), np.int64)
    has_edges, first = counts > 0, graph.first[:-1]
    best[has_edges] = order[first[has_edges]] - first[has_edges]
    return best
