"""The Chung Toi paper: its readings, and the whole at a tiny scale by the real command."""

import pytest
from conftest import EXAMPLES
from reports import checked, findings_of, judged, opened, results_of, run_again

import ludus
from ludus.checking import check
from ludus.study.paper import paper
from ludus.study.paper.running import Order, run_papers
from ludus_papers.chung_toi.beyond import UNIT, AmericanPut, Portfolio, valued
from ludus_papers.chung_toi.plan import READINGS, Trained, as_long, as_paper, graded_on_the_way, long_games, untrained

pytestmark = pytest.mark.slow

NAME = "chung-toi"


def line(games, wins, optimal):
    """An evaluation: games won of 10 as first player, and optimal decisions of 100."""
    first = {"wins": wins, "losses": 9 - wins, "draws": 1, "cut": 1}
    return {
        "games": games,
        "against": {"smart-random": {"first": first, "second": first}},
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


def test_the_readings_differ_from_the_preset_in_one_setting_at_most():
    assert [len(settings) for settings in READINGS.values()] == [0, 1, 1]


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


def test_the_report_has_figure_3_by_all_readings_and_nothing_is_missing(folder):
    page, report = checked(NAME, folder)
    wanted = [
        "figure-3-1",
        "figure-3-2",
        "figure-3-3",
        "curve-wins",
        "curve-grade",
        "long-wins",
        "opponent-wins",
        "beyond-value",
    ]
    assert [each for each in wanted if each not in page.ids] == []
    assert [each["key"] for each in report["experiments"]] == ["1", "2", "3", "4", "5"]


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
    assert f"of the {len(networks)} networks" in words or f"all {len(networks)} networks" in words
    assert f"optimal in {grade['optimal'] / grade['decisions']:.1%} of all decisions" in words
    assert f"after {table['games']:,} games" in words
    assert f"its networks in {max(one['accuracy'][-1] for one in networks):.1%} at most" in words
    _, helped = results_of(NAME, folder, "matched")
    assert f"random play with that help {helped['all']['won']:.1%}" in words
    for seat, found in grade["guarantee"].items():
        assert f"a {found['result']} moving {seat}" in words


def test_the_findings_change_with_the_results(folder):
    words = findings_of(
        NAME,
        folder,
        solved=lambda truth: truth | {"score": 1},
        matched=lambda one: one | {"all": one["all"] | {"won": 0.123}},
        graded_on_the_way=lambda one: one | {"accuracy": [0.987], "guarantee": ["draw", "loss"]},
    )
    assert "no draws: proved" in words
    assert "with that help 12.3%; none of the 3 networks lose" in words
    assert "its networks in 98.7% at most" in words
