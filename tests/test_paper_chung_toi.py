"""The Chung Toi paper: its readings, and the whole at a tiny scale by the real command."""

from fractions import Fraction
from itertools import pairwise

import pytest
from conftest import EXAMPLES
from reports import checked, findings_of, judged, opened, results_of, run_again

import ludus
from ludus.checking import check
from ludus.study.paper import paper
from ludus.study.paper.running import Order, run_papers
from ludus.study.paper.tasks import start_training
from ludus_papers.chung_toi.beyond import UNIT, AmericanPut, Portfolio, valued
from ludus_papers.chung_toi.plan import (
    EASY,
    HELPED,
    PLAIN,
    READINGS,
    RESULTS,
    RULES,
    SMART,
    STATED,
    TAUGHT,
    TWO,
    WAYS,
    Reading,
    Trained,
    as_long,
    as_paper,
    graded_on_the_way,
    long_games,
    many,
    untrained,
)
from ludus_papers.chung_toi.readings import Fit, Wins, alike, both_ends, fits, networks
from ludus_papers.chung_toi.variants import weights

pytestmark = pytest.mark.slow

NAME = "chung-toi"


def line(games, wins, optimal):
    """An evaluation: games won of 10 as first player, against either opponent, and optimal decisions of 100."""
    first = {"wins": wins, "losses": 9 - wins, "draws": 1, "cut": 1}
    return {
        "games": games,
        "against": {foe: {"first": first, "second": first} for foe in (SMART, PLAIN)},
        "grade": {"decisions": 100, "optimal": optimal},
    }


def test_curves_begin_before_the_training():
    graded = {"games": [200], "accuracy": [0.6], "guarantee": ["loss", "loss"]}
    found = Trained([[line(100, 5, 40), line(200, 9, 60)]], [graded], [line(1, 1, 20)])
    assert found.x() == (0, 100, 200)
    assert found.share("wins") == [(0.1, 0.5, 0.9)]
    assert found.share("draws") == [(0.1, 0.1, 0.1)]
    assert found.graded_at() == (0, 200)
    assert found.accuracy() == [(0.2, 0.6)]
    assert found.ends() == [0.9]


def test_the_paper_s_own_size_is_trained_at_full_and_quick_scale():
    for scale in ("full", "quick"):
        assert as_paper(paper(NAME).lab(scale, 1), 0).games == 2000


def test_the_untrained_network_learns_nothing():
    assert dict(untrained(0).arguments[3])["alpha"] == "0"


# ---- readings ----


def test_the_ways_of_play_differ_from_the_preset_in_one_setting_at_most():
    assert [len(settings) for settings in WAYS.values()] == [0, 1, 1, 1]


def test_a_reading_says_where_it_leaves_the_text():
    assert len(set(map(str, READINGS))) == len(READINGS) == 24
    assert str(Reading(STATED)) == "as the paper says"
    assert str(Reading(RESULTS, PLAIN, "one square")) == (
        "wins taken by their result, against random play, moves of one square"
    )


def test_cheap_networks_have_the_seeds_of_the_last_round_in_every_round():
    lab = paper(NAME).lab("full")
    assert [len(many(lab._replace(seeds=range(seeds)), 160).seeds) for seeds in lab.rounds[:3]] == [160, 160, 160]
    assert len(many(paper(NAME).lab("full", 3), 160).seeds) == 3


def test_readings_of_play_alone_share_a_network_with_the_paper_s_training():
    """What differs in play alone is trained alike, so that one network serves all its readings."""
    game = ludus.make_game("chung-toi")
    settings = {"epsilon": "0.15", "alpha": "0.01", "ends": "network", "smart": "training"}
    ways = [settings | WAYS[way] for way in (STATED, RESULTS, HELPED, TAUGHT)]
    first, *others, taught = (digest(game, each) for each in ways)
    assert others == [first, first]
    assert taught != first


def digest(game, settings):
    """The parameters after some games of training."""
    training = start_training(game, "td-lambda", settings | {"games": "30", "seed": "1"})
    training.run()
    return {name: array.tobytes() for name, array in training.trainer.parameters().items()}


def test_a_network_is_evaluated_before_training_and_after_it_by_all_readings():
    found = both_ends(RULES[TWO], 3, 60, [("alpha", "0.01")], list(WAYS), 40)
    assert list(found) == list(WAYS)
    shares = [share for by_foe in found.values() for pair in by_foe.values() for share in pair]
    assert len(shares) == 16
    assert all(0 <= share <= 1 for share in shares)
    assert found[STATED][SMART][0] == found[TAUGHT][SMART][0]  # nothing is trained yet
    assert found[HELPED][PLAIN][0] > found[STATED][SMART][0]
    assert both_ends(RULES[TWO], 3, 60, [("alpha", "0.01")], [RESULTS], 40)[RESULTS] == found[RESULTS]


