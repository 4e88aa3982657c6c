"""Packing positions into few words: what goes in comes out, however the packing grew."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.solving.position_index import decode, decoded, encode, encoded, fits, packing_for, widened

LEAST, MOST = -(1 << 63), (1 << 63) - 1
FIELDS = st.one_of(st.just(0), st.integers(0, 100), st.integers(0, MOST), st.integers(LEAST, MOST))
ROWS = st.integers(1, 6).flatmap(lambda width: st.lists(st.lists(FIELDS, min_size=width, max_size=width), min_size=1))


def narrow(width):
    """A packing that only rows of zeros fit."""
    return packing_for(np.zeros(width, np.int64))


def packed(packing, rows):
    words = np.zeros((len(rows), packing.num_words), np.int64)
    for number, row in enumerate(rows):
        encode(packing, row, words[number])
    return words


def packing_of(rows):
    packing = narrow(rows.shape[1])
    for row in rows:
        packing = widened(packing, row)
    return packing


@given(ROWS)
def test_rows_come_back_as_they_were(fields):
    rows = np.array(fields, np.int64)
    packing = packing_of(rows)
    back = np.ones_like(rows)
    for number, words in enumerate(packed(packing, rows)):
        assert fits(packing, rows[number])
        decode(packing, words, back[number])
    assert np.array_equal(back, rows)


@given(ROWS)
def test_rows_that_differ_have_words_that_differ(fields):
    rows = np.unique(np.array(fields, np.int64), axis=0)
    assert len(np.unique(packed(packing_of(rows), rows), axis=0)) == len(rows)


@given(ROWS)
def test_repacking_while_the_packing_widens_loses_nothing(fields):
    rows = np.array(fields, np.int64)
    packing = narrow(rows.shape[1])
    words = np.zeros((len(rows), packing.num_words), np.int64)
    for number, row in enumerate(rows):
        if not fits(packing, row):
            wider = widened(packing, row)
            packing, words = wider, encoded(wider, decoded(packing, words))
        encode(packing, row, words[number])
    assert np.array_equal(decoded(packing, words), rows)


@given(ROWS)
def test_all_rows_at_once_have_the_words_of_each(fields):
    rows = np.array(fields, np.int64)
    packing = packing_of(rows)
    assert np.array_equal(encoded(packing, rows), packed(packing, rows))
    assert np.array_equal(widened(narrow(rows.shape[1]), np.bitwise_or.reduce(rows)).masks, packing.masks)


@given(st.lists(st.integers(0, MOST), min_size=1, max_size=6), st.lists(st.integers(0, MOST), min_size=1, max_size=6))
def test_a_row_fits_exactly_if_all_its_bits_have_occurred(seen, asked):
    seen, asked = (np.resize(np.array(fields, np.int64), 6) for fields in (seen, asked))
    assert fits(widened(narrow(6), seen), asked) == ((asked & ~seen) == 0).all()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ([0, 0], 1),
        ([(1 << 40) - 1, (1 << 23) - 1], 1),  # 63 bits fill a word
        ([(1 << 40) - 1, (1 << 24) - 1], 2),
        ([MOST, 1], 2),
        ([-1, 1], 2),  # the sign takes the word's last bit
        ([-1, 0], 1),
        ([1 << 62, 1 << 50, 1], 1),  # bits that never occur take no room
    ],
)
def test_how_many_words_a_row_takes(fields, words):
    assert widened(narrow(len(fields)), np.array(fields, np.int64)).num_words == words
