"""Depth-first proof-number search (df-pn): who wins, without counting plies, in a game too large to enumerate.

The proof number of a position is the least number of leaves that must be proven to show that the side to move reaches
its goal, the disproof number the same to show that it does not; the search descends to the leaf that matters most for
both (A. Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002). A child is searched until its
numbers are a quarter above those of the next best one (J. Pawlewicz and L. Lew, "Improving depth-first PN-search:
1 + epsilon trick", 2007). Leaves that are reached by several lines of play are counted several times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.bits import highest
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import count, first, is_empty, without_first
from ludus.compiled.rows import borrowed, pack, unpack
from ludus.errors import LudusError
from ludus.game import CHANCE, bounds, candidates, gives_banked, num_actions, promise, validate
from ludus.solving.alpha_beta import DEFAULT_MEMORY, FIRST_DEPTH, SLICE, obstacle_to_search
from ludus.solving.transposition_table import WAYS, Table, hashed, matches, new_table
from ludus.solving.value import seen_by_mover

Ints = npt.NDArray[np.int64]
DEEPEST = 1 << 16  # plies
WIN, DRAW = 1, 0  # the goal of the side to move: at least this score
PROVEN = (1 << 24) - 1  # the disproof number of what is proven, and the proof number of what is disproven
_MOST = PROVEN - 1  # of a position that is neither: larger numbers are cut to it
NODES, DEPTH, TROUBLE, DRAWS = range(4)  # `counters`; DRAWS: ends that decide one of the two goals only
MARGIN, BY_CHANCE = 1, 2  # TROUBLE
ANSWERED, PAUSED, FULL = range(3)  # why `advance` stopped

# A row of `children`: two hashes, whether its player moves again, its place in the move ordering, its numbers as the
# player before it sees them, the position's fields.
KEY, TAG, AGAIN, ORDER, PROOF, DISPROOF, FIELDS = range(7)

# A row of `frames`: the goal, the numbers at which the search of this position ends, how many children are open, the
# one that is searched, and the nodes visited before.
GOAL, PROOF_LIMIT, DISPROOF_LIMIT, OPEN, TRIED, BEFORE, FRAME = range(7)

# An entry of the table: two words like those of alpha-beta, with these fields in the second, above a tag of seven bits.
_PROOF_SHIFT, _DISPROOF_SHIFT, _EFFORT_SHIFT = 37, 13, 7


class Search(NamedTuple):
    """The line of play being searched, so that a search can stop and resume anywhere, and its table."""

    children: Ints  # [plies, actions, FIELDS + fields of a position]: the open ones first; at ply 0 only the root
    frames: Ints  # [plies, FRAME]: the state of the search at each ply
    counters: Ints  # [4]
    table: Table


@kernel
def begin(game: Any, pos: Any, goal: int, search: Search) -> None:
    """Starts a search of a position that is not over, for whether the side to move can force a score of `goal`."""
    search.counters[TROUBLE] = BY_CHANCE if game.player(pos) == CHANCE else 0
    root, frame = search.children[0, 0], search.frames[1]
    root[KEY], root[TAG] = hashed(game, pos)
    root[TAG] ^= goal
    root[AGAIN] = 1
    pack(pos, root[FIELDS:])
    search.frames[0, TRIED] = 0
    frame[GOAL], frame[PROOF_LIMIT], frame[DISPROOF_LIMIT] = goal, PROVEN, PROVEN
    search.counters[DEPTH] = 1
    expand(game, pos, 1, search)


@kernel
def advance(game: Any, like: Any, search: Search, limit: int) -> int:
    """Resumes the search until it is done, `limit` nodes are visited, or the line is too deep."""
    search = borrowed(search)
    depth = search.counters[DEPTH]
    stopped = PAUSED
    while stopped == PAUSED and search.counters[NODES] < limit and search.counters[TROUBLE] == 0:
        frame = search.frames[depth]
        proof, disproof, next_best = numbers(search, depth)
        if proof >= frame[PROOF_LIMIT] or disproof >= frame[DISPROOF_LIMIT]:
            remember(search, depth, proof, disproof)
            depth -= 1
            stopped = ANSWERED if depth == 0 else PAUSED
        elif depth + 1 == len(search.frames):
            stopped = FULL
        else:
            child = tried(search, depth)
            set_limits(frame, child, disproof, next_best, search.frames[depth + 1])
            depth += 1
            expand(game, unpack(like, child[FIELDS:]), depth, search)
    search.counters[DEPTH] = depth
    return stopped


@helper
def tried(search: Search, depth: int) -> Ints:
    """The child that is being searched."""
    child: Ints = search.children[depth, search.frames[depth, TRIED]]
    return child


@helper
def numbers(search: Search, depth: int) -> tuple[int, int, int]:
    """The proof and disproof number of a position, and the second least proof number of its children.

    The child of the least proof number, among equals the one that promises most, is to be searched.
    """
    children, frame = search.children[depth], search.frames[depth]
    proof = next_best = PROVEN
    disproof, order = 0, 0
    for place in range(frame[OPEN]):
        child = children[place]
        disproof += child[DISPROOF]
        if child[PROOF] < proof or (child[PROOF] == proof and child[ORDER] > order):
            next_best, proof, order = proof, child[PROOF], child[ORDER]
            frame[TRIED] = place
        else:
            next_best = min(next_best, child[PROOF])
    return proof, PROVEN if proof == 0 else min(disproof, _MOST), next_best


@helper
def set_limits(frame: Ints, child: Ints, disproof: int, next_best: int, below: Ints) -> None:
    """Sets the goal of a child, and the numbers at which another child or another line is more promising.

    A search of a child ends that of its parent or raises its own proof number above the next best one. So there are
    finitely many of them, whatever the table forgets.
    """
    proof_limit = min(frame[PROOF_LIMIT], next_best + next_best // 4 + 1)
    disproof_limit = frame[DISPROOF_LIMIT]
    if disproof_limit < PROVEN:
        disproof_limit += child[DISPROOF] - disproof
    if child[AGAIN]:
        below[GOAL], below[PROOF_LIMIT], below[DISPROOF_LIMIT] = frame[GOAL], proof_limit, disproof_limit
    else:
        below[GOAL], below[PROOF_LIMIT], below[DISPROOF_LIMIT] = 1 - frame[GOAL], disproof_limit, proof_limit


@helper
def expand(game: Any, pos: Any, depth: int, search: Search) -> None:
    """Enters a position: lists its children that are not decided by the rules, or one alone that reaches the goal."""
    search.counters[NODES] += 1
    frame = search.frames[depth]
    frame[OPEN], frame[BEFORE] = 0, search.counters[NODES]
    left = candidates(game, pos)
    proven = False
    while not is_empty(left) and not proven:
        action = first(left)
        child = search.children[depth, frame[OPEN]]
        generate(game, pos, action, frame[GOAL], child, search.counters)
        child[ORDER] = promise(game, pos, action)
        if child[PROOF] == 0:
            proven = True
            search.children[depth, 0, PROOF], frame[OPEN] = 0, 1
        elif child[DISPROOF] > 0:
            frame[OPEN] += 1
        left = without_first(left)
    if not proven:
        consult_table(frame, search.children[depth], search.table)


@helper
def generate(game: Any, pos: Any, action: int, goal: int, child: Ints, counters: Ints) -> None:
    """Plays an action; a new position has proof number 1, and for disproof all its actions must be refuted."""
    after = game.play(pos, action)
    child[AGAIN] = game.player(after) == game.player(pos)
    if game.player(after) == CHANCE:
        counters[TROUBLE] = BY_CHANCE
    goal = goal if child[AGAIN] else 1 - goal
    low, high = known(game, after, counters)
    if low >= goal or high < goal:
        counters[DRAWS] += low <= 0 <= high
        note(child, 0 if low >= goal else PROVEN, PROVEN if low >= goal else 0)
    else:
        note(child, 1, count(candidates(game, after)))
        child[KEY], child[TAG] = hashed(game, after)
        child[TAG] ^= goal
        pack(after, child[FIELDS:])


@helper
def note(child: Ints, proof: int, disproof: int) -> None:
    """Writes the numbers of a position as the player before it sees them."""
    if child[AGAIN]:
        child[PROOF], child[DISPROOF] = proof, disproof
    else:
        child[PROOF], child[DISPROOF] = disproof, proof


@helper
def known(game: Any, pos: Any, counters: Ints) -> tuple[int, int]:
    """Bounds of the score for the side to move, by the rules and the game's own bounds."""
    if not is_empty(game.legal(pos)):
        low, high = bounds(game, pos)
        return (low, high) if game.player(pos) == 0 else (-high, -low)
    score = seen_by_mover(game, pos, game.score(pos))
    if not -1 <= score <= 1:
        counters[TROUBLE] = MARGIN
    return score, score


