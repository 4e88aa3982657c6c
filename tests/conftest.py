"""What all tests share: the variants of every game, and a way to run Ludus in a fresh process."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("ludus", deadline=None)  # the first example compiles
settings.load_profile("ludus")

TESTS = Path(__file__).parent
EXAMPLES = TESTS.parent / "examples"
PERFT = sorted((TESTS / "data" / "perft").glob("*.json"))


def perft_entries():
    """Every entry of the data files: a variant of a game with its published or independently counted numbers."""
    return [entry for path in PERFT for entry in json.loads(path.read_text())]


signal.signal(
    signal.SIGINT, signal.default_int_handler
)  # in the background shells ignore it, and so would our children


@pytest.fixture
def fresh_python():
    """Run Python code in a new process and return what it prints; extra environment by keyword."""

    def run(code, **environment):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | environment, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


@pytest.fixture
def ludus():
    """Run the command line in a new process: returns the finished process."""

    def run(*arguments, typed=None, **environment):
        command = [sys.executable, "-c", "from ludus.commands import main; main()", *arguments]
        variables = os.environ | {"COLUMNS": "80"} | environment
        return subprocess.run(command, input=typed, capture_output=True, text=True, env=variables, check=False)

    return run


@pytest.fixture
def plain(monkeypatch):
    """Kernels run as plain Python: tiny games are done before anything is compiled."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


@pytest.fixture(params=["plain", pytest.param("compiled", marks=pytest.mark.slow)])
def either(request, monkeypatch):
    """Kernels run as plain Python, and once more compiled."""
    if request.param == "plain":
        monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


@pytest.fixture(scope="session", autouse=True)
def nobodys_home(tmp_path_factory):
    """Nothing of the user's is read or written by a test."""
    os.environ["LUDUS_HOME"] = str(tmp_path_factory.mktemp("home"))


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder of its own for what Ludus keeps on disk."""
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path))
    return tmp_path
