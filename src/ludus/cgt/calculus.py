"""Comparing forms: G <= H unless Left can move from G to something >= H, or Right from H to something <= G."""

from __future__ import annotations

import numpy as np

from ludus.cgt.store import (
    FIRST,
    FORMS,
    FULL,
    LAST,
    LEFT,
    LEFT_STOP,
    NEGATIVE,
    NONE,
    NUMBER,
    RIGHT,
    RIGHT_STOP,
    STAMP,
    TOO_FINE,
    Arena,
    Handles,
    add_to_draft,
    count,
    drafted,
    drop_from_draft,
    hash_pair,
    intern_draft,
    is_number,
    option,
    pair_of,
    start_draft,
    write_draft,
)
from ludus.compiled.compiling import helper

UNKNOWN = -1
_FRAME = 3  # words on the stack for each comparison under way: both forms, and the next answer to look at


@helper
def at_most(arena: Arena, one: int, other: int) -> bool:
    """Whether one <= other; either may be the form that is being worked out."""
    known = verdict(arena, one, other)
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
        known = verdict(arena, small, large)
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
def verdict(arena: Arena, one: int, other: int) -> int:
    """1 if one <= other, 0 if not, UNKNOWN if neither stops nor memory tell."""
    if one == other:
        return 1
    g, h = arena.worths[one], arena.worths[other]
    if g[LEFT_STOP] < h[RIGHT_STOP]:
        return 1
    if g[LEFT_STOP] > h[LEFT_STOP] or g[RIGHT_STOP] > h[RIGHT_STOP]:
        return 0
    worked_out = arena.counters[FORMS]
    if other == worked_out:
        return recalled(int(arena.notes[one, 0]), int(arena.counters[STAMP]))
    if one == worked_out:
        return recalled(int(arena.notes[other, 1]), int(arena.counters[STAMP]))
    pair = pair_of(one, other)
    return recalled(int(arena.pairs[hash_pair(pair) & (len(arena.pairs) - 1)]), pair)


@helper
def recalled(note: int, stamp: int) -> int:
    """What a note says, if it is of this stamp, or of this pair."""
    return note & 1 if note >> 1 == stamp else UNKNOWN


@helper
def remember(arena: Arena, one: int, other: int, holds: bool) -> None:
    """Keep what was found: with the form that is being worked out, for as long as that takes."""
    worked_out, said = arena.counters[FORMS], 1 if holds else 0
    if other == worked_out:
        arena.notes[one, 0] = arena.counters[STAMP] << 1 | said
    elif one == worked_out:
        arena.notes[other, 1] = arena.counters[STAMP] << 1 | said
    else:
        pair = pair_of(one, other)
        arena.pairs[hash_pair(pair) & (len(arena.pairs) - 1)] = pair << 1 | said


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
    """Let no drafted option be reversible; the draft becomes the form to compare with. False if there is no room."""
    if not write_draft(arena, form):
        return False
    arena.counters[STAMP] += 1
    guess_stops(arena, form)
    for side in (LEFT, RIGHT):  # noqa: SIM110, a loop compiles and all() does not
        if not bypass(arena, form, side):
            return False
    return True


@helper
def drop_dominated(arena: Arena) -> None:
    """Remove each drafted option beside which there is one at least as good for its side."""
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
def guess_stops(arena: Arena, form: int) -> None:
    """Note the stops of the form that is being worked out where they show that it is no number."""
    left, right = -np.inf, np.inf
    for number in range(arena.counters[LEFT]):
        left = max(left, arena.worths[drafted(arena, LEFT, number), RIGHT_STOP])
    for number in range(arena.counters[RIGHT]):
        right = min(right, arena.worths[drafted(arena, RIGHT, number), LEFT_STOP])
    arena.worths[form, LEFT_STOP] = left if left > right else np.nan
    arena.worths[form, RIGHT_STOP] = right if left > right else np.nan


@helper
def bypass(arena: Arena, form: int, side: int) -> bool:
    """Put in place of each reversible option those of the position that the other side answers with; False if full."""
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
    """An answer of the other side to an option that leaves it no worse off than the form itself, or NONE."""
    for number in range(count(arena, taken, 1 - side)):
        answer = option(arena, taken, 1 - side, number)
        small, large = (answer, form) if side == LEFT else (form, answer)
        if at_most(arena, small, large):
            return answer
    return NONE


_SUM_FRAME = 4  # words on the stack for each sum under way: both terms, the next option, and where its options begin


@helper
def negated(arena: Arena, form: int) -> int:
    """The handle of -form; FULL or TOO_FINE. Nothing may be under comparison."""
    stack, depth = arena.stack, 1
    stack[0] = form
    while depth > 0:
        top = int(stack[depth - 1])
        missing = option_to_negate(arena, top)
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
def option_to_negate(arena: Arena, form: int) -> int:
    """An option whose negative is not known, or NONE; NONE too where that of the form itself is known."""
    if arena.shapes[form, NEGATIVE] == NONE:
        for place in range(arena.shapes[form, FIRST], arena.shapes[form, LAST]):
            if arena.shapes[arena.options[place], NEGATIVE] == NONE:
                return int(arena.options[place])
    return NONE


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
    """The handle of a dyadic number: the way to it from 0, each step to the simplest number on its side."""
    form, left, right = 0, NONE, NONE
    while form >= 0 and arena.worths[form, NUMBER] != number:
        if arena.worths[form, NUMBER] < number:
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


