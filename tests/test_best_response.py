"""The best response to a fixed policy, against every opponent that there is."""

import itertools
import random

import numpy as np
import pytest

from ludus.game import CHANCE
from ludus.solving.best_response import best_response, play_of
from ludus.solving.explore import ENDED, Graph


def graph_of(nodes):
    """A graph and shares from (mover, score, [(target, share or weight), ...]) for each node."""
    edges = [edge for _, _, edges in nodes for edge in edges]
    mover = np.array([mover for mover, _, _ in nodes], np.int8)
    shares = np.array([share for _, share in edges], float)
    is_chance = np.repeat(mover == CHANCE, [len(edges) for _, _, edges in nodes])
    graph = Graph(
        np.cumsum([0, *(len(edges) for _, _, edges in nodes)]),
        np.array([target for target, _ in edges], np.int32),
        mover,
        np.array([score for _, score, _ in nodes], np.int64),
        np.where(is_chance, shares, 0.0) if is_chance.any() else np.zeros(0),
    )
    return graph, np.where(is_chance, 0.0, shares)


def test_an_opponent_that_would_lose_goes_round_for_ever():
    graph, shares = graph_of([(0, 0, [(1, 1)]), (1, 0, [(0, 0), (2, 0)]), (ENDED, 1, [])])
    response = best_response(graph, shares, 0)
    assert (response.score, response.plies, response.endless, response.gap) == (0, None, True, None)
    assert response.line == (0, 1)
    assert response.repeats_from == 0


def test_dice_lead_out_of_a_loop_in_the_end():
    graph, shares = graph_of([(0, 0, [(1, 0.9), (2, 0.1)]), (1, 0, [(0, 0)]), (ENDED, 1, [])])
    response = best_response(graph, shares, 0)
    assert response.score == pytest.approx(1, abs=1e-8)
    assert response.worst_case == 0


def test_dice_that_make_no_difference_leave_the_score_exact():
    graph, shares = graph_of(
        [(1, 0, [(1, 0.5), (2, 0.5)]), (0, 0, [(3, 0)]), (0, 0, [(3, 0), (4, 0)]), (ENDED, -2, []), (ENDED, -5, [])]
    )
    response = best_response(graph, shares, 1)
    assert (response.score, response.gap, response.plies) == (2, None, 2)


def test_plies_that_depend_on_dice_are_not_reported():
    graph, shares = graph_of([(0, 0, [(1, 0.5), (2, 0.5)]), (1, 0, [(2, 0)]), (ENDED, -1, [])])
    response = best_response(graph, shares, 0)
    assert (response.score, response.plies, response.endless) == (-1, None, False)


def test_whether_a_draw_ends_is_not_reported_where_dice_decide():
    graph, shares = graph_of([(0, 0, [(1, 0.5), (2, 0.5)]), (1, 0, [(1, 0)]), (ENDED, 0, [])])
    response = best_response(graph, shares, 0)
    assert (response.score, response.plies, response.endless) == (0, None, None)


def test_positions_behind_actions_that_are_never_taken_do_not_arise():
    graph, shares = graph_of([(0, 0, [(1, 0), (2, 1)]), (1, 0, [(2, 0)]), (ENDED, 1, [])])
    play = play_of(graph, shares, 0)
    assert play.nodes.tolist() == [0, 2]
    assert play.edges.tolist() == [1]


@pytest.mark.parametrize("kind", ["one action", "dice", "chance"])
def test_no_opponent_does_better_on_small_graphs_with_loops(kind):
    rng = random.Random(kind)
    for _ in range(60):
        nodes = random_nodes(rng, kind)
        for seat in (0, 1):
            response = best_response(*graph_of(nodes), seat)
            worst = min(against(nodes, seat, opponent) for opponent in all_opponents(nodes, seat))
            assert response.score == pytest.approx(worst, abs=1e-6), (nodes, seat)


@pytest.mark.parametrize("kind", ["one action", "dice"])
def test_the_line_is_one_of_legal_edges_that_ends_in_the_score_or_repeats_itself(kind):
    rng = random.Random(kind)
    for _ in range(60):
        nodes = random_nodes(rng, kind)
        graph, shares = graph_of(nodes)
        response = best_response(graph, shares, 0)
        if response.gap is not None:
            continue
        at, places = 0, [0]
        for edge in response.line:
            assert graph.first[at] <= edge < graph.first[at + 1]
            assert graph.mover[at] == 1 or shares[edge] > 0
            at = int(graph.targets[edge])
            places.append(at)
        if response.repeats_from is not None:
            assert response.plies is None
            assert at == places[response.repeats_from]
        else:
            assert response.plies in (None, len(response.line))
            assert graph.score[at] == response.score


def random_nodes(rng, kind):
    """Six nodes that lead anywhere, the first among them, and three ends."""
    movers = [0, 1, 0, 1, rng.choice([0, 1]), CHANCE if kind == "chance" else rng.choice([0, 1])]
    rng.shuffle(movers)
    nodes = []
    for mover in movers:
        targets = rng.sample(range(9), rng.choice([1, 2, 3]))
        weights = [rng.randint(1, 3) for _ in targets]
        if kind == "one action" and mover != CHANCE:
            weights = [1] + [0] * (len(targets) - 1)
        shares = [weight / sum(weights) for weight in weights]
        nodes.append((mover, 0, list(zip(targets, shares, strict=True))))
    return nodes + [(ENDED, score, []) for score in (rng.choice([1, 2]), 0, -1)]


def all_opponents(nodes, seat):
    """Every choice of one edge at each of the opponent's nodes."""
    own = [number for number, (mover, _, _) in enumerate(nodes) if mover == 1 - seat]
    for edges in itertools.product(*(range(len(nodes[number][2])) for number in own)):
        yield dict(zip(own, edges, strict=True))


def against(nodes, seat, opponent):
    """The expected score for the seat: where a chain ends up, by squaring its matrix again and again."""
    size = len(nodes)
    chain = np.zeros((size, size))
    for number, (mover, _, edges) in enumerate(nodes):
        if mover == ENDED:
            chain[number, number] = 1
        elif mover == 1 - seat:
            chain[number, edges[opponent[number]][0]] = 1
        else:
            for target, share in edges:
                chain[number, target] += share
    for _ in range(30):
        chain = chain @ chain
        chain /= chain.sum(axis=1, keepdims=True)
    expected = sum(chain[0, number] * score for number, (mover, score, _) in enumerate(nodes) if mover == ENDED)
    return expected if seat == 0 else -expected
