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
from ludus.compiled.randomness import mixed
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

# The columns of `shapes`: that of a side says where its options begin, and the next where they end.
FIRST, MIDDLE, LAST, NEGATIVE = range(4)
LEFT_STOP, RIGHT_STOP, NUMBER = range(3)  # the columns of `stops`
LEFTS, RIGHTS, FORMS, OPTIONS, STAMP = range(5)  # what `counters` count
ONE, OTHER, NEXT, BEGIN = range(4)  # the columns of `stack` and `frames`


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
    draft: Handles  # [sides, forms]: options that become a form
    stack: Words  # [depth, 3]: the forms of each comparison, and the next option
    frames: Words  # [depth, 4]: the terms of each sum, the next option, and where its options begin
    lists: Handles  # the options of unfinished sums


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
        draft=np.zeros((2, room), np.int32),
        stack=np.zeros((2 * room, 3), np.int64),
        frames=np.zeros((2 * room, 4), np.int64),
        lists=np.zeros(8 * room, np.int32),
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


@kernel(work=lambda arena: 20.0 * arena.counters[FORMS])
def enter_all(arena: Arena) -> None:
    """Enter all forms into the table, which holds none but 0."""
    for form in range(1, arena.counters[FORMS]):
        arena.table[find_slot(arena.shapes, arena.options, arena.table, form)] = form


# ---- the draft: lists of options that become a form ----


@helper
def start_draft(counters: Words) -> None:
    """Starts with no options."""
    counters[LEFT] = counters[RIGHT] = 0


@helper
def add_to_draft(draft: Handles, counters: Words, side: int, form: int) -> bool:
    """Add an option in its place unless it is there; False if there is no room."""
    size = place = counters[side]
    while place > 0 and draft[side, place - 1] >= form:
        place -= 1
    if place < size and draft[side, place] == form:
        return True
    if size == draft.shape[1]:
        return False
    for other in range(size, place, -1):
        draft[side, other] = draft[side, other - 1]
    draft[side, place] = form
    counters[side] = size + 1
    return True


@helper
def drop_from_draft(draft: Handles, counters: Words, side: int, number: int) -> None:
    """Take the n-th option of a side out of the draft."""
    counters[side] -= 1
    for place in range(number, counters[side]):
        draft[side, place] = draft[side, place + 1]


@helper
def write_draft(draft: Handles, counters: Words, shapes: Handles, options: Handles) -> bool:
    """Write the draft as the options of the first free form; False if there is no room."""
    form, place = counters[FORMS], counters[OPTIONS]
    if form + 1 >= len(shapes) or place + counters[LEFT] + counters[RIGHT] > len(options):
        return False
    for side in range(2):
        shapes[form, side] = place
        for number in range(counters[side]):
            options[place] = draft[side, number]
            place += 1
    shapes[form, LAST] = place
    return True


@helper
def intern_draft(arena: Arena) -> int:
    """The handle of the form with the drafted options, which are canonical; or FULL or TOO_FINE."""
    shapes, table, counters = arena.shapes, arena.table, arena.counters
    if not write_draft(arena.draft, counters, shapes, arena.options):
        return FULL
    form = int(counters[FORMS])
    slot = find_slot(shapes, arena.options, table, form)
    if table[slot] != NONE:
        return int(table[slot])
    if not describe(arena.stops, arena.draft, counters):
        return TOO_FINE
    shapes[form, NEGATIVE] = NONE
    table[slot] = form
    counters[FORMS] += 1
    counters[OPTIONS] = shapes[form, LAST]
    return form


@helper
def find_slot(shapes: Handles, options: Handles, table: Handles, form: int) -> int:
    """The slot in the table of a form with the same options, or the empty one where it belongs."""
    slot = hash_options(shapes, options, form) & (len(table) - 1)
    while table[slot] != NONE and not same_options(shapes, options, table[slot], form):
        slot = (slot + 1) & (len(table) - 1)
    return slot


@helper
def same_options(shapes: Handles, options: Handles, one: int, other: int) -> bool:
    """Whether two forms have the same options."""
    begin, shift = shapes[one, FIRST], shapes[other, FIRST] - shapes[one, FIRST]
    if shapes[other, MIDDLE] != shapes[one, MIDDLE] + shift or shapes[other, LAST] != shapes[one, LAST] + shift:
        return False
    for place in range(begin, shapes[one, LAST]):  # noqa: SIM110, a loop compiles and all() does not
        if options[place] != options[place + shift]:
            return False
    return True


