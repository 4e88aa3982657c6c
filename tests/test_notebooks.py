"""Notebooks: results show themselves, and the example notebooks run."""

import re

import nbformat
import pytest
from conftest import TESTS
from nbclient import NotebookClient

import ludus
from ludus.learning.runs.history import run_as_html
from ludus.notebook import table
from ludus.report.document import Curves, Series

NOTEBOOKS = sorted((TESTS.parent / "examples" / "notebooks").glob("*.ipynb"))
SHOWN = {
    "solve": ["image/svg+xml", "text/html", "image/svg+xml", "text/latex"],
    "train": ["text/html", "text/html", "text/html"],
    "paper": ["text/html", "image/svg+xml", "image/svg+xml", "text/html"],
}
LESS = {"paper": {"range(3), 1, 1000": "range(2), 25, 20"}}  # seeds, and how often and by how many games to test


def cells(html):
    return re.findall(r"<td>(.*?)</td>", html)


@pytest.fixture
def game(plain):
    return ludus.make_game(f"{TESTS}/user_games/nim.py(a=1, b=2, c=1)")


def test_a_solution_shows_its_board_and_the_value_of_each_action(game):
    html = ludus.solve(game)._repr_html_()
    assert "<svg" in html
    assert cells(html)[1].startswith("win in")


def test_a_match_shows_its_counts(game):
    html = ludus.play_match(game, ludus.make_agent("random"), ludus.make_agent("first"), 10)._repr_html_()
    assert cells(html)[1] == "5"


def test_a_grade_shows_the_guarantee_of_the_agent(game):
    html = ludus.grade(ludus.make_agent("first"), game)._repr_html_()
    assert "as first, guaranteed" in html
    assert cells(html)[0] == "all"


def test_a_run_shows_its_evaluations_and_a_curve(game, tmp_path):
    html = ludus.train(game, "q-table", games=20, eval_games=4, out=tmp_path / "run")._repr_html_()
    assert cells(html)[0] == "2"
    assert "<polyline" in html


def test_a_run_that_was_not_evaluated_says_so():
    assert "not evaluated yet" in run_as_html("new", [])


def test_a_figure_shows_itself():
    figure = Curves("key", "Wins", "games", "won", [Series("one", (0, 1), (0.2, 0.4))], None)
    assert figure._repr_svg_().startswith("<svg")


def test_words_are_no_markup():
    assert cells(table(["<"], [["<b>"]])) == ["&lt;b&gt;"]


def test_long_tables_are_cut():
    assert "and 10 more" in table(["n"], [[str(n)] for n in range(40)])


def results(notebook):
    """The results that the cells of a notebook show."""
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", ())]
    return [out for out in outputs if out.output_type == "execute_result"]


def hidden(path, notebook):
    """The kinds of results that should be shown, and are not."""
    return [kind for kind, out in zip(SHOWN[path.stem], results(notebook), strict=True) if kind not in out.data]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_keeps_its_outputs_and_no_path_of_a_machine(path):
    assert hidden(path, nbformat.read(path, as_version=4)) == []
    assert not re.search(r"/(tmp|home|root|Users)/", path.read_text())


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # those of Jupyter's own
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_it_should(path, home, plain, monkeypatch):
    monkeypatch.setenv("NPROC", "1")
    notebook = nbformat.read(path, as_version=4)
    for whole, part in LESS.get(path.stem, {}).items():
        [cell] = [cell for cell in notebook.cells if whole in cell.source]
        cell.source = cell.source.replace(whole, part)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    assert hidden(path, notebook) == []
