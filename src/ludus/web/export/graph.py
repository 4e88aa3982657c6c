"""How an exported game is packed: a head in JSON, and columns of numbers behind it."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable, Hashable, Iterable
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
from ludus.web.api.views import View, mover_name, view_of, worth_of

_KINDS = ((np.uint8, "u1"), (np.uint16, "u2"), (np.uint32, "u4"))


class Pool:
    """Things of which each is kept once and called by its number."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def number(self, thing: Hashable) -> int:
        """The number of a thing, which is taken in if it is new."""
        return self._numbers.setdefault(thing, len(self._numbers))

    @property
    def things(self) -> list[Any]:
        """All of them, in the order of their numbers."""
        return list(self._numbers)


class Columns:
    """Rows of numbers by name, each in as few bytes as its largest number needs."""

    def __init__(self) -> None:
        self._columns: dict[str, npt.NDArray[Any]] = {}

    def add(self, name: str, numbers: npt.ArrayLike) -> None:
        """Add a column: whole numbers from 0 on, or fractions, which are kept as they are."""
        column = np.asarray(numbers)
        if column.dtype.kind == "f":
            self._columns[name] = column.astype("<f8")
            return
        most = int(column.max(initial=0))
        kind = next(kind for kind, _ in _KINDS if most <= np.iinfo(kind).max)
        self._columns[name] = column.astype(np.dtype(kind).newbyteorder("<"))

    def add_lists(self, name: str, lists: Iterable[list[int]]) -> None:
        """Add a list of numbers for each row: all of them one after another, and how many each row has."""
        rows = list(lists)
        self.add(name, [number for row in rows for number in row])
        self.add(f"{name}.count", [len(row) for row in rows])

    def packed(self, head: dict[str, Any]) -> bytes:
        """The head, and the columns byte by byte: all first bytes, all second bytes, ..., which packs best."""
        listed = [[name, _kind(column), len(column)] for name, column in self._columns.items()]
        words = json.dumps(head | {"columns": listed}, ensure_ascii=False, separators=(",", ":")).encode()
        planes = [column.view(np.uint8).reshape(-1, column.itemsize).T.tobytes() for column in self._columns.values()]
        return gzip.compress(b"".join([len(words).to_bytes(4, "little"), words, *planes]), 9, mtime=0)


def _kind(column: npt.NDArray[Any]) -> str:
    return column.dtype.str.lstrip("<|")


def as_script(packed: bytes) -> bytes:
    """A script that leaves it where the page looks for it: pages from disk may read scripts, and nothing else."""
    return b'globalThis.ludusGame = "' + base64.b64encode(packed) + b'";\n'


Ints = npt.NDArray[np.int64]

Tell = Callable[[str, int, int], None]  # what is being done, how far it is, of how many


_OFTEN = 512  # positions between two calls of Tell

_DIGITS = 6  # of expected scores

_PIECES = re.compile(r"(?=<g )|(?<=</g>)")  # a picture is split before and after each piece,

_SHAPES = re.compile(r"(?=<)")  # and what lies between into shapes


class Listing(NamedTuple):
    """All positions of a game, and the action of each of their edges."""

    explored: Explored
    actions: Ints


