"""Any graph as a game: a position is a node, an action one of its edges."""

from __future__ import annotations

import hashlib
import operator
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ludus.compiled.masks import WORD
from ludus.errors import LudusError
from ludus.game import CHANCE

Ints = npt.NDArray[np.int64]


class Node(NamedTuple):
    """A position: the number of a node."""

    node: int


class Fields(NamedTuple):
    """The arrays of a graph and what is chosen about the game on it."""

    first: Ints  # [nodes + 1]: where the edges of each node begin in `targets`, and where the last end
    targets: Ints  # [edges]: the node that an edge leads to
    movers: Ints  # [nodes]: 0, 1 or CHANCE
    scores: Ints  # [nodes]: for player 0, where there is no edge
    weights: Ints = np.zeros(0, np.int64)  # [edges]: the odds where CHANCE moves; empty if all are equal
    root: int = 0  # the node where play begins
    max_plies: int = 0
    num_actions: int = 0  # 0: as many as the widest node has edges
    graph: int = 0  # a hash of the arrays: computed, never chosen


class GraphGame(Fields):
    """A game given as a graph: walk along its edges until a node has none.

    A node has at most 63 edges. A graph with loops needs `max_plies`, or random games may never end. `names` are the
    nodes' names for people. `GraphGame(*graph)` turns a `ludus.solving.explore.Graph` back into a game; it does not
    know the side to move at an end.

    For a game in a file: `class Maze(GraphGame, like=GraphGame.from_edges(...))`.
    """

    names: tuple[str, ...] = ()

    def __new__(cls, *fields: Any, names: Sequence[Hashable] = (), **named: Any) -> Self:
        """Checks all fields (those of `Fields`, by place or name) and keeps read-only copies of the arrays."""
        given = Fields(*fields, **named)
        arrays = _checked(*(_whole(name, array) for name, array in zip(cls._fields[:5], given[:5], strict=True)))
        root, max_plies, num_actions = map(_number_given, cls._fields[5:8], given[5:8])
        _require(max_plies >= 0, f"max_plies must be 0 or more, not {max_plies}")
        size, widest = len(arrays[0]) - 1, max(int(np.diff(arrays[0]).max()), 1)
        _require(0 <= root < size, f"root must be a node from 0 to {size - 1}, not {root}")
        _require(num_actions in (0, *range(widest, WORD + 1)), f"num_actions must be {widest} to {WORD} or 0 for that")
        whole = hashlib.sha256()
        for array in arrays:
            whole.update(len(array).to_bytes(8, "little") + array.astype("<i8").tobytes())
        number = int.from_bytes(whole.digest()[:6], "little")
        _require(given.graph in (0, number), "graph follows from the arrays and cannot be chosen")
        made = cls._make([*arrays, root, max_plies, num_actions or widest, number])
        if names:
            made.names = tuple(str(name) for name in names)
            _require(len(made.names) == size, f"names must have one name for each of {size} nodes")
            twice = [text for text, times in Counter(made.names).items() if times > 1]
            _require(not twice, f"two nodes are both called {', '.join(twice[:1])}")
        return made

    def __init_subclass__(cls, like: GraphGame | None = None) -> None:
        """Makes a class whose games equal `like` unless parameters say otherwise."""
        if like is None:
            return
        defaults = dict(zip(cls._fields, like, strict=True))

        def new(cls: type[GraphGame], *fields: Any, **named: Any) -> GraphGame:
            given = dict(zip(cls._fields, fields, strict=False))
            return GraphGame.__new__(cls, **{**defaults, **given, **named})

        cls.names, cls._field_defaults, cls.__new__ = like.names, defaults, new  # type: ignore[method-assign, assignment]

    @classmethod
    def from_edges(
        cls,
        edges: Mapping[Any, Sequence[Any]],
        *,
        movers: Mapping[Any, int],
        scores: Mapping[Any, int] | None = None,
        weights: Mapping[Any, Sequence[int]] | None = None,
        root: Any = None,
        max_plies: int = 0,
    ) -> Self:
        """The game of a graph of named nodes: `edges` maps each to its successors, the first is the root.

        A node without edges is an end. `scores` default to 0, `weights` to equal odds.
        """
        try:
            nodes = list(dict.fromkeys([*edges, *(target for targets in edges.values() for target in targets)]))
        except TypeError as error:
            raise LudusError(f"edges must lead from each node to a list of nodes: {error}") from None
        number = {node: i for i, node in enumerate(nodes)}
        scores, weights = scores or {}, weights or {}
        for node in [*movers, *scores, *weights, *([] if root is None else [root])]:
            _require(node in number, f"{node!r} is no node: edges neither has it nor leads to it")
        lists = [list(edges.get(node, ())) for node in nodes]
        for node, targets in zip(nodes, lists, strict=True):
            _require(not targets or node in movers, f"movers must name the player to move at {node!r}")
            fits = len(weights.get(node, targets)) == len(targets)
            _require(fits, f"weights must have one number for each of the {len(targets)} edges of {node!r}")
        return cls(
            np.cumsum([0, *map(len, lists)]),
            [number[target] for targets in lists for target in targets],
            [movers.get(node, 0) for node in nodes],
            [scores.get(node, 0) for node in nodes],
            [w for node, targets in zip(nodes, lists, strict=True) for w in weights.get(node, [1] * len(targets))],
            0 if root is None else number[root],
            max_plies,
            names=nodes,
        )

    # ---- the rules ----

    def start(self) -> Node:
        """The root."""
        return Node(self.root)

    def player(self, pos: Node) -> int:
        """The side to move; player 0 at an end unless the graph says otherwise."""
        return int(self.movers[pos.node])

    def legal(self, pos: Node) -> int:
        """The edges of the node, numbered from 0."""
        return (1 << int(self.first[pos.node + 1] - self.first[pos.node])) - 1

    def play(self, pos: Node, action: int) -> Node:
        """Where the edge leads."""
        return Node(int(self.targets[self.first[pos.node] + action]))

    def score(self, pos: Node) -> int:
        """The score of the end."""
        return int(self.scores[pos.node])

    def odds(self, pos: Node, action: int) -> int:
        """The weight of the edge."""
        return int(self.weights[self.first[pos.node] + action])

    @property
    def num_positions(self) -> int:
        """All nodes."""
        return len(self.movers)

    def index(self, pos: Node) -> int:  # type: ignore[override]
        """The number of the node."""
        return pos.node

    def position_at(self, index: int) -> Node:
        """The node of this number."""
        return Node(index)

    # ---- the face ----

    def board(self, pos: Node) -> str:
        """The name of the node."""
        return self.format_position(pos)

    def action_name(self, pos: Node, action: int) -> str:
        """The name of the node that the edge leads to."""
        return self.format_position(self.play(pos, action))

    def format_position(self, pos: Node) -> str:
        """The name of the node, or its number."""
        return self.names[pos.node] if self.names else str(pos.node)

    def parse_position(self, text: str) -> Node:
        """The node of this name; raises ValueError if there is none."""
        known = self.names or list(map(str, range(self.num_positions)))
        if text.strip() not in known:
            raise ValueError(f"{text.strip()!r} is no node")
        return Node(known.index(text.strip()))

    # ---- identity: `graph` stands for the arrays ----

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields[5:], self[5:], strict=True))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._asdict() == other._asdict()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tuple(self._asdict().values()))


