"""A training that is killed before any change of its files resumes to the same files."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

CRASHES = Path(__file__).parent / "crash_everywhere.py"


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["q-table", "move-weights"])
def test_a_training_killed_at_any_change_of_its_files_resumes_to_the_same_bytes(learner, tmp_path, plain):
    done = subprocess.run([sys.executable, CRASHES, learner, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    differences = json.loads(done.stdout)
    assert len(differences) > 40  # five evaluations, each with several files
    assert {number: names for number, names in differences.items() if names} == {}
