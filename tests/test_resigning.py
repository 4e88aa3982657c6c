"""Agents that resign: the loss that it is, in matches, records, play, grades and trainings."""

import io
import json
from typing import NamedTuple

import numpy as np
import pytest
from naive_grade import Naive, assert_same
from rich.console import Console
from trained import trained

import ludus
from ludus import face
from ludus.agents.agent import may_resign, score_of_resigning
from ludus.agents.simple import First, Random
from ludus.arena import Seats
from ludus.arena.match import play_match
from ludus.arena.record import from_results, open_records, read, write
from ludus.catalog import make_game
from ludus.commands import replay
from ludus.commands.grade import guaranteed
from ludus.commands.play import Seat, sit
from ludus.commands.terminal import LeftError
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.game import num_actions
from ludus.grading.grade import ask, grade
from ludus.grading.sample import choices_from, second_half
from ludus.learning.dqn import Dqn, Slip
from ludus.learning.loop.episodes import LOSSES, WINS
from ludus.solving.value import Value

TIC_TAC_TOE = "tic-tac-toe"
MANCALA = "mancala(holes=2, stones=2)"
TOADS = "toads-and-frogs(toads=2, gaps=2, frogs=2)"


@pytest.fixture(autouse=True)
def in_plain_python(request, monkeypatch):
    """Kernels run as plain Python where a test is not slow."""
    if request.node.get_closest_marker("slow") is None:
        monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


class Quitter:
    """Plays the lowest action, and resigns where that is more than `nerve`."""

    may_resign = True

    def __init__(self, nerve):
        self.nerve = nerve

    def policy(self, game, pos, out):
        lowest = actions(game.legal(pos))[0]
        out[lowest] = lowest <= self.nerve

    def __str__(self):
        return "quitter"


class BatchedQuitter(Quitter):
    """The same over many positions at once."""

    def policies(self, game, positions):
        rows = np.zeros((len(positions), num_actions(game)))
        for row, pos in zip(rows, positions, strict=True):
            self.policy(game, pos, row)
        return rows


class Undecided(Quitter):
    """The same without saying that it resigns."""

    may_resign = False


AT_ONCE = Quitter(-1)


# ---- matches ----


@pytest.mark.parametrize("agent", [AT_ONCE, BatchedQuitter(-1)])
@pytest.mark.parametrize(("seats", "plies"), [(Seats.FIRST, 0), (Seats.SECOND, 1)])
def test_resigning_loses_at_once(agent, seats, plies):
    result = play_match(make_game(TIC_TAC_TOE), agent, Random(), 10, seats=seats)
    assert result.all == (0, 10, 0)
    assert (result.mean_score, result.mean_plies) == (-1, plies)


def test_resigning_loses_to_an_agent_in_plain_python_too():
    assert play_match(make_game(TIC_TAC_TOE), Undecided(8), AT_ONCE, 10).all == (10, 0, 0)


def test_plain_and_batched_agents_resign_in_the_same_games():
    game, reported = make_game(TIC_TAC_TOE), []
    for agent in (Quitter(3), BatchedQuitter(3)):
        reported.append([])
        play_match(game, agent, Random(), 40, record=reported[-1].append, seed=2)
    assert reported[0] == reported[1]
    assert {result.resigned for result in reported[0]} == {False, True}


@pytest.mark.parametrize(
    ("stores", "mover", "score"),
    [((0, 0), "South", -1), ((9, 2), "South", -1), ((1, 8), "South", -7), ((9, 2), "North", 7), ((1, 8), "North", 1)],
)
def test_a_game_of_points_is_lost_by_one_or_by_as_many_as_one_is_behind(stores, mover, score):
    game = make_game("mancala")
    south, north = stores
    left = 12 - south - north
    pos = face.parse_position(game, f"4 4 4 4 4 4 ({south}) / 4 4 4 0 0 {left} ({north}) {mover}")
    assert score_of_resigning(game, pos) == score


def test_compiled_agents_never_resign():
    class Compiled(NamedTuple):
        may_resign = True

    assert not may_resign(Compiled())
    assert may_resign(AT_ONCE)
    assert not may_resign(Random())


# ---- records and play ----


