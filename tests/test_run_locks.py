"""A run is trained once at a time, whether from the page or from the command line."""

import os
import signal
import subprocess
import sys

import pytest
from trained import contents, finished, new_run

from ludus.errors import LudusError
from ludus.learning.loop.training import Watcher
from ludus.learning.runs import LOCK, extend, resume
from ludus.locks import locked

HOLDING = """
import sys, time
from pathlib import Path
from ludus.locks import locked
with locked(Path(sys.argv[1]) / "training.lock", "being trained"):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    """Kernels run as plain Python."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


@pytest.fixture
def holder():
    """Lets another process hold a run."""
    begun = []

    def hold(path):
        process = subprocess.Popen([sys.executable, "-c", HOLDING, str(path)], stdout=subprocess.PIPE, text=True)
        begun.append(process)
        assert process.stdout.readline() == "held\n"
        return process

    yield hold
    for process in begun:
        process.kill()
        process.communicate()


def held(folder):
    return locked(folder / LOCK, "being trained")


def files_of(path):
    return {file.name: file.read_bytes() for file in path.iterdir() if file.is_file()}


def test_a_run_that_another_process_trains_is_refused_in_one_line_that_names_it(tmp_path, holder):
    run = new_run(tmp_path / "run")
    process = holder(run.path)
    before = files_of(run.path)
    for training in (resume, lambda run: extend(run, 30)):
        with pytest.raises(LudusError) as error:
            training(run)
        assert str(error.value) == (
            f"{run.path} is being trained already by process {process.pid}: wait for it, or stop it first"
        )
    assert files_of(run.path) == before


def test_a_killed_training_leaves_nothing_in_the_way_of_the_next(tmp_path, holder):
    run = new_run(tmp_path / "run")
    process = holder(run.path)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert (run.path / LOCK).is_file()
    resume(run)
    assert contents(run) == contents(finished(tmp_path / "other"))
    assert not (run.path / LOCK).exists()


def test_a_training_locks_its_run_until_it_is_stopped(tmp_path):
    run, holders = new_run(tmp_path / "run"), []

    def stop(training):
        holders.append((run.path / LOCK).read_text())
        with pytest.raises(LudusError, match="trained already"):
            resume(run)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        resume(run, Watcher(progress=stop, every=1))
    assert holders == [str(os.getpid())]
    resume(run)
    assert run.is_finished


def test_a_lock_file_that_was_just_removed_is_made_again(tmp_path, monkeypatch):
    def removed_first(file, how):
        monkeypatch.undo()
        (tmp_path / LOCK).unlink()

    monkeypatch.setattr("ludus.locks.fcntl.flock", removed_first)
    with held(tmp_path), pytest.raises(LudusError, match="trained already"), held(tmp_path):
        pass


def test_a_folder_that_cannot_be_locked_says_so(tmp_path):
    with pytest.raises(LudusError, match=r"training\.lock cannot be locked: No such file"), held(tmp_path / "none"):
        pass
