"""Games against chance: each is short, keeps the contract, and has the value that independent code finds."""

from math import log

import pytest
from conftest import EXAMPLES

import ludus
from ludus.checking import check
from ludus.compiled.masks import actions

SMALL = ["pig.py(target=5, faces=3)", "american_put.py(dates=4)", "portfolio.py(periods=1)"]
SETTINGS = {"epsilon": 1, "alpha": "1/n^0.7", "margin": True, "backward": True, "eval_against": "none"}

pytestmark = pytest.mark.usefixtures("plain")


def example(written):
    return ludus.make_game(f"{EXAMPLES}/{written}")


def price(put):
    """The option by backward induction, in money."""
    share = (put.rate + put.down) / (put.up + put.down)
    values = [0.0] * (put.dates + 1)
    for date in reversed(range(put.dates)):
        for ups in range(date + 1):
            now = put.strike - put.price * (1 + put.up / 100) ** ups * (1 - put.down / 100) ** (date - ups)
            later = (share * values[ups + 1] + (1 - share) * values[ups]) / (1 + put.rate / 100)
            values[ups] = max(now, later if date + 1 < put.dates else 0.0)
    return values[0]


@pytest.mark.parametrize("written", SMALL)
def test_an_example_takes_under_eighty_lines(written):
    assert len((EXAMPLES / written.partition("(")[0]).read_text().splitlines()) < 80


@pytest.mark.parametrize("written", SMALL)
def test_an_example_keeps_the_contract(written):
    assert check(example(written)).problem == ""


@pytest.mark.slow
@pytest.mark.parametrize("written", SMALL[1:])
def test_an_example_keeps_the_contract_compiled(written, monkeypatch):
    monkeypatch.delenv("NUMBA_DISABLE_JIT")
    assert check(example(written)).problem == ""


@pytest.mark.parametrize("settings", ["", "dates=1, strike=110", "strike=90, rate=3", "up=20, down=15, rate=0"])
def test_an_american_put_has_its_price(settings):
    put = example(f"american_put.py({settings})")
    assert ludus.solve(put).value(put.start()).score / 10_000 == pytest.approx(price(put), abs=1e-4)


def test_the_learned_exercise_of_a_put_brings_nearly_its_price(tmp_path):
    put = example("american_put.py(dates=4)")
    run = ludus.train(put, "q-table", games=2000, out=tmp_path / "run", **SETTINGS | {"epsilon": 0.3, "alpha": "1/n"})
    graded = ludus.grade(run.agent(), put)
    assert graded.guarantee.first.score / 10_000 == pytest.approx(price(put), rel=0.01)


def test_one_period_of_a_portfolio_has_the_best_mean_logarithm():
    game = example("portfolio.py(periods=1, shares=0, cost=0)")
    means = [sum(log(1.01 + part * (grown - 1.01)) for grown in (1.3, 0.78)) / 2 for part in (0, 0.25, 0.5, 0.75, 1)]
    assert ludus.solve(game).value(game.start()).score == pytest.approx(10_000 * max(means), abs=1)


def test_a_costly_trade_is_left_alone():
    game = example("portfolio.py(periods=1, shares=40, cost=5)")
    scores = {action: value.score for action, value in ludus.solve(game).actions(game.start()).items()}
    assert game.action_name(game.start(), max(scores, key=scores.get)) == "keep"


def test_the_learned_portfolio_grows_nearly_as_the_best(tmp_path):
    game = example("portfolio.py(periods=1)")
    run = ludus.train(game, "q-table", games=600, out=tmp_path / "run", **SETTINGS)
    graded = ludus.grade(run.agent(), game)
    assert graded.guarantee.first.score == pytest.approx(ludus.solve(game).value(game.start()).score, abs=20)


def test_pig_is_rolled_for_by_chance():
    game = example("pig.py")
    rolled = game.play(game.start(), 0)
    assert game.player(rolled) == ludus.CHANCE
    assert [game.play(rolled, face).pot for face in actions(game.legal(rolled))] == [0, 2, 3, 4, 5, 6]


def test_a_short_game_of_pig_has_the_value_of_its_equations():
    game = example("pig.py(target=2, faces=2)")  # who rolls wins with a two; holding nothing only passes
    assert ludus.solve(game).value(game.start()).score == pytest.approx(1 / 3)
