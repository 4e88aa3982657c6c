"""The Mancala paper: its stages, its tasks, and the whole at a tiny scale by the real command."""

import pytest
from reports import checked, opened, run_again

from ludus.study.papers.lab import Lab
from ludus.study.papers.mancala_learning import judged, learned, read_known
from ludus.study.papers.mancala_plan import LAST, VARIANTS, charts, self_play
from ludus.study.papers.mancala_update import equal_sharing

pytestmark = pytest.mark.slow

NAME = "mancala"
FULL, TINY = Lab(NAME, "full", range(5)), Lab(NAME, "tiny", range(1))
FIGURES = [
    *(f"figure-{number}" for number in range(3, 16)),
    *("all-won", "all-right", "all-absolute", "all-signed"),
    *("random-ends", "random-won", "program-ends", "program-won", "program-right"),
    *("small-1", "long-won", "best-won", "best-right"),
]


def test_the_stages_are_the_paper_s():
    assert charts(FULL, "70/70") == [[30, 50, 100], [500, 1500, 2500], [10_500, 30_500, 50_500]]
    for variant in list(VARIANTS)[1:]:
        assert charts(FULL, variant) == [[30, 50, 100], [500, 1000, 2000], [5000, 10_000, 50_000]]
    assert self_play(FULL, "90/50", 0).games == LAST == 150_500


@pytest.mark.parametrize("scale", ["full", "quick", "tiny"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_stage_of_a_chart_is_told(scale, variant):
    lab = Lab(NAME, scale, range(1))
    _, stages, every, *_ = self_play(lab, variant, 0).arguments
    assert [stage for chart in charts(lab, variant) for stage in chart if stage not in stages] == []
    assert [stage for stage in stages if stage % every] == []


def test_the_update_agrees_with_the_paper_s_example():
    _, results = equal_sharing(FULL)
    assert [result.verdict for result in results.results] == ["agrees"] * 12


def test_a_training_tells_how_all_games_up_to_each_stage_ended():
    first, last = learned([("seed", "0")], [4, 10], 1, 0, [("random", 2)])
    assert [first["games"], last["games"]] == [4, 10]
    for stage in (first, last):
        assert stage["wins"] + stage["losses"] + stage["ties"] == stage["games"]
        assert abs(stage["signed"]) <= stage["absolute"]
    assert last["rivals"].keys() == {"random"}


def test_positions_are_judged_where_it_matters_what_one_does(tmp_path):
    told = judged(3, 0, tmp_path, [])
    known = read_known([tmp_path])
    assert len(known) == told["decisions"]
    assert all(right for _, right in known)
    assert 0 < told["right"] < 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the report."""
    made = tmp_path_factory.mktemp("papers")
    run_again(NAME, made)
    return made


def test_the_report_has_all_figures_and_nothing_is_missing(folder):
    page, told = checked(NAME, folder)
    assert [key for key in FIGURES if key not in page.ids] == []
    assert [each["key"] for each in told["experiments"]] == [str(number) for number in range(1, 11)]


def test_the_page_opens_without_errors_or_requests(folder):
    assert opened(folder / f"{NAME}.html") == len(FIGURES)
