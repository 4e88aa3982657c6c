"""Perfect play: it keeps what there is, hurries to win, delays a loss, and errs as often as its skill says to."""

import numpy as np
import pytest
from conftest import EXAMPLES

import ludus
from ludus import face
from ludus.agents import perfect
from ludus.agents.agent import agent_for, evaluations, probabilities
from ludus.agents.perfect import Bounded, Perfect, Searching, Solved, truth_about
from ludus.agents.simple import Random
from ludus.arena import Seats
from ludus.arena.match import Count, play_match
from ludus.compiled.compiling import kernel
from ludus.compiled.masks import actions
from ludus.game import num_actions
from ludus.graph_game import GraphGame
from ludus.solving import alpha_beta
from ludus.solving.book_building import build
from ludus.solving.solver import search
from ludus.solving.transposition_table import MOST

PIG = str(EXAMPLES / "pig.py(target=8, faces=4)")


@kernel
def compiled_policy(agent, game, pos, out):
    agent.policy(game, pos, out)


@pytest.fixture(scope="module")
def tapnswap():
    game = ludus.make_game("tapnswap")
    return game, ludus.solve(game)


def decisions(game, solution):
    """Every position in which somebody moves."""
    for row in solution.positions.tolist():
        pos = game.start()._make(row)
        if actions(game.legal(pos)):
            yield pos


def sorted_by_definition(game, solution, pos):
    """The best actions, by result and then by haste, and the errors: those that give something away."""
    side = 1 if game.player(pos) == 0 else -1
    values = solution.actions(pos)
    top = max(side * value.score for value in values.values())
    kept = {action: value.plies for action, value in values.items() if side * value.score == top}
    wanted = {1: min, -1: max}.get(top)
    best = {action for action, plies in kept.items() if not wanted or plies == wanted(kept.values())}
    return best, values.keys() - kept.keys()


@pytest.mark.parametrize("skill", [1.0, 0.8, 0.0])
def test_the_best_actions_share_the_skill_and_the_errors_the_rest(tapnswap, skill):
    game, solution = tapnswap
    agent = agent_for(Perfect(skill), game)
    for pos in decisions(game, solution):
        best, errors = sorted_by_definition(game, solution, pos)
        shares = np.zeros(num_actions(game))
        shares[list(best)] = (skill if errors else 1) / len(best)
        shares[list(errors)] = (1 - skill) / max(len(errors), 1)
        assert probabilities(agent, game, pos) == pytest.approx(shares)


def test_the_policy_is_the_same_compiled_and_plain(tapnswap):
    game, solution = tapnswap
    agent = agent_for(Perfect(0.7), game)
    assert isinstance(agent, Solved)
    for pos in decisions(game, solution):
        out = np.zeros(num_actions(game))
        compiled_policy(agent, game, pos, out)
        assert np.array_equal(out, probabilities(agent, game, pos))


def test_perfect_never_loses_tic_tac_toe_whatever_the_other_does():
    game = ludus.make_game("tic-tac-toe")
    agent = agent_for(Perfect(), game)
    assert ends(game, agent, 0) == {0, 1}
    assert ends(game, agent, 1) == {0, -1}


def ends(game, agent, seat):
    """All scores that games can end with when the agent holds this seat."""
    scores, seen, waiting = set(), {game.start()}, [game.start()]
    while waiting:
        pos = waiting.pop()
        legal = actions(game.legal(pos))
        if not legal:
            scores.add(game.score(pos))
        elif game.player(pos) == seat:
            legal = np.flatnonzero(probabilities(agent, game, pos)).tolist()
        new = {game.play(pos, action) for action in legal} - seen
        seen |= new
        waiting += new
    return scores


def test_two_perfect_players_draw_tic_tac_toe():
    result = play_match(ludus.make_game("tic-tac-toe"), Perfect(), Perfect(), 100)
    assert (result.all, result.mean_plies) == (Count(0, 0, 100), 9)


def test_the_second_seat_wins_tapnswap_in_26_plies_against_perfect_play_and_sooner_against_random(tapnswap):
    game, _ = tapnswap
    equal = play_match(game, Perfect(), Perfect(), 100, seats=Seats.FIRST)
    assert (equal.all, equal.mean_plies) == (Count(0, 100, 0), 26)
    easy = play_match(game, Perfect(), Random(), 100, seats=Seats.SECOND)
    assert easy.all == Count(100, 0, 0)
    assert easy.mean_plies < 26


def test_a_player_who_always_errs_hardly_draws_with_one_who_never_does():
    result = play_match(ludus.make_game("tic-tac-toe"), Perfect(), Perfect(0.0), 100)
    assert result.all.a_wins > 90
    assert result.all.b_wins == 0


def test_perfect_is_ready_for_both_sides_to_begin():
    game = ludus.make_game("toads-and-frogs")  # who begins loses
    result = play_match(game, Perfect(), Random(), 200, alternate_starter=True)
    assert result.second == Count(100, 0, 0)
    assert result.first.games == 100


