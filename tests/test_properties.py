"""What holds in every position of every variant, tried on games that Hypothesis makes up."""

import numpy as np
from conftest import perft_entries
from count_perft import twin_of
from hypothesis import given
from hypothesis import strategies as st

import ludus
from ludus.compiled.masks import actions
from ludus.compiled.rows import pack, unpack
from ludus.game import (
    banked,
    index,
    max_plies,
    num_actions,
    num_positions,
    observation_shape,
    observe,
    position_at,
    swaps_players,
    symmetries,
    transform,
    transform_action,
    unbanked,
)

GAMES = {entry["game"]: ludus.make_game(entry["game"]) for entry in perft_entries()}
NAMES = tuple(sorted(GAMES))
TWINS = {written: twin_of(written) for written in GAMES}


@st.composite
def positions(draw, names=NAMES):
    """A variant and a position of it, reached by up to forty choices."""
    game = GAMES[draw(st.sampled_from(names))]
    pos = game.start()
    for choice in draw(st.lists(st.integers(0, 2**16), max_size=40)):
        legal = actions(game.legal(pos))
        if not legal:
            break
        pos = game.play(pos, legal[choice % len(legal)])
    return game, pos


@st.composite
def ends(draw):
    """A variant of a game that always ends, and an ended position of it."""
    game = GAMES[draw(st.sampled_from([name for name in NAMES if not max_plies(GAMES[name])]))]
    generator = draw(st.randoms(use_true_random=False))
    pos = game.start()
    while legal := actions(game.legal(pos)):
        pos = game.play(pos, generator.choice(legal))
    return game, pos


@given(st.sampled_from(NAMES), st.lists(st.integers(0, 2**16), max_size=60))
def test_a_made_up_game_goes_as_the_twin_says(written, choices):
    game, twin = GAMES[written], TWINS[written]
    pos, state = game.start(), twin.start()
    for choice in choices:
        legal = actions(game.legal(pos))
        assert (legal, game.player(pos)) == (twin.legal(state), twin.player(state))
        if not legal:
            assert game.score(pos) == twin.score(state)
            return
        action = legal[choice % len(legal)]
        pos, state = game.play(pos, action), twin.play(state, action)


@given(positions())
def test_actions_are_below_num_actions(made):
    game, pos = made
    assert all(0 <= action < num_actions(game) for action in actions(game.legal(pos)))


@given(positions())
def test_playing_does_not_change_the_position(made):
    game, pos = made
    before = tuple(pos)
    for action in actions(game.legal(pos)):
        game.play(pos, action)
    assert tuple(pos) == before


@given(positions())
def test_a_position_survives_as_a_row(made):
    _, pos = made
    row = np.zeros(len(pos), np.int64)
    pack(pos, row)
    assert unpack(pos, row) == pos


@given(positions(), st.integers(0, 63))
def test_symmetries_commute_with_play(made, number):
    game, pos = made
    symmetry = number % symmetries(game)
    image = transform(game, pos, symmetry)
    for action in actions(game.legal(pos)):
        after = game.play(image, transform_action(game, pos, action, symmetry))
        assert after == transform(game, game.play(pos, action), symmetry)


@given(ends(), st.integers(0, 63))
def test_symmetries_keep_the_score_or_change_its_sign(made, number):
    game, pos = made
    symmetry = number % symmetries(game)
    sign = -1 if swaps_players(game, symmetry) else 1
    assert game.score(transform(game, pos, symmetry)) == sign * game.score(pos)


@given(ends())
def test_banked_points_and_the_rest_make_the_score(made):
    game, pos = made
    assert game.score(pos) == banked(game, pos) + game.score(unbanked(game, pos))


@given(positions([name for name in NAMES if num_positions(GAMES[name])]))
def test_the_index_leads_back(made):
    game, pos = made
    assert position_at(game, index(game, pos)) == pos


@given(positions())
def test_observations_are_finite_and_distinguish_positions_of_one_mover(made):
    game, pos = made
    out = np.zeros(observation_shape(game), np.float32)
    observe(game, pos, out)
    assert np.isfinite(out).all()
    for action in actions(game.legal(pos)):
        after = game.play(pos, action)
        other = np.zeros_like(out)
        observe(game, after, other)
        assert game.player(after) != game.player(pos) or not np.array_equal(out, other)