def test_a_network_s_command_has_each_setting_once():
    (task, *_) = networks(paper(NAME).lab("full", 1), TWO, (RESULTS,), {"alpha": "0.012", "smart": "never"})
    assert task.command.count("--alpha") == task.command.count("--smart") == 1
    assert "--games 2000" in task.command


def wins(before, after, number=40):
    return Wins([before] * number, [after] * number)


def test_the_reading_whose_networks_are_like_the_paper_s_at_both_ends_fits_best():
    found = {Reading(STATED): wins(0.01, 0.02), EASY: wins(0.52, 0.9), Reading(HELPED): wins(0.5, 0.7)}
    fitted = fits(paper(NAME).lab("full", 40), found)
    assert next(iter(fitted)) == EASY
    assert fitted[EASY] == Fit(40, 40, 40, 40)
    assert fitted[Reading(HELPED)] == Fit(40, 0, 0, 40)
    assert fitted[Reading(STATED)].bounds[1] < 0.1


def test_a_network_is_alike_as_far_as_the_paper_s_number_may_be_off():
    number = paper(NAME).lab("full", 1).number("trained")
    assert alike(number, [0.6, 0.85, 0.9, 0.95, 0.99]) == [False, True, True, True, False]


@pytest.mark.parametrize(
    ("by_text", "number", "verdict"),
    [((0.01, 0.03), 80, "refuted"), ((0.5, 0.9), 80, "supported"), ((0.01, 0.03), 5, "open")],
    ids=["never like it", "like it", "too few"],
)
def test_the_description_is_refuted_if_so_few_networks_come_out_like_the_paper_s(by_text, number, verdict):
    (claim,) = [each for each in paper(NAME).claims if each.text.startswith("Figure 3")]
    found = {way: {foe: list(by_text) for foe in (SMART, PLAIN)} for way in WAYS}

    def answers(tasks):
        return [found for _ in tasks]

    given = judged(claim.judge, paper(NAME).lab("full", number), answers)
    assert given.verdict == verdict
    assert bool(given.settled_by) == (verdict == "open")


# ---- lambda ----


@pytest.mark.parametrize("lam", ["0", "0.3", "0.7", "1"])
def test_a_target_is_made_of_the_next_value_later_ones_and_the_result(lam):
    """By a linear network in one game: its updates at a small rate are those of the targets' shares."""
    lam, values, result = Fraction(lam), [Fraction(n, 7) for n in (3, -2, 5, 1)], Fraction(1)
    errors = [b - a for a, b in pairwise([*values, result])]
    found = values[0] + sum(lam**n * error for n, error in enumerate(errors))
    share = weights(lam, len(values))
    assert sum(share) == 1
    later = sum((1 - lam) * lam**n * value for n, value in enumerate(values[2:], 1))
    assert found == share.next * values[1] + later + share.result * result


def test_at_its_ends_lambda_leaves_one_source():
    assert weights(Fraction(0), 9) == (1, 0, 0)
    assert weights(Fraction(1), 9) == (0, 0, 1)


# ---- claims ----


def test_a_long_run_is_annealed_over_all_its_games():
    lab = paper(NAME).lab("full", 1)
    assert f"--alpha 0.0012..0@{long_games(lab)} --epsilon 0.15..0@{long_games(lab)}" in as_long(lab, 0).command


@pytest.mark.parametrize(
    ("wins", "guarantee", "verdict"),
    [(8, "loss", "supported"), (8, "draw", "open"), (4, "loss", "open")],
    ids=["wins and is beaten", "is not beaten", "does not win"],
)
def test_what_wins_most_games_and_loses_to_the_best_is_no_proof_about_people(wins, guarantee, verdict):
    (claim,) = [each for each in paper(NAME).claims if "challenge a person" in each.text]
    graded = {"games": [200], "accuracy": [0.6], "guarantee": [guarantee, guarantee]}
    played = {"lines": [line(200, wins, 60)]}

    def answers(tasks):
        return [graded if task.function is graded_on_the_way else played for task in tasks]

    assert judged(claim.judge, paper(NAME).lab("full", 2), answers).verdict == verdict