def test_a_position_out_of_reach_of_the_start_is_solved_on_its_own():
    game = ludus.make_game("toads-and-frogs")
    pos = game.with_mover(game.start(), 1)
    assert probabilities(Perfect(), game, pos).sum() == pytest.approx(1)


@pytest.mark.slow
def test_where_the_game_is_too_large_to_list_it_searches_and_plays_the_same():
    game = ludus.make_game("connect-four")
    pos = late_position(game)
    searching, solved = agent_for(Perfect(), game), agent_for(Perfect(), game, [pos])
    assert isinstance(searching, Searching)
    assert isinstance(solved, Solved)
    assert (str(searching), str(agent_for(Perfect(0.5), game))) == (
        "perfect, by search",
        "perfect(skill=0.5), by search",
    )
    assert Perfect().remark(game).endswith("the game is too large to enumerate")
    while actions(game.legal(pos)):
        shares = probabilities(searching, game, pos)
        assert shares == pytest.approx(probabilities(solved, game, pos))
        assert shares == pytest.approx(probabilities(Perfect(), game, pos))
        pos = game.play(pos, int(shares.argmax()))


def late_position(game):
    """Connect four with three columns left and nothing won."""
    pos = game.start()
    for action in (0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 2, 3, 2, 3, 3, 2, 3, 2, 2, 3, 2, 3):
        pos = game.play(pos, action)
    return pos


