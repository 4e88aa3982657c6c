"""The Mancala paper: its stages, its tasks, and the whole at a tiny scale by the real command."""

from random import Random

import numpy as np
import pytest
from reports import checked, findings_of, opened, results_of, run_again

from ludus.games.mancala import Mancala
from ludus.learning.whole_weights import shift_whole
from ludus.study.paper import paper
from ludus.study.paper.verdict import read_numbers
from ludus_papers.mancala import equal_sharing, worked_examples
from ludus_papers.mancala.claims import _as_a_rule, _fixed, _more_than, _settled, mean
from ludus_papers.mancala.plan import (
    LAST,
    VARIANTS,
    all_learned,
    charts,
    judged,
    judging,
    learned,
    long_run,
    read_known,
    self_play,
)
from ludus_papers.mancala.program import as_programmed, drawn, shifted, sown, start, steps_taught

pytestmark = pytest.mark.slow

NAME = "mancala"
FULL, TINY = paper(NAME).lab("full", 5), paper(NAME).lab("tiny", 1)
FIGURES = [
    *(f"figure-{number}" for number in range(3, 16)),
    *(f"figure-{number}-text" for number in (5, 8, 11, 14)),
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


def test_the_paper_s_other_examples_agree():
    results, table = worked_examples(FULL)
    assert [result.verdict for result in results.results] == ["agrees"] * 13
    assert [row[-1] for row in table.rows] == ["100%", "100%", "103%", "100%", "100%"]


def test_the_paper_s_counts_of_each_stage_are_all_its_games():
    numbers = read_numbers(FULL.numbers)
    for variant in VARIANTS:
        stages = [stage for chart in charts(FULL, variant) for stage in chart]
        for stage, games in [*((stage, stage) for stage in stages), ("last", LAST)]:
            keys = [f"{variant.replace('/', '-')}-{stage}-{place}" for place in range(3)]
            assert sum(round(numbers[key]["value"] * games) for key in keys) == games
            assert {numbers[key]["games"] for key in keys} == {games}


def test_many_trainings_in_one_task_are_those_of_as_many_tasks():
    settings = [{"seed": "0"}, {"seed": "1", "whole": "true"}]
    assert all_learned(settings, [10, 20]) == [learned(each, [10, 20], 10, 0, []) for each in settings]


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
    assert "--late --shrink 0.8 --whole --ties-lost" in self_play(FULL, "70/70", 0, late=True).command
    assert long_run(FULL).command.endswith("--out RUN; ludus match mancala RUN 'minimax(depth=2)' --games 100")
    assert judging("mcts(sims=20)", []).command == "ludus grade 'mcts(sims=20)' mancala"


# ---- the author's program ----


def test_the_program_s_board_is_that_of_the_rules():
    game, random = Mancala(), Random(0)
    for _ in range(30):
        pos, sides, player = game.start(), [(4,) * 6 + (0,)] * 2, 0
        while legal := [hole for hole in range(6) if game.legal(pos) >> (5 - hole) & 1]:
            hole = random.choice(legal)
            sides[player], sides[1 - player], again = sown(sides[player], sides[1 - player], hole)
            pos, player = game.play(pos, 5 - hole), player if again else 1 - player
            stones = [[side >> 7 * field & 127 for field in (6, 5, 4, 3, 2, 1, 0)] for side in (pos.mine, pos.theirs)]
            assert stones == [[*sides[pos.turn]], [*sides[1 - pos.turn]]]
            assert pos.turn == player or not game.legal(pos)


def test_the_program_s_weights_are_shifted_as_the_learner_shifts_whole_ones():
    random = Random(0)
    for _ in range(2000):
        own = tuple(random.choice((0, 1, 3)) for _ in range(6))
        if not any(own):
            continue
        per_cents = start(own)
        weights = np.array(per_cents[::-1]) / 100
        mask = sum(1 << (5 - hole) for hole in range(6) if own[hole])
        for _ in range(12):
            hole, step = drawn(per_cents, random), random.choice((0.9, 0.5, -0.7, -0.9, -0.2, 0.3))
            per_cents = shifted(per_cents, own, hole, step)
            shift_whole(weights, mask, 5 - hole, step)
            assert (100 * weights).round().astype(int).tolist() == per_cents[::-1]


def test_the_program_passes_only_if_it_may():
    (most,), (least,) = (as_programmed(0.7, [400], 0, passes) for passes in (True, False))
    assert most["wins"] + most["losses"] + most["ties"] == least["games"] == 400
    assert steps_taught(0.7) == 20
    assert most == as_programmed(0.7, [400], 0, True)[0]


# ---- verdicts ----


@pytest.mark.parametrize(
    ("values", "verdict"),
    [([0.05, 0.051, 0.052], "supported"), ([0.0, 0.001, 0.002], "refuted"), ([-0.2, 0.2], "open"), ([0.5], "open")],
)
def test_more_is_more_than_would_matter(values, verdict):
    assert _more_than(mean(values), 0.03) == verdict


@pytest.mark.parametrize(("count", "verdict"), [(200, "supported"), (90, "refuted"), (180, "open")])
def test_a_rule_holds_in_nine_of_ten_trainings(count, verdict):
    assert _as_a_rule(count, 200) == verdict


@pytest.mark.parametrize(
    ("leads", "verdict"),
    [([0.0, 0.0001, 0.0002], "supported"), ([0.02, 0.021, 0.022], "refuted"), ([-0.1, 0.1], "open"), ([0.1], "open")],
)
def test_an_advantage_is_overcome_when_less_than_half_of_it_is_left(leads, verdict):
    assert _fixed(mean(leads), 0.011) == verdict


def test_fewer_games_than_the_paper_s_leave_open_what_needs_them():
    assert _settled(FULL, "refuted", "", "").verdict == "refuted"
    assert _settled(FULL, "open", "", "").settled_by == "more seeds"
    found = _settled(TINY, "refuted", "", "")
    assert (found.verdict, "--scale full" in found.settled_by) == ("open", True)


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
    (random,), (text, program), (best,) = (
        results_of(NAME, folder, name) for name in ("played_out", "learned", "train_run")
    )
    match = best["lines"][-1]["against"]["random"]
    assert f"wins {random['first_wins'] / random['games']:.1%} of random games" in words
    assert f"after {program[-1]['games']:,} games it wins {sum(program[-1]['against'][:2]) / 2:.1%} of games" in words
    assert f"learning as the text says wins {sum(text[-1]['against'][:2]) / 2:.1%}" in words
    wins, played = (
        sum(sum(seat[end] for end in ends) for seat in match.values()) for ends in (["wins"], match["first"])
    )
    after = f"of games with random play after {best['lines'][-1]['games']:,} games"
    assert f"wins {wins / played:.1%} {after}" in words
    matches, accuracies = results_of(NAME, folder, "matched"), results_of(NAME, folder, "asked")
    assert all(f"{one['all']['won']:.1%} of" in words for one in matches)
    assert all(f"{one:.1%}" in words for one in accuracies)


def test_the_findings_change_with_the_results(folder):
    words = findings_of(
        NAME,
        folder,
        played_out=lambda one: {"games": 1000, "first_wins": 701, "second_wins": 202, "ties": 97},
        matched=lambda one: one | {"all": one["all"] | {"won": 0.123}},
        learned=lambda stages: [stage | {"against": [0.4, 0.41, 0.1]} for stage in stages],
    )
    assert "wins 70.1% of random games" in words
    assert "and 12.3% of games between players who look four plies ahead" in words
    assert "wins 40.5% of games with random play, which wins 45.1% of" in words
