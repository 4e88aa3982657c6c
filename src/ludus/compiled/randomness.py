"""Random numbers for compiled code: SplitMix64 streams, one per game, held in an array of one word.

A stream depends on the seed and the game's index alone, so results do not depend on threads or chunks, and saving the
state means saving one word. The same code runs plainly: every result is cut to 64 bits, which compiles to nothing.
Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper

State = npt.NDArray[np.uint64]
ALL_BITS = 0xFFFFFFFFFFFFFFFF
_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB


def stream_key(seed: int) -> np.uint64:
    """The word from which all streams of a seed are derived; any non-negative int is a seed."""
    return np.uint64(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])


def new_state() -> State:
    """An array for one stream; set its only word to a `stream_start`."""
    return np.zeros(1, np.uint64)


@helper
def stream_start(key: np.uint64, index: int) -> int:
    """The state at which the index-th stream begins: the index-th number that the key's own stream draws."""
    return mixed((int(key) + int(np.uint64(index)) * _GOLDEN) & ALL_BITS)


@helper
def draw(state: State) -> int:
    """The next 64 random bits; as compiled code's uint64."""
    word = (int(state[0]) + _GOLDEN) & ALL_BITS
    state[0] = word
    return mixed(word)


@helper
def below(state: State, n: int) -> int:
    """A whole number in 0 .. n-1, for n up to 2**31; off uniform by less than n / 2**32."""
    return int(np.int64(draw(state) >> 33)) * n >> 31


@helper
def uniform(state: State) -> float:
    """A float in [0, 1)."""
    return int(np.int64(draw(state) >> 11)) * 2.0**-53


@helper
def mixed(word: int) -> int:
    """The word with its bits thoroughly mixed; compiled code needs a uint64."""
    word = ((word ^ (word >> 30)) * _MIX_1) & ALL_BITS
    word = ((word ^ (word >> 27)) * _MIX_2) & ALL_BITS
    return word ^ (word >> 31)
