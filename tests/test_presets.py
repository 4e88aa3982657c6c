"""Presets: settings that reach the truth by playing games, whatever the seed."""

import pytest

import ludus
from ludus import catalog
from ludus.errors import LudusError
from ludus.learning.loop.plan import Plan
from ludus.learning.presets import configured, preset_for, presets
from ludus.learning.runs import create, resume
from ludus.parameters import make


def last_grade(name, folder, seed, **plan):
    learner, settings = preset_for("perfect", "q-table", ludus.make_game(name))
    config = make(catalog.learner_class("q-table"), "q-table", learner)
    run = create(
        ludus.make_game(name), config, make(Plan, "plan", settings | {"seed": str(seed), **plan}), folder / "run"
    )
    resume(run)
    return run.metrics()[-1]["grade"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_tapnswap_is_learned_to_perfection(seed, tmp_path):
    grade = last_grade("tapnswap", tmp_path, seed, eval_every="200000", eval_against="none")
    assert grade["optimal"] == grade["decisions"] == 620
    assert grade["guarantee"]["second"]["result"] == "win"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_tic_tac_toe_is_learned_to_perfection(seed, tmp_path):
    grade = last_grade("tic-tac-toe", tmp_path, seed, eval_every="60000", eval_against="none")
    assert grade["optimal"] == grade["decisions"] == 3191
    assert grade["exploitability"] == {"first": 0, "second": 0}


@pytest.mark.slow
def test_the_hounds_learn_to_win_against_every_fox(tmp_path):
    grade = last_grade("fox-and-hounds", tmp_path, 0, eval_every="4000000", eval_against="none")
    assert grade["guarantee"]["second"]["result"] == "win"


@pytest.mark.parametrize(
    ("preset", "learner", "game"), [(preset, *key) for preset, known in presets().items() for key in known]
)
def test_every_preset_can_be_made(preset, learner, game):
    made = ludus.make_game(game)
    configured(made, learner, {"starts": "own"} if learner in ("dqn", "alphazero") else {}, preset)[0].trainer(made)


def test_an_unknown_preset_says_what_there_is():
    with pytest.raises(LudusError, match="there is: perfect"):
        preset_for("best", "q-table", ludus.make_game("tapnswap"))


def test_a_game_without_a_preset_says_for_which_there_are():
    with pytest.raises(LudusError, match="q-table on tapnswap"):
        preset_for("perfect", "q-table", ludus.make_game("mancala"))


def test_settings_of_learner_and_training_can_be_given_together(tmp_path):
    run = ludus.train("tapnswap", "q-table", out=tmp_path / "run", epsilon=0.3, games=5, eval_games=2, grade="no")
    assert (run.learner.epsilon.start, run.plan.games) == (0.3, 5)


def test_a_setting_that_nobody_has_says_what_there_is(tmp_path):
    with pytest.raises(LudusError, match="q-table has no setting speed; it has: epsilon"):
        ludus.train("tapnswap", "q-table", out=tmp_path / "run", speed=3)
