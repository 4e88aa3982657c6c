"""Runs that were stopped, by whatever: they resume, and end in the same bytes."""

import signal

import pytest
from trained import contents, finished, new_run, stubborn

from ludus import files
from ludus.errors import LudusError
from ludus.learning.loop import episodes
from ludus.learning.loop.training import Training, Watcher
from ludus.learning.runs import CHECKPOINT, read_run, resume
from ludus.learning.runs.files import read_arrays


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    """Kernels run as plain Python, in small pieces."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setattr(episodes, "_PLIES", 7)
    monkeypatch.setattr(episodes, "_PATIENCE", 0.0)


class StopError(Exception):
    """What a test raises to stop a training."""


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["q-table", "q-table(backward=true)"])
@pytest.mark.parametrize("opponent", ["self", "twin", "STUBBORN"])
def test_ctrl_c_at_any_time_saves_and_the_rest_ends_in_the_same_bytes(tmp_path, learner, opponent):
    opponent = opponent.replace("STUBBORN", stubborn(tmp_path))
    plan = {"opponent": opponent, "eval_against": "random", "grade": "no", "games": 14}
    expected = contents(finished(tmp_path / "whole", learner, **plan))
    run, times = new_run(tmp_path / "run", learner, **plan), 0
    while not run.is_finished:
        try:
            resume(run, Watcher(progress=lambda training: signal.raise_signal(signal.SIGINT)))
        except KeyboardInterrupt:
            times += 1
            assert read_arrays(run.path / CHECKPOINT)[1].games <= 14
    assert times > 5
    assert contents(run) == expected


@pytest.mark.parametrize(
    "learner",
    [
        "dqn(hidden=8, buffer=64, batch=8)",
        "dqn(hidden=8, buffer=64, batch=8, lanes=3, target_every=0, tau=0.1, symmetry=true, starts=both)",
        "alphazero(width=8, blocks=1, lanes=4, sims=4, random_plies=2, buffer=40, batch=8)",
        "td-lambda(hidden=5)",
    ],
)
def test_a_network_resumes_to_the_same_bytes(tmp_path, learner):
    plan = {"games": "12", "eval_every": "4", "eval_games": "2", "grade": "no"}
    expected = contents(finished(tmp_path / "whole", learner, "tic-tac-toe", **plan))
    run = new_run(tmp_path / "run", learner, "tic-tac-toe", **plan)

    def stop(training):
        if training.games >= 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        resume(run, Watcher(progress=stop, every=1))
    resume(run)
    assert contents(run) == expected


def test_ctrl_c_ends_an_evaluation_at_once_and_the_rest_ends_in_the_same_bytes(tmp_path, monkeypatch):
    expected = contents(finished(tmp_path / "whole"))
    run, own = new_run(tmp_path / "run"), Training._evaluate

    def interrupted(training):
        own(training)
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("it goes on")

    monkeypatch.setattr(Training, "_evaluate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        resume(run)
    assert read_arrays(run.path / CHECKPOINT)[1].games == 6
    monkeypatch.setattr(Training, "_evaluate", own)
    resume(run)
    assert contents(run) == expected


def test_ctrl_c_works_as_before_after_a_training(tmp_path):
    before = signal.getsignal(signal.SIGINT)
    run = new_run(tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        resume(run, Watcher(progress=lambda training: signal.raise_signal(signal.SIGINT)))
    assert signal.getsignal(signal.SIGINT) is before


def test_a_training_that_failed_can_be_resumed(tmp_path):
    def fail(line):
        if line["games"] == 18:
            raise StopError

    run = new_run(tmp_path / "run")
    with pytest.raises(StopError):
        resume(run, Watcher(line=fail))
    resume(read_run(run.path))
    assert contents(run) == contents(finished(tmp_path / "whole"))


def test_resuming_a_finished_run_changes_nothing(tmp_path):
    run = finished(tmp_path / "run")
    before = contents(run)
    resume(run)
    assert contents(run) == before


FORKS = """
import os, random, shutil, signal, sys, time
from itertools import count
from pathlib import Path
from ludus.learning.loop import episodes, training
from ludus.learning.runs import resume, read_run

episodes._PLIES, episodes._PATIENCE, training._SECONDS = 3, 0.0, 0.0
folder = Path(sys.argv[1])
fsync = os.fsync


def started(path, last_write=0):
    # A process that resumes a run, and is killed during the write of this number.
    child = os.fork()
    if child:
        return child
    writes = count(1)
    os.fsync = lambda file: os.kill(os.getpid(), signal.SIGKILL) if next(writes) == last_write else fsync(file)
    try:
        resume(read_run(path))
        os._exit(0)
    except BaseException as error:
        print(repr(error), file=sys.stderr, flush=True)
        os._exit(1)


def was_killed(child):
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)
"""

AT_RANDOM = """
chance, longest, kills = random.Random(1), 0.02, 0
while True:
    child = started(folder)
    time.sleep(chance.uniform(0, longest))
    os.kill(child, signal.SIGKILL)
    if not was_killed(child):
        break
    longest, kills = 1.1 * longest, kills + 1
print(kills)
"""

AT_EACH_WRITE = """
for write in count(1):
    copy = shutil.copytree(folder, folder.with_name(f"killed-{write}"))
    if not was_killed(started(copy, write)):
        break
    assert not was_killed(started(copy))
print(write - 1)
"""


def kills(fresh, path, code):
    """Kill processes that resume a run as the code says, until it is finished; returns how many."""
    return int(fresh(f"import sys; sys.argv[1:] = [{str(path)!r}]\n{FORKS}{code}", NUMBA_DISABLE_JIT="1"))


def test_a_run_killed_at_many_random_moments_ends_in_the_same_bytes(tmp_path, fresh_python):
    expected = contents(finished(tmp_path / "whole", opponent="random:7,twin", games=30))
    run = new_run(tmp_path / "run", opponent="random:7,twin", games=30)
    assert kills(fresh_python, run.path, AT_RANDOM) > 10
    assert contents(run) == expected


@pytest.mark.slow
@pytest.mark.parametrize(("learner", "opponent"), [("q-table(backward=true)", "twin"), ("q-table", "STUBBORN")])
def test_a_run_killed_during_any_write_of_a_file_ends_in_the_same_bytes(tmp_path, fresh_python, learner, opponent):
    opponent = opponent.replace("STUBBORN", stubborn(tmp_path))
    plan = {"opponent": opponent, "games": 4, "eval_every": 2, "grade": "no", "eval_against": "none"}
    expected = contents(finished(tmp_path / "whole", learner, **plan))
    run = new_run(tmp_path / "run", learner, **plan)
    count = kills(fresh_python, run.path, AT_EACH_WRITE)
    assert count > 5
    for number in range(1, count + 1):
        assert contents(read_run(tmp_path / f"killed-{number}")) == expected, number


def test_a_disk_that_is_full_leaves_the_last_checkpoint(tmp_path, monkeypatch):
    run = new_run(tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        resume(run, Watcher(progress=lambda training: signal.raise_signal(signal.SIGINT)))
    before = (run.path / CHECKPOINT).read_bytes()

    def full(number):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(files.os, "fsync", full)
        with pytest.raises(LudusError, match="cannot be written: No space left on device"):
            resume(run)
    assert (run.path / CHECKPOINT).read_bytes() == before
    resume(run)
    assert contents(run) == contents(finished(tmp_path / "whole"))