@helper
def hash_options(shapes: Handles, options: Handles, form: int) -> int:
    """A hash of the options of a form, of sixty-two bits."""
    mix = mixed(int(np.uint64(shapes[form, MIDDLE] - shapes[form, FIRST])))
    for place in range(shapes[form, FIRST], shapes[form, LAST]):
        mix = mixed(mix ^ int(np.uint64(options[place])))
    return int(np.int64(mix >> 2))


@helper
def describe(stops: Numbers, draft: Handles, counters: Words) -> bool:
    """Computes the stops and number of a canonical form; False for one too large, or too fine for a float."""
    form = counters[FORMS]
    left, right = draft_stops(stops, draft, counters)
    stops[form, LEFT_STOP], stops[form, RIGHT_STOP], stops[form, NUMBER] = left, right, np.nan
    if left >= right:
        return True
    unbounded = left == -np.inf or right == np.inf
    if not unbounded:
        middle = (left + right) / 2
    elif left != -np.inf:
        middle = left + 1.0
    else:
        middle = 0.0 if right == np.inf else right - 1.0
    stops[form, LEFT_STOP] = stops[form, RIGHT_STOP] = stops[form, NUMBER] = middle
    if unbounded:
        return -LARGEST <= middle <= LARGEST
    return middle - left == right - middle and left < middle < right


@helper
def draft_stops(stops: Numbers, draft: Handles, counters: Words) -> tuple[float, float]:
    """The best right stop of Left's drafted options, and the best left stop of Right's."""
    left, right = -np.inf, np.inf
    for number in range(counters[LEFT]):
        stop = stops[draft[LEFT, number], RIGHT_STOP]
        left = stop if stop > left else left
    for number in range(counters[RIGHT]):
        stop = stops[draft[RIGHT, number], LEFT_STOP]
        right = stop if stop < right else right
    return left, right


# ---- comparison: G <= H unless Left can move from G to something >= H, or Right from H to something <= G ----


@helper
def at_most(arena: Arena, one: int, other: int) -> bool:
    """Whether one <= other; either may be the form being computed."""
    shapes, options, stack = arena.shapes, arena.options, arena.stack
    small, large, depth = one, other, 0
    while True:  # a comparison that is decided is asked for once more, and then known
        known = known_order(arena.stops, arena.counters, arena.notes, arena.pairs, small, large)
        if known == UNKNOWN:
            stack[depth, ONE], stack[depth, OTHER], stack[depth, NEXT] = small, large, 0
            depth += 1
        elif depth == 0:
            return known == 1
        elif known == 0:
            stack[depth - 1, NEXT] += 1
        small, large, answer = int(stack[depth - 1, ONE]), int(stack[depth - 1, OTHER]), stack[depth - 1, NEXT]
        left, right = shapes[small, FIRST] + answer, shapes[large, MIDDLE] + answer
        right -= shapes[small, MIDDLE] - shapes[small, FIRST]
        if known == 1 or right >= shapes[large, LAST]:
            remember(arena.counters, arena.notes, arena.pairs, small, large, 0 if known == 1 else 1)
            depth -= 1
        elif left < shapes[small, MIDDLE]:
            small, large = large, int(options[left])
        else:
            small, large = int(options[right]), small


@helper
def known_order(stops: Numbers, counters: Words, notes: Words, pairs: Words, one: int, other: int) -> int:
    """1 if one <= other, 0 if not, UNKNOWN if neither stops nor caches decide."""
    if one == other or stops[one, LEFT_STOP] < stops[other, RIGHT_STOP]:
        return 1
    if stops[one, LEFT_STOP] > stops[other, LEFT_STOP] or stops[one, RIGHT_STOP] > stops[other, RIGHT_STOP]:
        return 0
    stamp = int(counters[STAMP])
    if other == counters[FORMS]:
        note = int(notes[one, 0])
    elif one == counters[FORMS]:
        note = int(notes[other, 1])
    else:
        stamp = pair_of(one, other)
        note = int(pairs[hash_pair(stamp) & (len(pairs) - 1)])
    return note & 1 if note >> 1 == stamp else UNKNOWN


@helper
def remember(counters: Words, notes: Words, pairs: Words, one: int, other: int, result: int) -> None:
    """Caches a comparison; with the form being computed, until that is done."""
    if other == counters[FORMS]:
        notes[one, 0] = counters[STAMP] << 1 | result
    elif one == counters[FORMS]:
        notes[other, 1] = counters[STAMP] << 1 | result
    else:
        pair = pair_of(one, other)
        pairs[hash_pair(pair) & (len(pairs) - 1)] = pair << 1 | result


