"""Matches and grades by jobs: the very same as in one process, in order, and clear about what cannot travel."""

import os
import shutil
from functools import partial

import pytest
from ray_cluster import ray_cluster
from trained import NIM, RESULT, contents, finished, new_run, stubborn

from ludus import make_agent, make_game
from ludus.agents.simple import Random
from ludus.arena import Seats, tournament
from ludus.arena import match as match_module
from ludus.arena.match import play_match, play_spread
from ludus.arena.participants import at_hand, packed, sent
from ludus.cluster import ended
from ludus.errors import LudusError
from ludus.grading import grade as grading
from ludus.grading import sample
from ludus.grading.grade import grade
from ludus.grading.sample import sampled_positions
from ludus.learning.runs import remote
from ludus.solving.solver import solve

TIC_TAC_TOE = make_game("tic-tac-toe")

TOGETHER = """
from typing import NamedTuple
import numpy as np
from ludus.compiled.masks import actions

class Together(NamedTuple):
    plain = True

    def policies(self, game, positions):
        shares = np.zeros((len(positions), 63))
        for row, pos in zip(shares, positions):
            legal = actions(game.legal(pos))
            row[legal[len(positions) % len(legal)]] = 1.0
        return shares

    def policy(self, game, pos, out):
        out[:] = self.policies(game, [pos])[0]
"""  # an agent whose answer depends on how many positions it is asked about at once, as a network's last bits may


def everything(play, *reported, **settings):
    """The result of a match without its seconds, and all of its games."""
    games = []
    return play(*reported, record=games.append, **settings)._replace(seconds=0.0), games


def here(game, a, b, games, **settings):
    """The match in one piece."""
    return everything(play_match, make_game(game), make_agent(a), make_agent(b), games, **settings)


def by_jobs(game, a, b, games, on="local=1", **settings):
    """The match in parts."""
    return everything(play_spread, make_game(game), a, b, games, on=on, **settings)


@pytest.fixture
def last_first(monkeypatch):
    """Let jobs end in the wrong order."""

    def run(jobs, on, *, done, on_progress):
        for number in reversed(range(len(jobs))):
            done(number, ended(jobs[number]).result)

    monkeypatch.setattr(match_module, "run_jobs", run)


# ---- matches ----


@pytest.mark.parametrize("seats", Seats)
def test_parts_add_up_to_the_match(plain, seats):
    assert by_jobs(NIM, "random", "last", 75, seats=seats, seed=3) == here(
        NIM, "random", "last", 75, seats=seats, seed=3
    )


def test_parts_begin_and_are_cut_as_the_match(plain):
    reported = ("toads-and-frogs(toads=2, gaps=2, frogs=2)", "random", "random", 70)
    settings = {"alternate_starter": True, "cap": 4, "seed": 1}
    assert by_jobs(*reported, **settings) == here(*reported, **settings)
    assert sum(here(*reported, **settings)[0].cut) > 0


def test_games_are_recorded_in_order_whatever_ends_first(plain, last_first):
    result, games = by_jobs(NIM, "random", "first", 70)
    assert [game.number for game in games] == list(range(70))
    assert (result, games) == here(NIM, "random", "first", 70)


def test_a_batched_agent_receives_the_same_batches_everywhere(plain, tmp_path):
    path = tmp_path / "together.py"
    path.write_text(TOGETHER)
    assert by_jobs(NIM, str(path), "random", 50) == here(NIM, str(path), "random", 50)


def test_progress_is_reported_of_every_game(plain):
    reported = []
    play_spread(make_game(NIM), "random", "first", 70, on="local=1", on_progress=reported.append)
    assert [progress.played for progress in reported][-1] == reported[0].games == 70
    assert len(reported) > 10


def test_processes_play_the_match_of_one(plain, tmp_path):
    agents = stubborn(tmp_path), "random"
    assert by_jobs(NIM, *agents, 40, on="local=2", seed=7) == here(NIM, *agents, 40, seed=7)


@pytest.mark.parametrize("agent", ["human", "cmd:./bot"])
def test_agents_with_memory_play_on_local_only(agent):
    with pytest.raises(LudusError, match=r"may remember earlier moves: it plays only here, --on local$"):
        play_spread(TIC_TAC_TOE, "random", agent, 2, on="ray")


def test_threads_are_for_one_process(ludus):
    done = ludus("match", "tic-tac-toe", "first", "last", "--on", "local=2", "--threads", "2")
    assert (done.returncode, done.stderr) == (2, "ludus: --threads is for --on local: a job has one thread\n")


@pytest.mark.parametrize("command", [("match", "tic-tac-toe", "first", "last"), ("grade", "first", "tic-tac-toe")])
def test_a_place_that_is_none_is_refused(ludus, command):
    done = ludus(*command, "--on", "moon")
    assert done.returncode == 2
    assert done.stderr.startswith("ludus: 'moon' is no place to compute on; there is: local, local=N")


def test_records_are_the_same_bytes_on_any_place(ludus, tmp_path):
    for on in ("local", "local=2"):
        reported = ("--games", "9", "--record", str(tmp_path / on), "--on", on)
        assert ludus("match", NIM, "random", "last", *reported, NUMBA_DISABLE_JIT="1").returncode == 0
    assert (tmp_path / "local").read_bytes() == (tmp_path / "local=2").read_bytes()


# ---- grades ----


@pytest.fixture
def searched(monkeypatch):
    """Let grading take every game for one too large to enumerate."""
    monkeypatch.setattr(grading, "solve", partial(solve, method="search"))


def graded(**settings):
    return grade(Random(), TIC_TAC_TOE, seed=2, **settings)._replace(seconds=0.0)


