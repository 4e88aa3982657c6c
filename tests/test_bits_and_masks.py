"""Bit tricks and masks: plain and compiled forms against sets, for narrow and wide masks alike."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.compiled import bits, masks
from ludus.compiled.bits import deposit, extract, highest, lowest, nth, popcount, reverse
from ludus.compiled.compiling import kernel
from ludus.compiled.masks import WORD

words = st.integers(0, 2**63 - 1)
action_sets = st.sets(st.integers(0, WORD - 1), max_size=WORD)
wide_sets = st.sets(st.integers(0, 2 * WORD - 1))


@kernel
def bit_tricks(word, mask, length):
    low = lowest(word) if word else -1
    high = highest(word) if word else -1
    return (
        popcount(word),
        low,
        high,
        reverse(word & (1 << length) - 1, length),
        extract(word, mask),
        deposit(word, mask),
    )


@kernel
def step_through(mask, seen):
    n = 0
    while not masks.is_empty(mask):
        seen[n] = masks.first(mask)
        mask = masks.without_first(mask)
        n += 1
    return n


@kernel
def questions(mask, action, k):
    chosen = masks.nth(mask, k) if k < masks.count(mask) else -1
    return masks.count(mask), masks.has(mask, action), chosen, masks.add(mask, action)


def bits_of(word):
    return [i for i in range(63) if word >> i & 1]


def narrow(actions):
    return sum(1 << action for action in actions)


def wide(actions):
    return tuple(sum(1 << a - WORD * w for a in actions if a // WORD == w) for w in range(2))


@given(words, words, st.integers(1, 62))
def test_bit_tricks_agree_with_lists_of_bits(word, mask, length):
    set_bits, places = bits_of(word), bits_of(mask)
    expected = (
        len(set_bits),
        set_bits[0] if word else -1,
        set_bits[-1] if word else -1,
        sum(1 << length - 1 - i for i in set_bits if i < length),
        sum(1 << rank for rank, i in enumerate(places) if i in set_bits),
        sum(1 << i for rank, i in enumerate(places) if rank in set_bits),
    )
    assert bit_tricks(word, mask, length) == bit_tricks.plain(word, mask, length) == expected


@given(words.filter(bool))
def test_the_nth_bit_is_the_nth_of_the_list(word):
    assert [nth(word, k) for k in range(popcount(word))] == bits_of(word)


@pytest.mark.parametrize(("make", "sets"), [(narrow, action_sets), (wide, wide_sets)], ids=["narrow", "wide"])
def test_stepping_through_a_mask_meets_every_action_in_order(make, sets):
    @given(sets)
    def check(actions):
        for run in (step_through, step_through.plain):
            seen = np.zeros(2 * WORD, np.int64)
            assert list(seen[: run(make(actions), seen)]) == sorted(actions)
        assert masks.actions(make(actions)) == sorted(actions)

    check()


@pytest.mark.parametrize(("make", "sets"), [(narrow, action_sets), (wide, wide_sets)], ids=["narrow", "wide"])
def test_questions_about_masks_agree_with_sets(make, sets):
    most = WORD if make is narrow else 2 * WORD

    @given(sets, st.integers(0, most - 1), st.integers(0, most - 1))
    def check(actions, action, k):
        chosen = sorted(actions)[k] if k < len(actions) else -1
        expected = (len(actions), action in actions, chosen, make(actions | {action}))
        mask = make(actions)
        assert questions(mask, action, k) == questions.plain(mask, action, k) == expected

    check()


def test_asking_for_more_actions_than_there_are_is_an_error_in_plain_python():
    with pytest.raises(IndexError, match="no such action"):
        masks.nth(0b101, 2)


def test_processors_without_pdep_get_the_portable_form(monkeypatch):
    from ludus.compiled import intrinsics

    monkeypatch.setattr(intrinsics, "HAS_PDEP", False)
    assert bits.deposit.choose(None, None) is bits._deposit_one_by_one.plain
    assert bits.extract.choose(None, None) is bits._extract_one_by_one.plain


@kernel
def portable(word, mask):
    return bits._extract_one_by_one(word, mask), bits._deposit_one_by_one(word, mask)


@given(words, words)
def test_the_portable_form_compiles_to_the_same(word, mask):
    assert portable(word, mask) == portable.plain(word, mask) == (extract(word, mask), deposit(word, mask))
