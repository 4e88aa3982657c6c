"""Matches: counted right, by seat, repeatable, for all kinds of agents."""

import numpy as np
import pytest
from conftest import EXAMPLES

import ludus
from ludus.agents.simple import First, Last, Random, SmartRandom
from ludus.arena import Seats
from ludus.arena.match import Count, Match, play_match, wilson
from ludus.commands import match as matches
from ludus.compiled.masks import actions
from ludus.game import num_actions
from ludus.playout import playouts

PIG = str(EXAMPLES / "pig.py")


class PlainRandom:
    """Random in plain Python."""

    def policy(self, game, pos, out):
        legal = actions(game.legal(pos))
        out[legal] = 1 / len(legal)


class BatchedRandom:
    """Random over many positions at once."""

    def policies(self, game, positions):
        rows = np.zeros((len(positions), num_actions(game)))
        for row, pos in zip(rows, positions, strict=True):
            row[actions(game.legal(pos))] = 1
        return rows


class SlowFirst:
    """The lowest action, in plain Python."""

    def policy(self, game, pos, out):
        out[actions(game.legal(pos))[0]] = 1


def counts(result):
    return result[:5]


def test_the_result_does_not_depend_on_threads_or_batches():
    game = ludus.make_game("connect-four")
    reference = counts(play_match(game, SmartRandom(), Random(), 3000, seed=5, threads=1))
    match = Match(game, (SmartRandom(), Random())).prepared()
    assert counts(match.result(3000, seed=5, threads=4, batch=128)) == reference
    assert counts(play_match(game, SmartRandom(), Random(), 3000, seed=6)) != reference


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tic-tac-toe", PIG + "(target=12)", "mancala(holes=2, stones=2)"])
def test_plain_and_compiled_agents_give_the_same_games(name):
    game = ludus.make_game(name)
    assert counts(play_match(game, First(), Last(), 60, seed=2)) == counts(
        play_match(game, SlowFirst(), Last(), 60, seed=2)
    )


def test_all_kinds_of_agents_mix():
    game = ludus.make_game("tic-tac-toe")
    for a in (Random(), PlainRandom(), BatchedRandom()):
        for b in (PlainRandom(), BatchedRandom(), First()):
            result = play_match(game, a, b, 40, seed=3)
            assert result.all.games == 40
            assert result.all.a_wins > 0
            assert result.mean_plies >= 5


def test_plain_and_batched_agents_draw_the_same_games():
    game = ludus.make_game(PIG + "(target=12)")
    plain, batched = (play_match(game, agent, First(), 50, seed=1) for agent in (PlainRandom(), BatchedRandom()))
    assert counts(plain) == counts(batched)


def test_random_against_random_wins_as_playouts_do():
    game = ludus.make_game("tic-tac-toe")
    result, tally = (
        play_match(game, Random(), Random(), 20_000, seed=9, seats=Seats.FIRST),
        playouts(game, 20_000, seed=9),
    )
    assert result.all == Count(tally.first_wins, tally.second_wins, tally.ties)
    assert result.mean_plies == tally.plies / tally.games


def test_seats_can_be_fixed_or_alternate():
    game = ludus.make_game("tic-tac-toe")
    first, second, both = (play_match(game, Random(), First(), 100, seats=seats) for seats in Seats)
    assert (first.first.games, first.second.games) == (100, 0)
    assert (second.first.games, second.second.games) == (0, 100)
    assert (both.first.games, both.second.games) == (50, 50)


def test_the_starter_can_alternate_while_agents_keep_their_sides():
    game = ludus.make_game("toads-and-frogs")
    result = play_match(game, Random(), Random(), 2000, seats=Seats.FIRST, alternate_starter=True, seed=1)
    assert (result.first.games, result.second.games) == (1000, 1000)
    assert result.first.a_wins > result.second.a_wins  # toads win more often when they begin


