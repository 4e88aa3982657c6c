"""The Fox and Hounds paper, run again at a tiny scale by the real command."""

import pytest
from reports import checked, opened, run_again

from ludus.study.papers import paper
from ludus.terminal.papers import write_summary

GRAPHS = {"1": 1, "2": 2, "3": 2, "4": 4, "5": 5}  # of the paper

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the report."""
    made = tmp_path_factory.mktemp("papers")
    run_again("fox-and-hounds", made)
    return made


def test_the_report_has_all_graphs_of_the_paper_and_nothing_is_missing(folder):
    page, told = checked("fox-and-hounds", folder)
    wanted = [f"exp-{key}-graph-{graph}" for key, count in GRAPHS.items() for graph in range(1, count + 1)]
    assert [graph for graph in wanted if graph not in page.ids] == []
    assert [each["key"] for each in told["experiments"]] == ["1", "2", "3", "4", "5", "later"]


def test_the_pages_open_without_errors_or_requests(folder):
    assert opened(folder / "fox-and-hounds.html") == sum(GRAPHS.values()) + 8
    assert opened(folder / "index.html") == 0


def test_what_was_done_is_not_done_again(folder):
    before = {path: path.stat().st_mtime_ns for path in (folder / "done").iterdir()}
    run_again("fox-and-hounds", folder)
    assert {path: path.stat().st_mtime_ns for path in (folder / "done").iterdir()} == before


def test_the_derived_strategy_answers_every_position_in_a_line(folder):
    lines = (folder / "fox-and-hounds" / "strategy.txt").read_text().splitlines()
    assert lines
    assert all("  " in line for line in lines)


def test_the_summary_in_markdown_leads_to_a_page_with_all_claims(folder, tmp_path):
    write_summary(folder, tmp_path)
    assert "(fox-and-hounds.md)" in (tmp_path / "results.md").read_text()
    page = (tmp_path / "fox-and-hounds.md").read_text()
    assert [claim.text for claim in paper("fox-and-hounds").claims if claim.text not in page] == []
