"""A work that is killed before any change of its files, and done again, ends in the same files."""

import json
import os
import subprocess
import sys

import pytest
from conftest import TESTS

from faults.crash_everywhere import WORKS

NETWORKS = {"dqn", "alphazero"}  # JAX is loaded anew for each of their calls


@pytest.mark.slow
@pytest.mark.parametrize("work", WORKS)
def test_a_work_killed_at_any_change_of_its_files_ends_in_the_same_ones(work, full, tmp_path):
    most = 0 if full else 2 if work in NETWORKS else 6
    command = [sys.executable, "-m", "faults.crash_everywhere", str(tmp_path), work, str(most)]
    variables = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, env=variables, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["changes"] >= (3 if work == "solution-file" else 6)
    assert {number: paths for number, paths in found["differences"].items() if paths} == {}
