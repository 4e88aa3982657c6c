"""Where there is no room, a work is refused in one line; with room again, it ends in the same files as ever."""

import json
import os
import subprocess
import sys

import pytest
from conftest import TESTS

from faults.crash_everywhere import WORKS

pytestmark = pytest.mark.slow
FEW = ["q-table", "sweep", "tournament", "paper", "book", "solution-file"]


def found(folder, *words):
    """How many tries of a work were refused, and what is wrong."""
    command = [sys.executable, "-m", "faults.no_room", str(folder), *words]
    variables = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, env=variables, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def can_mount(folder):
    """Whether this process may mount a disk."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True, check=False)
    return mounted.returncode == 0 and subprocess.run(["umount", folder], check=False).returncode == 0


@pytest.mark.parametrize("work", WORKS)
def test_files_that_cannot_grow(work, full, tmp_path):
    if not full and work not in FEW:
        pytest.skip("takes minutes: make faults")
    outcome = found(tmp_path, work)
    assert outcome["wrong"] == []
    assert outcome["refused"] >= 1


@pytest.mark.parametrize("work", WORKS)
def test_a_full_disk(work, full, tmp_path):
    if not full and work != "q-table":
        pytest.skip("takes minutes: make faults")
    if not can_mount(tmp_path):
        pytest.skip("mounting is not permitted here")
    outcome = found(tmp_path, work, "disk")
    assert outcome["wrong"] == []
    assert outcome["refused"] >= 1
