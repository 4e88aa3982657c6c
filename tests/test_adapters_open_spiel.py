"""OpenSpiel's own tests hold for games of Ludus, and its games are games of Ludus."""

import json
import pickle
import re
import unittest

import pyspiel
import pytest
from conftest import perft_entries
from open_spiel.integration_tests import api_test
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability, mcts, minimax
from open_spiel.python.tests import games_sim_test

import ludus
from ludus import LudusError, catalog, face
from ludus.adapters.from_open_spiel import from_open_spiel
from ludus.adapters.open_spiel import register, register_all

GAMES = [entry["game"] for entry in perft_entries()]
CHANCE = "examples/pig.py(target=3)"
SMALL = [
    "toads-and-frogs(strip=T_TFF, first=frogs)",
    "mancala(holes=1, stones=4)",
    "tests/user_games/nim.py(a=1, b=2, c=0)",
]


TREES = [SMALL[0], SMALL[2], "tests/user_games/nim.py(a=2, b=1, c=1)"]


def problems(tests, game, left_out=()):
    """What some of OpenSpiel's own tests find wrong with a game."""
    case = type("Tests", (tests,), {"game": game, "game_name": game.get_type().short_name})
    names = [name for name in unittest.defaultTestLoader.getTestCaseNames(case) if name not in left_out]
    assert names
    found = unittest.TestResult()
    unittest.TestSuite(map(case, names)).run(found)
    return found.errors + found.failures


def nodes(rules, pos):
    """How many nodes of the tree below a position are inner ones, and how many are leaves."""
    counts = [nodes(rules, rules.play(pos, action)) for action in ludus.actions(rules.legal(pos))]
    return (1 + sum(inner for inner, _ in counts), sum(leaves for _, leaves in counts)) if counts else (0, 1)


@pytest.mark.parametrize("name", [*GAMES, *SMALL[1:], CHANCE])
def test_the_random_simulation_test_passes(name):
    pyspiel.random_sim_test(pyspiel.load_game(register(name)), 1, True, False)


@pytest.mark.parametrize("name", [*catalog.GAMES.built_in, *SMALL, CHANCE])
def test_the_simulation_test_of_games_in_python_passes(name):
    games_sim_test.GamesSimTest().sim_game(pyspiel.load_game(register(name)))


@pytest.mark.parametrize("name", [*catalog.GAMES.built_in, *SMALL, CHANCE])
def test_the_api_test_passes(name):
    assert problems(api_test.EnforceAPIOnPartialTreeBase, pyspiel.load_game(register(name))) == []


@pytest.mark.parametrize("name", TREES)
def test_the_api_test_of_whole_trees_passes(name, monkeypatch):
    game = pyspiel.load_game(register(name))
    inner, leaves = nodes(game.rules, game.rules.start())
    monkeypatch.setitem(api_test.TOTAL_NUM_STATES, game.get_type().short_name, (0, inner, leaves))
    monkeypatch.setitem(api_test.PERFECT_RECALL_NUM_STATES, game.get_type().short_name, inner)
    tensors = "test_current_player_infosets_no_overlap_between_players"  # of what a player remembers: there are none
    assert problems(api_test.EnforceAPIOnFullTreeBase, game, [tensors]) == []


def test_all_games_are_known():
    assert set(register_all()) <= set(pyspiel.registered_names())


def test_parameters_are_those_of_the_game():
    game = pyspiel.load_game(register("mancala(holes=3, stones=2, capture=standard)"))
    assert game.rules == ludus.make_game("mancala(holes=3, stones=2, capture=standard)")
    assert pickle.loads(pickle.dumps(game)).rules == game.rules


@pytest.mark.parametrize("name", SMALL)
def test_its_minimax_agrees_with_the_solution(plain, name):
    game = pyspiel.load_game(register(name))
    truth = ludus.solve(game.rules).value(game.rules.start()).score
    assert minimax.alpha_beta_search(game, maximizing_player_id=0)[0] == (truth > 0) - (truth < 0)


