"""The agents `mcts` and `minimax`: what they find, against brute force, compiled and plain alike."""

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from conftest import EXAMPLES, TESTS

import ludus
from ludus import CHANCE, face
from ludus.agents.agent import probabilities
from ludus.agents.mcts import Mcts, simulations_until
from ludus.agents.minimax import Minimax
from ludus.agents.simple import Random, winning_actions
from ludus.arena.match import play_match
from ludus.compiled.masks import actions, is_empty
from ludus.game import banked, odds

USER_GAMES = TESTS / "user_games"
SMALL_GAMES = (
    f"{USER_GAMES}/nim.py(a=1, b=2, c=2)",
    "toads-and-frogs(toads=2, gaps=2, frogs=2)",
    "mancala(holes=2, stones=2, capture=standard, leftovers=owner)",
    f"{USER_GAMES}/dots_and_boxes.py(rows=1, columns=2)",
)


class Spot(NamedTuple):
    place: int


class Lottery(NamedTuple):
    """Player 0 takes a draw or asks; if asked, player 1 gives two points or holds a lottery.

    place: 0 and 1 where these players move, 2 the lottery, others the end.
    """

    num_actions = 3

    def start(self):
        return Spot(0)

    def player(self, pos):
        return CHANCE if pos.place == 2 else pos.place % 2

    def legal(self, pos):
        return (0b11, 0b11, 0b111, 0, 0, 0, 0, 0)[pos.place]

    def play(self, pos, action):
        return Spot(((3, 1), (4, 2), (5, 6, 7))[pos.place][action])

    def score(self, pos):
        return {3: 0, 4: 2, 5: -2, 6: 0, 7: 3}[pos.place]

    def odds(self, pos, action):
        return 1 + action


def brute_force(game):
    """A function from a position to (score for player 0, plies to the end when the winner hurries)."""

    @cache
    def value(pos):
        legal, player = actions(game.legal(pos)), game.player(pos)
        if not legal:
            return game.score(pos), 0
        values = [value(game.play(pos, action)) for action in legal]
        if player == CHANCE:
            weights = [odds(game, pos, action) for action in legal]
            return np.average([score for score, _ in values], weights=weights), 0
        best = max(values, key=lambda found: preference(found, player))
        return best[0], best[1] + 1

    return value


def preference(found, player):
    """The higher, the better for a player; the loser delays."""
    score, plies = found if player == 0 else (-found[0], found[1])
    return score, -plies if score > 0 else plies if score < 0 else 0


def positions(game):
    """Every position in which there is something to choose."""
    found = (type(game.start())(*(int(field) for field in row)) for row in ludus.explore(game).positions)
    return [pos for pos in found if not is_empty(game.legal(pos)) and game.player(pos) != CHANCE]


