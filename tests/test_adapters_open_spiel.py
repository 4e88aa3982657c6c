"""OpenSpiel's own tests hold for games of Ludus, and its games are games of Ludus."""

import pickle

import pyspiel
import pytest
from open_spiel.python.algorithms import mcts, minimax

import ludus
from ludus import LudusError, catalog, face
from ludus.adapters.from_open_spiel import from_open_spiel
from ludus.adapters.open_spiel import register, register_all

SMALL = [
    "toads-and-frogs(strip=T_TFF, first=frogs)",
    "mancala(holes=1, stones=4)",
    "tests/user_games/nim.py(a=1, b=2, c=0)",
]


@pytest.mark.parametrize("name", list(catalog.GAMES.built_in) + SMALL + ["tests/user_games/pig.py(target=3)"])
def test_the_random_simulation_test_passes(name):
    pyspiel.random_sim_test(pyspiel.load_game(register(name)), 1, True, False)


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
