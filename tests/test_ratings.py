"""Ratings: they recover known strengths, with the coverage that they state, and stay finite."""

import math

import numpy as np
import pytest

from ludus.arena.ratings import COVERAGE, ELO, Played, _data, rate


def simulated(generator, strengths, games, advantage=0.0, drawing=0.0):
    """Results of all ordered pairs simulated by the model: log strengths, this many games with either moving first."""
    found = []
    for first, own in enumerate(strengths):
        for second, other in enumerate(strengths):
            if first != second:
                weights = np.exp([own + advantage, other, (own + advantage + other) / 2]) * [1, 1, drawing]
                found.append(Played(first, second, *generator.multinomial(games, weights / weights.sum())))
    return found


@pytest.mark.parametrize("drawing", [0.0, 0.8])
def test_many_games_recover_known_strengths_the_advantage_of_moving_first_and_draws(drawing):
    strengths = np.array([0.0, 0.5, 1.5, -1.0])
    found = rate(simulated(np.random.default_rng(1), strengths, 20_000, 0.3, drawing), 4, zero=0)
    assert [rating.points for rating in found.players] == pytest.approx(ELO * strengths, abs=8)
    assert found.moving_first.points == pytest.approx(ELO * 0.3, abs=5)
    assert found.draws == pytest.approx(drawing / (2 + drawing), abs=0.01)


def spread_out(generator):
    return generator.normal(0, 1, 6)


def far_apart(generator):
    return np.array([0.0, 3.0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strengths", "games", "drawing", "times"),
    [(spread_out, 50, 0.5, 20), (spread_out, 20, 3.0, 20), (spread_out, 4, 0.5, 20), (far_apart, 50, 0.0, 40)],
    ids=["few draws", "mostly draws", "few games", "far apart"],
)
def test_intervals_cover_the_truth_as_often_as_they_say(strengths, games, drawing, times):
    generator, hits = np.random.default_rng(7), []
    for seed in range(times):
        true = strengths(generator)
        found = rate(simulated(generator, true, games, 0.2, drawing), len(true), zero=0, seed=seed)
        hits += [r.low <= ELO * (s - true[0]) <= r.high for r, s in zip(found.players[1:], true[1:], strict=True)]
    error = (COVERAGE * (1 - COVERAGE) / len(hits)) ** 0.5
    assert np.mean(hits) == pytest.approx(COVERAGE, abs=3 * error)


def test_more_games_make_intervals_narrower():
    few, many = (
        rate(simulated(np.random.default_rng(2), [0.0, 1.0], games), 2, zero=0).players[1] for games in (20, 2000)
    )
    assert many.high - many.low < (few.high - few.low) / 4


def test_an_agent_that_never_lost_has_a_finite_rating_and_an_interval():
    found = rate([Played(0, 1, 100, 0, 0), Played(1, 0, 0, 100, 0)], 2, zero=1)
    assert 500 < found.players[0].low < found.players[0].points <= found.players[0].high < 10_000


def test_draws_alone_make_equals():
    found = rate([Played(0, 1, 0, 0, 50), Played(1, 0, 0, 0, 50)], 2)
    assert [rating.points for rating in found.players] == pytest.approx([0, 0], abs=0.1)
    assert found.draws > 0.95


def test_moving_first_does_not_raise_a_rating():
    found = rate([Played(0, 1, 80, 20, 0), Played(1, 0, 80, 20, 0)], 2, zero=0)
    assert found.players[1].points == pytest.approx(0, abs=0.2)
    assert found.moving_first.points == pytest.approx(400 * math.log10(80.5 / 20.5), abs=0.5)


def test_without_an_origin_the_mean_is_zero():
    found = rate(simulated(np.random.default_rng(3), [0.0, 1.0, 2.0], 500), 3)
    assert sum(rating.points for rating in found.players) == pytest.approx(0, abs=0.2)


def test_results_of_one_pair_given_in_parts_count_as_one():
    whole = rate([Played(0, 1, 30, 10, 4)], 2, zero=0)
    parts = rate([Played(0, 1, 20, 5, 4), Played(0, 1, 10, 5, 0)], 2, zero=0)
    assert parts == whole


def test_the_order_of_results_does_not_matter():
    results = simulated(np.random.default_rng(4), [0.0, 1.0, 0.5], 30)
    assert rate(results[::-1], 3) == rate(results, 3)


def test_many_pairs_are_credited_with_less_than_one():
    few, many = (simulated(np.random.default_rng(5), [0.0] * players, 4) for players in (2, 8))
    assert _data(few, 2).counts.sum() - 2 * 4 == pytest.approx(2)
    assert _data(many, 8).counts.sum() - 56 * 4 == pytest.approx(8)


def test_the_same_results_and_seed_give_the_same_ratings():
    results = simulated(np.random.default_rng(4), [0.0, 1.0, 0.5], 30)
    assert rate(results, 3, seed=5) == rate(results, 3, seed=5)


def test_agents_that_never_met_are_in_separate_groups():
    found = rate([Played(0, 1, 3, 2, 0), Played(2, 3, 1, 4, 0)], 5)
    assert found.groups[0] == found.groups[1]
    assert found.groups[2] == found.groups[3]
    assert len(set(found.groups)) == 3


def test_nobody_who_played_is_rated_zero():
    assert [rating.points for rating in rate([], 2).players] == [0, 0]
