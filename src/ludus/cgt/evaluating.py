"""The canonical forms of listed positions, those first to which others lead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ludus.cgt.adding import added, negated, write_raw
from ludus.cgt.arena import FULL, LEFT, NONE, RIGHT, Arena, add_to_draft, start_draft
from ludus.cgt.listing import IS_SUM, NODES, Ints, Listing
from ludus.compiling import helper, kernel
from ludus.rows import borrowed

LOOP = -4  # in place of a form: play can come back to a position
UNFINISHED = -5  # likewise: stopped before the end
ON_PATH = -6  # among the forms found: being worked out


class Work(NamedTuple):
    """What `evaluate` works on.

    forms: of listed positions, or NONE or ON_PATH; path: its length, sums, then positions that each lead to the next;
    cursors: how many terms of each position on the path are known.
    """

    listing: Listing
    forms: Ints
    path: Ints
    cursors: Ints


def work_on(listing: Listing, forms: Ints, sums: Sequence[int]) -> Work:
    """The work of finding the forms of sums."""
    size = int(listing.counters[NODES])
    work = Work(listing, forms, np.zeros(size + 1, np.int32), np.zeros(size, np.int32))
    work.path[0], work.path[1 : len(sums) + 1], forms[sums] = len(sums), sums, ON_PATH
    return work


def calculation(known: Sequence[int], options: Sequence[Sequence[int]], right: int) -> Work:
    """The work of finding a form by forms that are known: terms number them, `right` is where Right's options begin."""
    size = len(known)
    ends = np.cumsum([0, *map(len, options)], dtype=np.int32)
    terms = np.array([term for option in options for term in option], np.int32)
    left, middle, end = (np.full(size + 1, value, np.int32) for value in (0, right, len(options)))
    nothing, counters = np.zeros(0, np.int32), np.array([size + 1, 0, 0, 0], np.int64)
    listing = Listing(np.zeros((0, 0), np.int64), nothing, left, middle, end, ends, terms, counters)
    return work_on(listing, np.array([*known, NONE], np.int32), [size])


@kernel
def evaluate(arena: Arena, work: Work, budget: int) -> int:
    """Work out the forms of the positions on the path, at most so many; 0 when done, or why it stopped."""
    arena, listing, forms, path, cursors = borrowed(arena), borrowed(work.listing), work.forms, work.path, work.cursors
    while path[0] > 0:
        node = int(path[path[0]])
        child = next_unknown(listing, forms, node, cursors)
        if child == NONE:
            if budget == 0:
                return UNFINISHED
            form = form_of(arena, listing, forms, node)
            if form < 0:
                return form
            forms[node] = form
            path[0] -= 1
            budget -= 1
        elif forms[child] == ON_PATH:
            return LOOP
        else:
            forms[child], cursors[child] = ON_PATH, 0
            path[0] += 1
            path[path[0]] = child
    return 0


@helper
def next_unknown(listing: Listing, forms: Ints, node: int, cursors: Ints) -> int:
    """A position that an option of this one leads to and whose form is not known, or NONE."""
    begin, end = listing.options[listing.left[node]], listing.options[listing.end[node]]
    while begin + cursors[node] < end:
        child = listing.terms[begin + cursors[node]] >> 1
        if forms[child] < 0:
            return int(child)
        cursors[node] += 1
    return NONE


@helper
def form_of(arena: Arena, listing: Listing, forms: Ints, node: int) -> int:
    """The form of a position whose options are known, or of a sum; FULL or TOO_FINE."""
    begin, end = int(listing.left[node]), int(listing.end[node])
    is_sum = listing.right[node] == IS_SUM
    found = np.empty(end - begin, np.int32)
    form = 0
    for option in range(begin, end if is_sum else end + 1):
        if option == end:  # the last round is for the position itself
            form, first, last = raw_form(arena, listing, node, found), 0, 1
        else:
            form, first, last = 0, int(listing.options[option]), int(listing.options[option + 1])
        for place in range(first, last):
            term = 0 if option == end else form_of_term(arena, int(listing.terms[place]), forms)
            form = added(arena, form, term) if form >= 0 and term >= 0 else min(form, term)
        if form < 0 or option == end:
            return form
        found[option - begin] = form
    return form


@helper
def form_of_term(arena: Arena, term: int, forms: Ints) -> int:
    """The form of a term; FULL or TOO_FINE."""
    form = int(forms[term >> 1])
    return negated(arena, form) if term & 1 else form


@helper
def raw_form(arena: Arena, listing: Listing, node: int, found: Ints) -> int:
    """The raw form of a position with the forms of its options; FULL if there is no room."""
    start_draft(arena)
    for number in range(len(found)):
        side = LEFT if listing.left[node] + number < listing.right[node] else RIGHT
        if not add_to_draft(arena, side, int(found[number])):
            return FULL
    return write_raw(arena)
