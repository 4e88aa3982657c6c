"""The calculus of canonical forms, in arrays: comparison, reduction, negation and addition of short games.

Each form is stored once, and a handle, its number, stands for it. Handle 0 is the game 0. The options of a form are
sorted handles below its own. The form being computed is stored at the first free handle until it is known; comparisons
with it are kept apart, under a stamp.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper, kernel
from ludus.compiled.randomness import ALL_BITS, mixed
from ludus.compiled.rows import borrowed
from ludus.errors import LudusError
from ludus.machine import budget

Handles = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.float64]
Words = npt.NDArray[np.int64]
FULL, TOO_FINE = -1, -2  # in place of a handle: there is no room, or a number is too fine or too large to be stored
NONE = -3  # in place of a handle: not known yet
UNKNOWN = -1  # in place of the result of a comparison
LEFT, RIGHT = 0, 1
LARGEST = 10_000  # number in size: it is as many steps from 0
_MOST_ROOM = 1 << 27  # forms, whose options are numbered in 31 bits
_FRAME = 3  # words on the stack for each comparison: both forms, and the next option
_SUM_FRAME = 4  # words on the stack for each sum: both terms, the next option, and where its options begin

# the columns of `shapes` and `stops`, and what `counters` count
FIRST, MIDDLE, LAST, NEGATIVE = range(4)
LEFT_STOP, RIGHT_STOP, NUMBER = range(3)
LEFTS, RIGHTS, FORMS, OPTIONS, STAMP = range(5)


class Arena(NamedTuple):
    """All forms and what is known of them; `pairs` and `sums` are caches."""

    shapes: Handles  # [forms, 4]: where its options begin, where Right's do, where they end; the handle of its negative
    stops: Numbers  # [forms, 3]: its stops, NaN while unknown, and its number, NaN if it is none
    options: Handles  # of all forms
    table: Handles  # finds a form by its options
    pairs: Words  # comparisons
    sums: Words  # [slots, 2]
    notes: Words  # [forms, 2]: how a form compares with the one being computed
    counters: Words  # [5]
    stack: Words  # for comparisons, and from 6 * forms on for sums
    lists: Handles  # the draft, both sides, and from 2 * forms on the options of unfinished sums


def new_arena(room: int = 1 << 12) -> Arena:
    """An arena with room for `room` forms, a power of two, that holds 0."""
    arena = Arena(
        shapes=np.full((room, 4), NONE, np.int32),
        stops=np.full((room, 3), np.nan),
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
    """The memory that tables take."""
    return sum(table.nbytes for table in tables)


def grown(arena: Arena) -> Arena:
    """The same forms with twice the room."""
    size, used = int(arena.counters[FORMS]), int(arena.counters[OPTIONS])
    larger = new_arena(2 * len(arena.shapes))
    larger.shapes[:size], larger.stops[:size] = arena.shapes[:size], arena.stops[:size]
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
    return not np.isnan(arena.stops[form, NUMBER])


@helper
def count(arena: Arena, form: int, side: int) -> int:
    """The number of options of a side."""
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
    """Starts with no options."""
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
    for number in range(lefts + rights):
        side, place = (LEFT, number) if number < lefts else (RIGHT, number - lefts)
        arena.options[used + number] = drafted(arena, side, place)
    return True


@helper
def intern_draft(arena: Arena) -> int:
    """The handle of the form with the drafted options, which are canonical; or FULL or TOO_FINE."""
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
    """A hash of the options of a form, of sixty-two bits."""
    mix = mixed(int(np.uint64(count(arena, form, LEFT))))
    for place in range(arena.shapes[form, FIRST], arena.shapes[form, LAST]):
        mix = mixed(mix ^ int(np.uint64(int(arena.options[place]) & ALL_BITS)))
    return int(np.int64(mix >> 2))


@helper
def hash_pair(pair: int) -> int:
    """A hash of two handles in one word, of sixty-two bits."""
    return int(np.int64(mixed(int(np.uint64(pair))) >> 2))


@helper
def pair_of(one: int, other: int) -> int:
    """Two handles in one word."""
    return one << 31 | other


@helper
def draft_stops(arena: Arena) -> tuple[float, float]:
    """The best right stop of Left's drafted options, and the best left stop of Right's."""
    left, right = -np.inf, np.inf
    for number in range(arena.counters[LEFT]):
        left = max(left, arena.stops[drafted(arena, LEFT, number), RIGHT_STOP])
    for number in range(arena.counters[RIGHT]):
        right = min(right, arena.stops[drafted(arena, RIGHT, number), LEFT_STOP])
    return left, right


@helper
def describe(arena: Arena, form: int) -> bool:
    """Computes the stops and number of a canonical form; False for one too large, or too fine for a float."""
    left, right = draft_stops(arena)
    arena.stops[form, LEFT_STOP], arena.stops[form, RIGHT_STOP], arena.stops[form, NUMBER] = left, right, np.nan
    if left >= right:
        return True
    if np.isinf(left):
        middle = 0.0 if np.isinf(right) else right - 1.0
    else:
        middle = left + 1.0 if np.isinf(right) else (left + right) / 2
    arena.stops[form, LEFT_STOP] = arena.stops[form, RIGHT_STOP] = arena.stops[form, NUMBER] = middle
    if np.isinf(left) or np.isinf(right):
        return bool(abs(middle) <= LARGEST)
    return bool(middle - left == right - middle and left < middle < right)


# ---- comparison: G <= H unless Left can move from G to something >= H, or Right from H to something <= G ----


@helper
def at_most(arena: Arena, one: int, other: int) -> bool:
    """Whether one <= other; either may be the form being computed."""
    known = known_order(arena, one, other)
    if known != UNKNOWN:
        return known == 1
    stack = arena.stack
    stack[0], stack[1], stack[2] = one, other, 0
    depth, holds = 1, False
    while depth > 0:
        top = _FRAME * (depth - 1)
        g, h, answer = int(stack[top]), int(stack[top + 1]), int(stack[top + 2])
        lefts = count(arena, g, LEFT)
        if answer == lefts + count(arena, h, RIGHT):
            remember(arena, g, h, True)
            depth, holds = depth - 1, True
            continue
        small, large = (
            (h, option(arena, g, LEFT, answer)) if answer < lefts else (option(arena, h, RIGHT, answer - lefts), g)
        )
        known = known_order(arena, small, large)
        if known == UNKNOWN:
            stack[top + 3], stack[top + 4], stack[top + 5] = small, large, 0
            depth += 1
        elif known == 1:
            remember(arena, g, h, False)
            depth, holds = depth - 1, False
        else:
            stack[top + 2] = answer + 1
    return holds


@helper
def known_order(arena: Arena, one: int, other: int) -> int:
    """1 if one <= other, 0 if not, UNKNOWN if neither stops nor caches decide."""
    if one == other:
        return 1
    g, h = arena.stops[one], arena.stops[other]
    if g[LEFT_STOP] < h[RIGHT_STOP]:
        return 1
    if g[LEFT_STOP] > h[LEFT_STOP] or g[RIGHT_STOP] > h[RIGHT_STOP]:
        return 0
    computed = arena.counters[FORMS]
    if other == computed:
        return recalled(int(arena.notes[one, 0]), int(arena.counters[STAMP]))
    if one == computed:
        return recalled(int(arena.notes[other, 1]), int(arena.counters[STAMP]))
    pair = pair_of(one, other)
    return recalled(int(arena.pairs[hash_pair(pair) & (len(arena.pairs) - 1)]), pair)


@helper
def recalled(note: int, stamp: int) -> int:
    """The result in a note, if it has this stamp, or is of this pair."""
    return note & 1 if note >> 1 == stamp else UNKNOWN


@helper
def remember(arena: Arena, one: int, other: int, holds: bool) -> None:
    """Caches a comparison; with the form being computed, until that is done."""
    computed, result = arena.counters[FORMS], 1 if holds else 0
    if other == computed:
        arena.notes[one, 0] = arena.counters[STAMP] << 1 | result
    elif one == computed:
        arena.notes[other, 1] = arena.counters[STAMP] << 1 | result
    else:
        pair = pair_of(one, other)
        arena.pairs[hash_pair(pair) & (len(arena.pairs) - 1)] = pair << 1 | result


@helper
def canonical_form(arena: Arena) -> int:
    """The handle of the canonical form of the game whose options are drafted; FULL or TOO_FINE."""
    form = int(arena.counters[FORMS])
    for bypassed in (False, True):
        drop_dominated(arena)
        if not bypassed and not bypass_reversible(arena, form):
            return FULL
    return intern_draft(arena)


@helper
def bypass_reversible(arena: Arena, form: int) -> bool:
    """Bypasses reversible drafted options; the draft becomes the form to compare with. False if there is no room."""
    if not write_draft(arena, form):
        return False
    arena.counters[STAMP] += 1
    left, right = draft_stops(arena)  # known to be its stops if they show that it is no number
    arena.stops[form, LEFT_STOP] = left if left > right else np.nan
    arena.stops[form, RIGHT_STOP] = right if left > right else np.nan
    for side in (LEFT, RIGHT):  # noqa: SIM110, a loop compiles and all() does not
        if not bypass(arena, form, side):
            return False
    return True


@helper
def drop_dominated(arena: Arena) -> None:
    """Removes dominated drafted options."""
    for side in (LEFT, RIGHT):
        number = 0
        while number < arena.counters[side]:
            if is_dominated(arena, side, number):
                drop_from_draft(arena, side, number)
            else:
                number += 1


@helper
def is_dominated(arena: Arena, side: int, number: int) -> bool:
    """Whether another drafted option is at least as good for its side."""
    one = drafted(arena, side, number)
    for other_number in range(arena.counters[side]):
        other = drafted(arena, side, other_number)
        if other_number != number:
            small, large = (one, other) if side == LEFT else (other, one)
            if at_most(arena, small, large):
                return True
    return False


@helper
def bypass(arena: Arena, form: int, side: int) -> bool:
    """Replaces each reversible option by those of the position that it reverses to; False if full."""
    number = 0
    while number < arena.counters[side]:
        answer = reversing(arena, form, side, drafted(arena, side, number))
        if answer == NONE:
            number += 1
            continue
        drop_from_draft(arena, side, number)
        for place in range(count(arena, answer, side)):
            if not add_to_draft(arena, side, option(arena, answer, side, place)):
                return False
        number = 0
    return True


@helper
def reversing(arena: Arena, form: int, side: int, taken: int) -> int:
    """A reply of the other side to an option that is at least as good for it as the form itself, or NONE."""
    for number in range(count(arena, taken, 1 - side)):
        answer = option(arena, taken, 1 - side, number)
        small, large = (answer, form) if side == LEFT else (form, answer)
        if at_most(arena, small, large):
            return answer
    return NONE


# ---- arithmetic ----


@helper
def negated(arena: Arena, form: int) -> int:
    """The handle of -form; or FULL or TOO_FINE. No comparison may be on the stack."""
    stack, depth = arena.stack, 1
    stack[0] = form
    while depth > 0:
        top = int(stack[depth - 1])
        missing = NONE
        if arena.shapes[top, NEGATIVE] == NONE:
            for place in range(arena.shapes[top, FIRST], arena.shapes[top, LAST]):
                if arena.shapes[arena.options[place], NEGATIVE] == NONE:
                    missing = int(arena.options[place])
                    break
        if missing != NONE:
            stack[depth] = missing
            depth += 1
            continue
        depth -= 1
        if arena.shapes[top, NEGATIVE] == NONE:
            made = mirrored(arena, top)
            if made < 0:
                return made
            arena.shapes[top, NEGATIVE], arena.shapes[made, NEGATIVE] = made, top
    return int(arena.shapes[form, NEGATIVE])


@helper
def mirrored(arena: Arena, form: int) -> int:
    """The handle of the form with the negatives of all options on the other side."""
    start_draft(arena)
    for side in (LEFT, RIGHT):
        for number in range(count(arena, form, side)):
            if not add_to_draft(arena, 1 - side, int(arena.shapes[option(arena, form, side, number), NEGATIVE])):
                return FULL
    return intern_draft(arena)


@helper
def number_form(arena: Arena, number: float) -> int:
    """The handle of a dyadic number, by steps from 0, each to the simplest number on its side."""
    form, left, right = 0, NONE, NONE
    while form >= 0 and arena.stops[form, NUMBER] != number:
        if arena.stops[form, NUMBER] < number:
            left = form
        else:
            right = form
        start_draft(arena)
        if left != NONE:
            add_to_draft(arena, LEFT, left)
        if right != NONE:
            add_to_draft(arena, RIGHT, right)
        form = intern_draft(arena)
    return form


@kernel
def nimber_form(arena: Arena, smaller: Handles) -> int:
    """The handle of the nimber after these, which are all of them from 0 on; or FULL."""
    arena = borrowed(arena)
    start_draft(arena)
    for nimber in smaller:
        for side in (LEFT, RIGHT):
            if not add_to_draft(arena, side, int(nimber)):
                return FULL
    return intern_draft(arena)


@helper
def added(arena: Arena, one: int, other: int) -> int:
    """The handle of one + other; or FULL or TOO_FINE. One may be raw: see `write_raw`."""
    first, second, base, depth, stack = one, other, 0, 0, arena.stack
    while True:
        if first == NONE:
            depth -= 1
            result = form_of_sum(arena, frame_at(arena, depth))
        else:
            result = known_sum(arena, first, second)
        if result == NONE:
            top = frame_at(arena, depth)
            stack[top], stack[top + 1], stack[top + 2], stack[top + 3] = first, second, 0, base
            depth += 1
        elif result < 0 or depth == 0:
            return result
        else:  # the next option of the sum on the frame before
            top = frame_at(arena, depth - 1)
            place = 2 * len(arena.shapes) + int(stack[top + 3] + stack[top + 2])
            if place == len(arena.lists):
                return FULL
            arena.lists[place] = result
            stack[top + 2] += 1
        g, h, number, begun = sum_at(arena, frame_at(arena, depth - 1))
        first, second, _ = term_after(arena, g, h, number)
        base = begun + number


@helper
def write_raw(arena: Arena) -> int:
    """Writes the draft, not canonical yet, at the first free handle, to which 0 can be added at once; or FULL."""
    raw = int(arena.counters[FORMS])
    arena.stops[raw, NUMBER] = np.nan
    return raw if write_draft(arena, raw) else FULL


@helper
def frame_at(arena: Arena, depth: int) -> int:
    """Where a frame stands on the stack."""
    return 6 * len(arena.shapes) + _SUM_FRAME * depth


@helper
def sum_at(arena: Arena, frame: int) -> tuple[int, int, int, int]:
    """Both terms of the sum on a frame, the number of its known options, and where they begin."""
    stack = arena.stack
    return int(stack[frame]), int(stack[frame + 1]), int(stack[frame + 2]), int(stack[frame + 3])


@helper
def form_of_sum(arena: Arena, frame: int) -> int:
    """The form of the sum on a frame whose options are known, which is cached; or FULL or TOO_FINE."""
    one, other, known, base = sum_at(arena, frame)
    start_draft(arena)
    for number in range(known):
        _, _, side = term_after(arena, one, other, number)
        if not add_to_draft(arena, side, int(arena.lists[2 * len(arena.shapes) + base + number])):
            return FULL
    result = canonical_form(arena)
    if result >= 0 and other != 0:
        pair = pair_of(min(one, other), max(one, other))
        kept = arena.sums[hash_pair(pair) & (len(arena.sums) - 1)]
        kept[0], kept[1] = pair, result
    return result


@helper
def term_after(arena: Arena, one: int, other: int, number: int) -> tuple[int, int, int]:
    """Both terms of the n-th option of a sum, and its side; NONE after the last. Numbers need no moves: translation."""
    for term in range(2):
        moved, kept = (one, other) if term == 0 else (other, one)
        if is_number(arena, moved):
            continue
        for side in (LEFT, RIGHT):
            options = count(arena, moved, side)
            if number < options:
                return option(arena, moved, side, number), kept, side
            number -= options
    return NONE, NONE, LEFT


@helper
def known_sum(arena: Arena, one: int, other: int) -> int:
    """The sum if it is immediate: with 0, of numbers, or cached; else, and for a raw form, NONE."""
    if one == arena.counters[FORMS]:
        return NONE
    if one == 0 or other == 0:
        return one + other
    if is_number(arena, one) and is_number(arena, other):
        x, y = arena.stops[one, NUMBER], arena.stops[other, NUMBER]
        total = x + y
        exact = total - x == y and total - y == x
        return number_form(arena, total) if exact else TOO_FINE
    pair = pair_of(min(one, other), max(one, other))
    kept = arena.sums[hash_pair(pair) & (len(arena.sums) - 1)]
    return int(kept[1]) if kept[0] == pair else NONE


# ---- the store ----


def refuse_if_too_much(needed: int, allowed: int) -> None:
    """Raises LudusError if more memory is needed than allowed."""
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
        """The memory that the arena takes."""
        return held_bytes(self.arena)

    def attempt(self, kernel: Callable[..., int], *args: Any, memory: int | None = None) -> int:
        """Runs a kernel on the arena, again in a larger one as long as it is full; returns its result.

        The arena may take `memory` bytes, by default its present size and most of what is free.
        """
        with self._lock:
            while (result := int(kernel(self.arena, *args))) == FULL:
                allowed = budget() + self.bytes if memory is None else memory
                refuse_if_too_much(3 * self.bytes, allowed)  # while forms are copied
                if 2 * len(self.arena.shapes) > _MOST_ROOM:
                    raise LudusError(f"too large: there are more than {_MOST_ROOM:,} canonical forms")
                self.arena = grown(self.arena)
            return result

    def run(self, kernel: Callable[..., int], *args: Any) -> int:
        """The handle that a kernel returns; raises LudusError for a number too fine."""
        result = self.attempt(kernel, *args)
        if result == TOO_FINE:
            raise LudusError(f"a number takes more than 53 bits, or is larger than {LARGEST:,}")
        return result


STORE = Store()
