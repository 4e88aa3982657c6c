"""Odd arguments of each command get one line, no traceback, leave no process, fit in memory, and Ctrl-C ends them."""

import json
import os
import subprocess
import sys

import pytest
from conftest import TESTS

from faults.command_line import SOUND, leaves

pytestmark = pytest.mark.slow


def findings(folder, *words, **environment):
    """The calls of some commands, and those that misbehaved."""
    command = [sys.executable, "-m", "faults.command_line", str(folder), *map(str, words)]
    variables = os.environ | environment
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, env=variables, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return found["calls"], found["findings"]


def test_every_command_is_called():
    assert set(SOUND) == set(leaves())


def test_some_odd_arguments_of_each_command(tmp_path):
    calls, wrong = findings(tmp_path, 5, 1.2, 1, NUMBA_DISABLE_JIT="1")
    assert calls == 5 * len(SOUND)
    assert wrong == []


@pytest.mark.parametrize("command", SOUND)
def test_many_odd_arguments(full, command, tmp_path):
    if not full:
        pytest.skip("takes minutes: make faults")
    calls, wrong = findings(tmp_path, 300, 4, 2, command)
    assert calls == 300
    assert wrong == []
