"""What is worked out in the background: once, bounded, given up when nobody asks any more."""

import threading

import pytest

from ludus.errors import LudusError
from ludus.web import jobs as shop
from ludus.web.jobs import BusyError, JobQueue


@pytest.fixture
def jobs():
    made = JobQueue()
    yield made
    made.close()


def test_the_same_question_is_worked_out_once(jobs):
    done = []
    for _ in range(3):
        job = jobs.ask("truth", "key", lambda on_progress: done.append(1) or "found")
        assert job.wait(5) == "found"
    assert done == [1]


def test_what_is_wrong_is_told_in_the_words_of_the_job(jobs):
    def work(on_progress):
        raise LudusError("too large")

    job = jobs.ask("truth", "key", work)
    with pytest.raises(LudusError, match="too large"):
        job.wait(5)
    assert job.state == "refused"


def test_whatever_an_agent_raises_is_told_and_the_worker_goes_on(jobs):
    job = jobs.ask("agent", "bad", lambda on_progress: 1 // 0)
    with pytest.raises(LudusError, match="ZeroDivisionError"):
        job.wait(5)
    assert jobs.ask("agent", "good", lambda on_progress: 2).wait(5) == 2


def test_who_waits_too_long_is_asked_to_come_back(jobs):
    end = threading.Event()
    job = jobs.ask("truth", "key", lambda on_progress: end.wait(10))
    with pytest.raises(BusyError, match="ask again"):
        job.wait(0.01)
    end.set()


def test_a_small_game_is_solved_beside_a_large_one(jobs):
    end = threading.Event()
    jobs.ask("truth", "large", lambda on_progress: end.wait(10))
    assert jobs.ask("truth", "small", lambda on_progress: "found").wait(5) == "found"
    end.set()


def test_no_more_than_some_jobs_wait(jobs):
    end = threading.Event()
    for number in range(shop.MOST_WAITING):
        jobs.ask("form", number, lambda on_progress: end.wait(10))
    with pytest.raises(BusyError, match="too much"):
        jobs.ask("form", "one more", lambda on_progress: None)
    end.set()


def test_what_nobody_asks_for_any_more_is_given_up_and_begun_again_when_asked(jobs, monkeypatch):
    monkeypatch.setattr(shop, "_FORGOTTEN", 0.0)
    going, found = threading.Event(), []

    def work(on_progress):
        going.wait(5)
        on_progress("on the way")
        found.append(1)
        return "found"

    job = jobs.ask("truth", "key", work)
    going.set()
    job.done.result(5)
    assert (job.state, found) == ("refused", [])
    monkeypatch.setattr(shop, "_FORGOTTEN", 60.0)
    assert jobs.ask("truth", "key", work).wait(5) == "found"


def test_only_the_latest_answers_are_kept(jobs):
    for number in range(shop.KEPT["truth"] + 3):
        jobs.ask("truth", number, lambda on_progress: "found").wait(5)
    assert len(jobs.find("truth")) <= shop.KEPT["truth"] + 1