@helper
def consult_table(frame: Ints, children: Ints, table: Table) -> None:
    """Looks up all children in one go, so that memory latencies overlap."""
    for place in range(frame[OPEN]):
        child = children[place]
        entry = look_up(table, child[KEY], child[TAG])
        if entry != 0:
            note(child, entry >> _PROOF_SHIFT, entry >> _DISPROOF_SHIFT & PROVEN)


@helper
def remember(search: Search, depth: int, proof: int, disproof: int) -> None:
    """Stores the numbers of a position in the table, and with the position before it."""
    child = tried(search, depth - 1)
    note(child, proof, disproof)
    effort = highest(int(search.counters[NODES] - search.frames[depth, BEFORE] + 1))
    keep(search.table, child[KEY], child[TAG], proof << _PROOF_SHIFT | disproof << _DISPROOF_SHIFT, effort)


@helper
def look_up(table: Table, key: int, tag: int) -> int:
    """The numbers of a position as they are packed, 0 for none."""
    start = (key & len(table) // WAYS - 1) * WAYS
    for slot in range(start, start + WAYS):
        check, entry = int(table[slot, 0]), int(table[slot, 1])
        if matches(check, entry, key, tag):
            return entry
    return 0


@helper
def keep(table: Table, key: int, tag: int, packed: int, effort: int) -> None:
    """Stores the numbers of a position in place of its older ones, or of the entry of least effort."""
    start = (key & len(table) // WAYS - 1) * WAYS
    place, least = start, 64
    for slot in range(start, start + WAYS):
        check, entry = int(table[slot, 0]), int(table[slot, 1])
        known_effort = entry >> _EFFORT_SHIFT & 63
        if matches(check, entry, key, tag):
            place, effort = slot, max(effort, known_effort)
            break
        if known_effort < least:
            place, least = slot, known_effort
    entry = packed | effort << _EFFORT_SHIFT | tag
    table[place, 0] = key ^ entry
    table[place, 1] = entry


class ProofSearcher:
    """Proof-number searches that share a table of at most `memory` bytes.

    `progress` is called with the nodes visited so far, some times a second; an exception that it raises stops the
    search, which stays usable.
    """

    def __init__(
        self, game: Any, *, memory: int = DEFAULT_MEMORY, progress: Callable[[int], None] | None = None
    ) -> None:
        validate(game)
        if obstacle := obstacle_to_proof(game):
            raise LudusError(f"{type(game).__name__} cannot be searched for proofs: {obstacle}")
        self.game, self.progress = game, progress
        self._search = Search(*_room(game, FIRST_DEPTH), np.zeros(4, np.int64), new_table(memory))

    @property
    def nodes(self) -> int:
        """The positions visited so far."""
        return int(self._search.counters[NODES])

    @property
    def numbers(self) -> tuple[int, int]:
        """The proof and disproof number of the latest position asked about, from those of its children."""
        proof, disproof, _ = numbers(self._search, 1)
        return int(proof), int(disproof)

    def outcome(self, pos: Any) -> int:
        """1, 0 or -1 for the side to move under perfect play, in a position that is not over."""
        return self._ask(pos, WIN) or self._ask(pos, DRAW)

    def _ask(self, pos: Any, goal: int) -> int:
        """A score >= goal that the side to move can force, or one < goal that it cannot exceed."""
        *_, answer = self.asking(pos, goal, repeat(SLICE))
        assert answer is not None
        return answer

    def asking(self, pos: Any, goal: int, slices: Iterable[int]) -> Iterator[int | None]:
        """The same in slices of so many nodes: yields None after each, and at last the answer.

        As long as no draw was met, whoever cannot force a win loses.
        """
        begin(self.game, pos, goal, self._search)
        for size in slices:
            stopped = advance(self.game, pos, self._search, self.nodes + size)
            if trouble := self._search.counters[TROUBLE]:
                why = MARGINS if trouble == MARGIN else "it leaves something to chance"
                raise LudusError(f"{type(self.game).__name__} cannot be searched for proofs: {why}")
            if stopped == ANSWERED:
                is_forced = self._search.children[0, 0, PROOF] == 0
                yield goal if is_forced else goal - 1 if self._search.counters[DRAWS] else -1
                return
            if stopped == FULL:
                self._deepen()
            if self.progress:
                self.progress(self.nodes)
            yield None

    def _deepen(self) -> None:
        """Doubles the room for plies."""
        old = self._search[:2]
        depth = 2 * len(old[0])
        if depth > DEEPEST:
            raise LudusError(
                f"{type(self.game).__name__} lasts more than {depth // 2} plies, too many for a search;"
                " perhaps play can come back to a position"
            )
        larger = _room(self.game, depth)
        for new, part in zip(larger, old, strict=True):
            new[: len(part)] = part
        self._search = Search(*larger, *self._search[2:])


MARGINS = "its scores are margins, and proofs are of wins, draws and losses"


def obstacle_to_proof(game: Any) -> str:
    """Why there is no proof-number search of a game; empty if nothing is known against it."""
    return MARGINS if gives_banked(game) else obstacle_to_search(game)


def _room(game: Any, depth: int) -> tuple[Ints, Ints]:
    """Empty arrays for a line of `depth` plies: children and frames."""
    shapes = (depth, num_actions(game), FIELDS + len(game.start())), (depth, FRAME)
    children, frames = (np.zeros(shape, np.int64) for shape in shapes)
    return children, frames
