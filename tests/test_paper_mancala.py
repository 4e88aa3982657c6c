"""The Mancala paper: its stages, its tasks, and the whole at a tiny scale by the real command."""

import pytest
from reports import checked, findings_of, opened, results_of, run_again

from ludus.study.paper import paper
from ludus.study.paper.verdict import mean
from ludus_papers.mancala import _adding_up, equal_sharing
from ludus_papers.mancala.claims import _long_enough, _without_exception
from ludus_papers.mancala.plan import LAST, VARIANTS, charts, judged, judging, learned, long_run, read_known, self_play

pytestmark = pytest.mark.slow

NAME = "mancala"
FULL, TINY = paper(NAME).lab("full", 5), paper(NAME).lab("tiny", 1)
FIGURES = [
    *(f"figure-{number}" for number in range(3, 16)),
    *("all-won", "all-grade", "all-absolute", "all-signed"),
    *("random-ends", "random-won", "program-ends", "program-won", "program-grade"),
    *("small-1", "long-won", "best-won", "best-grade"),
]


def test_the_stages_are_the_paper_s():
    assert charts(FULL, "70/70") == [[30, 50, 100], [500, 1500, 2500], [10_500, 30_500, 50_500]]
    for variant in list(VARIANTS)[1:]:
        assert charts(FULL, variant) == [[30, 50, 100], [500, 1000, 2000], [5000, 10_000, 50_000]]
    assert self_play(FULL, "90/50", 0).games == LAST == 150_500


@pytest.mark.parametrize("scale", ["full", "quick", "tiny"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_stage_of_a_chart_is_reported(scale, variant):
    lab = paper(NAME).lab(scale, 1)
    _, stages, every, *_ = self_play(lab, variant, 0).arguments
    assert [stage for chart in charts(lab, variant) for stage in chart if stage not in stages] == []
    assert [stage for stage in stages if stage % every] == []


def test_the_update_agrees_with_the_paper_s_example():
    _, results = equal_sharing(FULL)
    assert [result.verdict for result in results.results] == ["agrees"] * 12


def test_a_training_counts_how_all_games_up_to_each_stage_ended():
    first, last = learned({"seed": "0"}, [4, 10], 1, 0, [("random", 2)])
    assert [first["games"], last["games"]] == [4, 10]
    for stage in (first, last):
        assert stage["wins"] + stage["losses"] + stage["ties"] == stage["games"]
        assert abs(stage["signed"]) <= stage["absolute"]
    assert last["opponents"].keys() == {"random"}


def test_positions_are_judged_where_it_matters_what_one_does(tmp_path):
    found = judged(3, 0, tmp_path, [])
    known = read_known([tmp_path])
    assert len(known) == found["decisions"]
    assert all(optimal for _, optimal in known)
    assert 0 < found["accuracy"] < 1


def test_commands_can_be_given_to_a_shell():
    assert "--late --shrink 0.8" in self_play(FULL, "70/70", 0, late=True).command
    assert long_run(FULL).command.endswith("--out RUN; ludus match mancala RUN 'minimax(depth=2)' --games 100")
    assert judging("mcts(sims=20)", []).command == "ludus grade 'mcts(sims=20)' mancala"


def test_the_paper_s_ends_that_do_not_add_up_are_named():
    assert _adding_up(FULL).endswith("150,500 games: 90/50 to 150,436, 50/90 to 150,423.")


@pytest.mark.parametrize(
    ("text", "program", "verdict"),
    [
        ([[2.9, 3.1]], [[2.8, 3.2]], "supported"),
        ([[2.9, 3.1], [3.7, 3.71]], [[3.7, 3.71]], "refuted"),
        ([[3.7, 3.71]], [[2.9, 3.1]], "open"),
        ([[3.7]], [[3.7]], "open"),
    ],
)
def test_three_points_are_judged_by_the_means_with_their_intervals(text, program, verdict):
    means = [[mean(stage) for stage in each] for each in (text, program)]
    assert _without_exception(*means, FULL.number("difference")) == verdict


def test_fewer_games_than_the_paper_s_leave_open_what_more_could_undo():
    assert _long_enough(FULL, "refuted", "supported") == "refuted"
    assert [_long_enough(TINY, each, "supported") for each in ("supported", "refuted")] == ["supported", "open"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the report."""
    made = tmp_path_factory.mktemp("papers")
    run_again(NAME, made)
    return made


def test_the_report_has_all_figures_and_nothing_is_missing(folder):
    page, report = checked(NAME, folder)
    assert [key for key in FIGURES if key not in page.ids] == []
    assert [each["key"] for each in report["experiments"]] == [str(number) for number in range(1, 11)]


def test_the_page_opens_without_errors_or_requests(folder):
    assert opened(folder / f"{NAME}.html") == len(FIGURES)


def test_every_number_of_the_findings_is_that_of_a_task(folder):
    words = findings_of(NAME, folder)
    (random,), (stages,), (best,) = (results_of(NAME, folder, name) for name in ("played_out", "learned", "train_run"))
    last = stages[-1]
    match = best["lines"][-1]["against"]["random"]
    assert f"wins {random['first_wins'] / random['games']:.1%} of random games" in words
    assert f"{last['wins'] / last['games']:.1%} of the paper's training" in words
    assert (
        f"After {last['games']:,} games against itself the paper's agent knows {last['visited']:,} positions" in words
    )
    assert f"wins {sum(last['against'][:2]) / 2:.1%} of games with random play" in words
    wins, played = (
        sum(sum(seat[end] for end in ends) for seat in match.values()) for ends in (["wins"], match["first"])
    )
    assert f"wins {wins / played:.1%} after {best['lines'][-1]['games']:,} games" in words
    matches, accuracies = results_of(NAME, folder, "matched"), results_of(NAME, folder, "asked")
    assert all(f"{one['all']['won']:.1%} of" in words for one in matches)
    assert all(f"{one:.1%}" in words for one in accuracies)


def test_the_findings_change_with_the_results(folder):
    words = findings_of(
        NAME,
        folder,
        played_out=lambda one: {"games": 1000, "first_wins": 701, "second_wins": 202, "ties": 97},
        matched=lambda one: one | {"all": one["all"] | {"won": 0.123}},
        learned=lambda stages: [stage | {"against": [0.4, 0.41, 0.1], "visited": 4321} for stage in stages],
    )
    assert "wins 70.1% of random games" in words
    assert "and 12.3% of games between players who look four plies ahead" in words
    assert "knows 4,321 positions and wins 40.5% of games with random play, which wins 45.1% of" in words