@pytest.mark.parametrize("game", [AmericanPut(), Portfolio()], ids=["put", "portfolio"])
def test_the_option_and_the_portfolio_are_games(game):
    assert check(game).problem == ""


@pytest.mark.parametrize(
    ("game", "example", "unit"),
    [(AmericanPut(), "american_put.py", 10_000), (Portfolio(), "portfolio.py", 100)],
    ids=["put", "portfolio"],
)
def test_the_option_and_the_portfolio_have_the_values_of_the_examples(game, example, unit):
    finer = ludus.make_game(f"{EXAMPLES}/{example}")
    value = [ludus.solve(each).value(each.start()).score for each in (game, finer)]
    assert value[0] / UNIT == pytest.approx(value[1] / unit, abs=0.01)


@pytest.mark.parametrize(
    ("values", "verdict"),
    [([0.9, 0.88, 0.89], "supported"), ([0.9, 0.1, 0.5], "open"), ([0.12, 0.1, 0.11], "refuted")],
    ids=["learned", "unlike seeds", "not learned"],
)
def test_the_aim_is_reached_if_most_of_what_can_be_gained_is_learned(values, verdict):
    (claim,) = [each for each in paper(NAME).claims if "options and portfolios" in each.text]
    trained = iter([[{"games": 9, "accuracy": 0.5, "value": value}] for value in [*values, *values]])
    truth = {"positions": 9, "best": 1.0, "accuracy": 0.5, "value": 0.0}

    def answers(tasks):
        return [truth if task.function is valued else next(trained) for task in tasks]

    assert judged(claim.judge, paper(NAME).lab("full", 3), answers).verdict == verdict


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the report."""
    made = tmp_path_factory.mktemp("papers")
    run_again(NAME, made)
    return made


def test_the_report_has_figure_3_by_five_readings_and_nothing_is_missing(folder):
    page, report = checked(NAME, folder)
    wanted = [
        "figure-3-1",
        "figure-3-2",
        "figure-3-3",
        "figure-3-5",
        "fit",
        "lambda-wins",
        "curve-wins",
        "curve-grade",
        "long-wins",
        "opponent-wins",
        "beyond-value",
    ]
    assert [each for each in wanted if each not in page.ids] == []
    assert [each["key"] for each in report["experiments"]] == ["1", "2", "3", "4", "5", "6"]
    assert all(each["answers"] for each in report["experiments"])
    assert "White has three in a row, and has won." in (folder / f"{NAME}.html").read_text()


def test_the_page_opens_without_errors_or_requests(folder):
    assert opened(folder / f"{NAME}.html") > 0


def test_that_there_are_no_draws_is_refuted_by_the_truth(folder):
    (document,) = run_papers([paper(NAME)], Order("tiny", None, folder))
    (claim,) = [each for each in document.claims if "no draws" in each.claim]
    assert claim.verdict == "refuted"


def test_every_number_of_the_findings_is_that_of_a_task(folder):
    words = findings_of(NAME, folder)
    (truth,), networks = (results_of(NAME, folder, name) for name in ("solved", "graded_on_the_way"))
    table = max(results_of(NAME, folder, "train_run"), key=lambda one: one["lines"][-1]["games"])["lines"][-1]
    counts, grade = truth["counts"], table["grade"]
    assert f"of all {counts['positions']:,} positions, of which {counts['draws']:,} are draws" in words
    assert f"of the {len(networks)} trained networks" in words or f"all {len(networks)} trained networks" in words
    assert f"optimal in {grade['optimal'] / grade['decisions']:.1%} of all decisions" in words
    assert f"after {table['games']:,} games" in words
    assert f"the networks in {max(one['accuracy'][-1] for one in networks):.1%} at most" in words
    before, after = results_of(NAME, folder, "both_ends")[0][RESULTS][PLAIN]
    assert f"with wins taken by their result, ours win {before:.1%} and {after:.1%};" in words
    for seat, found in grade["guarantee"].items():
        assert f"a {found['result']} moving {seat}" in words


def test_the_findings_change_with_the_results(folder):
    words = findings_of(
        NAME,
        folder,
        solved=lambda truth: truth | {"score": 1},
        both_ends=lambda one: {way: {foe: [0.123, 0.456] for foe in by} for way, by in one.items()},
        graded_on_the_way=lambda one: one | {"accuracy": [0.987], "guarantee": ["draw", "loss"]},
    )
    assert "no draws is proved" in words
    assert "ours win at most 12.3% and 45.6%" in words
    assert "none of the 4 trained networks lose" in words
    assert "the networks in 98.7% at most" in words
