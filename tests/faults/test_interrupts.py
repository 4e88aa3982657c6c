"""Ctrl-C at any moment, also while Ludus is loaded: one line and 130, no traceback, and nothing is left behind."""

import json
import os
import subprocess
import sys

import pytest
from conftest import TESTS

from faults.interrupts import CALLS

FEW = {"games": 6, "train": 4, "sweep": 4, "a program": 2}  # moments


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c_ends_a_command_at_any_moment_in_one_line(call, full, tmp_path):
    if not full and call not in FEW:
        pytest.skip("takes minutes: make faults")
    command = [sys.executable, "-m", "faults.interrupts", str(tmp_path), str(40 if full else FEW[call]), call]
    variables = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, env=variables, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["wrong"] == {}
    assert found["stopped"] >= 1
