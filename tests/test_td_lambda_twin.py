"""TD(lambda): against a naive twin with the same random draws, and in any number of pieces."""

from typing import NamedTuple

import numpy as np
import pytest
from naive.td_lambda import LEARNER, OPPONENT, TWIN, NaiveTrainer, Options
from trained import all_bytes, contents, finished, new_run, stubborn, trained

from ludus.compiled.masks import actions
from ludus.game import CHANCE
from ludus.learning.loop import episodes
from ludus.learning.loop.training import Watcher
from ludus.learning.runs import read_run, resume

CHUNG_TOI = "chung-toi"

ROLL = """
from typing import NamedTuple

from ludus import CHANCE

class Position(NamedTuple):
    left: int
    score: int
    turn: int

class Roll(NamedTuple):
    '''Each turn choose a die with few or with many sides; who has the more points after two turns each wins.'''
    num_actions = 4
    observation_shape = (3,)
    viewpoint = 1

    def start(self): return Position(4, 0, 0)
    def player(self, pos): return pos.turn % 2 if pos.turn < 2 else CHANCE
    def legal(self, pos): return 0 if pos.left == 0 else 3 if pos.turn < 2 else 3 if pos.turn < 4 else 13
    def odds(self, pos, action): return action + 1
    def score(self, pos): return pos.score

    def play(self, pos, action):
        if pos.turn < 2:
            return Position(pos.left, pos.score, pos.turn + 2 + 2 * action)
        mover = pos.turn % 2
        if action == 3:  # once more
            return pos
        gained = action if mover == 0 else -action
        return Position(pos.left - 1, pos.score + gained, 1 - mover)

    def observe(self, pos, out):
        out[0] = pos.score / 4
        out[1] = pos.left
        out[2] = pos.turn
"""  # a die with many sides may be thrown again and again

BOTH = ((LEARNER, LEARNER), (LEARNER, LEARNER))
AGAINST = ((LEARNER, OPPONENT), (OPPONENT, LEARNER))
TWINS = ((LEARNER, TWIN), (TWIN, LEARNER))


# ---- against a naive twin ----


class Case(NamedTuple):
    game: str
    learner: str
    options: Options
    holders: tuple = BOTH
    games: int = 12
    plan: dict = {}  # noqa: RUF012, never changed


def annealed(start, end, games):
    return lambda played: start + (end - start) * min(played / games, 1)


CASES = {
    "tic-tac-toe": Case("tic-tac-toe", "hidden=8", Options(8), games=40),
    "as observed": Case(CHUNG_TOI, "hidden=6", Options(6, by_mover=False)),
    "by the mover": Case(CHUNG_TOI, "hidden=6, view=mover", Options(6, turns=True)),
    "paper": Case(
        CHUNG_TOI,
        "hidden=6, alpha=0.0012..0@20, epsilon=0.15..0@20, smart=training, ends=network",
        Options(
            6, annealed(0.15, 0, 20), annealed(0.0012, 0, 20), smart=True, by_mover=False, ends_by_network=True
        ),
    ),
    "help for the mover": Case(
        CHUNG_TOI, "hidden=4, view=mover, smart=training", Options(4, smart=True, turns=True), plan={"seed": 3}
    ),
    "symmetric": Case(
        CHUNG_TOI, "hidden=4, view=mover, symmetry=true", Options(4, turns=True, symmetry=True), games=6
    ),
    "symmetric as observed": Case(
        CHUNG_TOI, "hidden=4, symmetry=true", Options(4, by_mover=False, symmetry=True), games=6
    ),
    "network ends": Case("tic-tac-toe", "hidden=4, ends=network", Options(4, ends_by_network=True), games=30),
    "trained on ends": Case(
        CHUNG_TOI, "hidden=4, ends=trained, smart=training",
        Options(4, smart=True, by_mover=False, ends_by_network=True, ends_trained=True),
    ),
    "trained on ends, cut": Case(
        "tapnswap", "hidden=4, ends=trained, gamma=0.9",
        Options(4, gamma=0.9, ends_by_network=True, ends_trained=True), games=8, plan={"cap": 15},
    ),
    "twins trained on ends": Case(
        "tic-tac-toe", "hidden=4, ends=trained", Options(4, ends_by_network=True, ends_trained=True), TWINS, 30,
        {"opponent": "twin"},
    ),
    "discounted": Case("tic-tac-toe", "hidden=4, gamma=0.9, lam=0.5", Options(4, lam=0.5, gamma=0.9), games=30),
    "no trace": Case("tic-tac-toe", "hidden=4, lam=0", Options(4, lam=0.0), games=30),
    "twins": Case("tic-tac-toe", "hidden=4", Options(4), TWINS, 30, {"opponent": "twin"}),
    "against random": Case("tic-tac-toe", "hidden=4", Options(4), AGAINST, 30, {"opponent": "random"}),
    "random opening plies": Case("tic-tac-toe", "hidden=4, random_plies=5", Options(4, random_plies=5), games=30),
    "both open at random": Case(
        "tic-tac-toe",
        "hidden=4, random_plies=5, random_side=both",
        Options(4, random_plies=5, random_players=(0, 1)),
        games=30,
    ),
    "cut": Case("tapnswap", "hidden=4", Options(4), games=8, plan={"cap": 15}),
    "toads": Case("toads-and-frogs", "hidden=4, view=mover", Options(4, turns=True), games=20),
    "unlike sides": Case("fox-and-hounds(size=4)", "hidden=4", Options(4, by_mover=False), games=20),
    "extra turns": Case(
        "mancala(holes=2, stones=2)", "hidden=4, margin=true, alpha=0.001",
        Options(4, alpha=lambda games: 0.001, margin=True), games=20,
    ),
}  # fmt: skip


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_naive_twin_with_the_same_random_draws_learns_the_same_weights(case):
    training = trained(case.game, f"td-lambda({case.learner})", games=case.games, **case.plan)
    assert_same(training, case)


