"""Expected scores: bounds that meet at what an exhaustive search over strategies finds, in loops of every kind."""

import itertools

import numpy as np
import pytest
from conftest import EXAMPLES

import ludus
from ludus import CHANCE
from ludus.solving.expected import expected_scores, make_room, strong_components
from ludus.solving.explore import ENDED, Graph


def graph_of(*nodes):
    """A graph from (mover, targets) or (CHANCE, targets, weights) of each position, and the scores of ended ones."""
    first, targets, weights, mover, score = [0], [], [], [], []
    for node in nodes:
        who, after, *odds = (ENDED, ()) if isinstance(node, int) else node
        targets += after
        weights += odds[0] if odds else [1] * len(after)
        mover.append(who)
        score.append(node if who == ENDED else 0)
        first.append(len(targets))
    return Graph(
        np.array(first),
        np.array(targets, np.int32),
        np.array(mover, np.int8),
        np.array(score),
        np.array(weights, float),
    )


# ---- a slow and obvious twin ----


def by_all_strategies(graph):
    """The expected scores by trying every pair of strategies that choose one edge a position, once and for all."""
    edges = [range(*pair) for pair in itertools.pairwise(graph.first)]
    strategies = []
    for player in (0, 1):
        nodes = np.flatnonzero(graph.mover == player)
        choices = itertools.product(*(edges[node] for node in nodes))
        strategies.append([dict(zip(nodes, chosen, strict=True)) for chosen in choices])
    table = np.array([[absorbed(graph, a | b) for b in strategies[1]] for a in strategies[0]])
    best, worst = table.min(axis=1).max(axis=0), table.max(axis=0).min(axis=0)
    assert np.allclose(best, worst, atol=1e-10)  # such strategies are enough for both
    return best


def absorbed(graph, choice):
    """The expected scores when every player's position has one edge: those of a Markov chain, by linear equations."""
    size, ended = len(graph.mover), graph.mover == ENDED
    steps = np.zeros((size, size))
    for node in np.flatnonzero(~ended):
        edges = np.arange(graph.first[node], graph.first[node + 1])
        chance = graph.mover[node] == CHANCE
        shares = graph.weights[edges] / graph.weights[edges].sum() if chance else edges == choice[node]
        np.add.at(steps[node], graph.targets[edges], shares)
    ends = ended.copy()
    for _ in range(size):
        ends |= (steps[:, ends] > 0).any(axis=1)  # whether the chain can come to an end from here
    scores, inner = graph.score.astype(float), np.flatnonzero(ends & ~ended)
    equations = np.eye(len(inner)) - steps[np.ix_(inner, inner)]
    scores[inner] = np.linalg.solve(equations, steps[np.ix_(inner, np.flatnonzero(ended))] @ scores[ended])
    return scores


def random_graph(seed, loops):
    """A small graph whose edges lead to a random position, or, not so often where there are loops, to an end."""
    random = np.random.default_rng(seed)
    inner, ends = random.integers(1, 8), random.integers(1, 4)
    nodes = []
    for _ in range(inner):
        count = random.integers(1, 4)
        inside = random.random(count) < loops
        targets = np.where(inside, random.integers(0, inner, count), random.integers(inner, inner + ends, count))
        weights = random.integers(0, 4, count)
        weights[random.integers(count)] += 1  # some are 0, but not all
        nodes.append((random.choice([0, 1, CHANCE]), targets.tolist(), weights.tolist()))
    return graph_of(*nodes, *(int(score) for score in random.integers(-2, 3, ends)))


@pytest.mark.parametrize("loops", [0.5, 0.75, 0.95])
def test_the_bounds_meet_at_the_best_of_all_strategies(loops):
    for seed in range(150):
        graph = random_graph(seed, loops)
        truth, found = by_all_strategies(graph), expected_scores(graph)
        assert found.gap <= 1e-9, seed
        assert (found.low <= truth + 1e-12).all(), seed
        assert (truth <= found.high + 1e-12).all(), seed


# ---- loops of every kind ----


def test_a_losing_player_prefers_endless_play():
    graph = graph_of((0, [1, 2]), (1, [0]), -1)
    assert expected_scores(graph).value.tolist() == [0, 0, -1]


def test_a_winning_player_leaves_the_loop():
    graph = graph_of((0, [1, 2]), (1, [0]), 1)
    assert expected_scores(graph).value.tolist() == [1, 1, 1]


def test_a_held_player_gets_nothing():
    """Player 0 would like player 1 to go to the win, and has nothing else to do."""
    graph = graph_of((0, [1]), (1, [0, 2]), 1)
    assert expected_scores(graph).value.tolist() == [0, 0, 1]


def test_loops_within_loops():
    """The inner loop is left for a chance between the outer loop and the end."""
    inner, outer = (0, [0, 1]), (CHANCE, [2, 3], [3, 1])
    found = expected_scores(graph_of(inner, outer, (1, [0, 4]), 1, -1))
    assert found.value == pytest.approx([0, -0.5, -1, 1, -1])
    assert found.gap <= 1e-9


