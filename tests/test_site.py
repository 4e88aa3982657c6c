"""The documentation: a site built strictly that needs nothing from elsewhere, whose sessions and commands are true."""

import doctest
import os
import re
import shlex
import subprocess
import sys
import textwrap

import pytest
import typer
from conftest import TESTS
from write_boards import DRAWN, FOLDER, picture

import ludus as package
from ludus.catalog import GAMES
from ludus.commands import app, load

ROOT = TESTS.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
RUN_ELSEWHERE = [
    "canonical-forms.md",
    "cluster.md",
    "toads-and-frogs.md",
    "tutorial-game.md",
    "tutorial-paper.md",
]  # by their own tests
SESSIONS = [page for page in PAGES if ">>>" in page.read_text() and page.name not in RUN_ELSEWHERE]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built strictly: a dead link, a missing page or an unknown name ends it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.html")}


@pytest.mark.slow
def test_every_page_is_built(site):
    wanted = {page.relative_to(DOCS).with_suffix(".html").as_posix().replace("README", "index") for page in PAGES}
    assert wanted <= site.keys()


@pytest.mark.slow
def test_no_page_loads_anything_from_elsewhere(site):
    loaded = re.compile(r'<(?:script|img|iframe)[^>]* src="?(?:https?:)?//|<link[^>]* rel="?stylesheet"?[^>]*//')
    assert [name for name, page in site.items() if loaded.search(page)] == []


@pytest.mark.slow
def test_the_reference_shows_docstrings(site):
    assert "The exact solution of a game from" in site["reference/truth.html"]


def test_every_public_name_is_in_the_reference():
    text = "".join(page.read_text() for page in (DOCS / "reference").glob("*.md"))
    names = re.findall(r"^::: ludus\.(\w+)$", text, re.MULTILINE)
    assert sorted(names) == sorted(set(package.__all__) - {"__version__"})


@pytest.mark.parametrize("name", DRAWN)
def test_the_picture_of_a_game_is_what_it_draws(name):
    assert (FOLDER / f"{name}.svg").read_text() == picture(name), "python tests/write_boards.py writes it anew"


@pytest.mark.parametrize("page", ["svg.md", "search-hooks.md"])
def test_what_the_docs_show_of_breakthrough_is_in_its_file(page):
    shown = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(), re.MULTILINE | re.DOTALL)
    methods = re.findall(r"^def .*?(?=\n\n\n|\Z)", "\n\n\n".join(shown), re.MULTILINE | re.DOTALL)
    whole = re.sub(r'\n +""".*?"""', "", (ROOT / "examples" / "breakthrough.py").read_text())
    assert methods
    assert [method for method in methods if textwrap.indent(method.strip(), "    ") not in whole] == []


@pytest.mark.parametrize("name", GAMES.built_in)
def test_the_pages_of_games_have_one_form(name):
    page = (DOCS / "games" / f"{name}.md").read_text()
    form = ["Rules", "Position", "Actions", "Result", "Hooks", "Known", "Commands", "Sources"]
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == form
    assert f"](../images/boards/{name}.svg)" in page
    assert "](../truth.md#" in page


def commands():
    """Every command of Ludus in a block of code, with the page it is on."""
    for page in [*PAGES, ROOT / "README.md"]:
        blocks = re.findall(r"^```(?:sh)?\n(.*?)^```|^((?: {4}.*\n)+)", page.read_text(), re.MULTILINE | re.DOTALL)
        joined = "".join(fenced or indented for fenced, indented in blocks).replace("\\\n", " ")
        for line in joined.splitlines():
            if found := re.match(r"\s*(?:\$ )?(?:\.venv/bin/)?ludus (.*)", line):
                yield page.name, shlex.split(found[1], comments=True)


def options(command):
    """The options of a command, and of all commands in it."""
    own = {option for parameter in command.params for option in parameter.opts + parameter.secondary_opts}
    return own.union(*(options(inner) for inner in getattr(command, "commands", {}).values()))


def parsed(name, words):
    """The command with the options that it has for these words: those of `train` depend on the learner."""
    return load("train").make_context("train", words, resilient_parsing=True).command if name == "train" else load(name)


def test_every_command_in_the_docs_exists_with_its_options():
    ludus = typer.main.get_command(app)
    unknown = []
    for page, (name, *words) in commands():
        allowed = options(ludus if name.startswith("--") else parsed(name, words))
        asked = {word.split("=")[0] for word in words if word.startswith("--")}
        unknown += [(page, name, option) for option in asked - allowed]
    assert unknown == []


def test_the_python_of_the_docs_can_be_read():
    for page in PAGES:
        text = page.read_text()
        blocks = [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if ">>>" not in block]
        for block in blocks + re.findall(r'^\.venv/bin/python -c "(.*)"$', text, re.MULTILINE):
            compile(block, page.name, "exec")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("adapters.md", "LudusEnv"),
        ("adapters.md", "LudusAec"),
        ("adapters.md", "pyspiel"),
        ("contract.md", "GraphGame.from_edges"),
    ],
)
def test_what_is_no_session_runs(page, words, home):
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
    [block] = [block for block in blocks if words in block]
    exec(compile(block, page, "exec"), {})


@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: page.name)
def test_a_session_gives_what_it_shows(page, home, plain):
    assert doctest.testfile(str(page), module_relative=False).failed == 0
