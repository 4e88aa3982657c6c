"""Any graph as a game: a position is the number of a node, an action one of the edges that lead on from it."""

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
    """What a listed game holds; `Listed` tells what each is."""

    first: Ints
    targets: Ints
    movers: Ints
    scores: Ints
    weights: Ints
    root: int = 0
    max_plies: int = 0
    num_actions: int = 0
    graph: int = 0


class Listed(Fields):
    """A game that is written out: walk along the edges of a graph until there is none.

    first: where the edges of each node begin in `targets`, and at last where they end; movers: 0, 1 or CHANCE; scores:
    for player 0 where there is no edge; weights: how likely each edge of CHANCE is, all alike if there are none. Play
    begins at the node `root`; a graph with loops wants `max_plies`, or random games may never end. Up to 63 edges lead
    on from a node. `Listed(*graph)` makes a game of a `ludus.solving.explore.Graph` again, which does not know who
    would move at the end. `names` is what people call the nodes.

    For a game in a file: `class Maze(Listed, like=Listed.from_edges(...))`.
    """

    names: tuple[str, ...] = ()

    def __new__(
        cls,
        first: npt.ArrayLike,
        targets: npt.ArrayLike,
        movers: npt.ArrayLike,
        scores: npt.ArrayLike,
        weights: npt.ArrayLike = (),
        root: int = 0,
        max_plies: int = 0,
        num_actions: int = 0,
        graph: int = 0,
        *,
        names: Sequence[Hashable] = (),
    ) -> Self:
        """Check everything and keep copies that cannot be changed; `graph` is a number that follows from the arrays."""
        arrays = _checked(
            _whole("first", first),
            _whole("targets", targets),
            _whole("movers", movers),
            _whole("scores", scores),
            _whole("weights", weights),
        )
        root, max_plies, num_actions = (
            _number_given(name, given)
            for name, given in (("root", root), ("max_plies", max_plies), ("num_actions", num_actions))
        )
        _require(max_plies >= 0, f"max_plies must be 0 or more, not {max_plies}")
        size, widest = len(arrays[0]) - 1, max(int(np.diff(arrays[0]).max()), 1)
        _require(0 <= root < size, f"root must be a node from 0 to {size - 1}, not {root}")
        _require(num_actions in (0, *range(widest, WORD + 1)), f"num_actions must be {widest} to {WORD} or 0 for that")
        number = _number(arrays)
        _require(graph in (0, number), "graph follows from the arrays and cannot be chosen")
        made = cls._make([*arrays, root, max_plies, num_actions or widest, number])
        if names:
            made.names = _distinct(names, size)
        return made

    def __init_subclass__(cls, like: Listed | None = None) -> None:
        """Make a class whose games are like this one unless parameters say otherwise."""
        if like is None:
            return
        defaults = dict(zip(cls._fields, like, strict=True))

        def new(cls: type[Listed], *fields: Any, **named: Any) -> Listed:
            given = dict(zip(cls._fields, fields, strict=False))
            return Listed.__new__(cls, **{**defaults, **given, **named})

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
        """The game of a graph whose nodes have any names: `edges` says where each leads, the first is the root.

        Nodes that only others lead to, or without edges, are ends; `scores` are 0 and `weights` alike where not given.
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
            _require(not targets or node in movers, f"movers must say who moves at {node!r}")
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
        """Who moves; player 0 at an end of which nothing is said."""
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
        """The node of this name; raises ValueError for any other."""
        known = self.names or list(map(str, range(self.num_positions)))
        if text.strip() not in known:
            raise ValueError(f"{text.strip()!r} is no node")
        return Node(known.index(text.strip()))

    # ---- what tells one game from another: not the arrays, for which `graph` stands ----

    def _asdict(self) -> dict[str, Any]:
        return {
            name: value for name, value in zip(self._fields, self, strict=True) if not isinstance(value, np.ndarray)
        }

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
    """A whole number."""
    try:
        return operator.index(given)
    except TypeError:
        raise LudusError(f"{name} must be a whole number, not {given!r}") from None


def _whole(name: str, given: npt.ArrayLike) -> Ints:
    """A copy as whole numbers."""
    try:
        array = np.asarray(given)
        with np.errstate(invalid="ignore"):
            whole = array.astype(np.int64)
    except (TypeError, ValueError, OverflowError):
        raise LudusError(f"{name} must be a list of whole numbers") from None
    _require(whole.ndim == 1 and bool((whole == array).all()), f"{name} must be a list of whole numbers")
    return whole


def _checked(first: Ints, targets: Ints, movers: Ints, scores: Ints, weights: Ints) -> tuple[Ints, ...]:
    """The arrays without what has no meaning; raises LudusError when they make no graph."""
    size, edges = len(first) - 1, len(targets)
    ascends = size > 0 and first[0] == 0 and first[-1] == edges and bool((np.diff(first) >= 0).all())
    _require(ascends, f"first must ascend from 0 to the number of targets, {edges}, with one number more than nodes")
    _require(len(movers) == len(scores) == size, f"movers and scores must have one number for each of {size} nodes")
    _require(bool(((targets >= 0) & (targets < size)).all()), f"targets must be nodes from 0 to {size - 1}")
    counts = np.diff(first)
    _require(counts.max() <= WORD, f"a node may have at most {WORD} edges, not {counts.max()}")
    ended = counts == 0
    _require(bool((ended | ((movers >= 0) & (movers <= CHANCE))).all()), f"movers must be 0, 1 or CHANCE ({CHANCE})")
    _require(len(weights) in (0, edges), f"weights must have one number for each of {edges} edges, or none")
    by_chance = np.repeat(movers == CHANCE, counts)
    weights = np.where(by_chance, weights, 1) if len(weights) else np.ones(edges, np.int64)
    _require(bool((weights > 0).all()), "weights must be above 0 where CHANCE moves")
    movers = np.where(ended & (movers != 1), 0, movers)
    arrays = first, targets, movers, np.where(ended, scores, 0), weights
    for array in arrays:
        array.flags.writeable = False
    return arrays


def _number(arrays: tuple[Ints, ...]) -> int:
    """A number that differs from graph to graph."""
    whole = hashlib.sha256()
    for array in arrays:
        whole.update(len(array).to_bytes(8, "little") + array.astype("<i8").tobytes())
    return int.from_bytes(whole.digest()[:6], "little")


def _distinct(names: Sequence[Hashable], size: int) -> tuple[str, ...]:
    """The names as text, one for each node."""
    texts = tuple(str(name) for name in names)
    _require(len(texts) == size, f"names must have one name for each of {size} nodes")
    twice = [text for text, times in Counter(texts).items() if times > 1]
    _require(not twice, f"two nodes are both called {', '.join(twice[:1])}")
    return texts
