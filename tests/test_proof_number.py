"""Proof-number search: who wins, against retrograde analysis, plain minimax and a proof-number search of few lines."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from conftest import EXAMPLES
from test_search import minimax, reachable

import ludus
from ludus.compiled.masks import actions
from ludus.game import CHANCE
from ludus.graph_game import GraphGame
from ludus.solving import outcomes, proof_number
from ludus.solving.outcomes import Outcomes
from ludus.solving.proof_number import DRAW, PROVEN, WIN, ProofSearcher, keep, look_up
from ludus.solving.solver import solve
from ludus.solving.transposition_table import new_table
from ludus.solving.value import Value, seen_by_mover

SMALL = 1 << 20  # bytes of a table

pytestmark = pytest.mark.usefixtures("home")

GAMES = [
    "tic-tac-toe",
    "toads-and-frogs(toads=2, gaps=3, frogs=2)",
    "connect-four(width=3, height=4, connect=3)",
    "connect-four(width=4, height=3, connect=3)",
    f"{EXAMPLES}/breakthrough.py(rows=4, columns=2)",
]


def outcome(searcher, pos):
    """Who wins by a searcher, for the side to move; the score of the rules at the end."""
    game = searcher.game
    return searcher.outcome(pos) if actions(game.legal(pos)) else seen_by_mover(game, pos, game.score(pos))


@pytest.mark.parametrize("memory", [1, 1 << 9, SMALL])
@pytest.mark.parametrize("name", GAMES)
def test_every_position_has_the_outcome_that_retrograde_analysis_finds(name, memory):
    game = ludus.make_game(name)
    solution = solve(game, method="listed")
    searcher = ProofSearcher(game, memory=memory)
    for pos in reachable(game):
        assert seen_by_mover(game, pos, outcome(searcher, pos)) == solution.value(pos).score, pos


@pytest.mark.parametrize("name", GAMES)
def test_who_wins_is_found_in_turns_as_well(name):
    game = ludus.make_game(name)
    solution, searched = solve(game, method="listed"), Outcomes(game, memory=SMALL)
    for pos in reachable(game)[::7]:
        assert searched.value(pos) == Value(solution.value(pos).score, None)
        found = {action: value.score for action, value in searched.actions(pos).items()}
        assert found == {action: value.score for action, value in solution.actions(pos).items()}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("toads-and-frogs(toads=4, gaps=4, frogs=4)", id="toads-and-frogs"),
        pytest.param("connect-four(width=4, height=4)", id="connect-four"),
        pytest.param(f"{EXAMPLES}/breakthrough.py(rows=4, columns=4)", id="breakthrough"),
    ],
)
@pytest.mark.slow
def test_positions_of_larger_games_have_the_outcome_of_retrograde_analysis(name):
    game = ludus.make_game(name)
    solution = solve(game, method="listed")
    positions = solution.positions
    chosen = np.random.default_rng(1).choice(len(positions), 2000)
    searchers = ProofSearcher(game, memory=1 << 12), ProofSearcher(game, memory=SMALL)
    for row in positions[chosen]:
        pos = type(solution.start)(*map(int, row))
        for searcher in searchers:
            assert seen_by_mover(game, pos, outcome(searcher, pos)) == solution.value(pos).score


# ---- a proof-number search of few lines ----


def plain_numbers(game, pos, goal):
    """The proof and disproof number of a position whose tree is searched to its ends, without a table."""
    legal = actions(game.legal(pos))
    if not legal:
        forced = seen_by_mover(game, pos, game.score(pos)) >= goal
        return (0, PROVEN) if forced else (PROVEN, 0)
    children = []
    for after in (game.play(pos, action) for action in legal):
        again = game.player(after) == game.player(pos)
        numbers = plain_numbers(game, after, goal if again else 1 - goal)
        children.append(numbers if again else numbers[::-1])
    return min(proof for proof, _ in children), min(PROVEN, sum(disproof for _, disproof in children))


@pytest.mark.parametrize("goal", [WIN, DRAW])
@pytest.mark.parametrize("board", ["XO./.X./..O", "XX./OO./...", ".../.XO/..."])
def test_the_numbers_of_a_finished_search_are_those_of_the_whole_tree(plain, board, goal):
    game = ludus.make_game("tic-tac-toe")
    pos = game.parse_position(board)
    searcher = ProofSearcher(game, memory=SMALL)
    *_, answer = searcher.asking(pos, goal, [1 << 30])
    proof, disproof = plain_numbers(game, pos, goal)
    assert searcher.numbers == (proof, disproof)
    assert (answer >= goal) == (proof == 0)


# ---- graphs: transpositions, extra turns, draws ----


class Graph(GraphGame):
    """A graph in which chance does not move."""

    odds = None


def random_graph(seed):
    """A graph without loops whose nodes have many parents; the same player may move several times."""
    generator = np.random.default_rng(seed)
    layers = [[f"{layer}.{node}" for node in range(6)] for layer in range(7)]
    edges = {"root": layers[0]}
    for layer, below in pairwise(layers):
        edges |= {node: list(generator.choice(below, 3, replace=False)) for node in layer}
    ends = sorted({target for targets in edges.values() for target in targets} - edges.keys())
    nodes = [*edges, *ends]
    return Graph.from_edges(
        edges,
        movers={node: int(generator.integers(2)) for node in nodes},
        scores={node: int(generator.integers(-1, 2)) for node in ends},
    )


@pytest.mark.parametrize("memory", [1, SMALL])
@pytest.mark.parametrize("seed", range(20))
def test_a_graph_with_transpositions_has_the_values_of_minimax(plain, seed, memory):
    game = random_graph(seed)
    value, searcher = minimax(game), ProofSearcher(game, memory=memory)
    for pos in reachable(game):
        assert seen_by_mover(game, pos, outcome(searcher, pos)) == value(pos).score


def ladder(rungs):
    """Each node leads to the next by two ways: lines of play double in number with every rung."""
    edges = {rung: [(rung, "left"), (rung, "right")] for rung in range(rungs)}
    edges |= {(rung, side): [rung + 1] for rung in range(rungs) for side in ("left", "right")}
    return Graph.from_edges(edges, movers={node: 1 - isinstance(node, int) for node in edges}, scores={rungs: -1})


def test_numbers_that_count_a_leaf_a_million_times_over_do_not_overflow(plain):
    game = ladder(60)
    assert ProofSearcher(game, memory=SMALL).outcome(game.start()) == -1


# ---- the table ----


def test_an_entry_is_found_again_and_the_costliest_stay(plain):
    table = new_table(1)
    numbers = {hash_two: (hash_two << 37 | 5 << 13) for hash_two in range(1, 7)}
    for two, packed in numbers.items():
        keep(table, 9, two, packed, effort=10 - two)
    found = [look_up(table, 9, two) for two in numbers]
    assert [entry >> 13 << 13 for entry in found if entry] == [numbers[two] for two in (1, 2, 3, 6)]


def test_a_later_search_of_a_position_replaces_its_numbers(plain):
    table = new_table(1)
    keep(table, 9, 1, 3 << 37 | 5 << 13, effort=4)
    keep(table, 9, 1, 7 << 37 | 2 << 13, effort=1)
    entry = look_up(table, 9, 1)
    assert (entry >> 37, entry >> 13 & PROVEN, entry >> 7 & 63) == (7, 2, 4)
    assert np.count_nonzero(table[:, 1]) == 1


# ---- in slices ----


def test_a_search_pauses_after_each_slice_and_finds_the_same(plain):
    game = ludus.make_game("tic-tac-toe")
    whole, sliced = ProofSearcher(game, memory=SMALL), ProofSearcher(game, memory=SMALL)
    *pauses, answer = sliced.asking(game.start(), DRAW, iter(lambda: 10, None))
    assert answer == next(whole.asking(game.start(), DRAW, [1 << 30])) == 0
    assert set(pauses) == {None}
    assert sliced.nodes == whole.nodes
    assert len(pauses) == (sliced.nodes - 1) // 10


def test_an_interrupted_search_can_be_asked_again(plain, monkeypatch):
    monkeypatch.setattr(proof_number, "SLICE", 50)
    monkeypatch.setattr(outcomes, "_FIRST_SLICE", 20)
    game = ludus.make_game("tic-tac-toe")

    def interrupt(nodes):
        if nodes > 100:
            raise KeyboardInterrupt

    for searcher in (ProofSearcher(game, memory=SMALL), Outcomes(game, memory=SMALL)):
        searcher.progress = interrupt
        ask = searcher.outcome if isinstance(searcher, ProofSearcher) else searcher.value
        with pytest.raises(KeyboardInterrupt):
            ask(game.start())
        searcher.progress = None
        assert ask(game.start()) in (0, Value(0))


def test_progress_shows_the_nodes_of_both_searches(plain, monkeypatch):
    monkeypatch.setattr(outcomes, "_FIRST_SLICE", 20)
    reported = []
    game = ludus.make_game("tic-tac-toe")
    searched = Outcomes(game, memory=SMALL, progress=reported.append)
    searched.value(game.start())
    assert reported == sorted(reported)
    assert 20 < reported[-1] <= searched.nodes


def test_lines_longer_than_the_first_room_are_searched(plain, monkeypatch):
    monkeypatch.setattr(proof_number, "FIRST_DEPTH", 2)
    game = ludus.make_game("tic-tac-toe")
    assert ProofSearcher(game, memory=SMALL).outcome(game.start()) == 0


def test_who_wins_is_read_from_the_opening_book(plain):
    game = ludus.make_game("tic-tac-toe")
    searched = Outcomes(game, memory=SMALL, book={game.start(): -17})
    assert searched.value(game.start()) == Value(-1)
    assert searched.nodes == 0


@pytest.mark.slow
def test_it_gives_the_same_without_the_jit(fresh_python):
    code = """
