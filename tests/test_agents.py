"""Agents: what they choose, compiled and plain alike."""

import numpy as np
import pytest
from conftest import TESTS

import ludus
from ludus import catalog, face
from ludus.agents.agent import choose, draw_action, probabilities
from ludus.agents.simple import First, Last, Random, SmartRandom, smart_actions
from ludus.compiled.compiling import kernel
from ludus.compiled.masks import actions
from ludus.compiled.randomness import new_state, stream_key, stream_start
from ludus.game import num_actions

AGENTS = (Random(), First(), Last(), SmartRandom())
USER_GAMES = TESTS / "user_games"
GAMES = ("tic-tac-toe", "mancala", "tapnswap", f"{USER_GAMES}/clobber.py", f"{USER_GAMES}/dots_and_boxes.py")


@kernel
def compiled_policy(agent, game, pos, out):
    agent.policy(game, pos, out)


@kernel
def choose_often(agent, game, pos, mask, out, state, counts, times):
    for _ in range(times):
        counts[choose(agent, game, pos, mask, out, state)] += 1


def some_positions(game, count=30):
    key, state = stream_key(1), new_state()
    pos = game.start()
    state[0] = stream_start(key, 0)
    for _ in range(count):
        yield pos
        legal = actions(game.legal(pos))
        pos = game.play(pos, legal[int(state[0]) % len(legal)]) if legal else game.start()
        state[0] = stream_start(key, int(state[0]) % 1000)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: type(agent).__name__)
def test_a_policy_is_the_same_compiled_and_plain_and_sums_to_one_over_legal_actions(agent, name):
    game = ludus.make_game(name)
    for pos in some_positions(game):
        legal = actions(game.legal(pos))
        if legal:
            out = np.zeros(num_actions(game))
            compiled_policy(agent, game, pos, out)
            assert np.array_equal(out, probabilities(agent, game, pos))
            assert out.sum() == pytest.approx(1)
            assert set(np.flatnonzero(out)) <= set(legal)


def test_first_and_last_take_the_ends():
    game = ludus.make_game("toads-and-frogs(toads=2, gaps=4, frogs=2)")
    pos = face.parse_position(game, "T_T___FF toads")
    assert probabilities(First(), game, pos).tolist() == [1, 0]
    assert probabilities(Last(), game, pos).tolist() == [0, 1]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: type(agent).__name__)
def test_there_is_nothing_to_choose_where_the_game_is_over(agent):
    game = ludus.make_game("tic-tac-toe")
    with pytest.raises(ludus.LudusError, match="the game is over"):
        probabilities(agent, game, face.parse_position(game, "XXX/OO./..."))


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: type(agent).__name__)
def test_choosing_draws_from_the_policy(agent):
    game = ludus.make_game("mancala")
    pos = game.play(game.start(), 0)
    shares, counts = probabilities(agent, game, pos), np.zeros(num_actions(game), np.int64)
    state, out = np.array([5], np.uint64), np.zeros(num_actions(game))
    choose_often(agent, game, pos, game.legal(pos), out, state, counts, 60_000)
    assert counts / 60_000 == pytest.approx(shares, abs=0.01)


def test_drawing_never_takes_an_action_without_probability():
    shares, state = np.array([0.0, 0.3, 0.0, 0.7, 0.0]), np.array([1], np.uint64)
    drawn = {draw_action(shares, 0b11111, state) for _ in range(300)}
    assert drawn == {1, 3}


@pytest.mark.parametrize(
    ("game", "position", "names"),
    [
        ("tic-tac-toe", "XX./OO./...", ["c3"]),  # it wins rather than blocks
        ("tic-tac-toe", "X../OO./..X", ["c2"]),  # it blocks
        ("tic-tac-toe", "X.O/.../X.O", ["a2"]),  # both have two: it wins
        ("tic-tac-toe", "XO./.../...", ["c3", "a2", "b2", "c2", "a1", "b1", "c1"]),  # nothing to win or block
        ("tic-tac-toe", "X.X/.O./X.O", ["b3", "a2", "c2", "b1"]),  # two threats, no block for both
        ("toads-and-frogs(toads=1, gaps=1, frogs=0)", "T_ toads", ["1 slides to 2"]),
    ],
)
def test_smart_random_wins_blocks_or_plays_anything(game, position, names):
    chosen = ludus.make_game(game)
    pos = face.parse_position(chosen, position)
    assert [face.action_name(chosen, pos, action) for action in actions(smart_actions(chosen, pos))] == names


@pytest.mark.parametrize(
    ("game", "position", "never"),
    [
        ("fox-and-hounds", "b4 a3 d4 h4 e5 hounds", "e5-f4"),
        ("mancala(leftovers=owner, capture=standard)", "0 0 0 1 0 1 (12) / 0 1 0 0 0 0 (33) South", "6"),
    ],
)
def test_smart_random_does_not_block_by_losing_at_once(game, position, never):
    chosen = ludus.make_game(game)
    pos = face.parse_position(chosen, position)
    names = [face.action_name(chosen, pos, action) for action in actions(smart_actions(chosen, pos))]
    assert names != [never]


def test_smart_random_agrees_with_its_definition_in_plain_words():
    for name in ("tic-tac-toe", "fox-and-hounds(size=4)", "tapnswap", "mancala(holes=2, stones=2)"):
        game = ludus.make_game(name)
        for row in ludus.explore(game).positions[::7]:
            pos = type(game.start())(*(int(field) for field in row))
            assert actions(smart_actions(game, pos)) == by_definition(game, pos)


def by_definition(game, pos):
    """Win; else block a threat if that is possible; else anything."""
    player, legal = game.player(pos), actions(game.legal(pos))

    def wins(position, who):
        if game.player(position) != who:
            return []
        return [action for action in actions(game.legal(position)) if won(game.play(position, action), who)]

    def won(position, who):
        return not actions(game.legal(position)) and game.score(position) * (1 if who == 0 else -1) > 0

    if wins(pos, player):
        return wins(pos, player)
    other = 1 - player
    if not wins(game.with_mover(pos, other), other):
        return legal
    after = {action: game.play(pos, action) for action in legal}
    blocks = [action for action in legal if not wins(after[action], other) and not won(after[action], other)]
    return blocks or legal


def test_smart_random_always_blocks_in_a_game_without_with_mover():
    game = ludus.make_game(f"{USER_GAMES}/dots_and_boxes.py(rows=1, columns=1)")
    pos = game.start()
    for action in (0, 1):
        pos = game.play(pos, action)
    assert not hasattr(game, "with_mover")
    assert actions(smart_actions(game, pos)) == actions(game.legal(pos))  # each third edge gives the box away
    assert actions(smart_actions(game, game.play(pos, 2))) == [3]  # the fourth wins it


def test_a_wrong_agent_name_lists_near_ones():
    with pytest.raises(ludus.LudusError, match="did you mean smart-random or random"):
        catalog.make_agent("smart-randon")