def test_seats_and_starters_alternate_on_their_own():
    seen = []
    game = ludus.make_game("toads-and-frogs")
    play_match(game, Random(), Random(), 8, alternate_starter=True, record=seen.append)
    assert {(entry.seat, entry.began) for entry in seen} == {(0, True), (0, False), (1, True), (1, False)}


@pytest.mark.parametrize("name", [PIG, "tic-tac-toe", "chung-toi", "fox-and-hounds"])
def test_games_that_cannot_begin_with_the_other_side_say_so(name):
    with pytest.raises(ludus.LudusError, match="has no start with its other side to move"):
        play_match(ludus.make_game(name), Random(), Random(), 2, alternate_starter=True)


def test_capped_games_are_draws():
    game = ludus.make_game("chung-toi")
    assert play_match(game, Random(), Random(), 50, cap=4).all == Count(0, 0, 50)


def test_scores_are_seen_by_the_first_agent():
    game = ludus.make_game("mancala(holes=3, stones=2)")
    first, second = (play_match(game, First(), Last(), 1, seats=seats) for seats in (Seats.FIRST, Seats.SECOND))
    mirrored = play_match(game, Last(), First(), 1, seats=Seats.FIRST)
    assert second.mean_score == -mirrored.mean_score
    assert first.all.a_wins + first.all.b_wins + first.all.draws == 1


def test_recorded_games_play_again_to_the_same_end():
    game = ludus.make_game(PIG + "(target=30)")
    seen = []
    result = play_match(game, Random(), PlainRandom(), 30, seed=4, record=seen.append)
    assert [entry.number for entry in seen] == list(range(30))
    for entry in seen:
        pos = entry.start
        for action in entry.actions:
            assert action in actions(game.legal(pos))
            pos = game.play(pos, action)
        assert game.score(pos) == entry.score
    assert sum(entry.plies for entry in seen) / 30 == result.mean_plies


def test_recording_does_not_change_the_games():
    game = ludus.make_game("mancala")
    assert counts(play_match(game, Random(), First(), 200, record=lambda entry: None)) == counts(
        play_match(game, Random(), First(), 200)
    )


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    # From R: prop.test(k, n, correct = FALSE)$conf.int
    [(0, 10, 0.0, 0.27753), (5, 10, 0.23659, 0.76341), (10, 10, 0.72247, 1.0), (81, 263, 0.25529, 0.36623)],
)
def test_wilson_intervals(successes, trials, low, high):
    assert wilson(successes, trials) == pytest.approx((low, high), abs=1e-4)


def test_games_without_the_jit_go_the_same_way(monkeypatch):
    game = ludus.make_game("tic-tac-toe")
    compiled = counts(play_match(game, SmartRandom(), Random(), 20, seed=8))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert counts(play_match(game, SmartRandom(), Random(), 20, seed=8)) == compiled


class Remembers:
    """Counts the games it sees by their starts."""

    has_memory = True

    def __init__(self):
        self.plies = []

    def policy(self, game, pos, out):
        self.plies.append(pos.mine.bit_count() + pos.theirs.bit_count())
        out[actions(game.legal(pos))[0]] = 1


def test_agents_that_remember_play_one_game_after_another():
    agent = Remembers()
    play_match(ludus.make_game("tic-tac-toe"), agent, First(), 4, seats=Seats.FIRST)
    assert agent.plies == [0, 2, 4, 6] * 4


class Remarking:
    """Has something to say about a game."""

    policy = SlowFirst.policy

    def __str__(self):
        return "remarking"

    def remark(self, game):
        return "it searches"


def test_what_agents_remark_of_a_game_is_shown_once_to_people_and_in_the_document():
    game, agents = ludus.make_game("tic-tac-toe"), (Remarking(), Remarking())
    result = play_match(game, *agents, 2)
    assert matches.to_json(game, agents, result)["remarks"] == ["it searches"]
    assert matches.as_table(game, agents, result).caption.splitlines()[1:] == ["it searches"]


def test_agents_without_remarks_are_shown_without():
    assert matches.remarks(ludus.make_game("tic-tac-toe"), (Random(), First())) == []