# ---- checking the arrays ----


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise LudusError(otherwise)


def _number_given(name: str, given: Any) -> int:
    try:
        return operator.index(given)
    except TypeError:
        raise LudusError(f"{name} must be a whole number, not {given!r}") from None


def _whole(name: str, given: npt.ArrayLike) -> Ints:
    try:
        array = np.asarray(given)
        with np.errstate(invalid="ignore"):
            whole = array.astype(np.int64)
    except (TypeError, ValueError, OverflowError):
        raise LudusError(f"{name} must be a list of whole numbers") from None
    _require(whole.ndim == 1 and bool((whole == array).all()), f"{name} must be a list of whole numbers")
    return whole


def _checked(first: Ints, targets: Ints, movers: Ints, scores: Ints, weights: Ints) -> tuple[Ints, ...]:
    """The arrays, normalised and read-only; raises LudusError if they make no graph."""
    size, edges = len(first) - 1, len(targets)
    ascends = size > 0 and first[0] == 0 and first[-1] == edges and bool((np.diff(first) >= 0).all())
    _require(ascends, f"first must ascend from 0 to the number of targets, {edges}, with one number more than nodes")
    _require(len(movers) == len(scores) == size, f"movers and scores must have one number for each of {size} nodes")
    _require(bool(((targets >= 0) & (targets < size)).all()), f"targets must be nodes from 0 to {size - 1}")
    counts = np.diff(first)
    _require(counts.max() <= WORD, f"a node may have at most {WORD} edges, not {counts.max()}")
    ended = counts == 0
    _require(bool((ended | np.isin(movers, (0, 1, CHANCE))).all()), f"movers must be 0, 1 or CHANCE ({CHANCE})")
    _require(len(weights) in (0, edges), f"weights must have one number for each of {edges} edges, or none")
    by_chance = np.repeat(movers == CHANCE, counts)
    weights = np.where(by_chance, weights, 1) if len(weights) else np.ones(edges, np.int64)
    _require(bool((weights > 0).all()), "weights must be above 0 where CHANCE moves")
    movers = np.where(ended & (movers != 1), 0, movers)
    arrays = first, targets, movers, np.where(ended, scores, 0), weights
    for array in arrays:
        array.flags.writeable = False
    return arrays