def test_a_sample_is_judged_alike_by_one_search_and_by_jobs(plain, searched):
    by_one = graded(positions=12, solution=solve(TIC_TAC_TOE, method="search"))
    assert graded(positions=12) == by_one


def test_a_sample_is_judged_alike_by_processes(plain, searched):
    assert graded(positions=30, on="local=2") == graded(positions=30) == graded(positions=30, on="local")


@pytest.mark.parametrize(("positions", "place"), [(20, "local=1"), (21, "local")])
def test_few_positions_are_searched_here(monkeypatch, positions, place):
    places = []

    def note(jobs, on, *, done, on_progress):
        places.append(on)
        for number in range(len(jobs)):
            done(number, [None] * 5)

    monkeypatch.setattr(sample, "run_jobs", note)
    sample.action_values_by_jobs(TIC_TAC_TOE, "local", [TIC_TAC_TOE.start()] * positions)
    assert places == [place]


def test_what_costs_too_much_does_not_depend_on_what_was_searched_before(plain, monkeypatch):
    monkeypatch.setattr("ludus.solving.alpha_beta.SLICE", 1)
    monkeypatch.setattr(sample, "MOST_NODES", 6)
    five = sampled_positions(Random(), TIC_TAC_TOE, 5, 0)
    found = sample.action_values_by_jobs(TIC_TAC_TOE, "local=1", five * 2)
    assert found[:5] == found[5:]
    assert 0 < found.count(None) < 10


ASKED = """
from typing import NamedTuple
from pathlib import Path
from ludus.compiled.masks import actions

class Asked(NamedTuple):
    plain = True

    def policy(self, game, pos, out):
        import os
        (Path(__file__).parent / str(os.getpid())).touch()
        out[actions(game.legal(pos))] = 1.0
"""  # an agent that leaves a trace of every process in which it is asked


def test_an_agent_in_plain_python_is_asked_by_processes_elsewhere_than_on_local(plain, tmp_path):
    (tmp_path / "asked.py").write_text(ASKED)
    agent, game = make_agent(f"{tmp_path}/asked.py"), make_game(NIM)
    by_one = grade(agent, game, on="local")
    assert [path.name for path in tmp_path.glob("[0-9]*")] == [str(os.getpid())]
    (tmp_path / str(os.getpid())).unlink()
    assert grade(agent, game, on="local=2")._replace(seconds=0) == by_one._replace(seconds=0)
    assert str(os.getpid()) not in [path.name for path in tmp_path.glob("[0-9]*")]


def test_an_agent_that_no_name_stands_for_is_asked_here(plain):
    class Own:
        def policy(self, game, pos, out):
            out[:] = 1.0

    game = make_game(NIM)
    assert grade(Own(), game, on="local=2").all == grade(Random(), game).all


# ---- runs that travel ----


def test_a_run_that_is_sent_is_found_by_its_name_as_long_as_the_job_lasts(plain, tmp_path):
    run = finished(tmp_path / "run")
    files = packed([str(run.path)])
    shutil.rmtree(run.path)
    with at_hand(files):
        assert str(make_agent(str(run.path))) == "run"
    with pytest.raises(LudusError):
        make_agent(str(run.path))


def test_the_run_that_guides_a_search_is_sent_along(plain, tmp_path):
    small = "toads-and-frogs(toads=1, gaps=1, frogs=1)"
    run = finished(tmp_path / "run", "alphazero(width=4, blocks=0, lanes=1, sims=2, batch=4)", small, games=2)
    agent = f"guided(run={run.path}, sims=4)"
    away = sent(agent, "x", "ray")
    assert [name for name, _ in away.runs] == [str(run.path)]
    before = tournament.meet(small, sent(agent, "x", "local"), sent("random", "y", "local"), 4, 1)
    shutil.rmtree(run.path)
    assert tournament.meet(small, away, sent("random", "y", "ray"), 4, 1) == before


@pytest.mark.parametrize("role", ["opponent", "eval_against", "init_from"])
def test_a_training_that_needs_another_run_takes_it_along(plain, tmp_path, role):
    other = finished(tmp_path / "other")
    words = {role: str(other.path)}
    here, there = finished(tmp_path / "here", **words), new_run(tmp_path / "there", **words)
    job = remote._job(there, "ray")
    shutil.move(other.path, tmp_path / "elsewhere")
    files = dict(job.function(*job.arguments))
    assert {name: files[name] for name in RESULT} == contents(here)


def test_a_training_elsewhere_leaves_the_snapshots_of_one_here(plain, tmp_path):
    here, there = finished(tmp_path / "here"), new_run(tmp_path / "there")
    job = remote._job(there, "ray")
    (there.path / "snapshots").mkdir()
    (there.path / "snapshots" / "5.safetensors").touch()  # one that was thinned out meanwhile
    remote.receive(there.path, job.function(*job.arguments))
    assert there.snapshots() == here.snapshots() == [6, 12, 18, 20]


# ---- on Ray ----


@pytest.mark.slow
def test_ray_gives_what_one_process_gives(searched, tmp_path):
    run = finished(tmp_path / "run")
    with ray_cluster(nodes=2) as cluster:
        on = f"ray={cluster.address}"
        reported = NIM, str(run.path), "random", 40
        assert by_jobs(*reported, on=on, seed=5) == here(*reported, seed=5)
        assert graded(positions=12, on=on) == graded(positions=12)
        plain = make_agent(stubborn(tmp_path))
        there, one = (grade(plain, run.game, on=place)._replace(seconds=0) for place in (on, "local"))
        assert there == one
