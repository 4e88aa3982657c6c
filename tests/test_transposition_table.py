"""The transposition table: what it keeps, beside a dictionary, and how it grows."""

import random

import pytest

import ludus
from ludus.solving.transposition_table import (
    MOST,
    NO_ACTION,
    Growing,
    action_of,
    hashed,
    keep,
    look_up,
    lower_of,
    new_table,
    upper_of,
)

pytestmark = pytest.mark.usefixtures("plain")
BYTES = 16  # of an entry


def random_entries(number):
    """Bounds and an action by key and tag."""
    generator = random.Random(number)
    return {
        (generator.getrandbits(63), generator.getrandbits(7)): (
            low := generator.randint(1 - MOST, MOST - 1),
            generator.randint(low, MOST - 1),
            generator.randrange(NO_ACTION),
        )
        for _ in range(number)
    }


def found_in(table, hashes):
    notes = look_up(table, *hashes)
    return (lower_of(notes), upper_of(notes), action_of(notes)) if notes else None


def test_a_table_with_much_room_holds_what_a_dictionary_holds():
    table, entries = new_table(BYTES << 12), random_entries(200)
    for hashes, entry in entries.items():
        keep(table, *hashes, *entry, 1)
    assert {hashes: found_in(table, hashes) for hashes in entries} == entries
    assert all(found_in(table, hashes) is None for hashes in random_entries(100))


def test_a_full_line_keeps_what_was_most_costly():
    table = new_table(1)
    for cost in range(1, 10):
        keep(table, cost, 0, 0, 0, 0, cost)
    assert [cost for cost in range(1, 10) if found_in(table, (cost, 0))] == [6, 7, 8, 9]


def test_bounds_of_one_position_are_intersected():
    table = new_table(1)
    keep(table, 5, 1, -3, MOST, 2, 1)
    keep(table, 5, 1, -MOST, 7, NO_ACTION, 1)
    assert found_in(table, (5, 1)) == (-3, 7, 2)


def test_a_table_that_grows_keeps_all_its_entries():
    growing, entries = Growing(BYTES << 14), random_entries(300)
    before = len(growing.table)
    for hashes, entry in entries.items():
        keep(growing.table, *hashes, *entry, 1)
    table = growing.with_room_for(3 * before)
    assert len(table) == 4 * before
    assert {hashes: found_in(table, hashes) for hashes in entries} == entries


@pytest.mark.parametrize("entries", [1, 1 << 6, 1 << 13, 3 << 12])
def test_a_table_grows_to_no_more_than_its_memory(entries):
    growing = Growing(entries * BYTES)
    table = growing.with_room_for(1 << 40)
    assert growing.is_grown
    assert table.nbytes == growing.most_bytes <= max(entries, 4) * BYTES


def test_images_of_a_position_share_an_entry():
    game = ludus.make_game("connect-four")
    pos = game.play(game.play(game.start(), 1), 2)
    assert hashed(game, pos) == hashed(game, game.transform(pos, 1)) != hashed(game, game.start())
