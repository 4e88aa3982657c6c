"""What a side may not do in training: how it is written, and that it is not done."""

import numpy as np
import pytest

import ludus
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.learning.loop.plan import Bans
from ludus.learning.loop.restrictions import forbidden, permitted
from ludus.learning.runs import train

TIC = ludus.make_game("tic-tac-toe")
WON = TIC.parse_position("XX./OO./...")  # X wins at the third square, or loses there


def allowed(bans, pos, ply=0, game=TIC):
    found = forbidden(game, Bans.parse(bans))
    row = np.zeros(len(pos), np.int64)
    return actions(permitted(found, game, pos, game.legal(pos), ply, row))


@pytest.mark.parametrize(
    "text", ["none", "first:win", "second:last@10-20", "first:action a1@-5", "first:line a1>b2>c3,second:win@3-"]
)
def test_bans_are_read_and_written(text):
    assert str(Bans.parse(text)) == text


@pytest.mark.parametrize("text", ["third:win", "first", "first:sometimes", "first:win@x-y"])
def test_a_ban_that_cannot_be_read_says_how_to_write_one(text):
    with pytest.raises(ValueError, match="first:win"):
        Bans.parse(text)


def test_nothing_is_forbidden_by_default():
    assert allowed("none", WON) == [2, 5, 6, 7, 8]


def test_an_action_that_wins_at_once_can_be_forbidden():
    assert allowed("first:last", WON) == [5, 6, 7, 8]


def test_the_other_side_may_still_do_it():
    assert allowed("second:last", WON) == [2, 5, 6, 7, 8]


def test_all_that_keeps_a_won_game_won_can_be_forbidden():
    pos = TIC.parse_position("XO./.../...")
    winning = {action for action, value in ludus.solve(TIC).actions(pos).items() if value.score > 0}
    assert winning
    assert set(allowed("first:win", pos)) == set(actions(TIC.legal(pos))) - winning


def test_a_ban_holds_at_its_plies_only():
    assert [len(allowed("first:last@4-5", WON, ply)) for ply in (3, 4, 5, 6)] == [5, 4, 4, 5]


def test_an_action_can_be_forbidden_by_name():
    assert allowed("first:action c1", WON) == [2, 5, 6, 7]


def test_only_the_last_action_of_a_line_is_forbidden():
    game = ludus.make_game("connect-four(width=4, height=4)")
    assert 3 not in allowed("first:line 1>2>4", game.play(game.play(game.start(), 0), 1), game=game)
    assert 0 in allowed("first:line 1>2>4", game.start(), game=game)


def test_where_all_is_forbidden_all_is_allowed():
    pos = TIC.parse_position("XOX/XOO/OX.")
    assert allowed("first:action c1", pos) == [8]


def test_a_line_that_cannot_be_played_says_what_can():
    game = ludus.make_game("connect-four(width=4, height=4)")
    with pytest.raises(LudusError, match="ply 2 of the line; there are: 1, 2, 3, 4"):
        forbidden(game, Bans.parse("second:line 1>9"))


def test_a_line_must_end_with_that_side():
    game = ludus.make_game("connect-four(width=4, height=4)")
    with pytest.raises(LudusError, match="not one of the first player"):
        forbidden(game, Bans.parse("first:line 1>2"))


def test_a_game_too_large_can_only_have_lines_forbidden():
    with pytest.raises(LudusError, match="forbid lines"):
        forbidden(ludus.make_game("connect-four"), Bans.parse("first:win"))


@pytest.mark.slow
def test_forbidden_actions_are_never_learned(tmp_path):
    run = train(
        TIC, "q-table(epsilon=1)", out=tmp_path / "run", games=2000, forbid="first:last", grade="no", eval_games=2
    )
    agent = run.agent()
    assert agent.visits(TIC, WON) > 0
    assert agent.evaluation(TIC, WON)[2] == 0.0
