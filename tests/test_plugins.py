"""Plug-ins: the package of the documentation, built and installed beside Ludus, brings an agent and a learner."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import venv

import pytest
from conftest import TESTS
from trained import trained

PAGE = (TESTS.parent / "docs" / "plug-ins.md").read_text()
PROJECT = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)[1]
AGENT, LEARNER = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

CARELESS = """
from typing import NamedTuple

class Careless(NamedTuple):
    speed: int
    trainer = agent = None
"""


def done(*command, **environment):
    reported = os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "NUMBA_DISABLE_JIT": "1"} | environment
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=reported, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The package as a wheel, made by its own build backend."""
    folder = tmp_path_factory.mktemp("my-school")
    (folder / "src" / "my_school").mkdir(parents=True)
    (folder / "pyproject.toml").write_text(PROJECT)
    for name, text in {"__init__": "", "agent": AGENT, "learner": LEARNER}.items():
        (folder / "src" / "my_school" / f"{name}.py").write_text(text)
    apart = "--no-deps", "--no-index", "--no-build-isolation", "--quiet"
    done(sys.executable, "-m", "pip", "wheel", *apart, "--wheel-dir", folder / "dist", folder)
    return next((folder / "dist").glob("*.whl"))


@pytest.fixture(scope="module")
def school(wheel, tmp_path_factory):
    """Ludus in an environment of its own, where the package is installed and all else is as here."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    purelib = done(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    beside = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
    with open(f"{purelib}/beside.pth", "w") as file:
        file.write(beside)
    apart = "--no-deps", "--no-index", "--quiet"
    done(sys.executable, "-m", "pip", "--python", python, "install", *apart, wheel)

    def run(*arguments):
        return done(
            python, "-c", "from ludus.commands import main; main()", *arguments, LUDUS_HOME=str(folder), COLUMNS="80"
        )

    return run


@pytest.mark.usefixtures("plain")
def test_the_learner_of_the_page_is_short_and_learns_from_its_file(tmp_path):
    (tmp_path / "learner.py").write_text(LEARNER)
    assert len(LEARNER.splitlines()) <= 60
    training = trained("tic-tac-toe", f"{tmp_path}/learner.py(alpha=0.3)", games=50, opponent="random:20,twin")
    assert training.games == 50
    assert training.trainer.metrics()["visited"][0] > 30
    assert training.agent().evaluation(training.game, training.game.start())


@pytest.mark.slow
def test_an_installed_agent_plays_by_its_name(school):
    reported = json.loads(school("match", "tic-tac-toe", "middle(place=0.25)", "random", "--games", "20", "--json"))
    assert (reported["a"], reported["games"]) == ("middle(place=0.25)", 20)


@pytest.mark.slow
def test_an_installed_learner_is_trained_and_plays_by_its_name(school, tmp_path):
    run = tmp_path / "run"
    few = "--games", "60", "--eval-against", "none", "--grade", "no"
    school("train", "tic-tac-toe", "expected-sarsa", "--epsilon", "0.2", *few, "--out", str(run), "--json")
    assert json.loads((run / "run.json").read_text())["learner"]["name"] == "expected-sarsa"
    reported = json.loads(school("match", "tic-tac-toe", str(run), "random", "--games", "20", "--json"))
    assert reported["a_wins"] + reported["b_wins"] + reported["draws"] == 20


def test_a_careless_package_does_no_harm_to_others(ludus, tmp_path):
    (tmp_path / "careless.py").write_text(CARELESS)
    folder = tmp_path / "careless-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: careless\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[ludus.learners]\ncareless = careless:Careless\ngone = careless:Gone\n")
    assert "tic-tac-toe" in ludus("games", "--json", PYTHONPATH=str(tmp_path)).stdout
    refused = ludus("train", "tic-tac-toe", "gone", PYTHONPATH=str(tmp_path)).stderr
    assert refused.startswith("ludus: the learner gone (careless:Gone) cannot be imported")
