"""The Fox and Hounds paper, run again at a tiny scale by the real command."""

from statistics import fmean

import pytest
from reports import checked, findings_of, judged, opened, results_of, run_again

from ludus.commands.paper import write_summary
from ludus.study.paper import paper
from ludus_papers.fox_and_hounds.claims import exploring_is_earlier
from ludus_papers.fox_and_hounds.cycles import chance, training_command

GRAPHS = {"1": 1, "2": 2, "3": 2, "4": 4, "5": 5}  # of the paper

pytestmark = pytest.mark.slow


def hounds(cycles):
    """A training of 100 cycles whose hounds win from this cycle on."""
    return {"plies": list(range(100)), "hounds": [[float(cycle >= cycles)] for cycle in range(1, 101)]}


@pytest.mark.parametrize(
    ("later", "verdict"),
    [((20, 30), "supported"), ((5, 6), "refuted"), ((-20, -30), "refuted"), ((-30, 40), "open")],
    ids=["millions", "less than a million", "later", "either"],
)
def test_a_couple_of_million_plies_is_a_million_at_least_on_average(later, verdict):
    slow, quick = [hounds(50 + each) for each in later * 4], [hounds(50)] * 8
    lab = paper("fox-and-hounds").lab("full", 2)
    assert judged(exploring_is_earlier, lab, lambda tasks: slow + quick).verdict == verdict


def test_commands_have_switches_and_the_seat_that_is_tested():
    command = training_command({"alpha": "0.3", "backward": "true"}, 5, 1, out="RUN")
    assert command == "ludus train fox-and-hounds q-table --alpha 0.3 --backward --games 5 --seed 1 --out RUN"
    assert "--seats first" in chance(paper("fox-and-hounds").lab("tiny", 1), 0).command


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the report."""
    made = tmp_path_factory.mktemp("papers")
    run_again("fox-and-hounds", made)
    return made


def test_the_report_has_all_graphs_of_the_paper_and_nothing_is_missing(folder):
    page, report = checked("fox-and-hounds", folder)
    wanted = [f"exp-{key}-graph-{graph}" for key, count in GRAPHS.items() for graph in range(1, count + 1)]
    assert [graph for graph in wanted if graph not in page.ids] == []
    assert [each["key"] for each in report["experiments"]] == ["1", "2", "3", "4", "5", "later"]


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


def test_every_number_of_the_findings_is_that_of_a_task(folder):
    words = findings_of("fox-and-hounds", folder)
    (truth,), (strategy,) = (results_of("fox-and-hounds", folder, name) for name in ("solved", "derive"))
    best, *tables = sorted(results_of("fox-and-hounds", folder, "play_cycles"), key=lambda one: -len(one["hounds"][0]))
    assert f"all {truth['counts']['positions']:,} positions are solved" in words
    assert f"in {truth['plies']} plies" in words
    assert f"of the {len(tables)} tables" in words
    assert f"err in {fmean(one['own'][0] - one['own'][1] for one in tables):,.0f} positions" in words
    assert f"after {best['games']:,} games" in words
    assert strategy["at_least"] < 0
    assert "Nor is ours" in words


def test_the_findings_change_with_the_results(folder):
    def perfect(one):
        return one | {"own": [9, 9, 1.0], "hounds": [[1.0, 1.0] for _ in one["hounds"]]}

    words = findings_of(
        "fox-and-hounds",
        folder,
        play_cycles=perfect,
        derive=lambda one: {"at_least": 1, "answers": dict.fromkeys(range(1234))},
        solved=lambda truth: truth | {"plies": 99, "score": 1},
    )
    assert "is refuted: all" in words
    assert "in 99 plies" in words
    assert "win 100.0% of their tests; all 8 tables are guaranteed" in words
    assert "and needs to know 1,234 positions" in words


def test_the_summary_in_markdown_leads_to_a_page_with_all_claims(folder, tmp_path):
    write_summary(folder, tmp_path)
    assert "(fox-and-hounds.md)" in (tmp_path / "results.md").read_text()
    page = (tmp_path / "fox-and-hounds.md").read_text()
    assert [claim.text for claim in paper("fox-and-hounds").claims if claim.text not in page] == []
