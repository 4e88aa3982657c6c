"""Damaged files of every kind are refused in one line, or shown as they were: no traceback, hang or other number."""

import json
import os
import subprocess
import sys

import pytest
from conftest import TESTS

from faults.mutations import KINDS

pytestmark = pytest.mark.slow
NETWORKS = [name for name in KINDS if name.startswith(("dqn", "alphazero"))]
FEW = [name for name in KINDS if name not in NETWORKS or name.endswith("unfinished")]
PARTS = 4


def findings(folder, count, seed, *kinds):
    """The damaged files that were tried, and those that misbehaved."""
    command = [sys.executable, "-m", "faults.mutations", str(folder), str(count), str(seed), *kinds]
    variables = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, env=variables, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return found["cases"], found["findings"]


@pytest.mark.parametrize("part", range(PARTS))
def test_some_damaged_files(part, tmp_path):
    kinds = FEW[part * len(FEW) // PARTS : (part + 1) * len(FEW) // PARTS]
    cases, wrong = findings(tmp_path, 2, 1, *kinds)
    assert cases == 2 * 2 * len(kinds)
    assert wrong == []


@pytest.mark.parametrize("kind", KINDS)
def test_many_damaged_files(full, kind, tmp_path):
    if not full:
        pytest.skip("takes an hour: make faults")
    cases, wrong = findings(tmp_path, 30, 2, kind)
    assert cases == 60
    assert wrong == []
