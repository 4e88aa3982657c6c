"""Background jobs: done once, bounded, and cancelled when nobody asks for them any more."""

import asyncio
import threading
import time
from types import SimpleNamespace

import pytest

from ludus.catalog import make_game
from ludus.compiled import compiling
from ludus.errors import LudusError
from ludus.solving import alpha_beta
from ludus.solving.solver import Searched
from ludus.web import jobs as module
from ludus.web.api import solutions
from ludus.web.jobs import BusyError, JobQueue


@pytest.fixture
def jobs():
    made = JobQueue()
    yield made
    made.close()


def result(job, seconds=60):
    return asyncio.run(job.wait(seconds))


def test_the_same_job_is_done_once(jobs):
    done = []
    for _ in range(3):
        job = jobs.submit("solution", "key", lambda on_progress: done.append(1) or "found")
        assert result(job) == "found"
    assert done == [1]


def test_a_problem_stands_in_the_words_of_the_job(jobs):
    def work(on_progress):
        raise LudusError("too large")

    job = jobs.submit("solution", "key", work)
    with pytest.raises(LudusError, match="too large"):
        result(job)
    assert job.state == "refused"


def test_an_error_of_an_agent_is_reported_and_the_worker_continues(jobs):
    job = jobs.submit("agent", "bad", lambda on_progress: 1 // 0)
    with pytest.raises(LudusError, match="ZeroDivisionError"):
        result(job)
    assert result(jobs.submit("agent", "good", lambda on_progress: 2)) == 2


def test_a_request_that_waits_too_long_must_ask_again(jobs):
    end = threading.Event()
    job = jobs.submit("solution", "key", lambda on_progress: end.wait(10))
    with pytest.raises(BusyError, match="ask again"):
        result(job, 0.01)
    end.set()


def test_a_small_game_is_solved_beside_a_large_one(jobs):
    end = threading.Event()
    jobs.submit("solution", "large", lambda on_progress: end.wait(10))
    assert result(jobs.submit("solution", "small", lambda on_progress: "found")) == "found"
    end.set()


def test_the_number_of_waiting_jobs_is_bounded(jobs):
    end = threading.Event()
    for number in range(module.MOST_WAITING):
        jobs.submit("form", number, lambda on_progress: end.wait(10))
    with pytest.raises(BusyError, match="too much"):
        jobs.submit("form", "one more", lambda on_progress: None)
    end.set()


def test_an_abandoned_job_is_cancelled_and_started_again_on_request(jobs, monkeypatch):
    monkeypatch.setattr(module, "_ABANDONED", 0.0)
    going, found = threading.Event(), []

    def work(on_progress):
        going.wait(5)
        on_progress("on the way")
        found.append(1)
        return "found"

    job = jobs.submit("solution", "key", work)
    going.set()
    job.done.result(5)
    assert (job.state, found) == ("refused", [])
    monkeypatch.setattr(module, "_ABANDONED", 60.0)
    assert result(jobs.submit("solution", "key", work)) == "found"


def test_only_the_latest_results_are_kept(jobs):
    for number in range(module.KEPT["solution"] + 3):
        result(jobs.submit("solution", number, lambda on_progress: "found"))
    assert len(jobs.find("solution")) <= module.KEPT["solution"] + 1


def test_a_job_says_which_kernel_it_compiles_and_so_does_the_server(jobs):
    kernel = SimpleNamespace(plain=SimpleNamespace(__module__="ludus.solving.explore"), __name__="expand")
    compiled, end = threading.Event(), threading.Event()
    words = "compiling explore.expand, this once: 1 of 34 functions"

    def work(on_progress):
        on_progress("solving the game")
        for done in (1, 34):
            for listener in compiling.listeners:
                listener(kernel, done, 34)
            compiled.set()
            end.wait(5)
            end.clear()

    other = jobs.submit("form", "other", lambda on_progress: end.wait(5))
    job = jobs.submit("solution", "key", work)
    compiled.wait(5)
    assert (job.words, jobs.doing()) == (words, words)
    assert "compiling" not in other.words
    compiled.clear()
    end.set()
    compiled.wait(5)
    assert job.words == "solving the game"
    end.set()


def test_a_finished_job_does_not_stop_later_searches(jobs, monkeypatch):
    monkeypatch.setattr(solutions, "MEMORY", 1 << 20)  # too little to enumerate the game
    monkeypatch.setattr(alpha_beta, "SLICE", 100)  # nodes between two looks at the clock
    game = make_game("connect-four(width=4, height=4)")
    job = solutions.solution_job(jobs, game, game.start())
    assert isinstance(result(job), Searched)
    late = time.monotonic() + 1000
    monkeypatch.setattr(module.time, "monotonic", lambda: late)
    assert solutions.best_line(game, game.start(), solutions.own(job.result)).words == ""