@helper
def nimber_form(arena: Arena, smaller: Handles) -> int:
    """The handle of the nimber after these, which are all of them from 0 on; FULL."""
    start_draft(arena)
    for nimber in smaller:
        for side in (LEFT, RIGHT):
            if not add_to_draft(arena, side, int(nimber)):
                return FULL
    return intern_draft(arena)


@helper
def added(arena: Arena, one: int, other: int) -> int:
    """The handle of one + other; FULL or TOO_FINE. One may be raw: see `write_raw`.

    A number is added to the options of what is none, by the number translation theorem.
    """
    first, second, base, depth = one, other, 0, 0
    while True:
        if first == NONE:
            depth -= 1
            result = form_of_sum(arena, frame_at(arena, depth))
        else:
            result = known_sum(arena, first, second)
        if result == NONE:
            put_sum(arena, frame_at(arena, depth), first, second, base)
            depth += 1
        elif result < 0 or depth == 0:
            return result
        elif not hand_up(arena, frame_at(arena, depth - 1), result):
            return FULL
        g, h, number, begun = sum_at(arena, frame_at(arena, depth - 1))
        first, second, _ = term_after(arena, g, h, number)
        base = begun + number


@helper
def write_raw(arena: Arena) -> int:
    """Write the draft, not canonical yet, at the first free handle, to which 0 can be added at once; or FULL."""
    raw = int(arena.counters[FORMS])
    arena.worths[raw, NUMBER] = np.nan
    return raw if write_draft(arena, raw) else FULL


@helper
def frame_at(arena: Arena, depth: int) -> int:
    """Where a frame stands on the stack."""
    return 6 * len(arena.shapes) + _SUM_FRAME * depth


@helper
def gathered_at(arena: Arena, place: int) -> int:
    """Where an option of a sum under way stands in the lists."""
    return 2 * len(arena.shapes) + place


@helper
def put_sum(arena: Arena, frame: int, one: int, other: int, base: int) -> None:
    """Begin a sum on this frame of the stack."""
    stack = arena.stack
    stack[frame], stack[frame + 1], stack[frame + 2], stack[frame + 3] = one, other, 0, base


@helper
def sum_at(arena: Arena, frame: int) -> tuple[int, int, int, int]:
    """Both terms of the sum on a frame, how many of its options are known, and where they begin."""
    stack = arena.stack
    return int(stack[frame]), int(stack[frame + 1]), int(stack[frame + 2]), int(stack[frame + 3])


@helper
def hand_up(arena: Arena, frame: int, result: int) -> bool:
    """Note the next option of the sum on this frame of the stack; False if there is no room."""
    place = gathered_at(arena, int(arena.stack[frame + 3] + arena.stack[frame + 2]))
    if place == len(arena.lists):
        return False
    arena.lists[place] = result
    arena.stack[frame + 2] += 1
    return True


@helper
def form_of_sum(arena: Arena, frame: int) -> int:
    """The form of the sum on a frame whose options are known, and remember it; FULL or TOO_FINE."""
    one, other, known, base = sum_at(arena, frame)
    start_draft(arena)
    for number in range(known):
        _, _, side = term_after(arena, one, other, number)
        if not add_to_draft(arena, side, int(arena.lists[gathered_at(arena, base + number)])):
            return FULL
    result = canonical_form(arena)
    if result >= 0 and other != 0:
        remember_sum(arena, one, other, result)
    return result


@helper
def term_after(arena: Arena, one: int, other: int, number: int) -> tuple[int, int, int]:
    """Both terms of the n-th option of a sum, and whose option it is; NONE after the last."""
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
    """The sum where it is at hand: with 0, of numbers, or remembered; else, and for what is raw, NONE."""
    if one == arena.counters[FORMS]:
        return NONE
    if one == 0 or other == 0:
        return one + other
    if is_number(arena, one) and is_number(arena, other):
        x, y = arena.worths[one, NUMBER], arena.worths[other, NUMBER]
        total = x + y
        exact = total - x == y and total - y == x
        return number_form(arena, total) if exact else TOO_FINE
    pair = pair_of(min(one, other), max(one, other))
    kept = arena.sums[hash_pair(pair) & (len(arena.sums) - 1)]
    return int(kept[1]) if kept[0] == pair else NONE


@helper
def remember_sum(arena: Arena, one: int, other: int, result: int) -> None:
    """Keep a sum."""
    pair = pair_of(min(one, other), max(one, other))
    kept = arena.sums[hash_pair(pair) & (len(arena.sums) - 1)]
    kept[0], kept[1] = pair, result
