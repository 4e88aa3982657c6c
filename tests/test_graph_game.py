"""Graphs as games: a written out copy plays like the original, and what is no graph is refused in one line."""

import pickle

import numpy as np
import pytest

import ludus
from ludus import CHANCE, LudusError, face
from ludus.agents.simple import First, Random
from ludus.arena import record
from ludus.checking import check
from ludus.compiled.masks import actions
from ludus.graph_game import GraphGame, Node

MAZE = """
from ludus import CHANCE
from ludus.graph_game import GraphGame

MAZE = GraphGame.from_edges(
    {"hall": ["cellar", "attic"], "cellar": ["hall", "door"], "attic": ["hall", "door", "trap"]},
    movers={"hall": 0, "cellar": CHANCE, "attic": 1},
    scores={"door": 1, "trap": -1},
    weights={"cellar": [1, 3]},
    max_plies=100,
)


class Maze(GraphGame, like=MAZE):
    '''Find the door; avoid the trap.'''
"""


@pytest.fixture
def maze_file(tmp_path):
    path = tmp_path / "maze.py"
    path.write_text(MAZE)
    return path


@pytest.fixture
def maze(maze_file):
    return ludus.make_game(str(maze_file))


@pytest.fixture(scope="module")
def copy():
    """Tic-tac-toe with its positions as nodes."""
    game = ludus.make_game("tic-tac-toe")
    edges, waiting = {}, [game.start()]
    while waiting:
        pos = waiting.pop()
        edges[pos] = [game.play(pos, action) for action in actions(game.legal(pos))]
        waiting += [after for after in edges[pos] if after not in edges]
    movers = {pos: game.player(pos) for pos in edges}
    scores = {pos: game.score(pos) for pos, after in edges.items() if not after}
    return GraphGame.from_edges(edges, movers=movers, scores=scores)


# ---- playing ----


def test_a_copy_plays_the_same_games(copy):
    assert ludus.playouts(copy, 2000, seed=3) == ludus.playouts(ludus.make_game("tic-tac-toe"), 2000, seed=3)


def test_a_copy_has_the_same_positions(copy):
    found, original = ludus.explore(copy), ludus.explore(ludus.make_game("tic-tac-toe"))
    assert found.level_sizes == original.level_sizes
    assert (found.edges, found.ended) == (original.edges, original.ended)


def test_what_was_explored_is_a_game_again(copy):
    again = GraphGame(*ludus.explore(copy).graph)
    assert ludus.explore(again).level_sizes == ludus.explore(copy).level_sizes


@pytest.mark.slow
def test_a_copy_has_the_same_solution(copy):
    assert ludus.solve(copy).counts() == ludus.solve(ludus.make_game("tic-tac-toe")).counts()


def test_chance_follows_the_weights():
    game = GraphGame.from_edges(
        {"coin": ["head", "tail"]}, movers={"coin": CHANCE}, scores={"head": 1}, weights={"coin": [3, 1]}
    )
    assert ludus.playouts(game, 10_000).first_wins == pytest.approx(7500, abs=200)


def test_loops_are_cut_at_max_plies():
    game = GraphGame.from_edges({"a": ["b"], "b": ["a"]}, movers={"a": 0, "b": 1}, max_plies=10)
    tally = ludus.playouts(game, 10)
    assert (tally.unfinished, tally.plies) == (10, 100)


def test_matches_are_played_on_it(copy):
    assert ludus.play_match(copy, Random(), First(), 100).all.games == 100


def test_a_node_may_have_as_many_edges_as_a_word_has_bits():
    game = GraphGame([0, 63] + [63] * 63, range(1, 64), [0] * 64, [0] * 64)
    assert len(actions(game.legal(game.start()))) == game.num_actions == 63
    assert ludus.explore(game).level_sizes == [1, 63]


# ---- a game in a file ----


@pytest.mark.slow
def test_a_graph_in_a_file_keeps_the_contract(maze):
    assert check(maze).problem == ""


def test_a_graph_in_a_file_is_known_by_its_path(maze_file, maze):
    assert ludus.name_of(maze) == str(maze_file)


def test_a_graph_in_a_file_may_begin_elsewhere(maze_file):
    game = ludus.make_game(f"{maze_file}(root=2)")
    assert face.board(game, game.start()) == "attic"
    assert ludus.name_of(game) == f"{maze_file}(root=2)"


def test_its_arrays_cannot_be_written_as_text(maze_file):
    with pytest.raises(LudusError, match="targets cannot be written as text"):
        ludus.make_game(f"{maze_file}(targets=3)")
    with pytest.raises(LudusError, match="graph follows from the arrays"):
        ludus.make_game(f"{maze_file}(graph=3)")


