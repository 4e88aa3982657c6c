"""All positions that a position leads to, each once, with the options of both sides.

What is listed is a part (`ludus.game.part`) with player 0 to move, the least of its transforms; an option is a sum of
such parts, some negative: those that a symmetry exchanging the players has brought there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiling import helper, kernel
from ludus.game import gives_parts, num_parts, part, swaps_players, symmetries, transform, with_mover
from ludus.masks import first, is_empty, without_first
from ludus.randomness import ALL_BITS, mixed
from ludus.rows import Row, pack, unpack

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