class Positions:
    """Positions as the page shows them; what they have in common, such as parts of pictures, is kept once."""

    def __init__(self) -> None:
        self.at: list[str] = []
        self.players: list[int] = []
        self.ended: list[int] = []  # the number of the result plus one, 0 while the game goes on
        self.drawn: list[list[int]] = []
        self.offered: list[list[int]] = []
        self.noted: list[list[int]] = []
        self.stretches, self.choices, self.remarks, self.results = Pool(), Pool(), Pool(), Pool()

    def take(self, view: View) -> None:
        """Take in the next position."""
        self.at.append(view.at)
        self.players.append(view.player)
        self.drawn.append([self.stretches.number(stretch) for stretch in _PIECES.split(view.svg) if stretch])
        self.offered.append([self.choices.number((one.action, one.name, tuple(one.path))) for one in view.actions])
        self.noted.append([self.remarks.number((one.words, tuple(one.targets))) for one in view.notes])
        self.ended.append(
            0 if view.result is None else 1 + self.results.number(tuple(view.result.model_dump().items()))
        )

    def put(self, columns: Columns) -> dict[str, Any]:
        """Add all of them to the columns; what the head of the file says of them."""
        parts = Pool()
        stretches = [[parts.number(part) for part in _SHAPES.split(stretch)] for stretch in self.stretches.things]
        columns.add_lists("stretch", stretches)
        columns.add("player", self.players)
        columns.add("ended", self.ended)
        columns.add_lists("drawn", self.drawn)
        columns.add_lists("offered", self.offered)
        columns.add_lists("noted", self.noted)
        return {
            "at": self.at,
            "parts": parts.things,
            "choices": [{"action": one[0], "name": one[1], "path": one[2]} for one in self.choices.things],
            "remarks": [{"words": words, "targets": targets} for words, targets in self.remarks.things],
            "results": [dict(one) for one in self.results.things],
        }

    def actions(self) -> Ints:
        """The action of each edge."""
        choices = self.choices.things
        return np.array([choices[number][0] for row in self.offered for number in row], np.int64)


def put_graph(columns: Columns, explored: Explored, on_progress: Tell) -> tuple[dict[str, Any], Listing]:
    """Add every position and its edges to the columns; what the head of the file says of them, and the listing."""
    game, graph, positions = explored.game, explored.graph, Positions()
    for number, row in enumerate(explored.positions):
        positions.take(view_of(game, unpack(explored.start, row)))
        if number % _OFTEN == 0:
            on_progress("drawing", number, len(explored))
    columns.add("leads", graph.targets)
    if len(graph.weights):
        columns.add("odds", graph.weights)
    movers = [mover_name(game, player) for player in (0, 1, CHANCE)]
    return positions.put(columns) | {"movers": movers}, Listing(explored, positions.actions())


def put_forms(columns: Columns, explored: Explored) -> dict[str, Any]:
    """Add the canonical form of each position, in a game that tells the parts of a sum; the forms that there are."""
    if not gives_parts(explored.game):
        return {"forms": []}
    pool, evaluator = Pool(), Evaluator(explored.game)
    forms = (str(evaluator.form(unpack(explored.start, row))) for row in explored.positions)
    columns.add("form", [pool.number(form) for form in forms])
    return {"forms": pool.things}


def put_truth(columns: Columns, solution: Solution, graph: Graph) -> dict[str, Any]:
    """Add what every position is worth, and the first of the best actions; the worths that there are."""
    pool, expected = Pool(), solution.gap is not None
    scores = solution.answers.score.round(_DIGITS) if expected else solution.answers.score
    keys = zip(scores.tolist(), solution.answers.plies.tolist(), strict=True)
    columns.add("worth", [pool.number(key) for key in keys])
    columns.add("best", _best(scores, solution.answers.plies, graph))
    return {"worths": [_worth(solution, score, plies) for score, plies in pool.things]}


def _worth(solution: Solution, score: float, plies: int) -> dict[str, Any]:
    """A value as each player sees it, in the position itself and one ply before it."""
    value = Value(score, None if plies == ENDLESS else plies)

    def seen(one: Value) -> list[dict[str, Any]]:
        worths = [worth_of(solution.game, one, player, expected=solution.gap is not None) for player in (0, 1)]
        return [worth.model_dump(exclude_none=False) for worth in worths]

    return {"here": seen(value), "before": seen(after(value))}


def _best(scores: npt.NDArray[Any], plies: npt.NDArray[np.int32], graph: Graph) -> Ints:
    """Which of its edges is the first of the best in each position: most points, then a win soon, or a loss late."""
    counts = np.diff(graph.first)
    source = np.repeat(np.arange(len(counts)), counts)
    own = np.where(graph.mover[source] == 1, -scores[graph.targets], scores[graph.targets])
    left = np.where(plies[graph.targets] == ENDLESS, -1, plies[graph.targets]) + 1
    order = np.lexsort((np.arange(len(source)), np.where(own > 0, left, -left), -own, source))
    best = np.zeros(len(counts), np.int64)
    goes_on = counts > 0
    best[goes_on] = order[graph.first[:-1][goes_on]] - graph.first[:-1][goes_on]
    return best
