"""The TapnSwap paper: what is measured of its curves, and the whole at a tiny scale by the real command."""

from statistics import fmean

import pytest
from reports import checked, findings_of, judged, opened, results_of, run_again

from ludus.study.paper import paper
from ludus.study.paper.tasks import rounds
from ludus.study.sweep.rounds import PAPER_ORDERS, PROGRAM_ORDERS
from ludus_papers.tapnswap.claims import eight_suffice, four_entries, plateau, unbeaten, width
from ludus_papers.tapnswap.schedule import beginning, schedule, sweeping
from ludus_papers.tapnswap.trainings import FORBIDDEN, HALF, figure_1, forbidding

pytestmark = pytest.mark.slow

NAME = "tapnswap"
FULL, TINY = paper(NAME).lab("full", 5), paper(NAME).lab("tiny", 1)
FIGURES = [
    *("figure-1", "figure-1-seeds", "figure-1-grade"),
    *(f"grid-{history}-{what}-1" for history in ("vsrandom", "vsself") for what in ("won", "grade")),
    *("change-won", "change-grade", "change-tournament", "tournaments-points", "tournaments-grade"),
    *("forbidden-grade", "gamma-grade", "rates-grade", "best-grade", "best-won"),
]


@pytest.mark.parametrize(
    ("wins", "longest"),
    [([0.5, 0.6, 0.7, 0.8], 1), ([0.5, 0.51, 0.5, 0.8], 3), ([0.5, 0.8, 0.8, 0.8], 1), ([0.5, 0.7, 0.7, 0.6, 0.9], 2)],
    ids=["none", "before a rise", "the end is none", "before a fall and a rise"],
)
def test_a_plateau_is_a_stretch_that_is_bettered_later(wins, longest):
    assert plateau(wins, 0.02) == longest


def test_a_plateau_is_as_wide_as_the_interval_of_a_test():
    assert width(FULL) == pytest.approx(0.0196, abs=1e-5)


def test_the_whole_schedule_is_the_program_s_or_the_text_s():
    assert schedule(FULL).orders == schedule(FULL, "program").orders == PROGRAM_ORDERS
    assert schedule(FULL, "text").orders == PAPER_ORDERS
    assert len(schedule(FULL).epsilons) == 10


def test_two_rounds_are_added_to_see_whether_the_best_still_change():
    assert len(sweeping(FULL, "program", 0).arguments[3]) == len(PROGRAM_ORDERS) + 2


@pytest.mark.parametrize(("reading", "exchanged"), [("program", True), ("named", False), ("text", False)])
def test_only_the_program_exchanges_all_opponents_in_the_second_session(reading, exchanged):
    _, second = beginning(FULL, reading, 0).arguments[3]
    assert second[-1] is exchanged


def test_what_the_rules_say_of_actions_is_proved():
    for judge in (eight_suffice, four_entries):
        with pytest.raises(StopIteration) as stopped:
            next(rounds(judge(FULL)))
        assert stopped.value.value.verdict == "proved"


def test_the_numbers_of_the_grid_are_those_of_the_author_s_files():
    assert FULL.number("vsrandom-08-begin").value == 0.9807
    assert FULL.number("vsself-10-end").value == 0.9993


def test_figure_1_is_tested_after_each_of_a_hundred_games():
    words = dict(figure_1(FULL, "program", 0).arguments[3])
    assert {
        "games": "100",
        "eval_every": "1",
        "eval_games": "10000",
        "epsilon": "0.8",
        "max_over": "all",
        "ties": "first",
    }.items() <= words.items()


def test_the_last_half_begins_with_what_the_first_has_learned_under_the_ban():
    (begun,) = forbidding(TINY, HALF, 0).needs
    assert dict(begun.arguments[3])["forbid"] == FORBIDDEN["winning forbidden"]