@helper
def pair_of(one: int, other: int) -> int:
    """Two handles in one word."""
    return one << 31 | other


@helper
def hash_pair(pair: int) -> int:
    """A hash of two handles in one word, of sixty-two bits."""
    return int(np.int64(mixed(int(np.uint64(pair))) >> 2))


# ---- reduction ----


@helper
def canonical_form(arena: Arena) -> int:
    """The handle of the canonical form of the game whose options are drafted; FULL or TOO_FINE."""
    for times in range(2):
        drop_dominated(arena)
        if times == 0 and not bypass_reversible(arena):
            return FULL
    return intern_draft(arena)


@helper
def drop_dominated(arena: Arena) -> None:
    """Removes dominated drafted options."""
    for side in range(2):
        number = 0
        while number < arena.counters[side]:
            if is_dominated(arena, side, number):
                drop_from_draft(arena.draft, arena.counters, side, number)
            else:
                number += 1


@helper
def is_dominated(arena: Arena, side: int, number: int) -> bool:
    """Whether another drafted option is at least as good for its side."""
    one = int(np.int64(arena.draft[side, number]))
    for place in range(arena.counters[side]):
        other = int(np.int64(arena.draft[side, place]))
        if place != number and at_most(arena, one if side == LEFT else other, other if side == LEFT else one):
            return True
    return False


@helper
def bypass_reversible(arena: Arena) -> bool:
    """Bypasses reversible drafted options; the draft becomes the form to compare with. False if there is no room."""
    stops, draft, counters = arena.stops, arena.draft, arena.counters
    if not write_draft(draft, counters, arena.shapes, arena.options):
        return False
    form = counters[FORMS]
    counters[STAMP] += 1
    left, right = draft_stops(stops, draft, counters)  # known to be its stops if they show that it is no number
    stops[form, LEFT_STOP] = left if left > right else np.nan
    stops[form, RIGHT_STOP] = right if left > right else np.nan
    for side in range(2):
        number = 0
        while number < counters[side]:
            answer = reversing(arena, side, draft[side, number])
            if answer == NONE:
                number += 1
                continue
            drop_from_draft(draft, counters, side, number)
            for place in range(arena.shapes[answer, side], arena.shapes[answer, side + 1]):
                if not add_to_draft(draft, counters, side, arena.options[place]):
                    return False
            number = 0
    return True


@helper
def reversing(arena: Arena, side: int, taken: int) -> int:
    """A reply of the other side to an option that is at least as good for it as the form itself, or NONE."""
    form = int(arena.counters[FORMS])
    for place in range(arena.shapes[taken, 1 - side], arena.shapes[taken, 2 - side]):
        answer = int(np.int64(arena.options[place]))
        if at_most(arena, answer if side == LEFT else form, form if side == LEFT else answer):
            return answer
    return NONE


# ---- arithmetic ----


@helper
def negated(arena: Arena, form: int) -> int:
    """The handle of -form; or FULL or TOO_FINE. No comparison may be on the stack."""
    shapes, options, stack = arena.shapes, arena.options, arena.stack
    stack[0, ONE], depth = form, 1
    while depth > 0:
        top, missing = stack[depth - 1, ONE], NONE
        if shapes[top, NEGATIVE] == NONE:
            for place in range(shapes[top, FIRST], shapes[top, LAST]):
                if shapes[options[place], NEGATIVE] == NONE:
                    missing = options[place]
                    break
        if missing != NONE:
            stack[depth, ONE] = missing
            depth += 1
            continue
        depth -= 1
        if shapes[top, NEGATIVE] == NONE:
            made = mirrored(arena, top)
            if made < 0:
                return made
            shapes[top, NEGATIVE], shapes[made, NEGATIVE] = made, top
    return int(shapes[form, NEGATIVE])


@helper
def mirrored(arena: Arena, form: int) -> int:
    """The handle of the form with the negatives of all options on the other side."""
    shapes = arena.shapes
    start_draft(arena.counters)
    for side in range(2):
        for place in range(shapes[form, side], shapes[form, side + 1]):
            negative = shapes[arena.options[place], NEGATIVE]
            if not add_to_draft(arena.draft, arena.counters, 1 - side, negative):
                return FULL
    return intern_draft(arena)


@helper
def number_form(arena: Arena, number: float) -> int:
    """The handle of a dyadic number, by steps from 0, each to the simplest number on its side."""
    draft, counters, form = arena.draft, arena.counters, 0
    start_draft(counters)
    while form >= 0 and arena.stops[form, NUMBER] != number:
        side = LEFT if arena.stops[form, NUMBER] < number else RIGHT
        draft[side, 0], counters[side] = form, 1
        form = intern_draft(arena)
    return form


