"""The README tells the truth: its sessions run, its game works, its links lead somewhere."""

import doctest
import re
from pathlib import Path

import pytest
from conftest import TESTS

import ludus
from ludus.checking import check

ROOT = TESTS.parent
README = (ROOT / "README.md").read_text()


def test_the_first_session_gives_what_it_shows():
    test = doctest.DocTestParser().get_doctest(README, {}, "README", "README.md", 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


def test_the_game_of_your_own_keeps_the_contract(tmp_path):
    source = next(block for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "class Nim" in block)
    (tmp_path / "nim.py").write_text(source)
    assert check(ludus.make_game(f"{tmp_path}/nim.py(heap=9)"))[-1].problem == ""


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/contract.md", "docs/games/README.md"])
def test_links_lead_somewhere(page):
    path = ROOT / page
    links = re.findall(r"\]\(([^)#:]+)\)", path.read_text())
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_every_command_is_in_the_readme(ludus):
    listed = re.findall(r"^│ (\w+) ", ludus("--help").stdout, re.MULTILINE)
    assert listed
    assert [command for command in listed if f"`ludus {command}" not in README] == []


def test_no_path_of_a_machine_stands_in_the_sources():
    home = str(Path.home())
    tracked = [path for folder in ("src", "tests", "docs", "bench") for path in (ROOT / folder).rglob("*.*")]
    texts = [path for path in tracked if path.suffix in (".py", ".md", ".json", ".c")]
    assert [path for path in texts if f"{home}/" in path.read_text() and path != Path(__file__)] == []
