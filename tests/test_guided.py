"""Searches guided by a network, and the agent that plays by them."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from naive import guided_search as naive
from trained import finished

import ludus
from ludus.agents.agent import agent_for
from ludus.agents.gumbel_search import (
    ESTIMATE,
    HIGH,
    LOW,
    MEAN,
    NONE,
    PLAYER,
    VISITS,
    Guided,
    Roots,
    Searching,
    SearchSettings,
    complete_values,
    draw_gumbels,
    halving,
    improve_logits,
    new_trees,
    results_of,
    reward_of,
    search,
)
from ludus.errors import LudusError
from ludus.game import CHANCE, num_actions
from ludus.networks.inputs import ILLEGAL, num_inputs

RULES = SearchSettings(gamma=0.97, scale=0.2, margin=0.0)


class Dice(NamedTuple):
    left: int
    points: int
    rolls: int
    turn: int


class Gamble(NamedTuple):
    """Take a point, or let a die of three sides say whether it is none, one or two; three turns each."""

    num_actions = 3
    observation_shape = (4,)

    def start(self):
        return Dice(6, 0, 0, 0)

    def player(self, pos):
        return CHANCE if pos.rolls else pos.turn

    def legal(self, pos):
        return 7 if pos.rolls else 3 if pos.left else 0

    def play(self, pos, action):
        if not pos.rolls and action == 1:
            return Dice(pos.left, pos.points, 1, pos.turn)
        gain = action if pos.rolls else 1
        return Dice(pos.left - 1, pos.points + gain * (1 - 2 * pos.turn), 0, 1 - pos.turn)

    def score(self, pos):
        return pos.points

    def odds(self, pos, action):
        return 1 + action

    def observe(self, pos, out):
        out[0] = pos.left
        out[1] = pos.points * (1 - 2 * pos.turn)


def network(game):
    """A fixed function of what is seen, of each input apart."""
    weights = np.random.default_rng(3).normal(size=(num_inputs(game), num_actions(game) + 1))

    def evaluate(inputs):
        said = np.array([(row.reshape(-1, 1) * weights).sum(axis=0) for row in inputs])
        return said[:, :-1].astype(np.float32), np.tanh(said[:, -1]).astype(np.float32)

    return evaluate


def roots_for(lanes, game, *, considered, sims, seed=7):
    roots = Roots(
        np.zeros((lanes, num_actions(game))), np.arange(seed, seed + lanes, dtype=np.uint64), halving(considered, sims)
    )
    draw_gumbels(roots.streams, roots.gumbels)
    return roots


def by_path(trees, lane, node=0, path=()):
    """{actions from the root: visits, mean and bounds} of a tree."""
    values = trees.values[lane, node]
    found = {path: (int(trees.nodes[lane, node, VISITS]), *values[[MEAN, LOW, HIGH]].tolist())}
    for action, child in enumerate(trees.children[lane, node]):
        if child != NONE:
            found |= by_path(trees, lane, int(child), (*path, action))
    return found


def naive_by_path(node, path=()):
    found = {path: (node.visits, node.mean, *node.bounds(is_root=not path))}
    for action, child in node.children.items():
        found |= naive_by_path(child, (*path, action))
    return found


def positions_of(game, number):
    """Positions in which a player is to move, from random games."""
    rng, found = np.random.default_rng(1), []
    while len(found) < number:
        pos = game.start()
        for _ in range(rng.integers(8)):
            if legal := ludus.actions(game.legal(pos)):
                pos = game.play(pos, int(rng.choice(legal)))
        if game.player(pos) != CHANCE and game.legal(pos):
            found.append(pos)
    return found


@pytest.mark.parametrize("margin", [0.0, 3.0])
@pytest.mark.parametrize("name", ["tic-tac-toe", "mancala(holes=3, stones=2)", "toads-and-frogs", "gamble"])
def test_trees_are_those_of_a_plain_search(name, margin, plain):
    game = Gamble() if name == "gamble" else ludus.make_game(name)
    rules, sims = RULES._replace(margin=margin), 40
    positions = positions_of(game, 6)
    roots = roots_for(len(positions), game, considered=4, sims=sims)
    streams = roots.streams.copy()
    trees = search(game, np.array(positions), network(game), roots, rules)
    for lane, pos in enumerate(positions):
        stream = streams[lane : lane + 1]
        root = naive.search(game, pos, network(game), halving(4, sims), roots.gumbels[lane], rules, stream)
        expected, found = naive_by_path(root), by_path(trees, lane)
        assert found.keys() == expected.keys()
        for path, reported in expected.items():
            assert found[path] == pytest.approx(reported, abs=1e-5), path


@pytest.mark.slow
def test_compiled_searches_are_the_plain_ones(monkeypatch):
    game = ludus.make_game("tic-tac-toe")
    positions, roots = positions_of(game, 8), roots_for(8, game, considered=9, sims=30)
    found = results_of(search(game, np.array(positions), network(game), roots, RULES), roots, RULES)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    again = results_of(search(game, np.array(positions), network(game), roots, RULES), roots, RULES)
    assert found.actions.tolist() == again.actions.tolist()
    for name in ("policies", "values", "action_values"):
        assert getattr(found, name) == pytest.approx(getattr(again, name), abs=1e-5)


def test_the_better_half_remains_each_time():
    assert halving(4, 8)[4].tolist() == [0, 0, 0, 0, 1, 1, 2, 2]
    assert halving(4, 8)[3].tolist() == [0, 0, 0, 1, 1, 2, 2, 3]
    assert halving(4, 8)[1].tolist() == list(range(8))


def two_visited(player):
    """A root with three actions, of which two were visited."""
    game = ludus.make_game("connect-four(width=3, height=3, connect=3)")
    trees = new_trees(game, np.array([game.start()]), 4)
    trees.nodes[0, 0, PLAYER] = player
    trees.logits[0, 0] = np.log([0.5, 0.3, 0.2])
    trees.values[0, 0, ESTIMATE] = 0.1
    trees.children[0, 0, :2] = 1, 2
    trees.nodes[0, 1:3, VISITS] = 3, 1
    trees.values[0, 1:3] = [[0.4, 0, -1, 1], [-0.6, 0, -1, 1]]
    return trees


@pytest.mark.parametrize(("player", "side"), [(0, 1), (1, -1)])
def test_what_was_not_visited_has_the_mean_of_the_network_and_the_others(player, side, plain):
    trees = two_visited(player)
    rules = SearchSettings(gamma=1.0, scale=0.1, margin=0.0)
    other = side * (0.1 + 4 / 0.8 * (0.5 * 0.4 + 0.3 * -0.6)) / 5
    assert complete_values(trees, 0, 0, rules) == pytest.approx(other, abs=1e-6)
    improve_logits(trees, 0, 0, rules)
    values = [side * 0.4, side * -0.6, other]
    expected = [math.log(share) + 53 * 0.1 * value / 2 for share, value in zip([0.5, 0.3, 0.2], values, strict=True)]
    assert trees.room.tolist() == pytest.approx(expected, abs=1e-6)


def test_bounds_cap_what_was_found(plain):
    trees = two_visited(0)
    trees.values[0, 1, HIGH] = 0.0
    complete_values(trees, 0, 0, SearchSettings(gamma=1.0, scale=0.1, margin=0.0))
    assert trees.room[0] == 0.0


def test_a_score_counts_by_its_sign_or_its_size():
    assert [reward_of(score, 0.0) for score in (-3, 0, 5)] == [-1, 0, 1]
    assert reward_of(5, 10.0) == pytest.approx(math.tanh(0.5))


def test_an_action_that_may_not_be_taken_is_not_searched(plain):
    game = ludus.make_game("tic-tac-toe")
    may = np.arange(9, dtype=np.int32)[np.newaxis].copy()
    may[0, [0, 4, 8]] = ILLEGAL
    roots = roots_for(1, game, considered=9, sims=40)
    trees = search(game, np.array([game.start()]), network(game), roots, RULES, may)
    assert (trees.children[0, 0, [0, 4, 8]] == NONE).all()
    assert results_of(trees, roots, RULES).policies[0, [0, 4, 8]].tolist() == [0, 0, 0]


class Flat:
    """A network that knows nothing."""

    settings = SearchSettings(gamma=0.99, scale=1.0, margin=0.0)

    def evaluate(self, inputs):
        return np.zeros((len(inputs), self.outputs), np.float32), np.zeros(len(inputs), np.float32)

    def __init__(self, outputs):
        self.outputs = outputs


def test_a_search_finds_the_win_and_the_only_block(plain):
    game = ludus.make_game("tic-tac-toe")
    agent = Searching(Flat(9), 300)
    win, block = game.parse_position("XX./OO./..."), game.parse_position("X../.X./O..")
    assert agent.policies(game, [win, block]).argmax(axis=1).tolist() == [2, 8]
    assert agent.evaluation(game, win)[2] == pytest.approx(0.99)


def test_many_positions_are_answered_as_each_alone(plain):
    game = ludus.make_game("tic-tac-toe")
    agent, positions = Searching(Flat(9), 10), positions_of(game, 5)
    alone = [agent.policies(game, [pos])[0].tolist() for pos in positions]
    assert agent.policies(game, positions).tolist() == alone


def test_only_networks_with_a_policy_and_a_value_guide(tmp_path):
    run = finished(tmp_path / "table", grade="no", eval_against="none")
    with pytest.raises(LudusError, match="guided needs a run of a network with a policy and a value"):
        agent_for(Guided(str(run.path)), run.game)
    with pytest.raises(LudusError, match="sims must be 1 to 100,000, not 0"):
        ludus.make_agent(f"guided(run={run.path}, sims=0)")
    with pytest.raises(LudusError, match="guided needs a value for run"):
        ludus.make_agent("guided")