def test_games_on_it_are_recorded_and_read_back(maze, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    path = tmp_path / "games.jsonl"
    agents = Random(), First()
    with path.open("wb") as file:
        ludus.play_match(
            maze,
            *agents,
            4,
            record=lambda result: record.write(record.from_results(maze, agents, 0, [result])[0], file),
        )
    assert [read.game for read in record.read(path, maze)] == [maze] * 4


# ---- names and identity ----


def test_people_see_the_names(maze):
    start = maze.start()
    assert face.board(maze, start) == "hall"
    assert face.menu(maze, start) == [(0, "cellar"), (1, "attic")]
    assert face.parse_action(maze, start, "attic") == 1
    assert face.parse_position(maze, "attic") == Node(2)


def test_an_unknown_name_is_refused(maze):
    with pytest.raises(LudusError, match="'loft' is no node; a position is written like hall"):
        face.parse_position(maze, "loft")


def test_without_names_people_see_numbers():
    game = GraphGame([0, 1, 1], [1], [0, 0], [0, 1])
    assert face.menu(game, game.start()) == [(0, "1")]
    assert face.parse_position(game, "1") == Node(1)


def test_equal_graphs_are_equal_games():
    one, other, third = (GraphGame([0, 1, 1], [1], [0, 0], [0, score]) for score in (1, 1, 2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != third
    assert ludus.fingerprint(one) == ludus.fingerprint(other) != ludus.fingerprint(third)


def test_it_survives_pickling(copy):
    again = pickle.loads(pickle.dumps(copy))
    assert again == copy
    assert again.names == copy.names


def test_its_arrays_cannot_be_changed_and_are_copies():
    scores = np.array([0, 1])
    game = GraphGame([0, 1, 1], [1], [0, 0], scores)
    scores[1] = 5
    assert game.score(Node(1)) == 1
    with pytest.raises(ValueError, match="read-only"):
        game.scores[1] = 5


# ---- what is no graph ----

GOOD = {"first": [0, 2, 2], "targets": [0, 1], "movers": [CHANCE, 0], "scores": [0, 1], "weights": [1, 2]}


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"first": [0, 3, 2]}, "first must ascend from 0 to the number of targets, 2"),
        ({"first": [1, 2, 2]}, "first must ascend"),
        ({"first": []}, "first must ascend"),
        ({"first": [[0, 2, 2]]}, "first must be a list of whole numbers"),
        ({"targets": [0, 2]}, "targets must be nodes from 0 to 1"),
        ({"targets": [-1, 0]}, "targets must be nodes from 0 to 1"),
        ({"targets": ["a", "b"]}, "targets must be a list of whole numbers"),
        ({"movers": [3, 0]}, "movers must be 0, 1 or CHANCE"),
        ({"movers": [0]}, "movers and scores must have one number for each of 2 nodes"),
        ({"scores": [0, 0.5]}, "scores must be a list of whole numbers"),
        ({"weights": [0, 1]}, "weights must be above 0 where CHANCE moves"),
        ({"weights": [0.3, 0.7]}, "weights must be a list of whole numbers"),
        ({"weights": [1]}, "weights must have one number for each of 2 edges, or none"),
        ({"root": 2}, "root must be a node from 0 to 1, not 2"),
        ({"root": 0.5}, "root must be a whole number, not 0.5"),
        ({"max_plies": -3}, "max_plies must be 0 or more, not -3"),
        ({"scores": [0, 2**70]}, "scores must be a list of whole numbers"),
        ({"num_actions": 1}, "num_actions must be 2 to 63"),
        ({"names": ["a"]}, "names must have one name for each of 2 nodes"),
        ({"names": [1, "1"]}, "two nodes are both called 1"),
        ({"first": [0, 64, 64], "targets": [1] * 64, "weights": ()}, "a node may have at most 63 edges, not 64"),
    ],
)
def test_what_is_no_graph_is_refused(wrong, says):
    GraphGame(**GOOD)
    with pytest.raises(LudusError, match=says):
        GraphGame(**GOOD | wrong)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"edges": {"a": [["b"]]}}, "edges must lead from each node to a list of nodes"),
        ({"edges": {"a": 3}}, "edges must lead from each node to a list of nodes"),
        ({"movers": {}}, "movers must name the player to move at 'a'"),
        ({"scores": {"c": 1}}, "'c' is no node"),
        ({"root": "c"}, "'c' is no node"),
        ({"weights": {"a": [1, 2]}}, "weights must have one number for each of the 1 edges of 'a'"),
    ],
)
def test_edges_that_do_not_fit_are_refused(wrong, says):
    with pytest.raises(LudusError, match=says):
        GraphGame.from_edges(**{"edges": {"a": ["b"]}, "movers": {"a": 0}} | wrong)
