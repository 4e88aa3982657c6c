"""Canonical forms of short games in arrays: each form is stored once, and a handle, its number, stands for it.

Handle 0 is the game 0. The options of a form are sorted handles below its own. The form that is being worked out stands
at the first free handle until it is known; what was found of it is kept apart, under a stamp.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper, kernel
from ludus.compiled.randomness import ALL_BITS, mixed
from ludus.errors import LudusError
from ludus.machine import budget

Handles = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.float64]
Words = npt.NDArray[np.int64]
FULL, TOO_FINE = -1, -2  # in place of a handle: there is no room, or a number is too fine or too large to be held
NONE = -3  # likewise: not known yet
LEFT, RIGHT = 0, 1
LARGEST = 10_000  # number in size: it is as many steps from 0


# the columns of arrays, and what `counters` count
FIRST, MIDDLE, LAST, NEGATIVE = range(4)
LEFT_STOP, RIGHT_STOP, NUMBER = range(3)
LEFTS, RIGHTS, FORMS, OPTIONS, STAMP = range(5)


class Arena(NamedTuple):
    """All forms, and what was found of them.

    shapes: where the options of each form begin, where Right's do, where they end, and the handle of its negative.
    worths: its stops, NaN while not known, and the number that it is, else NaN. options: of all forms. table: finds a
    form by its options. pairs, sums: comparisons and sums, in tables that forget; what they hold is right. notes: how
    each form compares with the one being worked out. stack: for comparisons, and from `room` times six on for sums.
    lists: the draft, both sides, and from `room` times two on the options of sums under way.
    """

    shapes: Handles
    worths: Numbers
    options: Handles
    table: Handles
    pairs: Words
    sums: Words
    notes: Words
    counters: Words
    stack: Words
    lists: Handles


def new_arena(room: int = 1 << 12) -> Arena:
    """An arena for so many forms, a power of two, that holds 0."""
    arena = Arena(
        shapes=np.full((room, 4), NONE, np.int32),
        worths=np.full((room, 3), np.nan),
        options=np.zeros(8 * room, np.int32),
        table=np.full(2 * room, NONE, np.int32),
        pairs=np.full(8 * room, NONE, np.int64),
        sums=np.full((4 * room, 2), NONE, np.int64),
        notes=np.zeros((room, 2), np.int64),
        counters=np.zeros(5, np.int64),
        stack=np.zeros(14 * room, np.int64),
        lists=np.zeros(10 * room, np.int32),
    )
    intern_draft(arena)
    return arena


def held_bytes(tables: tuple[npt.NDArray[Any], ...]) -> int:
    """How much memory tables take."""
    return sum(table.nbytes for table in tables)


def grown(arena: Arena) -> Arena:
    """The same forms in twice the room."""
    size, used = int(arena.counters[FORMS]), int(arena.counters[OPTIONS])
    larger = new_arena(2 * len(arena.shapes))
    larger.shapes[:size], larger.worths[:size] = arena.shapes[:size], arena.worths[:size]
    larger.options[:used], larger.counters[:] = arena.options[:used], arena.counters
    enter_all(larger)
    return larger


@kernel
def enter_all(arena: Arena) -> None:
    """Enter all forms into the table, which holds none but 0."""
    for form in range(1, arena.counters[FORMS]):
        arena.table[find_slot(arena, form)] = form


@helper
def is_number(arena: Arena, form: int) -> bool:
    """Whether a form is a number."""
    return not np.isnan(arena.worths[form, NUMBER])


@helper
def count(arena: Arena, form: int, side: int) -> int:
    """How many options a side has."""
    if side == LEFT:
        return int(arena.shapes[form, MIDDLE] - arena.shapes[form, FIRST])
    return int(arena.shapes[form, LAST] - arena.shapes[form, MIDDLE])


@helper
def option(arena: Arena, form: int, side: int, number: int) -> int:
    """The n-th option of a side."""
    return int(arena.options[(arena.shapes[form, FIRST] if side == LEFT else arena.shapes[form, MIDDLE]) + number])


# ---- the draft: lists of options, Left's in the first half and Right's in the second, becoming a form ----


@helper
def start_draft(arena: Arena) -> None:
    """Begin with no options."""
    arena.counters[LEFT] = arena.counters[RIGHT] = 0


@helper
def drafted(arena: Arena, side: int, number: int) -> int:
    """The n-th option of a side in the draft."""
    return int(arena.lists[side * len(arena.shapes) + number])


@helper
def add_to_draft(arena: Arena, side: int, form: int) -> bool:
    """Add an option in its place unless it is there; False if there is no room."""
    half, size = side * len(arena.shapes), int(arena.counters[side])
    place = size
    while place > 0 and arena.lists[half + place - 1] >= form:
        place -= 1
    if place < size and arena.lists[half + place] == form:
        return True
    if size == len(arena.shapes):
        return False
    for other in range(size, place, -1):
        arena.lists[half + other] = arena.lists[half + other - 1]
    arena.lists[half + place] = form
    arena.counters[side] = size + 1
    return True


@helper
def drop_from_draft(arena: Arena, side: int, number: int) -> None:
    """Take the n-th option of a side out of the draft."""
    half, size = side * len(arena.shapes), int(arena.counters[side])
    for place in range(number, size - 1):
        arena.lists[half + place] = arena.lists[half + place + 1]
    arena.counters[side] = size - 1


@helper
def write_draft(arena: Arena, form: int) -> bool:
    """Write the draft as the options of the first free form; False if there is no room."""
    used, lefts, rights = int(arena.counters[OPTIONS]), int(arena.counters[LEFT]), int(arena.counters[RIGHT])
    if form + 1 >= len(arena.shapes) or used + lefts + rights > len(arena.options):
        return False
    shape = arena.shapes[form]
    shape[FIRST], shape[MIDDLE], shape[LAST] = used, used + lefts, used + lefts + rights
    for number in range(lefts):
        arena.options[used + number] = drafted(arena, LEFT, number)
    for number in range(rights):
        arena.options[used + lefts + number] = drafted(arena, RIGHT, number)
    return True


@helper
def intern_draft(arena: Arena) -> int:
    """The handle of the form whose options are drafted, which are canonical; FULL or TOO_FINE if it cannot be had."""
    form = int(arena.counters[FORMS])
    if not write_draft(arena, form):
        return FULL
    slot = find_slot(arena, form)
    if arena.table[slot] != NONE:
        return int(arena.table[slot])
    if not describe(arena, form):
        return TOO_FINE
    arena.shapes[form, NEGATIVE] = NONE
    arena.table[slot] = form
    arena.counters[FORMS] += 1
    arena.counters[OPTIONS] = arena.shapes[form, LAST]
    return form


@helper
def find_slot(arena: Arena, form: int) -> int:
    """The slot in the table of a form with the same options, or the empty one where it belongs."""
    slot = hash_options(arena, form) & (len(arena.table) - 1)
    while arena.table[slot] != NONE and not same_options(arena, int(arena.table[slot]), form):
        slot = (slot + 1) & (len(arena.table) - 1)
    return slot


@helper
def same_options(arena: Arena, one: int, other: int) -> bool:
    """Whether two forms have the same options."""
    if count(arena, one, LEFT) != count(arena, other, LEFT) or count(arena, one, RIGHT) != count(arena, other, RIGHT):
        return False
    for place in range(arena.shapes[one, LAST] - arena.shapes[one, FIRST]):
        if arena.options[arena.shapes[one, FIRST] + place] != arena.options[arena.shapes[other, FIRST] + place]:
            return False
    return True


@helper
def hash_options(arena: Arena, form: int) -> int:
    """Sixty-two well mixed bits of the options of a form."""
    mix = mixed(int(np.uint64(count(arena, form, LEFT))))
    for place in range(arena.shapes[form, FIRST], arena.shapes[form, LAST]):
        mix = mixed(mix ^ int(np.uint64(int(arena.options[place]) & ALL_BITS)))
    return int(np.int64(mix >> 2))


@helper
def hash_pair(pair: int) -> int:
    """Sixty-two well mixed bits of two handles in one word."""
    return int(np.int64(mixed(int(np.uint64(pair))) >> 2))


@helper
def pair_of(one: int, other: int) -> int:
    """Two handles in one word."""
    return one << 31 | other


@helper
def describe(arena: Arena, form: int) -> bool:
    """Find the number that a canonical form is, and its stops; False for one too large, or too fine for a float."""
    lefts, rights = count(arena, form, LEFT), count(arena, form, RIGHT)
    left, right = -np.inf, np.inf
    for number in range(lefts):
        left = max(left, arena.worths[option(arena, form, LEFT, number), RIGHT_STOP])
    for number in range(rights):
        right = min(right, arena.worths[option(arena, form, RIGHT, number), LEFT_STOP])
    arena.worths[form, LEFT_STOP], arena.worths[form, RIGHT_STOP], arena.worths[form, NUMBER] = left, right, np.nan
    if left >= right:
        return True
    middle = between(left, right)
    arena.worths[form, LEFT_STOP] = arena.worths[form, RIGHT_STOP] = arena.worths[form, NUMBER] = middle
    if np.isinf(left) or np.isinf(right):
        return bool(abs(middle) <= LARGEST)
    return bool(middle - left == right - middle and left < middle < right)


@helper
def between(left: float, right: float) -> float:
    """The number whose canonical options are these; infinite for none."""
    if np.isinf(left) and np.isinf(right):
        return 0.0
    if np.isinf(right):
        return left + 1.0
    return right - 1.0 if np.isinf(left) else (left + right) / 2


_MOST_ROOM = 1 << 27  # forms, whose options are numbered in 31 bits


def refuse_if_too_much(needed: int, allowed: int) -> None:
    """Say so, instead of growing, when that takes more memory than is allowed."""
    if needed > allowed:
        raise LudusError(
            f"too large: {needed / 1e9:,.2f} GB of memory would be needed, and only {allowed / 1e9:,.2f} GB may be used"
        )


class Store:
    """An arena that grows."""

    def __init__(self) -> None:
        self.arena: Arena = new_arena()
        self._lock = threading.RLock()

    @property
    def bytes(self) -> int:
        """How much memory the arena takes."""
        return held_bytes(self.arena)

    def attempt(self, kernel: Callable[..., int], *args: Any, memory: int | None = None) -> int:
        """What a kernel returns that is given the arena first, run again in a larger one as long as that is full.

        The arena may take so many bytes, by default what is free of the machine's memory and more.
        """
        with self._lock:
            while (result := int(kernel(self.arena, *args))) == FULL:
                self._grow(budget() + self.bytes if memory is None else memory)
            return result

    def _grow(self, allowed: int) -> None:
        """Twice the room, which takes three times the memory while forms are carried over."""
        refuse_if_too_much(3 * self.bytes, allowed)
        if 2 * len(self.arena.shapes) > _MOST_ROOM:
            raise LudusError(f"too large: there are more than {_MOST_ROOM:,} canonical forms")
        self.arena = grown(self.arena)

    def run(self, kernel: Callable[..., int], *args: Any) -> int:
        """The handle that a kernel returns."""
        result = self.attempt(kernel, *args)
        if result == TOO_FINE:
            raise LudusError(f"a number takes more than 53 bits, or is larger than {LARGEST:,}")
        return result


STORE = Store()
