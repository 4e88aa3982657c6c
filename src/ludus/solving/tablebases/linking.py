"""A task of solving a tier: the actions of a slice of positions, out of the tier and within it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import kernel
from ludus.compiled.rows import borrowed
from ludus.errors import LudusError
from ludus.files import write_whole
from ludus.game import num_actions
from ludus.solving.tablebases.keys import Keying
from ludus.solving.tablebases.position_sets import NOT_FOUND, Keys, find_numbers, sorted_with
from ludus.solving.tablebases.retrograde import NOT_REACHED, Numbers, Pairs, State, promise
from ludus.solving.tablebases.successors import Block, blocks
from ludus.solving.tablebases.tiers import ENDLESS, NO_VALUE, Tier

ACTIONS = "targets", "sources"
LINKED = 1 << 21  # positions of a task: all of a set are read for each
PART = 1 << 21  # positions whose arrivals are sorted together
_AT_ONCE = 1 << 15  # positions


def pairs_of(tier: Tier, below: Iterable[Tier]) -> Pairs:
    """The values that ends of a tier have, and those that actions into the tiers below give."""
    pairs = {(score, 0) for score in tier.facts.scores}
    for lower in below:
        pairs |= {(sign * score, plies + 1) for score, plies in lower.pairs for sign in (1, -1)}
    return Pairs(sorted(pairs))


class Lower(NamedTuple):
    """A solved tier, and what its codes mean for positions one ply earlier."""

    tier: Tier
    same: npt.NDArray[np.uint16]  # [codes]: where the side to move stays
    changed: npt.NDArray[np.uint16]  # [codes]: where it changes


def lower_tier(tier: Tier, pairs: Pairs) -> Lower:
    """A solved tier with its codes translated."""
    same, changed = (
        np.array([NO_VALUE, ENDLESS, *(pairs.code(sign * score, plies + 1) for score, plies in tier.pairs)], np.uint16)
        for sign in (1, -1)
    )
    return Lower(tier, same, changed)


def open_kind(game: Any) -> Any:
    """The type that counts the actions of a position."""
    return np.uint8 if num_actions(game) < 255 else np.uint16


class LinkFiles(NamedTuple):
    """The files of a slice: its state, and the actions within the tier, grouped by the parts of their targets."""

    base: Path

    @property
    def starts(self) -> Path:
        """[parts + 1]: where the actions to each part begin; written last."""
        return self.array("starts")

    def array(self, name: str) -> Path:
        """The file of code, open, targets, sources or starts."""
        return self.base.with_name(f"{self.base.name}.{name}")

    def remove(self, *names: str) -> None:
        """Removes some of them; the slice is to be linked again then."""
        for path in (self.starts, *map(self.array, names)):
            path.unlink(missing_ok=True)


def link_slice(game: Any, keying: Keying, folder: Path, number: int, begin: int, end: int, out: LinkFiles) -> None:
    """Writes what is known of positions begin .. end-1 by the tiers below, and their actions within the tier."""
    tier = Tier(folder, number)
    below = [Tier(folder, lower) for lower in tier.facts.below]
    pairs = pairs_of(tier, below)
    slice_ = _Slice(tier, begin, end, pairs, [lower_tier(lower, pairs) for lower in below], open_kind(game))
    for at in range(begin, end, _AT_ONCE):
        until = min(end, at + _AT_ONCE)
        numbers, keys = np.arange(at, until), tier.positions.keys(at, until)
        if tier.reached is not None:
            is_reached = tier.reached[at:until]
            slice_.state.code[at - begin : until - begin][~is_reached] = NOT_REACHED
            numbers, keys = numbers[is_reached], keys[is_reached]
        for place, block in blocks(game, keying, keys, number):
            slice_.enter(numbers[place : place + len(block.degree)] - begin, block)
    slice_.write(out)


class _Slice:
    """The positions of a slice as they are linked."""

    def __init__(self, tier: Tier, begin: int, end: int, pairs: Pairs, below: list[Lower], kind: Any) -> None:
        self.tier, self.begin, self.pairs, self.tables = tier, begin, pairs, pairs.tables()
        self.below = {lower.tier.number: lower for lower in below}
        self.state = State(np.zeros(end - begin, np.uint16), np.zeros(end - begin, kind))
        self._edges: dict[int, list[tuple[Keys, Numbers]]] = {tier.number: [], **{number: [] for number in self.below}}

    def enter(self, local: npt.NDArray[np.int64], block: Block) -> None:
        """Enters positions at these places of the slice, with their actions."""
        ended = block.degree == 0
        for score in np.unique(block.score[ended]).tolist():
            self.state.code[local[ended & (block.score == score)]] = self.pairs.code(score, 0)
        packed = (2 * local[block.source] + block.changes).astype(np.uint32)
        if not self.below:
            self._edges[self.tier.number].append((block.key.copy(), packed))
            return
        for number in np.unique(block.tier).tolist():
            chosen = block.tier == number
            self._edges[number].append((block.key[chosen], packed[chosen]))

    def write(self, out: LinkFiles) -> None:
        """Writes the state, and the actions within the tier in the order of their targets."""
        for lower in self.below.values():
            numbers, packed = self._found(lower.tier)
            codes = lower.tier.codes[numbers]
            if (codes == NO_VALUE).any():
                raise _incomplete(lower.tier)
            codes = np.where(packed & 1, lower.changed[codes], lower.same[codes])
            promise(self.state, self.tables, packed >> 1, codes)
        targets, packed = self._found(self.tier)
        count_open(self.state.open, packed)
        starts = np.searchsorted(targets, np.arange(0, self.tier.facts.size + PART, PART))
        arrays = {"targets": targets.astype(np.uint32), "sources": (packed + 2 * self.begin).astype(np.uint32)}
        for name, array in (self.state._asdict() | arrays).items():
            array.tofile(out.array(name))
        write_whole(out.starts, [starts.tobytes()])

    def _found(self, tier: Tier) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The numbers of positions in a tier that actions lead to, in order, and where these come from."""
        edges = self._edges.pop(tier.number)
        if not edges:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        keys, packed = (np.concatenate(column) for column in zip(*edges, strict=True))
        keys, packed = sorted_with(keys, packed.astype(np.int64))
        numbers = np.empty(len(keys), np.int64)
        find_numbers(tier.positions, keys, numbers)
        if (numbers == NOT_FOUND).any():
            raise _incomplete(tier)
        return numbers, packed


def _incomplete(tier: Tier) -> LudusError:
    return LudusError(f"{tier.name} lacks positions that play leads to: remove the tablebase, and solve again")


@kernel(work=lambda open_actions, packed: len(packed))
def count_open(open_actions: npt.NDArray[np.unsignedinteger], packed: npt.NDArray[np.int64]) -> None:
    """Counts actions for the positions they come from."""
    open_actions, packed = borrowed(open_actions), borrowed(packed)
    for action in range(len(packed)):
        open_actions[packed[action] >> 1] += 1
