"""What is released: packages that install and run elsewhere, public names, one version everywhere, completion."""

import builtins
import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile

import pytest
import yaml
from conftest import TESTS

import ludus as package

ROOT = TESTS.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def run(*command, cwd=None, **environment):
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=os.environ | environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def sources():
    """The files of the package by their paths in it."""
    found = (ROOT / "src").rglob("*")
    return {str(path.relative_to(ROOT / "src")) for path in found if path.is_file() and "__pycache__" not in path.parts}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The source distribution, and the wheel that is built of nothing else."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder), cwd=ROOT)
    [packed] = folder.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    unpacked = folder / packed.name.removesuffix(".tar.gz")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=unpacked)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """The Python of a new environment with the wheel, in which only what Ludus depends on is that of the tests."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", str(folder))
    python = folder / "bin" / "python"
    quiet = ("--disable-pip-version-check", "--quiet", "--python", str(python))
    run(sys.executable, "-m", "pip", *quiet, "install", "--no-deps", "--no-index", "--no-compile", str(built))
    own = run(str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    with open(f"{own}/rest.pth", "w") as rest:
        rest.write(sysconfig.get_path("purelib") + "\n")
    return python


@pytest.mark.slow
def test_the_wheel_of_the_source_distribution_holds_every_file_of_the_package(built):
    names = {name for name in zipfile.ZipFile(built).namelist() if name.startswith(("ludus/", "ludus_papers/"))}
    assert names == sources()


@pytest.mark.slow
def test_the_wheel_runs_in_a_new_environment(installed, tmp_path):
    where = run(str(installed), "-c", "import ludus; print(ludus.__file__)", cwd=tmp_path)
    assert str(installed.parent.parent) in where
    assert run(str(installed.parent / "ludus"), "--version", cwd=tmp_path) == f"ludus {package.__version__}\n"
    solve = (str(installed), "-m", "ludus", "solve", "tapnswap(limit=2)", "--json")
    printed = run(*solve, cwd=tmp_path, NUMBA_DISABLE_JIT="1")
    assert '"positions": 116' in printed


def test_every_public_name_is_listed_and_can_be_had():
    assert sorted(package.__all__) == sorted({*package._HOMES, "__version__"})
    assert [name for name in package.__all__ if not hasattr(package, name)] == []


def test_a_star_import_shadows_no_builtin():
    assert not {name for name in package.__all__ if hasattr(builtins, name)}


def test_the_package_says_that_it_is_typed():
    assert "ludus/py.typed" in sources()


def test_one_version_stands_everywhere():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    newest = next(line for line in (ROOT / "CHANGELOG.md").read_text().splitlines() if line.startswith("## "))
    assert PROJECT["version"] == package.__version__ == cited["version"] == newest.split()[1]


def test_what_the_citation_must_have_is_there():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    assert cited["license"] == PROJECT["license"]


@pytest.mark.parametrize(("words", "offered"), [("ludus sol", "solve"), ("ludus solve chu", "chung-toi")])
def test_the_shell_completes(words, offered):
    command = "from ludus.commands import main; import sys; sys.argv[0] = 'ludus'; main()"
    asked = {"_LUDUS_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    assert run(sys.executable, "-c", command, **asked).split() == [offered]
