"""Keys: one whole number for each position, the same for all its images under the game's symmetries.

A game with a perfect index has keys already. Elsewhere the bits that the fields really use are packed into one word and
scrambled by a bijection, so that the keys of any game are spread evenly: ranges of equal length hold about as many.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.compiled.bits import deposit, extract
from ludus.compiled.compiling import helper
from ludus.compiled.masks import actions
from ludus.compiled.randomness import mixed
from ludus.compiled.rows import Row, pack, unpack
from ludus.errors import LudusError
from ludus.game import gives_index, index, num_positions, position_at, symmetries, transform
from ludus.solving.position_index import Packing, canonical_symmetry, fits, packing_for, widened

NO_KEY = -1
WIDEST = 63  # bits of a key
_FACTORS = 0x1F83D9ABFB41BD6B, 0x2B992DDFA23249D7  # odd
_INVERSES = tuple(pow(factor, -1, 1 << WIDEST) for factor in _FACTORS)
_GAMES, _PLIES = 200, 200  # played at random to see which bits the fields use


class NoTablebaseError(LudusError):
    """A game has no tablebase, or none that fits."""


class Keying(NamedTuple):
    """How positions become keys below 2**bits, and back."""

    packing: Packing
    bits: int
    symmetric: bool  # whether a position stands for all its images


def keying_for(game: Any, masks: Row) -> Keying:
    """The keying of a game whose fields use these bits; NoTablebaseError if they are more than a key holds."""
    packing = packing_for(masks)
    if gives_index(game):
        return Keying(packing, max(1, (num_positions(game) - 1).bit_length()), False)
    if packing.num_words > 1 or (masks < 0).any():
        raise NoTablebaseError(
            f"a position of {type(game).__name__} takes more than {WIDEST} bits, and a tablebase packs it into that"
            " many: give the hooks num_positions, index and position_at"
        )
    bits = sum(int(mask).bit_count() for mask in masks)
    return Keying(packing, max(1, bits), symmetries(game) > 1)


def used_bits(game: Any, start: Any) -> Row:
    """The bits that each field uses, as far as the first positions and some random games show."""
    found = [int(field) for field in start]
    for number in range(_GAMES):
        pos = start
        for ply in range(_PLIES):
            legal = actions(game.legal(pos))
            if not legal:
                break
            pos = game.play(pos, legal[mixed(number << 20 | ply) % len(legal)])
            for symmetry in range(symmetries(game)):
                found = [bits | int(field) for bits, field in zip(found, transform(game, pos, symmetry), strict=True)]
    return with_bits(np.zeros(len(start), np.int64), np.array(found, np.int64))


def with_bits(masks: Row, row: Row) -> Row:
    """The masks with the bits of a row added."""
    return widened(packing_for(masks), row).masks


@helper
def canonical(game: Any, pos: Any, keying: Keying) -> Any:
    """The position that stands for this one."""
    return transform(game, pos, canonical_symmetry(game, pos)) if keying.symmetric else pos


@helper
def key_of(game: Any, pos: Any, keying: Keying, row: Row) -> int:
    """The key of a canonical position; NO_KEY, with its fields in `row`, if they use other bits."""
    pack(pos, row)
    if gives_index(game):
        number = index(game, pos)
        return number if number < num_positions(game) else NO_KEY
    if not fits(keying.packing, row):
        return NO_KEY
    word = 0
    for field in range(len(row)):
        word |= extract(int(row[field]), int(keying.packing.masks[field])) << int(keying.packing.shifts[field])
    return scrambled(word, keying.bits)


@helper
def position_of(game: Any, like: Any, keying: Keying, key: int, row: Row) -> Any:
    """The position of a key; `row` is room for its fields."""
    if gives_index(game):
        pack(position_at(game, key), row)
    else:
        word = unscrambled(key, keying.bits)
        for field in range(len(row)):
            mask = int(keying.packing.masks[field])
            row[field] = deposit(word >> int(keying.packing.shifts[field]), mask)
    return unpack(like, row)


@helper
def scrambled(word: int, bits: int) -> int:
    """Another word of so many bits, by a bijection that spreads words evenly."""
    ones, half = (1 << bits) - 1, (bits + 1) // 2
    word = (word * _FACTORS[0]) & ones
    word ^= word >> half
    word = (word * _FACTORS[1]) & ones
    return word ^ (word >> half)


@helper
def unscrambled(word: int, bits: int) -> int:
    """The word that `scrambled` takes to this one."""
    ones, half = (1 << bits) - 1, (bits + 1) // 2
    word ^= word >> half
    word = (word * _INVERSES[1]) & ones
    word ^= word >> half
    return (word * _INVERSES[0]) & ones
