"""The same seed gives the same bytes on one core and on two, for whatever commands print and write."""

import json
import os
import subprocess
import sys

import pytest
from conftest import TESTS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("mode", ["plain", "compiled"])
def test_the_number_of_cores_changes_nothing(mode, full, tmp_path):
    if mode == "compiled" and not full:
        pytest.skip("takes a minute: make faults")
    command = [sys.executable, "-m", "faults.same_bytes", str(tmp_path)]
    variables = os.environ | {"NPROC": "1", "NUMBA_DISABLE_JIT": "1" if mode == "plain" else "0"}
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, env=variables, check=False)
    assert done.returncode == 0, done.stderr
    differences = json.loads(done.stdout)
    assert {name: parts for name, parts in differences.items() if parts} == {}
    assert len(differences) >= 13
