"""Jobs in this process and in others: results, failures, lost processes, interrupts."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import cluster_jobs
import pytest

from ludus.cluster import Job, run_jobs
from ludus.errors import LudusError
from ludus.networks import runtime


def results(function, count, on, **options):
    """The results of this many jobs, by number."""
    found = {}
    jobs = [Job(f"job {n}", function, (n,), 10) for n in range(count)]
    run_jobs(jobs, on, done=found.__setitem__, **options)
    return found


def test_every_job_is_done_once_in_one_process():
    assert results(cluster_jobs.square, 5, "local=1") == {0: 0, 1: 1, 2: 4, 3: 9, 4: 16}


def test_every_job_is_done_once_in_several_processes():
    assert results(cluster_jobs.square, 20, "local=2") == {n: n * n for n in range(20)}


def test_no_jobs_are_no_work():
    assert results(cluster_jobs.square, 0, "local") == {}


def test_one_job_stays_in_this_process():
    assert results(cluster_jobs.process, 1, "local") == {0: os.getpid()}


def test_several_jobs_leave_this_process():
    assert os.getpid() not in results(cluster_jobs.process, 2, "local=2").values()


@pytest.mark.parametrize("on", ["local=1", "local=2"])
def test_a_refusal_is_passed_on_with_the_name_of_the_job(on):
    with pytest.raises(LudusError, match=r"^job \d: \d is not wanted$"):
        results(cluster_jobs.refuse, 3, on)


@pytest.mark.parametrize("on", ["local=1", "local=2"])
def test_an_error_comes_with_the_line_of_the_job(on):
    with pytest.raises(LudusError, match=r"^job 0 failed: ZeroDivisionError: .*\n  .*cluster_jobs.py:24, in divide: "):
        results(cluster_jobs.divide, 3, on)


def test_a_result_that_does_not_travel_is_reported():
    with pytest.raises(LudusError, match=r"^job \d failed: .*pickle"):
        results(cluster_jobs.unlike, 2, "local=2")


@pytest.mark.parametrize("on", ["", "here", "local=", "local=0", "local=two", "ray=", "rays"])
def test_a_wrong_place_says_what_there_is(on):
    with pytest.raises(LudusError, match=r"local=2|local, local=N, ray, ray=ADDRESS"):
        results(cluster_jobs.square, 2, on)


@pytest.mark.parametrize("address", ["here", "10.0.0.1", "ray://10.0.0.1:x", ":6379"])
def test_a_wrong_address_says_how_one_is_written(address):
    with pytest.raises(LudusError, match="write ray=HOST:PORT"):
        results(cluster_jobs.square, 2, f"ray={address}")


def test_an_address_without_a_cluster_is_reported():
    with pytest.raises(LudusError, match=r"no Ray cluster answers at 127\.0\.0\.1:1: "):
        results(cluster_jobs.square, 2, "ray=127.0.0.1:1")


def test_ray_that_is_not_installed_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(LudusError, match=r"pip install 'ludus\[ray\]'"):
        results(cluster_jobs.square, 2, "ray")


def test_progress_counts_jobs_and_games():
    reported = []
    results(cluster_jobs.square, 3, "local=1", on_progress=reported.append)
    assert [(p.jobs, p.done, p.games, p.played, p.latest) for p in reported] == [
        (3, 0, 30, 0, ""),
        (3, 1, 30, 10, "job 0"),
        (3, 2, 30, 20, "job 1"),
        (3, 3, 30, 30, "job 2"),
    ]
    assert reported[0].left is None
    assert reported[-1].left == 0


def test_a_lost_process_costs_only_its_job(tmp_path):
    found = {}
    jobs = [Job(f"job {n}", cluster_jobs.die_once, (str(tmp_path), n)) for n in range(6)]
    run_jobs(jobs, "local=2", done=found.__setitem__)
    assert found == {n: n for n in range(6)}
    assert (tmp_path / "died-1").exists()


def test_a_job_that_always_kills_its_process_is_given_up():
    with pytest.raises(LudusError, match="processes were lost 3 times"):
        results(cluster_jobs.die, 2, "local=2")


def test_workers_compute_networks_by_as_many_threads_as_here():
    assert set(results(cluster_jobs.threads, 2, "local=2").values()) == {runtime.threads()}


def test_workers_compute_networks_by_as_many_threads_as_is_said():
    assert results(cluster_jobs.threads, 1, "local", threads=runtime.threads() + 1) == {0: runtime.threads() + 1}


STOPPED = """
import sys
sys.path.insert(0, {tests!r})
import cluster_jobs
from ludus.cluster import Job, run_jobs
if __name__ == "__main__":
    jobs = [Job("sleep", cluster_jobs.sleep_marked, ({folder!r}, 60)) for _ in range(4)]
    run_jobs(jobs, "local=2", done=print)
"""


@pytest.fixture
def driver(tmp_path):
    """A process whose two workers sleep in jobs, and the folder in which they leave marks."""
    script = tmp_path / "driver.py"
    marks = tmp_path / "marks"
    marks.mkdir()
    script.write_text(STOPPED.format(tests=str(Path(__file__).parent), folder=str(marks)))
    process = subprocess.Popen([sys.executable, str(script)], stderr=subprocess.PIPE, text=True)
    wait_for(lambda: len(list(marks.iterdir())) == 2)
    yield process, marks
    process.kill()
    process.communicate()


def wait_for(condition):
    limit = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.05)


def is_gone(pid):
    status = Path(f"/proc/{pid}/stat")
    try:
        return status.read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_an_interrupt_lets_workers_save_and_ends_them(driver):
    process, marks = driver
    process.send_signal(signal.SIGINT)
    assert process.wait(30) != 0
    assert [mark.read_text() for mark in marks.iterdir()] == ["saved", "saved"]
    assert all(is_gone(mark.name) for mark in marks.iterdir())


def test_workers_end_when_their_parent_is_killed(driver):
    process, marks = driver
    process.kill()
    wait_for(lambda: all(is_gone(mark.name) for mark in marks.iterdir()))