@pytest.fixture
def recorded(tmp_path):
    """A file with one game, in which the second player resigned at ply 1."""
    game, agents, path = make_game(TIC_TAC_TOE), (First(), AT_ONCE), tmp_path / "games.jsonl"
    with path.open("wb") as file:
        play_match(game, *agents, 1, record=lambda result: write(from_results(game, agents, 3, [result])[0], file))
    return path


def test_a_record_says_that_a_game_was_resigned(recorded):
    (record,) = read(recorded)
    assert (record.actions, record.score, record.resigned) == ([0], 1, True)
    with open_records(recorded.with_name("again")) as again:
        write(record, again)
    assert recorded.with_name("again").read_bytes() == recorded.read_bytes()


def test_a_replay_says_who_resigned(recorded):
    screen = Console(file=io.StringIO(), width=80)
    replay.step_through(next(read(recorded)), screen)
    assert "quitter resigns. Winner: Crosses, score +1." in screen.file.getvalue()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"resigned": 1}, '"resigned" must be true or false'),
        ({"resigned": False}, "the score 1 is not what the actions lead to"),
        ({"score": -1}, "the score -1 is not what the actions lead to"),
        ({"actions": [0, 3, 1, 4, 2]}, "nobody was to move who could have resigned"),
    ],
)
def test_a_record_that_nobody_can_have_resigned_so_is_refused(recorded, change, words):
    line = {key: value for key, value in json.loads(recorded.read_text()).items() if key != "digest"}
    recorded.write_text(json.dumps(line | change))
    with pytest.raises(LudusError, match=words):
        list(read(recorded))


def test_a_person_sees_that_the_agent_resigns(monkeypatch):
    screen, seats = Console(file=io.StringIO(), width=80), (Seat("You"), Seat("Computer", AT_ONCE))
    monkeypatch.setattr("sys.stdin", io.StringIO("b2\n"))
    with pytest.raises(LeftError):
        sit(make_game(TIC_TAC_TOE), seats, screen, 1)
    assert "Computer resigns.\nScore: You 1   Computer 0" in screen.file.getvalue()


# ---- grades ----


@pytest.fixture(scope="module", params=[(TIC_TAC_TOE, 3), (MANCALA, 0), (MANCALA, -1), (TOADS, 0)])
def case(request):
    name, nerve = request.param
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
        game, agent = make_game(name), Quitter(nerve)
        return Naive(game, agent), grade(agent, game)


def test_resigning_is_a_loss_in_the_tally_of_all_positions(case):
    naive, graded = case
    assert_same(graded.all, naive.tally(naive.reachable()))


@pytest.mark.parametrize("seat", [0, 1])
def test_resigning_is_a_loss_in_own_play(case, seat):
    naive, graded = case
    own = [pos for pos in naive.reachable(seat) if naive.game.player(pos) == seat]
    assert_same(graded.own_play[seat], naive.tally(own))


@pytest.mark.parametrize("seat", [0, 1])
def test_resigning_is_a_loss_in_the_guarantee(case, seat):
    naive, graded = case
    assert graded.guarantee[seat].score == naive.response(seat)


def test_the_slices_of_actions_add_up_with_resigning_as_one_of_them(case):
    _, graded = case
    slices = {one.label: one for one in graded.anatomy.by_action}
    assert sum(one.decisions for one in slices.values()) == graded.all.decisions
    assert sum(one.optimal for one in slices.values()) == graded.all.optimal
    assert slices["resigns"].optimal == 0


def test_the_report_says_where_it_resigns():
    game = make_game(TIC_TAC_TOE)
    graded = grade(AT_ONCE, game)
    assert graded.guarantee.first.result == "loss"
    assert graded.guarantee.first.resigns
    assert (graded.guarantee.second.line, graded.guarantee.second.plies) == (("a3",), 1)
    assert guaranteed("second", graded.guarantee.second, 1).plain.endswith("response: a3, (it resigns)")
    (played,) = graded.mistakes[0].plays
    assert played == ("resigns", 1.0, Value(-1 if graded.mistakes[0].player == 0 else 1, 0))