def some_positions(game):
    """About twenty of them."""
    found = positions(game)
    return found[:: len(found) // 20 + 1]


def chosen(agent, game, pos):
    return [int(action) for action in np.flatnonzero(probabilities(agent, game, pos))]


def sign(number):
    return (number > 0) - (number < 0)


# ---- mcts ----


def test_mcts_takes_every_win_and_blocks_every_threat_in_tic_tac_toe():
    game = ludus.make_game("tic-tac-toe")
    agent, seen = Mcts(sims=300), 0
    for pos in positions(game):
        player = game.player(pos)
        wins = actions(winning_actions(game, pos, player))
        threats = actions(winning_actions(game, game.with_mover(pos, 1 - player), 1 - player))
        wanted = wins or threats
        if wins or len(threats) == 1:
            assert set(chosen(agent, game, pos)) <= set(wanted), face.format_position(game, pos)
            seen += 1
    assert seen > 3000


def test_mcts_never_loses_tic_tac_toe():
    result = play_match(ludus.make_game("tic-tac-toe"), Mcts(sims=500), Random(), 600, seed=1)
    assert result.all.b_wins == 0
    assert result.first.a_wins > 250


@pytest.mark.slow
def test_mcts_beats_random_play_in_a_game_of_extra_turns():
    game = ludus.make_game("mancala(holes=4, stones=3)")
    result = play_match(game, Mcts(sims=200), Random(), 200, seed=1)
    assert result.all.a_wins > 190


@pytest.mark.parametrize("name", SMALL_GAMES)
def test_what_mcts_proves_is_true_and_small_games_are_proven(name, plain):
    game = ludus.make_game(name)
    value = brute_force(game)
    for pos in some_positions(game):
        view = 1 if game.player(pos) == 0 else -1
        study = Mcts(sims=6000).study(game, pos)
        for action, found in study.items():
            outcome = sign(view * value(game.play(pos, action))[0])
            assert found.low == -1 or sign(found.low) <= outcome
            assert found.high == 1 or sign(found.high) >= outcome
        assert max(found.low for found in study.values()) == max(found.high for found in study.values())


@pytest.mark.parametrize("name", SMALL_GAMES)
def test_mcts_plays_small_games_perfectly(name, plain):
    game = ludus.make_game(name)
    value = brute_force(game)
    for pos in some_positions(game):
        (action,) = chosen(Mcts(sims=6000), game, pos)
        assert value(game.play(pos, action))[0] == value(pos)[0], pos


def test_mcts_weighs_chance_by_its_odds(plain):
    found = Mcts(sims=200).study(Lottery(), Spot(1))
    lose_two, win_two, win_three = -0.8 - 0.2 * 2 / 3, 0.8 + 0.2 * 2 / 3, 1
    assert found[0].low == found[0].high == pytest.approx(-win_two)
    assert found[1].low == found[1].high == pytest.approx(-(lose_two + 3 * win_three) / 6)
    assert chosen(Mcts(sims=200), Lottery(), Spot(1)) == [1]


def test_mcts_holds_when_that_wins_and_rolls_when_there_is_nothing_to_lose(plain):
    game = ludus.make_game(f"{EXAMPLES}/pig.py(target=10)")
    start = game.start()
    assert chosen(Mcts(sims=50), game, start) == [0]
    assert chosen(Mcts(sims=50), game, start._replace(mine=4, pot=6)) == [1]


def test_mcts_answers_a_position_always_in_the_same_way_and_other_seeds_differ(plain):
    game = ludus.make_game("mancala")
    studies = [Mcts(sims=60, seed=seed).study(game, game.start()) for seed in (0, 0, 1)]
    assert studies[0] == studies[1] != studies[2]


def test_all_simulations_are_made_until_the_root_is_proven(plain):
    game = ludus.make_game("connect-four")
    assert sum(found.visits for found in Mcts(sims=150).study(game, game.start()).values()) == 150
    game = ludus.make_game("tic-tac-toe")
    pos = face.parse_position(game, "XX./OO./...")
    assert sum(found.visits for found in Mcts(sims=150).study(game, pos).values()) < 50


def test_mcts_plays_games_that_loop(plain):
    game = ludus.make_game("tapnswap")
    assert set(chosen(Mcts(sims=30), game, game.start())) <= set(actions(game.legal(game.start())))


def test_mcts_never_takes_a_proven_loss_if_there_is_another_action(plain):
    game = ludus.make_game("tic-tac-toe")
    for text in ("X../OO./..X", "X../.O./..X"):  # all but one lose; the corners lose
        pos = face.parse_position(game, text)
        study = Mcts(sims=400).study(game, pos)
        (action,) = chosen(Mcts(sims=400), game, pos)
        assert study[action].high > -1
        assert any(found.high == -1 for found in study.values())


@pytest.mark.parametrize(
    "name",
    [
        f"{USER_GAMES}/clobber.py",
        pytest.param(f"{EXAMPLES}/pig.py(target=20)", marks=pytest.mark.slow),
        pytest.param("mancala(capture=standard)", marks=pytest.mark.slow),
    ],
)
def test_searching_agents_are_the_same_compiled_and_plain(name, monkeypatch):
    game = ludus.make_game(name)
    pos = game.start()
    agents = (Mcts(sims=80, seed=3), Minimax(depth=2))  # in Clobber the tree needs more room on the way
    compiled = [agent.evaluation(game, pos) for agent in agents]
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert compiled == [agent.evaluation(game, pos) for agent in agents]


def test_the_simulations_until_an_action_is_found_are_those_after_which_mcts_plays_it(plain):
    game = ludus.make_game("tic-tac-toe")
    pos = face.parse_position(game, "X../OO./..X")
    limit = 30
    plays = [chosen(Mcts(sims=sims), game, pos)[0] for sims in range(1, limit + 1)]
    for action in actions(game.legal(pos)):
        others = [sims for sims, played in enumerate(plays, 1) if played != action]
        assert simulations_until(game, pos, action, limit) == max(others, default=0) + 1


# ---- minimax ----


@pytest.mark.parametrize("name", SMALL_GAMES)
def test_minimax_to_the_end_is_brute_force(name, plain):
    game = ludus.make_game(name)
    value = brute_force(game)
    for pos in some_positions(game):
        player = game.player(pos)
        after = {action: value(game.play(pos, action)) for action in actions(game.legal(pos))}
        evaluation = Minimax(depth=40).evaluation(game, pos)
        scores = {action: found[0] if player == 0 else -found[0] for action, found in after.items()}
        assert {action: round(value, 3) for action, value in evaluation.items()} == scores
        best = max(preference(found, player) for found in after.values())
        wanted = [action for action, found in after.items() if preference(found, player) == best]
        assert chosen(Minimax(depth=40), game, pos) == wanted


def test_minimax_weighs_chance_by_its_odds(plain):
    expected = (1 * -2 + 2 * 0 + 3 * 3) / 6
    assert Minimax(depth=2).evaluation(Lottery(), Spot(1)) == pytest.approx({0: -2, 1: -expected}, abs=1e-4)
    assert Minimax(depth=3).evaluation(Lottery(), Spot(0)) == pytest.approx({0: 0, 1: expected}, abs=1e-4)


def test_at_the_horizon_minimax_counts_banked_points(plain):
    game = ludus.make_game("mancala")
    after = {action: banked(game, game.play(game.start(), action)) for action in range(6)}
    assert Minimax(depth=1).evaluation(game, game.start()) == after


def test_minimax_shares_equally_among_actions_that_are_alike(plain):
    game = ludus.make_game("tic-tac-toe")
    assert probabilities(Minimax(depth=2), game, game.start()) == pytest.approx([1 / 9] * 9)


def test_minimax_never_loses_tic_tac_toe():
    result = play_match(ludus.make_game("tic-tac-toe"), Minimax(depth=9), Random(), 200, seed=1)
    assert result.all.b_wins == 0


# ---- where the game is over ----


@pytest.mark.parametrize("agent", [Mcts(sims=10), Minimax()], ids=str)
def test_where_the_game_is_over_nothing_is_written_and_nothing_evaluated(agent, plain):
    game = ludus.make_game("tic-tac-toe")
    pos, out = face.parse_position(game, "XXX/OO./..."), np.zeros(9)
    agent.policy(game, pos, out)
    assert not out.any()
    assert agent.evaluation(game, pos) == {}


# ---- by name ----


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mcts(sims=0)", "sims must be 1 to 10,000,000, not 0"),
        ("mcts(sims=10000001)", "sims must be 1 to 10,000,000, not 10000001"),
        ("mcts(c=-1)", "c must be 0 or more, not -1.0"),
        ("mcts(seed=-1)", r"seed must be 0 to 2\*\*63 - 1, not -1"),
        ("mcts(seed=9223372036854775808)", r"seed must be 0 to 2\*\*63 - 1, not 9223372036854775808"),
        ("minimax(depth=0)", "depth must be 1 to 1000, not 0"),
        ("minimax(depth=1001)", "depth must be 1 to 1000, not 1001"),
    ],
)
def test_wrong_parameters_are_refused(text, message):
    with pytest.raises(ludus.LudusError, match=message):
        ludus.catalog.make_agent(text)
