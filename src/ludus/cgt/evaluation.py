"""All positions that a position leads to, each once, with the options of both sides.

What is listed is a part (`ludus.game.part`) with player 0 to move, the least of its transforms; an option is a sum of
such parts, some negative: those that a symmetry exchanging the players has brought there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.cgt.calculus import added, negated, write_raw
from ludus.cgt.store import FULL, LEFT, NONE, RIGHT, Arena, add_to_draft, start_draft
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import first, is_empty, without_first
from ludus.compiled.randomness import ALL_BITS, mixed
from ludus.compiled.rows import Row, borrowed, pack, unpack
from ludus.game import gives_parts, num_parts, part, swaps_players, symmetries, transform, with_mover

Ints = npt.NDArray[np.int32]
DONE, PAUSED, NO_ROOM, NOT_NORMAL, NOT_ALTERNATING = range(5)  # how listing ends
NODES, OPTIONS, TERMS, EXPANDED = range(4)  # what `counters` count
NEITHER = -1  # in place of a term: no room
IS_SUM = -1  # in place of where Right's options begin: what is listed is no position but the sum of its only option


class Listing(NamedTuple):
    """Positions as rows, found by `slots`, and the options of each, between `left`, `right` and `end`.

    options: where the terms of each begin; a term is twice the number of a position, plus one if it is negative.
    """

    rows: npt.NDArray[np.int64]
    slots: Ints
    left: Ints
    right: Ints
    end: Ints
    options: Ints
    terms: Ints
    counters: npt.NDArray[np.int64]


def new_listing(fields: int, room: int = 1 << 10) -> Listing:
    """An empty listing for so many positions, a power of two."""
    return Listing(
        np.zeros((room, fields), np.int64),
        np.zeros(2 * room, np.int32),
        np.zeros(room, np.int32),
        np.zeros(room, np.int32),
        np.zeros(room, np.int32),
        np.zeros(8 * room + 1, np.int32),
        np.zeros(12 * room, np.int32),
        np.zeros(4, np.int64),
    )


def larger(listing: Listing) -> Listing:
    """The same in twice the room."""
    made = new_listing(listing.rows.shape[1], 2 * len(listing.rows))
    for field in ("rows", "left", "right", "end", "options", "terms", "counters"):
        old = getattr(listing, field)
        getattr(made, field)[: len(old)] = old
    enter_rows(made)
    return made


@kernel
def enter_rows(listing: Listing) -> None:
    """Enter all positions into the empty slots."""
    for number in range(listing.counters[NODES]):
        if listing.right[number] != IS_SUM:
            listing.slots[find_row(listing, listing.rows[number])] = number + 1


@helper
def find_row(listing: Listing, row: Row) -> int:
    """The slot of a position, or the empty one where it belongs."""
    mix = 0x9E3779B97F4A7C15
    for field in range(len(row)):
        mix = mixed(mix ^ int(np.uint64(int(row[field]) & ALL_BITS)))
    slot = int(np.int64(mix >> 2)) & (len(listing.slots) - 1)
    while listing.slots[slot] != 0 and not same_row(listing.rows[listing.slots[slot] - 1], row):
        slot = (slot + 1) & (len(listing.slots) - 1)
    return slot


@helper
def same_row(one: Row, other: Row) -> bool:
    """Whether two rows are equal."""
    for field in range(len(one)):  # noqa: SIM110, a loop compiles and all() does not
        if one[field] != other[field]:
            return False
    return True


@helper
def term_of(game: Any, pos: Any, listing: Listing, row: Row, plain: bool) -> int:
    """The term of a position that has no other part than itself; NEITHER if there is no room to list it."""
    least, sign = with_mover(game, pos, 0), 0
    if not plain:
        for symmetry in range(1, symmetries(game)):
            image = with_mover(game, transform(game, least, symmetry), 0)
            if gives_parts(game):
                image = part(game, image, 0)
            if image < least:
                least, sign = image, 1 if swaps_players(game, symmetry) else 0
    pack(least, row)
    slot = find_row(listing, row)
    if listing.slots[slot] == 0:
        number = listing.counters[NODES]
        if number == len(listing.rows):
            return NEITHER
        listing.rows[number] = row
        listing.slots[slot] = number + 1
        listing.counters[NODES] += 1
    return 2 * (int(listing.slots[slot]) - 1) + sign


@helper
def parts_of(game: Any, pos: Any, plain: bool) -> int:
    """How many parts a position has."""
    return num_parts(game, pos) if gives_parts(game) and not plain else 1


@helper
def part_of(game: Any, pos: Any, number: int, plain: bool) -> Any:
    """One of them."""
    return part(game, pos, number) if gives_parts(game) and not plain else pos


@helper
def add_option(game: Any, pos: Any, listing: Listing, row: Row, plain: bool) -> bool:
    """Note an option of the position that is being listed, as the sum of its parts; False if there is no room."""
    parts, option, terms = parts_of(game, pos, plain), int(listing.counters[OPTIONS]), int(listing.counters[TERMS])
    if option + 1 >= len(listing.options) or terms + parts > len(listing.terms):
        return False
    for number in range(parts):
        term = term_of(game, part_of(game, pos, number, plain), listing, row, plain)
        if term == NEITHER:
            return False
        listing.terms[terms + number] = term
    listing.options[option + 1] = terms + parts
    listing.counters[OPTIONS], listing.counters[TERMS] = option + 1, terms + parts
    return True


@helper
def add_options(game: Any, pos: Any, player: int, whole: bool, listing: Listing, row: Row, plain: bool) -> int:
    """Note all options of a player, or the position itself as the only one if it is whole; DONE, or why not."""
    to_move = with_mover(game, pos, player)
    left = game.legal(to_move)
    ended = is_empty(left) and not whole
    if ended and (game.player(to_move) != player or game.score(to_move) != (1 if player == 1 else -1)):
        return NOT_NORMAL
    while whole or not is_empty(left):
        after = pos if whole else game.play(to_move, first(left))
        if not whole and game.player(after) != 1 - player:
            return NOT_ALTERNATING
        if not add_option(game, after, listing, row, plain):
            return NO_ROOM
        if whole:
            break
        left = without_first(left)
    return DONE


def add_sum(pos: Any, listing: Listing) -> int:
    """List a position as a sum whose parts are not listed yet; its number, or NEITHER if there is no room."""
    node = int(listing.counters[NODES])
    if node == len(listing.rows):
        return NEITHER
    listing.rows[node], listing.right[node] = [int(field) for field in pos], IS_SUM
    listing.counters[NODES] += 1
    return node


@kernel
def list_on(game: Any, like: Any, listing: Listing, plain: bool, budget: int) -> int:
    """List what the positions lead to whose options are not known, at most so many; DONE, or why it stopped."""
    row, counters = np.zeros(listing.rows.shape[1], np.int64), listing.counters
    while counters[EXPANDED] < counters[NODES] and budget > 0:
        node, options, terms = counters[EXPANDED], counters[OPTIONS], counters[TERMS]
        pos, whole = unpack(like, listing.rows[node]), listing.right[node] == IS_SUM
        listing.left[node], status = options, DONE
        for player in range(1 if whole else 2):
            if player == 1:
                listing.right[node] = counters[OPTIONS]
            if status == DONE:
                status = add_options(game, pos, player, whole, listing, row, plain)
        listing.end[node] = counters[OPTIONS]
        if status != DONE:
            counters[OPTIONS], counters[TERMS] = options, terms
            return status
        counters[EXPANDED] += 1
        budget -= 1
    return DONE if counters[EXPANDED] == counters[NODES] else PAUSED


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
