"""Nobody waits without a word: what is being done shows on a terminal, in plain lines elsewhere, and in notebooks."""

import io
import json
import os
import pty
import re
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest
from conftest import TESTS
from rich.console import Console

from ludus import activity, notebook
from ludus.activity import Activity
from ludus.cluster import JobProgress
from ludus.commands import progress
from ludus.commands.progress import at_rest, bars, live_table, reporting, stages, waiting
from ludus.commands.warm import warmed
from ludus.compiled import compiling

KERNEL = SimpleNamespace(plain=SimpleNamespace(__module__="ludus.solving.explore"), __name__="expand")


@pytest.fixture
def hasty(monkeypatch):
    """Words come at once."""
    monkeypatch.setattr(activity, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "INTERVAL", 0.05)


def until(is_so):
    """Wait until something is so, for at most five seconds."""
    end = time.monotonic() + 5
    while not is_so() and time.monotonic() < end:
        time.sleep(0.01)


def written(*, terminal=False):
    """A console that writes to a string."""
    return Console(file=io.StringIO(), force_terminal=terminal, force_interactive=terminal, width=100)


def test_an_activity_names_the_kernel_that_is_compiled_and_how_much_of_it_is():
    doing = Activity("solving")
    doing.on_kernel(KERNEL, 11, 34)
    assert doing.words == "compiling explore.expand, this once: 11 of 34 functions"
    doing.on_kernel(KERNEL, 34, 34)
    doing.on_stage("verifying", 1000, 5478)
    assert doing.words == "verifying: 1,000 of 5,478"


def test_the_functions_of_a_kernel_are_counted_while_they_are_compiled(fresh_python, tmp_path):
    code = """
import ludus
from ludus.compiled import compiling
from ludus.solving.explore import explore
compiling.PLAIN_SECONDS = -1.0
counts = []
compiling.listeners.append(lambda kernel, *count: counts.append(count) if kernel.__name__ == "expand" else None)
explore(ludus.make_game("tic-tac-toe"))
done, totals = zip(*counts)
print(len(set(totals)), done == tuple(sorted(done)), done[0], done[-1] == totals[0], max(done[:-1]) < totals[0] < 60)
"""
    assert fresh_python(code, NUMBA_CACHE_DIR=str(tmp_path)) == "1 True 0 True True"


def test_short_work_shows_nothing():
    for terminal in (True, False):
        console = written(terminal=terminal)
        with stages(console) as on_stage:
            on_stage("exploring", 100)
        assert console.file.getvalue() == ""


def test_long_work_shows_its_stages_on_a_terminal_and_wipes_them(hasty):
    console = written(terminal=True)
    with stages(console) as on_stage:
        on_stage("exploring", 120_000)
        until(lambda: "exploring" in console.file.getvalue())
    assert "120000/?" in console.file.getvalue()
    assert console.file.getvalue().endswith("\x1b[1A\x1b[2K")


def test_without_a_terminal_there_is_a_plain_line_now_and_then(hasty):
    console = written()
    with stages(console) as on_stage:
        on_stage("exploring", 120_000)
        until(lambda: console.file.getvalue().count("\n") > 1)
    assert set(console.file.getvalue().splitlines()) == {"exploring: 120,000"}


def test_a_kernel_that_is_compiled_comes_first(hasty):
    console = written()
    with waiting(console, "solving"):
        for listener in compiling.listeners:
            listener(KERNEL, 1, 34)
        until(lambda: "functions" in console.file.getvalue())
    assert "compiling explore.expand, this once: 1 of 34 functions\n" in console.file.getvalue()
    assert compiling.listeners == []


def test_jobs_are_counted_in_a_plain_line(hasty):
    console = written()
    with live_table(console) as on_progress:
        on_progress("train", JobProgress(4, 1, 0, 0, "first", 50.0))
        until(console.file.getvalue)
    assert "train: 1 of 4 jobs\n" in console.file.getvalue()


def test_a_command_inside_another_is_shown_on_the_same_screen(hasty):
    outer, inner = written(), written()
    with reporting(outer), bars(inner) as bar:
        bar.add_task("playing", total=10)
        until(lambda: "playing" in outer.file.getvalue())
    assert "playing: 0 of 10" in outer.file.getvalue()
    assert inner.file.getvalue() == ""


def test_nothing_is_shown_while_a_person_is_asked(hasty):
    console = written(terminal=True)
    with reporting(console) as reporter, at_rest():
        before = console.file.getvalue()
        reporter.tick()
        time.sleep(0.1)
        assert console.file.getvalue() == before


def run_in_terminal(*arguments, **environment):
    """Run the command line with standard error on a terminal: what it printed, and what the terminal got."""
    terminal, other = pty.openpty()
    command = [sys.executable, "-c", "from ludus.commands import main; main()", *arguments]
    variables = os.environ | {"TERM": "xterm", "COLUMNS": "100"} | environment
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=other, env=variables)
    os.close(other)
    shown = bytearray()

    def read():
        while True:
            try:
                shown.extend(os.read(terminal, 1 << 16))
            except OSError:  # the other end is closed
                return

    reader = threading.Thread(target=read)
    reader.start()
    printed, _ = process.communicate()
    reader.join()
    os.close(terminal)
    return printed, shown.decode()


@pytest.mark.slow
def test_a_cold_start_says_what_is_compiled_and_keeps_the_result_clean(tmp_path):
    match = ("match", "tic-tac-toe", "random", "random", "--games", "200000", "--json")
    printed, shown = run_in_terminal(*match, NUMBA_CACHE_DIR=str(tmp_path))
    assert json.loads(printed)["games"] == 200_000
    assert re.search(r"this once: \d+ of \d+ functions", shown)


def test_a_function_says_in_a_notebook_what_it_does(monkeypatch):
    monkeypatch.setattr(activity, "PATIENCE", 0.0)
    monkeypatch.setattr(notebook, "_EVERY", 0.01)
    lines = []
    monkeypatch.setattr(notebook, "_in_notebook", lambda: False)
    monkeypatch.setattr(notebook, "_show_in_terminal", lines.append)

    def solve(game, *, progress=None):
        progress("exploring", 5000, None)
        until(lambda: "exploring: 5,000 (0 s)" in lines)
        return game

    assert notebook.with_line(solve, "solving")("nim") == "nim"
    assert lines[-2:] == ["exploring: 5,000 (0 s)", ""]


# ---- ludus warm ----


@pytest.mark.parametrize("arguments", [["warm", "no-such-game"], ["warm", "tic-tac-toe", "--agent", "no-such-agent"]])
def test_warm_refuses_a_wrong_name_in_one_line(ludus, arguments):
    done = ludus(*arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_nothing_is_compiled_without_the_jit(plain):
    assert warmed(f"{TESTS}/user_games/nim.py(a=1, b=2, c=1)", ["random", "first"], "match") == (0, 0)


@pytest.mark.slow
def test_what_was_warmed_is_not_compiled_again(ludus, tmp_path):
    nim, cache = f"{TESTS}/user_games/nim.py(a=1, b=2, c=1)", {"NUMBA_CACHE_DIR": str(tmp_path)}
    first, second = (
        json.loads(ludus("warm", nim, "--agent", "random", "--on", "local=1", "--json", **cache).stdout) for _ in "ab"
    )
    assert first["compiled"] > 10
    assert (second["compiled"], second["found"]) == (0, first["compiled"])
    assert second["bytes"] == sum(file.stat().st_size for file in tmp_path.rglob("*") if file.is_file())