@pytest.mark.parametrize(
    ("results", "words"),
    [
        (("win", "win", "draw"), "4 guaranteed to win, 2 guaranteed a draw;"),
        (("win", "win", "loss"), "4 guaranteed to win, 2 guaranteed neither;"),
        (("loss", 0.5, "loss"), "6 guaranteed neither;"),
    ],
    ids=["all", "some", "none"],
)
def test_the_author_s_table_cannot_be_beaten_and_of_ours_it_is_said_which_can(results, words):
    guarantees = [{"result": one if isinstance(one, str) else None, "score": 0.5} for one in results]
    found = [{"rounds": [{"agents": [{"share": 1.0, "guarantee": one, "second": [70, 70]}]}]} for one in guarantees]
    became = judged(unbeaten, paper(NAME).lab("full", 3), lambda tasks: 2 * found)
    assert became.verdict == "proved"
    assert "optimal in 38 of the 38 decisions" in became.evidence
    assert words in became.evidence


def test_the_two_ways_of_learning_are_two_sweeps():
    assert sweeping(TINY, "text", 0).key != sweeping(TINY, "program", 0).key


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the report."""
    made = tmp_path_factory.mktemp("papers")
    run_again(NAME, made)
    return made


def test_the_report_has_all_figures_and_nothing_is_missing(folder):
    page, report = checked(NAME, folder)
    assert [key for key in FIGURES if key not in page.ids] == []
    assert [each["key"] for each in report["experiments"]] == ["1", "2", "3", "4", "5", "6", "7"]


def test_the_truth_of_the_claims_does_not_depend_on_the_scale(folder):
    _, report = checked(NAME, folder)
    assert [claim["verdict"] for claim in report["claims"][:2]] == ["proved", "proved"]


def test_every_number_of_the_findings_is_that_of_a_task(folder):
    words = findings_of(NAME, folder)
    (truth,), (best,), (sheet,) = (results_of(NAME, folder, name) for name in ("solved", "train_run", "cribbed"))
    swept = results_of(NAME, folder, "swept")
    last = [one["rounds"][-1]["agents"] for one in swept if len(one["rounds"]) > 2]
    firsts = [max(agents, key=lambda agent: agent["share"])["accuracy"] for agents in last]
    grade = best["lines"][-1]["grade"]
    assert f"all {truth['counts']['positions']:,} positions are solved" in words
    assert f"in {truth['plies']} plies" in words
    assert f"of the {len(firsts)} agents that came first" in words
    assert f"optimal in {fmean(firsts):.1%} of all decisions" in words
    assert f"is optimal in {grade['optimal'] / grade['decisions']:.1%}" in words
    assert f"the {len(sheet['entries'])} positions" in words


def test_the_findings_change_with_the_results(folder):
    def winning(one, since):
        for line in one["lines"]:
            result = {"result": "win", "score": 1.0} if line["games"] >= since else {"result": "loss", "score": -1.0}
            line["grade"]["guarantee"]["second"] = result
        return one

    def forcing(one):
        for agent in one["rounds"][-1]["agents"]:
            agent["guarantee"] = {"result": "win", "score": 1.0}
        return one

    games = [line["games"] for line in results_of(NAME, folder, "train_run")[0]["lines"]]
    assert f"ours, which forces it from {games[1]:,} games on" in findings_of(
        NAME, folder, train_run=lambda one: winning(one, games[1])
    )
    assert f"ours, which cannot after {games[-1]:,} games" in findings_of(
        NAME, folder, train_run=lambda one: winning(one, games[-1] + 1)
    )
    assert "all 2 agents that came first in his tournaments, run again, can force the win" in findings_of(
        NAME, folder, swept=forcing
    )
    words = findings_of(NAME, folder, solved=lambda truth: truth | {"score": 1, "plies": 99})
    assert "can always win is refuted" in words
    assert "in 99 plies" in words


def test_all_tournaments_are_kept_in_the_shape_of_the_paper_s_files(folder):
    text = (folder / NAME / "tournaments.txt").read_text()
    assert text.count("Best players (from last to best)") == len(schedule(TINY).orders)


def test_the_page_opens_without_errors_or_requests(folder):
    assert opened(folder / f"{NAME}.html") == len(FIGURES)