@kernel(work=lambda arena, smaller: 10.0 * len(smaller))
def nimber_form(arena: Arena, smaller: Handles) -> int:
    """The handle of the nimber after these, which are all of them from 0 on; or FULL."""
    arena = borrowed(arena)
    start_draft(arena.counters)
    for nimber in smaller:
        for side in range(2):
            if not add_to_draft(arena.draft, arena.counters, side, nimber):
                return FULL
    return intern_draft(arena)


@helper
def added(arena: Arena, one: int, other: int) -> int:
    """The handle of one + other; or FULL or TOO_FINE. One may be raw: see `write_raw`."""
    frames, first, second = arena.frames, one, other
    base = depth = 0
    while True:
        if first == NONE:
            depth -= 1
            result = form_of_sum(arena, depth)
        else:
            result = known_sum(arena, first, second)
        if result == NONE:
            frames[depth, ONE], frames[depth, OTHER] = first, second
            frames[depth, NEXT], frames[depth, BEGIN] = 0, base
            depth += 1
        elif result < 0 or depth == 0:
            return result
        else:  # the next option of the sum on the frame before
            base = frames[depth - 1, BEGIN] + frames[depth - 1, NEXT]
            if base == len(arena.lists):
                return FULL
            arena.lists[base] = result
            frames[depth - 1, NEXT] += 1
        first, second, _ = term_after(arena, depth - 1, frames[depth - 1, NEXT])
        base = frames[depth - 1, BEGIN] + frames[depth - 1, NEXT]


@helper
def write_raw(arena: Arena) -> int:
    """Writes the draft, not canonical yet, at the first free handle, to which 0 can be added at once; or FULL."""
    raw = int(arena.counters[FORMS])
    arena.stops[raw, NUMBER] = np.nan
    return raw if write_draft(arena.draft, arena.counters, arena.shapes, arena.options) else FULL


@helper
def form_of_sum(arena: Arena, depth: int) -> int:
    """The form of the sum on a frame whose options are known, which is cached; or FULL or TOO_FINE."""
    frames, sums = arena.frames, arena.sums
    start_draft(arena.counters)
    for number in range(frames[depth, NEXT]):
        _, _, side = term_after(arena, depth, number)
        if not add_to_draft(arena.draft, arena.counters, side, arena.lists[frames[depth, BEGIN] + number]):
            return FULL
    result = canonical_form(arena)
    if result >= 0 and frames[depth, OTHER] != 0:
        pair = sorted_pair(int(frames[depth, ONE]), int(frames[depth, OTHER]))
        slot = hash_pair(pair) & (len(sums) - 1)
        sums[slot, 0], sums[slot, 1] = pair, result
    return result


@helper
def term_after(arena: Arena, depth: int, number: int) -> tuple[int, int, int]:
    """Both terms of the n-th option of the sum on a frame, and its side; NONE after the last.

    Numbers need no moves: translation.
    """
    shapes, frames = arena.shapes, arena.frames
    for term in range(2):
        moved, kept = int(frames[depth, term]), int(frames[depth, 1 - term])
        if np.isnan(arena.stops[moved, NUMBER]):
            place = int(shapes[moved, FIRST] + number)
            if place < shapes[moved, LAST]:
                return int(np.int64(arena.options[place])), kept, LEFT if place < shapes[moved, MIDDLE] else RIGHT
            number = place - int(shapes[moved, LAST])
    return NONE, NONE, LEFT


@helper
def known_sum(arena: Arena, one: int, other: int) -> int:
    """The sum if it is immediate: with 0, of numbers, or cached; else, and for a raw form, NONE."""
    if one == arena.counters[FORMS]:
        return NONE
    if one == 0 or other == 0:
        return one + other
    x, y = arena.stops[one, NUMBER], arena.stops[other, NUMBER]
    if not np.isnan(x) and not np.isnan(y):
        exact = x + y - x == y and x + y - y == x
        return number_form(arena, x + y) if exact else TOO_FINE
    pair = sorted_pair(one, other)
    slot = hash_pair(pair) & (len(arena.sums) - 1)
    return int(arena.sums[slot, 1]) if arena.sums[slot, 0] == pair else NONE


@helper
def sorted_pair(one: int, other: int) -> int:
    """Two handles in one word, the smaller first."""
    return pair_of(one, other) if one < other else pair_of(other, one)


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
