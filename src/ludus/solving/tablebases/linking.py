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
from ludus.solving.tablebases.position_sets import NOT_FOUND
from ludus.solving.tablebases.retrograde import NOT_REACHED, Numbers, Pairs, State, Tables, promise
from ludus.solving.tablebases.successors import Block, blocks
from ludus.solving.tablebases.tiers import ENDLESS, NO_VALUE, Tier

ACTIONS = "targets", "sources"
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
            slice_.enter(numbers[place : place + len(block.degree)], block)
    slice_.write(out)


class _Slice:
    """The positions of a slice as they are linked."""

    def __init__(self, tier: Tier, begin: int, end: int, pairs: Pairs, below: list[Lower], kind: Any) -> None:
        self.tier, self.begin, self.pairs, self.tables = tier, begin, pairs, pairs.tables()
        self.below = {lower.tier.number: lower for lower in below}
        self.state = State(np.zeros(end - begin, np.uint16), np.zeros(end - begin, kind))
        self._links: list[tuple[Numbers, Numbers]] = []

    def enter(self, numbers: npt.NDArray[np.int64], block: Block) -> None:
        """Enters positions of these numbers with their actions."""
        local = numbers - self.begin
        ended = block.degree == 0
        for score in np.unique(block.score[ended]).tolist():
            self.state.code[local[ended & (block.score == score)]] = self.pairs.code(score, 0)
        within = block.tier == self.tier.number
        if not within.all():
            for lower in np.unique(block.tier[~within]).tolist():
                self._leave(local, block, block.tier == lower, self.below[lower])
            block = Block(block.degree, block.score, *(part[within] for part in block[2:]))
        targets = self._numbers(self.tier, block.key)
        count_open(self.state.open, local, block.source)
        packed = 2 * numbers[block.source] + block.changes
        self._links.append((targets.astype(np.uint32), packed.astype(np.uint32)))

    def _leave(self, local: npt.NDArray[np.int64], block: Block, chosen: npt.NDArray[np.bool_], lower: Lower) -> None:
        """Takes note of actions into a lower tier."""
        codes = lower.tier.codes[self._numbers(lower.tier, block.key[chosen])]
        if (codes == NO_VALUE).any():
            raise self._incomplete(lower.tier)
        codes = np.where(block.changes[chosen], lower.changed[codes], lower.same[codes])
        promise(self.state, self.tables, local[block.source[chosen]], codes)

    def _numbers(self, tier: Tier, keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        found = tier.positions.numbers(keys)
        if (found == NOT_FOUND).any():
            raise self._incomplete(tier)
        return found

    def _incomplete(self, tier: Tier) -> LudusError:
        return LudusError(f"tier {tier.number} lacks positions that play leads to: remove the tablebase, and solve again")

    def write(self, out: LinkFiles) -> None:
        """Writes the state and the actions, grouped by the parts of their targets."""
        targets, sources = (np.concatenate(column) for column in zip(*self._links, strict=True))
        parts = targets // PART
        starts = np.zeros(self.tier.facts.size // PART + 2, np.int64)
        np.cumsum(np.bincount(parts, minlength=len(starts) - 1), out=starts[1:])
        grouped = np.empty_like(targets), np.empty_like(sources)
        group(targets, sources, starts[:-1].copy(), *grouped)
        arrays = {"code": self.state.code, "open": self.state.open, "targets": grouped[0], "sources": grouped[1]}
        for name, array in arrays.items():
            array.tofile(out.array(name))
        write_whole(out.starts, [starts.tobytes()])


@kernel(work=lambda open_actions, local, sources: len(sources))
def count_open(
    open_actions: npt.NDArray[np.unsignedinteger], local: npt.NDArray[np.int64], sources: npt.NDArray[np.int32]
) -> None:
    """Counts the actions of each position of a slice, given by their places in a block."""
    open_actions, local, sources = borrowed(open_actions), borrowed(local), borrowed(sources)
    for action in range(len(sources)):
        open_actions[local[sources[action]]] += 1


@kernel(work=lambda targets, sources, places, grouped_targets, grouped_sources: 2 * len(targets))
def group(
    targets: Numbers,
    sources: Numbers,
    places: npt.NDArray[np.int64],
    grouped_targets: Numbers,
    grouped_sources: Numbers,
) -> None:
    """Groups actions by the parts of their targets; places [parts] move from where each begins to where it ends."""
    targets, sources, places = borrowed(targets), borrowed(sources), borrowed(places)
    grouped_targets, grouped_sources = borrowed(grouped_targets), borrowed(grouped_sources)
    for action in range(len(targets)):
        part = int(targets[action]) // PART
        place = places[part]
        grouped_targets[place], grouped_sources[place] = targets[action], sources[action]
        places[part] = place + 1