def test_chance_that_goes_round_ends_at_last():
    graph = graph_of((CHANCE, [0, 1], [99, 1]), 1)
    assert expected_scores(graph).value.tolist() == [1, 1]


def test_chance_that_cannot_end_scores_nothing():
    graph = graph_of((CHANCE, [1, 2], [1, 0]), (CHANCE, [0]), 1)
    assert expected_scores(graph).value.tolist() == [0, 0, 1]


@pytest.mark.parametrize("chances", [[1, 1], [1, 2], [1e-3, 0.3]])
def test_the_ruin_of_a_gambler(chances):
    size, ratio = 12, chances[0] / chances[1]
    steps = [(CHANCE, [node - 1, node + 1], chances) for node in range(1, size)]
    found = expected_scores(graph_of(0, *steps, 1))
    expected = [node / size if ratio == 1 else (1 - ratio**node) / (1 - ratio**size) for node in range(size + 1)]
    assert found.value == pytest.approx(expected, abs=1e-9)


# ---- what is promised of the bounds ----


def test_without_loops_only_rounding_is_left():
    graph = graph_of((CHANCE, [1, 2], [1, 2]), (0, [2, 3]), (CHANCE, [3, 4], [1, 6]), 1, -1)
    found = expected_scores(graph, precision=0.0)
    assert found.value == pytest.approx([-1 / 7, 1, -5 / 7, 1, -1], abs=1e-15)
    assert found.gap < 1e-14


def test_a_graph_without_chance_needs_no_weights():
    graph = graph_of((0, [1, 2]), (1, [0, 3]), -2, 5)._replace(weights=np.zeros(0))
    found = expected_scores(graph)
    assert found.low.tolist() == found.high.tolist() == [0, 0, -2, 5]


def test_more_than_rounding_allows_is_not_promised():
    graph = graph_of((CHANCE, [1, 2], [1, 2]), (CHANCE, [0, 3], [1, 2]), 1, -1)
    assert 0 < expected_scores(graph, precision=0.0).gap < 1e-14


@pytest.mark.slow
def test_a_loop_that_is_hardly_ever_left_keeps_wide_but_true_bounds():
    """From either position chance goes to the other one, but for once in a thousand billion times."""
    graph = graph_of((CHANCE, [1, 2], [1e12, 1]), (CHANCE, [0, 3], [1e12, 3]), 1, -1)
    found = expected_scores(graph)
    assert found.gap > 0.1
    assert found.low[0] <= -0.5 <= found.high[0]


def test_progress_ends_with_the_whole():
    reported = []
    expected_scores(ludus.explore(ludus.make_game(PIG.format(10))).graph, progress=reported.append)
    assert reported[-1] == 1


def test_components_come_after_those_that_they_lead_to():
    graph = random_graph(5, 0.75)
    nodes, starts = strong_components(graph, np.ones(len(graph.targets), np.bool_), make_room(len(graph.mover)))
    component = np.zeros(len(nodes), int)
    component[nodes] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    sources = np.repeat(np.arange(len(nodes)), np.diff(graph.first))
    assert sorted(nodes) == list(range(len(nodes)))
    assert (component[graph.targets] <= component[sources]).all()


# ---- Pig ----

PIG = str(EXAMPLES / "pig.py") + "(target={})"


def chances_in_pig(target):
    """The chance of winning of who is to roll, by mine, theirs and pot: iterated until it no longer moves."""
    chance = np.zeros((target, target, 2 * target + 6))
    while True:
        before = chance.copy()
        for mine, theirs in itertools.product(range(target - 1, -1, -1), repeat=2):
            for pot in range(target - mine - 1, -1, -1):
                after = chance[mine, theirs, pot + 2 : pot + 7].copy()
                after[max(target - mine - pot - 2, 0) :] = 1
                roll = (after.sum() + 1 - chance[theirs, mine, 0]) / 6
                chance[mine, theirs, pot] = max(roll, 1 - chance[theirs, mine + pot, 0])
        if np.abs(chance - before).max() < 1e-13:
            return chance


def test_pig_to_fifteen_agrees_with_value_iteration():
    explored = ludus.explore(ludus.make_game(PIG.format(15)))
    value = expected_scores(explored.graph).value
    chance = chances_in_pig(15)
    for number, (mine, theirs, pot, turn, rolling) in enumerate(explored.positions.tolist()):
        if not rolling and max(mine + pot, theirs) < 15:
            assert value[number] == pytest.approx((1 - 2 * turn) * (2 * chance[mine, theirs, pot] - 1), abs=1e-9)


@pytest.mark.slow
def test_pig_to_a_hundred_has_the_published_value():
    """Neller and Presser, "Optimal Play of the Dice Game Pig", 2004: the first player wins with chance 0.5306."""
    found = expected_scores(ludus.explore(ludus.make_game(PIG.format(100))).graph)
    assert found.gap <= 1e-9
    assert round((found.value[0] + 1) / 2, 4) == 0.5306