@pytest.mark.parametrize("name", ["connect-four(width=4, height=3, connect=3)", "mancala(holes=2, stones=2)"])
def test_with_less_skill_it_errs_alike_by_search_and_by_solution(name, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    game = ludus.make_game(name)
    searching, solved = (
        Searching(ludus.solve(game, method="search", memory=1 << 20), 0.7),
        agent_for(Perfect(0.7), game),
    )
    pos = game.start()
    while actions(game.legal(pos)):
        shares = probabilities(searching, game, pos)
        assert shares == pytest.approx(probabilities(solved, game, pos))
        pos = game.play(pos, int(shares.argmax()))


def test_with_less_skill_it_does_not_evaluate_every_action(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    game = ludus.make_game("tic-tac-toe")
    truth = ludus.solve(game, method="search", memory=1 << 20)
    monkeypatch.setattr(truth.searcher, "action", None)
    assert probabilities(Searching(truth, 0.5), game, face.parse_position(game, "XX./OO./..X")).sum() == 1


def test_all_searches_of_a_game_remember_the_same(monkeypatch):
    game = ludus.make_game("tic-tac-toe")
    monkeypatch.setattr(perfect, "_known", {})
    monkeypatch.setattr(perfect, "solve", lambda game, start, **given: search(game, start, 1 << 10, None))
    first, second = truth_about(game, game.start()), truth_about(game, game.play(game.start(), 0))
    assert first.searcher is second.searcher
    assert second.start == game.play(game.start(), 0)


@pytest.mark.slow
def test_with_chance_it_takes_the_higher_expected_score():
    game = ludus.make_game(PIG)
    solution, agent = ludus.solve(game), agent_for(Perfect(), game)
    for pos in decisions(game, solution):
        if game.player(pos) != ludus.CHANCE:
            side = 1 if game.player(pos) == 0 else -1
            value = {action: side * value.score for action, value in solution.actions(pos).items()}
            chosen = np.flatnonzero(probabilities(agent, game, pos))
            assert min(value[action] for action in chosen) >= max(value.values()) - 3 * solution.gap - 1e-8


def walk(*choices):
    """Player 0 takes a tie, or walks up and down at random until 7 are lost or 15 won, of equal value."""
    edges = {"begin": list(choices)}
    for place in range(1, 22):
        edges[place] = ["low" if place == 1 else place - 1, "high" if place == 21 else place + 1]
    movers = dict.fromkeys(edges, ludus.CHANCE) | {"begin": 0}
    return GraphGame.from_edges(edges, movers=movers, scores={"low": -7, "high": 15}, max_plies=1000)


@pytest.mark.parametrize("choices", [("tie", 7), (7, "tie")])
def test_expected_scores_that_are_equal_up_to_the_gap_are_alike_to_every_kind_of_perfect(choices, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    game = walk(*choices)
    for agent in (Perfect(), agent_for(Perfect(), game)):
        assert probabilities(agent, game, game.start()).tolist() == [0.5, 0.5]


def test_where_the_game_is_over_it_writes_nothing(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    game = ludus.make_game("tic-tac-toe")
    pos, out = face.parse_position(game, "XXX/OO./..."), np.zeros(9)
    searching = Searching(ludus.solve(game, method="search"), 1.0)
    for agent in (Perfect(), agent_for(Perfect(), game, [pos]), searching):
        agent.policy(game, pos, out)
    assert not out.any()


def test_it_has_nothing_to_remark_where_the_game_is_listed(tapnswap):
    assert Perfect().remark(tapnswap[0]) == ""


def test_its_evaluation_is_the_score_of_each_action_for_the_side_to_move():
    game = ludus.make_game("tic-tac-toe")
    pos = face.parse_position(game, "XX./OO./..X")  # O wins with c2, wins later with c3, and loses otherwise
    assert evaluations(Perfect(), game, [pos])[0] == {"2": 1, "5": 1, "6": -1, "7": -1}


@pytest.mark.parametrize("skill", ["-0.1", "1.1", "much"])
def test_a_skill_that_is_no_probability_is_refused(skill):
    with pytest.raises(ludus.LudusError, match="skill must be"):
        ludus.make_agent(f"perfect(skill={skill})")


def test_perfect_is_found_by_name():
    assert ludus.make_agent("perfect") == Perfect()
    assert ludus.make_agent("perfect(skill=0)") == Perfect(0.0)
    assert ludus.name_of(Perfect(0.8)) == "perfect(skill=0.8)"


# ---- where a search would take long ----

BOARD, TINY = "connect-four(width=4, height=4)", "connect-four(width=4, height=3)"


@pytest.fixture
def bounded(monkeypatch, home):
    """Perfect play on a small board by a search that stops soon."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setattr(alpha_beta, "SLICE", 20)
    monkeypatch.setattr(perfect, "_NODES", 20)
    game = ludus.make_game(BOARD)
    return game, Bounded(search(game, game.start(), 1 << 20, None), 1.0)


def test_a_move_that_is_not_proven_says_so_with_its_bounds(bounded):
    game, agent = bounded
    assert probabilities(agent, game, game.start()).sum() == pytest.approx(1)
    assert agent.remark == "the best move found so far, not proven: Red gets between a loss and a win"


def test_a_move_that_is_proven_in_time_has_no_remark(bounded, monkeypatch):
    game, agent = bounded
    probabilities(agent, game, game.start())
    monkeypatch.setattr(perfect, "_NODES", 1 << 30)
    assert np.flatnonzero(probabilities(agent, game, late_draw(game))).tolist() == agent.truth.best(late_draw(game))
    assert agent.remark == ""


def late_draw(game):
    """Two columns are full, and nobody can win."""
    pos = game.start()
    for action in (0, 0, 0, 0, 1, 1, 1, 1):
        pos = game.play(pos, action)
    return pos


def test_what_is_proven_so_far_is_kept(bounded, monkeypatch):
    game, agent = bounded
    pos = game.start()
    for action in (1, 0, 1, 0, 2, 0):  # the second player threatens to win in the first column
        pos = game.play(pos, action)
    monkeypatch.setattr(
        agent.truth.searcher, "narrowing", lambda pos: iter_then_stop(agent, [(-4000, 4000), (0, 4000)])
    )
    monkeypatch.setattr(perfect, "_FEW_NODES", 1 << 30)
    shares = probabilities(agent, game, pos)
    assert np.flatnonzero(shares).tolist() == [0]
    assert agent.remark.endswith("not proven: Red gets between a draw and a win")


def iter_then_stop(agent, bounds):
    """Bounds as a search finds them before its time is up."""
    yield from bounds
    agent.truth.searcher.progress(1 << 40)


def test_points_are_bounded_by_margins_and_what_is_unknown_is_not():
    game = ludus.make_game("mancala(holes=2, stones=2)")
    searcher = alpha_beta.Searcher(game, memory=1 << 10)
    assert perfect._lies(searcher, game.start(), -3, 2) == "South gets between a loss by 3 and a win by 2"
    assert perfect._lies(searcher, game.start(), -MOST, 0) == "South gets between a loss and a draw"
    assert perfect._lies(searcher, game.start(), 4, 4) == "South gets a win by 4"


def test_while_a_game_is_being_solved_its_book_answers_or_a_tree_search(monkeypatch, home):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    game, agent = ludus.make_game(TINY), perfect.Unproven()
    probabilities(agent, game, game.start())
    assert agent.remark.endswith("not proven: the game is still being solved")
    book, agent = build(game, 0, nodes=1 << 20, memory=1 << 20), perfect.Unproven()
    assert np.flatnonzero(probabilities(agent, game, game.start())).tolist() == book.best(game.start())
    assert agent.remark == ""


def test_by_a_book_it_plays_one_best_action_without_search(monkeypatch, home):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    game = ludus.make_game(TINY)
    book = build(game, 0, nodes=1 << 20, memory=1 << 20)
    agent = Searching(search(game, game.start(), 1 << 10, None), 1.0)
    assert np.flatnonzero(probabilities(agent, game, game.start())).tolist() == book.best(game.start())
    assert agent.truth.searcher.nodes == 0
