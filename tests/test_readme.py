"""The README is short and true: its session runs, its game works, its commands exist, its links lead somewhere."""

import doctest
import re
from pathlib import Path

import pytest
from conftest import TESTS

import ludus
from ludus.checking import check
from ludus.commands import COMMANDS

ROOT = TESTS.parent
README = (ROOT / "README.md").read_text()
MOST_WORDS = 500  # code does not count


def test_the_readme_is_short():
    prose = re.sub(r"^    .*$", "", re.sub(r"```.*?```", "", README, flags=re.DOTALL), flags=re.MULTILINE)
    assert len(prose.split()) <= MOST_WORDS


def test_the_session_gives_what_it_shows():
    test = doctest.DocTestParser().get_doctest(README, {}, "README", "README.md", 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.fixture
def nim(tmp_path):
    """The README's game of your own as a file."""
    source = next(block for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "class Nim" in block)
    assert len([line for line in source.splitlines() if line.strip()]) <= 20
    (tmp_path / "nim.py").write_text(source)
    return tmp_path / "nim.py"


def test_the_game_of_your_own_keeps_the_contract(nim):
    assert check(ludus.make_game(f"{nim}(heap=9)")).problem == ""


def test_the_game_of_your_own_is_solved(nim, plain):
    game = ludus.make_game(f"{nim}(heap=5)")
    assert ludus.solve(game).value(game.start()) == (1, 3)


def test_training_and_grading_run_as_shown(tmp_path, home, monkeypatch):
    from typer.testing import CliRunner

    from ludus.commands import app

    monkeypatch.chdir(tmp_path)
    shown = re.search(r"ludus (train tapnswap q-table --games 5000 --out my-run)\n.*ludus (grade my-run .*)\n", README)
    for words in shown.groups():
        done = CliRunner().invoke(app, words.split())
        assert done.exit_code == 0, done.output
    assert "worst mistakes" in done.output


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "docs/contract.md", "docs/commands.md", "docs/games/README.md"]
)
def test_links_lead_somewhere(page):
    path = ROOT / page
    links = re.findall(r"\]\(([^)#:]+)\)", path.read_text())
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_every_command_is_on_the_page_of_commands_in_its_group():
    page = (ROOT / "docs" / "commands.md").read_text()
    listed = dict(re.findall(r"^## (.*?)$(.*?)(?=^## )", page, re.DOTALL | re.MULTILINE))
    shown = {group: re.findall(r"^\| `ludus ([\w-]+)", rows, re.MULTILINE) for group, rows in listed.items()}
    assert {group: list(commands) for group, commands in COMMANDS.items()} == shown


def test_no_path_of_a_machine_stands_in_the_sources():
    home = str(Path.home())
    tracked = [path for folder in ("src", "tests", "docs", "bench") for path in (ROOT / folder).rglob("*.*")]
    texts = [path for path in tracked if path.suffix in (".py", ".md", ".json", ".c")]
    assert [path for path in texts if f"{home}/" in path.read_text() and path != Path(__file__)] == []