import ludus
from ludus.solving.proof_number import ProofSearcher
for name in ("tic-tac-toe", "toads-and-frogs", "connect-four(width=4, height=2, connect=3)"):
    game = ludus.make_game(name)
    searcher = ProofSearcher(game, memory=1 << 12)
    print(searcher.outcome(game.start()), searcher.nodes, searcher.numbers)
"""
    assert fresh_python(code, NUMBA_DISABLE_JIT="1") == fresh_python(code)


# ---- what cannot be asked ----


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("mancala", "its scores are margins, and proofs are of wins, draws and losses"),
        ("chung-toi", "play can come back to"),
        (f"{EXAMPLES}/pig.py", "it leaves something to chance"),
    ],
)
def test_a_game_of_margins_loops_or_chance_is_refused(name, why):
    with pytest.raises(ludus.LudusError, match=rf"cannot be searched for proofs: {why}"):
        ludus.solve(ludus.make_game(name), method="proof")


class Place(NamedTuple):
    number: int


class Walk(NamedTuple):
    """Three steps, of both players in turn; then a score of so many points."""

    points: int
    last_mover: int = 1

    def start(self):
        return Place(0)

    def player(self, pos):
        return self.last_mover if pos.number == 2 else pos.number & 1

    def legal(self, pos):
        return 1 if pos.number < 3 else 0

    def play(self, pos, action):
        return Place(pos.number + 1)

    def score(self, pos):
        return self.points


def test_a_margin_at_the_end_is_reported(plain):
    with pytest.raises(ludus.LudusError, match="Walk cannot be searched for proofs: its scores are margins"):
        ProofSearcher(Walk(3), memory=SMALL).outcome(Place(0))
    with pytest.raises(ludus.LudusError, match="Walk cannot be searched for proofs: its scores are margins"):
        Outcomes(Walk(3), memory=SMALL).value(Place(0))


def test_chance_that_the_game_does_not_announce_is_reported(plain):
    with pytest.raises(ludus.LudusError, match="Walk cannot be searched for proofs: it leaves something to chance"):
        ProofSearcher(Walk(1, CHANCE), memory=SMALL).outcome(Place(0))


def test_play_that_may_never_end_is_reported(plain, monkeypatch):
    monkeypatch.setattr(proof_number, "DEEPEST", 200)

    class Endless(Walk):
        def legal(self, pos):
            return 1

    with pytest.raises(ludus.LudusError, match="Endless lasts more than 128 plies, too many for a search"):
        ProofSearcher(Endless(1), memory=SMALL).outcome(Place(0))
