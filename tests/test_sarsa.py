"""SARSA and Monte Carlo control: against naive twins with the same random draws, in pieces, and against the truth."""

from typing import NamedTuple

import pytest
from naive.q_table import LEARNER, OPPONENT, TWIN, Options
from naive.sarsa import NaiveMonteCarlo, NaiveSarsa
from trained import all_bytes, learned, trained

from ludus.agents import tabular
from ludus.learning.loop import episodes
from ludus.learning.loop.settings import Ties
from ludus.learning.sarsa import Sarsa

LEARNERS = ["sarsa", "monte-carlo"]
NAIVE = {"sarsa": NaiveSarsa, "monte-carlo": NaiveMonteCarlo}
BOTH = ((LEARNER, LEARNER), (LEARNER, LEARNER))
FOX = "fox-and-hounds(size=4)"


class Case(NamedTuple):
    game: str
    settings: str = ""
    options: Options = Options()
    holders: tuple = BOTH
    plan: dict = {}  # noqa: RUF012, never changed


def a_tenth(updates):
    return 0.1


CASES = {
    "self-play": Case("tic-tac-toe", "alpha=0.1", Options(alpha=a_tenth)),
    "means": Case("tic-tac-toe", "alpha=1/n, gamma=0.9", Options(gamma=0.9)),
    "exploring starts": Case(
        "tic-tac-toe", "alpha=1/n, random_plies=4, symmetry=true", Options(random_plies=4, symmetry=True)
    ),
    "twin": Case(
        "tic-tac-toe",
        "alpha=1/n, ties=first, tables=roles",
        Options(first_of_ties=True, by_role=True),
        ((LEARNER, TWIN), (TWIN, LEARNER)),
        {"opponent": "twin"},
    ),
    "against random": Case(
        "tapnswap",
        "alpha=1/n, epsilon=0.5",
        Options(lambda games, lost: 0.5),
        ((LEARNER, OPPONENT), (OPPONENT, LEARNER)),
        {"opponent": "random"},
    ),
    "cut": Case(FOX, "alpha=1/n", Options(), plan={"cap": 6}),
}


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_naive_twin_with_the_same_random_draws_learns_the_same_numbers(case, learner):
    training = trained(case.game, f"{learner}({case.settings})", games=60, **case.plan)
    naive = NAIVE[learner](training.game, case.options, cap=case.plan.get("cap", 0))
    naive.play(60, case.holders)
    assert learned(training) == naive.learned()
    assert training.trainer.results.tolist() == naive.results
    if TWIN in case.holders[0]:
        assert learned(training, 1) == naive.learned(TWIN)


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
def test_compiled_code_learns_the_same_numbers(learner):
    training = trained("tic-tac-toe", f"{learner}(alpha=1/n)", games=300)
    naive = NAIVE[learner](training.game, Options())
    naive.play(300, BOTH)
    assert learned(training) == naive.learned()


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(("attribute", "value"), [("_PLIES", 7), ("_FIRST_ROOM", 1)])
def test_a_training_in_pieces_ends_in_the_same_bytes(monkeypatch, learner, attribute, value):
    plan = {"games": 40, "opponent": "random:20,twin"}
    whole = all_bytes(trained("tic-tac-toe", learner, **plan))
    monkeypatch.setattr(episodes if attribute == "_PLIES" else tabular, attribute, value)
    assert all_bytes(trained("tic-tac-toe", learner, **plan)) == whole


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_training_restored_in_the_middle_of_a_game_ends_the_same(learner):
    whole, stopped, resumed = (trained("tic-tac-toe", learner, games=1, seed=4) for _ in range(3))
    opponent, setting = whole._against("self", 1 << 62)
    whole.trainer.play(opponent, setting, episodes.Limits(30, 1 << 40))
    assert stopped.trainer.play(opponent, setting, episodes.Limits(30, 33)) == episodes.PAUSED
    resumed.trainer.restore({name: array.copy() for name, array in stopped.trainer.arrays().items()})
    resumed.trainer.play(opponent, setting, episodes.Limits(30, 1 << 40))
    assert all_bytes(resumed) == all_bytes(whole)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "learner",
    [
        "sarsa(epsilon=0.5..0@40000, alpha=0.2, gamma=0.95, random_plies=8, symmetry=true)",
        "monte-carlo(epsilon=0.5..0@40000, alpha=0.05, random_plies=8, symmetry=true)",
    ],
    ids=LEARNERS,
)
def test_both_play_tic_tac_toe_without_losing(learner, seed):
    training = trained("tic-tac-toe", learner, games=60000, grade="yes", eval_every=60000, seed=seed)
    grade = training.lines[-1]["grade"]
    assert grade["optimal"] / grade["decisions"] > 0.97
    assert training.lines[-1]["error"]["entries"]


def test_what_a_table_learner_shares_comes_with_the_class():
    assert Sarsa().changeable == ("epsilon", "alpha", "gamma")
    assert Sarsa().shaped_by == ("tables", "symmetry")
    assert Sarsa(ties=Ties.FIRST).agent is not None
    with pytest.raises(ValueError, match="gamma must be 0 to 1, not 2"):
        Sarsa(gamma=2.0).validate()
