"""Comparing forms: G <= H unless Left can move from G to something >= H, or Right from H to something <= G."""

from __future__ import annotations

from ludus.cgt.arena import FORMS, LEFT, LEFT_STOP, RIGHT, RIGHT_STOP, STAMP, Arena, count, hash_pair, option, pair_of
from ludus.compiling import helper

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
