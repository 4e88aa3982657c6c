"""SplitMix64 streams: published numbers, the same with and without the JIT, one stream per index."""

import numpy as np

from ludus.compiled.compiling import kernel
from ludus.compiled.randomness import below, draw, new_state, stream_key, stream_start, uniform

# The first outputs for the state 1234567, as given for SplitMix64 on Rosetta Code.
PUBLISHED = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]


@kernel
def draw_all(state, out):
    for i in range(len(out)):
        out[i] = draw(state)


@kernel
def numbers(key, index, state, whole, parts):
    state[0] = stream_start(key, index)
    for i in range(len(whole)):
        whole[i] = below(state, 6)
        parts[i] = uniform(state)


def sample(run, seed, index, size):
    whole, parts = np.zeros(size, np.int64), np.zeros(size)
    run(stream_key(seed), index, new_state(), whole, parts)
    return whole, parts


def test_draws_are_the_published_ones_compiled_and_plain():
    for run in (draw_all, draw_all.plain):
        state, out = np.array([1234567], np.uint64), np.zeros(5, np.uint64)
        run(state, out)
        assert [int(word) for word in out] == PUBLISHED


def test_compiled_and_plain_numbers_are_the_same():
    compiled, plain = sample(numbers, 3, 5, 200), sample(numbers.plain, 3, 5, 200)
    assert np.array_equal(compiled[0], plain[0])
    assert np.array_equal(compiled[1], plain[1])


def test_streams_differ_by_seed_and_index():
    rows = [tuple(sample(numbers, seed, index, 30)[0]) for seed in range(10) for index in range(10)]
    assert len(set(rows)) == 100


def test_numbers_are_uniform():
    whole, parts = sample(numbers, 1, 0, 600_000)
    counts = np.bincount(whole, minlength=6)
    assert ((counts - 100_000) ** 2 / 100_000).sum() < 25  # chi-squared, five degrees of freedom: p < 0.0002 above
    assert abs(parts.mean() - 0.5) < 0.002
    assert 0 <= parts.min() < parts.max() < 1