@pytest.mark.parametrize("name", TREES)
def test_its_best_responses_find_the_guarantee_of_random_play(plain, name):
    game = pyspiel.load_game(register(name))
    guarantee = ludus.grade(ludus.make_agent("random"), game.rules).guarantee
    found = exploitability.exploitability(game, policy.UniformRandomPolicy(game))
    assert found == pytest.approx(-(guarantee.first.score + guarantee.second.score) / 2)


@pytest.mark.parametrize("name", TREES)
def test_its_regret_minimisation_comes_to_the_solution(plain, name):
    game = pyspiel.load_game(register(name))
    solver = cfr.CFRPlusSolver(game)
    for _ in range(30):
        solver.evaluate_and_update_policy()
    values = expected_game_score.policy_value(game.new_initial_state(), [solver.average_policy()] * 2)
    truth = ludus.solve(game.rules).value(game.rules.start()).score
    assert values[0] == pytest.approx(truth, abs=0.01)


def test_its_tree_search_plays():
    game = pyspiel.load_game(register("tic-tac-toe"))
    state = game.new_initial_state()
    assert mcts.MCTSBot(game, 1.5, 20, mcts.RandomRolloutEvaluator()).step(state) in state.legal_actions()


def test_its_minimax_agrees_with_the_solution_in_points(plain):
    game = pyspiel.load_game(register("mancala(holes=2, stones=1)").removesuffix(")") + ",margin=True)")
    assert (
        minimax.alpha_beta_search(game, maximizing_player_id=0)[0]
        == ludus.solve(game.rules).value(game.rules.start()).score
    )


def test_a_listed_game_has_the_positions_and_the_value_of_the_original(plain):
    game = ludus.make_game("open-spiel:breakthrough(rows=3,columns=2)")
    truth = minimax.alpha_beta_search(pyspiel.load_game("breakthrough(rows=3,columns=2)"))[0]
    assert ludus.solve(game).value(game.start()).score == truth


def test_a_listed_game_counts_as_the_same_game_of_ludus(plain):
    assert ludus.solve(from_open_spiel("tic_tac_toe")).counts() == (5478, 958, 2836, 1574, 1068, 5)


def test_a_slow_enumeration_shows_its_progress(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.setattr("ludus.activity.PATIENCE", 0)
    monkeypatch.setattr("ludus.commands.progress._FRAME", 0.005)
    from_open_spiel.__wrapped__("tic_tac_toe")
    assert re.search(r"listing tic_tac_toe: \d,000 positions", capsys.readouterr().err)


def test_the_commands_take_a_game_of_open_spiel(ludus, home):
    game, plain = "open-spiel:nim(pile_sizes=1;2)", {"NUMBA_DISABLE_JIT": "1"}  # who takes the last loses
    solved = json.loads(ludus("solve", game, "--json", **plain).stdout)
    assert (solved["positions"], solved["value"], solved["plies"]) == (8, "win", 2)
    played = ludus("play", game, "--against", "first", typed="pile:2, take:2;\nn\n", **plain)
    assert "Score: You 1   Computer 0" in played.stdout


def test_a_listed_game_is_written_and_played_as_it_was_named():
    game = ludus.make_game("open-spiel:breakthrough(rows=3,columns=2)")
    assert catalog.lasting_name(game) == ludus.name_of(game) == "open-spiel:breakthrough(rows=3,columns=2)"
    assert face.board(game, game.start()).splitlines()[0] == "3bb"
    assert face.action_name(game, game.start(), 0) == "a3a2"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("kuhn_poker", "need no chance"),
        ("matrix_rps", "need turns"),
        ("tic_tac_to", "did you mean tic_tac_toe"),
        ("breakthrough(sides=4)", "Unknown parameter 'sides'"),
        ("go(board_size=2)", "writes unlike positions alike"),
    ],
)
def test_what_cannot_be_listed_is_refused(text, problem):
    with pytest.raises(LudusError, match=problem):
        from_open_spiel(text)
