"""Sums of positions are games, and the perfect agent wins every sum that can be won."""

from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pytest
from conftest import TESTS

import ludus
from ludus import face
from ludus.cgt.forms import ZERO
from ludus.cgt.sums import SumEvaluator
from ludus.compiled.masks import actions
from ludus.errors import LudusError

STRIPS = ("T_F", "TT_F", "T__F", "T_TF", "TF_F", "T_FF")


def sum_of(*strips):
    return ludus.disjunctive_sum(ludus.make_game("toads-and-frogs"), *strips)


@cache
def wins(game, pos):
    """Whether the side to move wins, by brute force."""
    return any(not wins(game, game.play(pos, action)) for action in actions(game.legal(pos)))


def reachable(game):
    waiting, found = [game.start(), game.with_mover(game.start(), 1)], set()
    while waiting:
        pos = waiting.pop()
        if pos not in found:
            found.add(pos)
            waiting += [game.play(pos, action) for action in actions(game.legal(pos))]
    return found


def check_perfect(game):
    agent = ludus.make_agent("perfect")
    for pos in reachable(game):
        if wins(game, pos):
            policy = np.zeros(game.num_actions)
            agent.policy(game, pos, policy)
            assert not any(wins(game, game.play(pos, action)) for action in np.flatnonzero(policy).tolist())


@pytest.mark.parametrize("strips", [*combinations_with_replacement(STRIPS, 2)], ids=" + ".join)
def test_perfect_wins_every_sum_it_should(plain, strips):
    check_perfect(sum_of(*strips))


@pytest.mark.slow
@pytest.mark.parametrize("strips", [*combinations_with_replacement(("T_F", "TT_F", "TF_F"), 3)], ids=" + ".join)
def test_perfect_wins_every_sum_of_three_it_should(plain, strips):
    check_perfect(sum_of(*strips))


@pytest.mark.parametrize(
    "boards", [("xxo", "xoo"), ("xox", "oxx"), ("xo", "xxo", "oxo"), ("xo/ox", "xxo")], ids=" + ".join
)
def test_perfect_wins_every_sum_of_clobber_it_should(plain, boards):
    check_perfect(ludus.disjunctive_sum(ludus.make_game(str(TESTS.parent / "examples" / "clobber.py")), *boards))


@pytest.mark.parametrize("strips", [("T_F", "TT__F", "T_FF"), ("TF_", "T__F", "TT_FF")], ids=" + ".join)
def test_the_sum_of_forms_says_who_wins(plain, strips):
    game, evaluator = sum_of(*strips), SumEvaluator()
    for pos in reachable(game):
        form = sum(evaluator.forms(game, pos), ZERO)
        assert wins(game, pos) == (not form <= 0 if pos.turn == 0 else not form >= 0)


@pytest.mark.slow
def test_sums_play_matches_compiled():
    game = sum_of("TT_FF", "T_TF", "T__F")
    result = ludus.play_match(game, ludus.make_agent("perfect"), ludus.make_agent("random"), 40, seed=1)
    assert result.all.a_wins > 30
    assert ludus.playouts(game, 100, seed=1).games == 100


def test_a_sum_with_many_actions_has_wide_masks(plain):
    game = ludus.disjunctive_sum(ludus.make_game(str(TESTS.parent / "examples" / "clobber.py")), *["xo/ox"] * 5)
    assert game.num_actions == 80
    assert len(actions(game.legal(game.start()))) == 20


def test_a_sum_keeps_the_contract(plain):
    from ludus.checking import check

    assert check(sum_of("T_F", "TT_F"), positions=300, games=5).problem == ""


def test_a_sum_is_shown_and_read_back(plain):
    game = sum_of("T_F", "TT_F")
    pos = game.play(game.start(), 2)
    assert face.format_position(game, pos) == "T_F frogs + T_TF frogs"
    assert face.parse_position(game, "T_F frogs + T_TF frogs") == pos
    assert "(2)" in face.board(game, pos)
    assert face.menu(game, game.start())[0] == (0, "(1) 1 slides to 2")


def test_a_sum_is_a_game_in_a_file(plain, tmp_path):
    (tmp_path / "two.py").write_text(
        "import ludus\n"
        "two = ludus.disjunctive_sum(ludus.make_game('toads-and-frogs'), 'T_F', 'TT_FF')\n"
        "class Two(type(two), like=two):\n"
        "    '''Two strips at once.'''\n"
    )
    game = ludus.make_game(str(tmp_path / "two.py"))
    assert face.format_position(game, game.start()) == "T_F toads + TT_FF toads"


@pytest.mark.parametrize(
    ("positions", "reason"), [((), "1 to 16 components"), (("TX",), "a strip is"), (["T_F"] * 17, "1 to 16")]
)
def test_wrong_components_are_refused(plain, positions, reason):
    with pytest.raises(ludus.LudusError, match=reason):
        sum_of(*positions)


def test_a_game_without_with_mover_has_no_sums(plain):
    game = ludus.make_game(str(TESTS / "user_games" / "dots_and_boxes.py"))
    with pytest.raises(ludus.LudusError, match="with_mover"):
        ludus.disjunctive_sum(game, game.start())


def test_sums_of_games_in_which_the_last_move_does_not_win_are_refused():
    game = ludus.make_game("tic-tac-toe")
    with pytest.raises(LudusError, match="no canonical forms"):
        ludus.disjunctive_sum(game, game.start())


def test_what_is_no_position_is_refused():
    with pytest.raises(LudusError, match="3 is no position of ToadsAndFrogs"):
        ludus.disjunctive_sum(ludus.make_game("toads-and-frogs"), 3)
