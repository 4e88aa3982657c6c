"""From options to the canonical form: reversible options are bypassed, dominated ones removed."""

from __future__ import annotations

import numpy as np

from ludus.cgt.arena import (
    FORMS,
    FULL,
    LEFT,
    LEFT_STOP,
    NONE,
    RIGHT,
    RIGHT_STOP,
    STAMP,
    Arena,
    add_to_draft,
    count,
    drafted,
    drop_from_draft,
    intern_draft,
    option,
    write_draft,
)
from ludus.cgt.comparing import at_most
from ludus.compiling import helper


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
