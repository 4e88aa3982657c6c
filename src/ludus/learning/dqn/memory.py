"""What a learner remembers: its last moves with what came of them, from which it draws at random.

Each is one row: what was seen, the output taken, what was earned, what the next position counts, what was seen there,
and which outputs could be taken there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiling import helper, kernel
from ludus.learning.lesson import Ints
from ludus.networks.inputs import ILLEGAL
from ludus.randomness import State, below, stream_start
from ludus.rows import borrowed

Floats = npt.NDArray[np.float32]

# Of `totals`: moves stored so far, those of them that were learned for, updates, and those in the curve of losses.
STORED, PAID, UPDATES, TOLD, COUNTERS = range(5)


class Memory(NamedTuple):
    """A ring of rows, and counters."""

    rows: Floats
    totals: Ints


class Batch(NamedTuple):
    """The parts of some rows."""

    inputs: Any
    taken: Any
    earned: Any
    discount: Any
    next_inputs: Any
    can_be_taken: Any


def new_memory(size: int, inputs: int, outputs: int) -> Memory:
    """Of so many moves, empty."""
    return Memory(np.zeros((size, 2 * inputs + 3 + outputs), np.float32), np.zeros(COUNTERS, np.int64))


def parts(rows: Any, inputs: int) -> Batch:
    """Take rows apart, of JAX or of NumPy."""
    ends = [inputs, inputs + 1, inputs + 2, inputs + 3, 2 * inputs + 3, rows.shape[1]]
    seen, taken, earned, discount, after, can = (
        rows[:, begin:end] for begin, end in zip([0, *ends[:-1]], ends, strict=True)
    )
    return Batch(seen, taken[:, 0].astype(np.int32), earned[:, 0], discount[:, 0], after, can > 0)


@kernel
def draw_rows(memory: Memory, key: np.uint64, stream: State, out: Floats) -> None:
    """Fill batches x rows with what is drawn for the next updates, each by random numbers of its own."""
    memory, out = borrowed(memory), borrowed(out)
    held = min(memory.totals[STORED], len(memory.rows))
    for batch in range(len(out)):
        stream[0] = stream_start(key, int(memory.totals[UPDATES]) + batch)
        for number in range(out.shape[1]):
            out[batch, number] = memory.rows[below(stream, held)]


@helper
def store(
    memory: Memory, inputs: Floats, taken: int, earned: float, discount: float, after: Floats, allowed: Any, mask: bool
) -> None:
    """Remember a move in place of the oldest; `allowed`: the outputs of the next position's actions."""
    row, size = memory.rows[memory.totals[STORED] % len(memory.rows)], len(inputs)
    row[:size] = inputs
    row[size], row[size + 1], row[size + 2] = taken, earned, discount
    row[size + 3 : 2 * size + 3] = after
    row[2 * size + 3 :] = 0.0 if mask else 1.0
    for action in range(len(allowed)):
        if mask and allowed[action] != ILLEGAL:
            row[2 * size + 3 + allowed[action]] = 1.0
    memory.totals[STORED] += 1
