"""Agents that are asked about many positions: what they answer is checked."""

import sys

import numpy as np
import pytest

import ludus
from ludus.agents.policies import check_repeatable, ended_after, job_size, normalised
from ludus.agents.program import Program
from ludus.agents.simple import Random
from ludus.grading.grade import grade
from ludus.proving.certificate import prove_agent

GAME = ludus.make_game("tic-tac-toe")
START = np.array([GAME.start()], np.int64)


@pytest.fixture
def program(tmp_path):
    """A program without memory that answers by this expression of the legal actions and of how often it was asked."""
    running = []

    def make(expression):
        path = tmp_path / "bot.py"
        path.write_text(
            "import itertools, json, random, sys\n"
            "random.seed(1)\n"
            "for asked in itertools.count():\n"
            "    legal = json.loads(sys.stdin.readline())['legal']\n"
            f"    print(json.dumps({expression}), flush=True)\n"
        )
        running.append(Program(f"{sys.executable} {path}"))
        running[-1].has_memory = False
        return running[-1]

    yield make
    for bot in running:
        bot.close()


FICKLE = "{'action': legal[asked % 2]}"
RANDOM = "{'action': random.choice(legal)}"
WAVERING = "{'policy': {legal[0]: 1, legal[1]: 1}}"


def test_a_program_that_answers_a_position_in_two_ways_is_refused(program):
    with pytest.raises(ludus.LudusError, match=r"answered \.\.\./\.\.\./\.\.\. in two ways; it must"):
        check_repeatable(program(FICKLE), GAME, START)


def test_a_program_that_answers_with_a_policy_is_not_refused(program):
    check_repeatable(program(WAVERING), GAME, START)


def test_agents_of_other_kinds_are_not_asked():
    check_repeatable(Random(), GAME, np.zeros((1, 99), np.int64))


@pytest.mark.parametrize("measure", [grade, lambda agent, game: prove_agent(game, agent, 0)])
def test_neither_a_grade_nor_a_proof_is_had_of_a_fickle_program(program, measure):
    with pytest.raises(ludus.LudusError, match="in two ways"):
        measure(program(RANDOM), ludus.make_game("toads-and-frogs"))


def test_a_program_is_ended_after_use(program):
    bot = program(WAVERING)
    with ended_after(bot):
        check_repeatable(bot, GAME, START)
        assert bot._run is not None
    assert bot._run is None


@pytest.mark.parametrize("given", [[0, 0], [-1, 2], [np.nan, 1], [np.inf, 1]])
def test_what_is_no_probabilities_is_refused_with_the_position(given):
    with pytest.raises(ludus.LudusError, match=r"no probabilities in \.\.\./\.\.\./\.\.\."):
        normalised(np.array(given, float), np.array([0, 0]), GAME, START)


def test_shares_add_up_to_one_in_each_position():
    shares = normalised(np.array([1.0, 3.0, 5.0]), np.array([0, 0, 1]), GAME, np.repeat(START, 2, axis=0))
    assert shares.tolist() == [0.25, 0.75, 1.0]


class Silent:
    """An agent that gives nothing to any action."""

    def policy(self, game, pos, out):
        out[:] = 0


@pytest.mark.parametrize("measure", [grade, lambda agent, game: prove_agent(game, agent, 0)])
def test_neither_a_grade_nor_a_proof_is_had_of_an_agent_that_chooses_nothing(measure):
    with pytest.raises(ludus.LudusError, match="gives no probabilities"):
        measure(Silent(), GAME)


@pytest.mark.parametrize(("positions", "size"), [(0, 1), (10, 1), (640, 10), (10**9, 1024)])
def test_jobs_are_small_enough_for_all_cores(monkeypatch, positions, size):
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    assert job_size(positions) == size