def assert_same(training, case):
    networks = 2 if TWIN in case.holders[0] else 1
    plan, seed = case.plan, case.plan.get("seed", 0)
    naive = NaiveTrainer(training.game, case.options, seed=seed, cap=plan.get("cap", 0), networks=networks)
    naive.play(case.games, case.holders)
    assert (training.games, training.trainer.plies) == (naive.games, naive.plies)
    for number, net in enumerate(naive.nets):
        np.testing.assert_allclose(training.trainer.store.state.networks.below[number].T, net.w, atol=1e-8)
        np.testing.assert_allclose(training.trainer.store.state.networks.above[number], net.v, atol=1e-8)
    losses = [error**2 for _, error in naive.errors]
    if len(training.lines) == 1:
        assert training.lines[0]["loss"] == pytest.approx(sum(losses) / len(losses), rel=1e-4)


@pytest.fixture
def roll(tmp_path):
    path = tmp_path / "roll.py"
    path.write_text(ROLL)
    return str(path)


@pytest.mark.usefixtures("either")
def test_what_chance_may_do_is_averaged_by_its_odds(roll):
    training = trained(roll, "td-lambda(hidden=4)", games=30, eval_every=30)
    naive = NaiveTrainer(training.game, Options(4, by_mover=False))
    naive.after = lambda pos, number, times=1.0: _averaged(naive, pos, number, times)
    naive.play(30, BOTH)
    np.testing.assert_allclose(training.trainer.store.state.networks.below[0].T, naive.nets[0].w, atol=1e-5)


def _averaged(naive, pos, number, likely):
    """The same, as far as it is likelier than one in a million: a die may be thrown for ever."""
    legal = actions(naive.game.legal(pos))
    if naive.game.player(pos) != CHANCE or not legal:
        return NaiveTrainer.after(naive, pos, number)
    if likely < 1e-6:
        return 0.0
    weights = [naive.game.odds(pos, action) for action in legal]
    shares = [weight / sum(weights) for weight in weights]
    parts = [naive.game.play(pos, action) for action in legal]
    return sum(s * _averaged(naive, part, number, likely * s) for s, part in zip(shares, parts, strict=True))


# ---- in pieces ----


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("plies", [1, 5])
@pytest.mark.parametrize(
    ("learner", "plan"),
    [
        ("td-lambda(hidden=4, random_plies=3)", {"opponent": "random:8,twin:4,self"}),
        ("td-lambda(hidden=4, epsilon=0.5..0@results, smart=training)", {"cap": 6}),
    ],
)
def test_the_same_seed_gives_the_same_bytes_whatever_the_pauses(monkeypatch, plies, learner, plan):
    whole = trained("tic-tac-toe", learner, games=20, **plan)
    monkeypatch.setattr(episodes, "_PLIES", plies)
    assert all_bytes(trained("tic-tac-toe", learner, games=20, **plan)) == all_bytes(whole)


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("patience", [0.0, 60.0])
def test_a_position_is_learned_from_once_whatever_an_outside_opponent_does(monkeypatch, tmp_path, patience):
    monkeypatch.setattr(episodes, "_PATIENCE", 60.0)
    whole = trained("tic-tac-toe", "td-lambda(hidden=4)", games=20, opponent=stubborn(tmp_path))
    monkeypatch.setattr(episodes, "_PATIENCE", patience)
    again = trained("tic-tac-toe", "td-lambda(hidden=4)", games=20, opponent=stubborn(tmp_path))
    assert all_bytes(again) == all_bytes(whole)


@pytest.mark.usefixtures("plain")
def test_another_seed_gives_another_network():
    one, other = (trained("tic-tac-toe", "td-lambda(hidden=4)", games=3, seed=seed) for seed in (0, 1))
    assert all_bytes(one) != all_bytes(other)


@pytest.mark.usefixtures("plain", "home")
def test_a_run_that_is_stopped_in_the_middle_of_games_ends_in_the_same_bytes(monkeypatch, tmp_path):
    plan = {"opponent": "random:5,twin", "grade": "no"}
    whole = finished(tmp_path / "whole", "td-lambda(hidden=4)", "tic-tac-toe", **plan)
    monkeypatch.setattr(episodes, "_PLIES", 13)
    parts = new_run(tmp_path / "parts", "td-lambda(hidden=4)", "tic-tac-toe", **plan)

    def stop(training):
        raise KeyboardInterrupt

    for _ in range(8):
        with pytest.raises(KeyboardInterrupt):
            resume(parts, Watcher(progress=stop))
    resume(read_run(parts.path))
    assert contents(parts) == contents(whole)