def test_an_agent_that_does_nothing_without_saying_that_it_resigns_has_no_grade():
    with pytest.raises(LudusError, match="the agent's policy gives no probabilities in"):
        grade(Undecided(3), make_game(TIC_TAC_TOE))


def test_an_agent_that_resigns_is_asked_even_where_it_has_one_action_only():
    game = make_game(TOADS)
    choices = choices_from(game, {game.start(): {0: Value(1, 5)}})
    ask(AT_ONCE, game, choices)
    assert (choices.shares.tolist(), choices.resigned.tolist()) == ([0.0], [-1])


def test_a_sample_holds_the_positions_in_which_somebody_resigned():
    game, reported = make_game(TIC_TAC_TOE), []
    play_match(game, First(), Quitter(2), 1, record=reported.append)
    (result,) = reported
    assert result.resigned
    last = result.start
    for action in result.actions:
        last = game.play(last, action)
    assert list(second_half(game, result))[-1] == last


# ---- trainings ----

QUITTER = """
from typing import NamedTuple

class Quitter(NamedTuple):
    plain = True
    may_resign = True

    def policy(self, game, pos, out):
        pass
"""


@pytest.fixture
def quitter(tmp_path):
    """The name of an agent that resigns at once."""
    path = tmp_path / "quitter.py"
    path.write_text(QUITTER)
    return str(path)


@pytest.mark.parametrize(
    "learner",
    [
        "q-table",
        "q-table(backward=true)",
        "move-weights",
        "td-lambda(hidden=2, view=mover)",
        "dqn(hidden=8, buffer=64, batch=8)",
        "alphazero(width=8, blocks=1, lanes=4, sims=4, batch=4, buffer=40, random_plies=0)",
    ],
)
@pytest.mark.parametrize(("seats", "turns"), [("first", 1), ("second", 0)])
def test_a_learner_wins_against_an_agent_that_resigns(quitter, learner, seats, turns):
    training = trained(TOADS, learner, opponent=quitter, seats=seats, games=12)
    assert training.trainer.results[0 if seats == "first" else 1, WINS] == 12
    assert training.trainer.results[:, LOSSES].sum() == 0
    assert training.trainer.plies == 12 * turns


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["q-table", "move-weights", "td-lambda(hidden=2, view=mover)"])
def test_a_compiled_learner_wins_against_an_agent_that_resigns(quitter, learner):
    assert trained(TOADS, learner, opponent=quitter, seats="first", games=12).trainer.results[0, WINS] == 12


def test_a_table_learns_the_win_that_resigning_is(quitter):
    training = trained(TOADS, "q-table", opponent=quitter, seats="first", games=3)
    agent, game = training.agent(), training.game
    assert agent.evaluation(game, game.start()) == {0: 1.0}


# ---- networks ----


def network(game, *biases):
    """Layers that say the same of every position."""
    inputs = int(np.prod(game.observation_shape))
    return {
        "weights.0": np.zeros((inputs, 3), np.float32),
        "biases.0": np.zeros(3, np.float32),
        "weights.1": np.zeros((3, len(biases)), np.float32),
        "biases.1": np.array(biases, np.float32),
    }


@pytest.mark.parametrize(
    ("slip", "biases", "policy"),
    [
        (Slip.LOSE, (0, 1), [0, 0]),
        (Slip.BEST, (0, 1), [1, 0]),
        (Slip.RANDOM, (0, 1), [1, 0]),
        (Slip.LOSE, (1, 0), [1, 0]),
        (Slip.LOSE, (1, 1), [1, 0]),
    ],
)
def test_a_network_whose_highest_output_is_illegal_resigns_if_it_is_to(slip, biases, policy):
    game = make_game(TOADS)  # at the start only the toad in front can move
    agent = Dqn(slip=slip).agent(game, network(game, *biases))
    assert agent.policies(game, [game.start()]).tolist() == [policy]


def test_a_network_that_resigns_loses_the_match():
    game = make_game(TOADS)
    agent = Dqn(slip=Slip.LOSE).agent(game, network(game, 0, 1))
    result = ludus.play_match(game, agent, First(), 4, seats=Seats.FIRST)
    assert (result.all.b_wins, result.mean_plies) == (4, 0)
