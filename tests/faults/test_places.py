"""Where files cannot be kept, every command is refused in one line."""

import json
import os
import subprocess
import sys

import pytest
from conftest import TESTS


@pytest.mark.slow
def test_every_command_is_refused_in_one_line_where_files_cannot_be_kept(tmp_path):
    command = [sys.executable, "-m", "faults.places", str(tmp_path)]
    variables = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, env=variables, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {}
