"""Settings that change on the way: recorded in the run, and replayed to the same bytes."""

import signal

import pytest
from trained import NIM, contents, finished, new_run

from ludus.catalog import make_game, make_learner
from ludus.errors import LudusError
from ludus.learning import runs
from ludus.learning.loop import episodes
from ludus.learning.loop.plan import Change, Changes, Plan, changed
from ludus.learning.loop.training import Training, Watcher
from ludus.learning.runs import read_run, resume
from ludus.learning.runs.files import MANIFEST
from ludus.parameters import make


@pytest.fixture(autouse=True)
def plain(monkeypatch, tmp_path):
    """Kernels run as plain Python, in small pieces, and nothing is kept outside the test's own folder."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(episodes, "_PLIES", 7)
    monkeypatch.setattr(episodes, "_PATIENCE", 0.0)


def steered(run, orders):
    """Train a run, and change settings after the given number of games."""
    waiting = dict(orders)

    def steer(training):
        for games in [games for games in waiting if training.games >= games]:
            runs.change(run, training, waiting.pop(games))

    resume(run, Watcher(progress=steer, every=1))
    return read_run(run.path)


# ---- how they are written ----


@pytest.mark.parametrize("text", ["none", "epsilon=0.3@5", "epsilon=1..0.05@20000@5,gamma=0.9@8", "alpha=1/n^0.7@0"])
def test_changes_read_back_as_they_are_written(text):
    assert str(Changes.parse(text)) == text


@pytest.mark.parametrize("text", ["epsilon", "epsilon=0.3", "epsilon@5", "epsilon=0.3@-1", "=3@5", "epsilon=0.3@soon"])
def test_other_words_are_refused(text):
    with pytest.raises(LudusError, match=r"write SETTING=VALUE@GAMES, as in epsilon=0\.05@5000"):
        make(Plan, "plan", {"changes": text})


def test_changes_are_in_the_order_of_their_games_and_of_two_the_last_counts():
    changes = Changes.parse("gamma=0.9@8,epsilon=0.3@5").and_also(Change("epsilon", "0.4", 5))
    assert str(changes) == "epsilon=0.4@5,gamma=0.9@8"


def test_a_learner_has_the_settings_that_hold_after_the_given_games():
    learner, changes = make_learner("q-table(epsilon=0.2)"), Changes.parse("epsilon=0.3@5,epsilon=0.4@9,gamma=0.5@9")
    held = [changes.learner(learner, games) for games in (4, 5, 8, 9)]
    assert [str(each.epsilon) for each in held] == ["0.2", "0.3", "0.3", "0.4"]
    assert [each.gamma for each in held] == [1.0, 1.0, 1.0, 0.5]


# ---- what can change ----


def test_what_cannot_change_is_refused_with_what_can():
    with pytest.raises(LudusError, match="tables cannot change while QTable learns; what can: epsilon"):
        changed(make_learner("q-table"), {"tables": "roles"})


def test_a_change_to_what_cannot_be_is_refused_before_a_training_begins():
    with pytest.raises(LudusError, match="gamma must be 0 to 1, not 2"):
        Training(make_game(NIM), make_learner("q-table"), make(Plan, "plan", {"changes": "gamma=2@5"}))


@pytest.mark.parametrize(
    "learner", ["q-table", "move-weights", "td-lambda(hidden=2)", "dqn(hidden=4, batch=2, buffer=4)"]
)
def test_every_learner_learns_by_what_it_is_changed_to(tmp_path, learner):
    words = {"q-table": "alpha=0.2@4", "move-weights": "win=0.1@2"}.get(learner, "gamma=0.3@4")
    game = "tic-tac-toe" if "(" in learner else NIM
    plan = {"games": "8", "grade": "no", "eval_against": "none"}
    one, other = (Training(make_game(game), make_learner(learner), make(Plan, "plan", plan | more))
                  for more in ({}, {"changes": words}))  # fmt: skip
    for training in (one, other):
        training.run()
    known = [training.trainer.parameters() for training in (one, other)]
    assert any((known[0][name] != known[1][name]).any() for name in known[0])


# ---- the same bytes ----


def test_a_run_changed_on_the_way_is_the_same_as_one_set_up_with_the_changes(tmp_path):
    run = steered(new_run(tmp_path / "run"), {4: {"epsilon": "0.9"}, 9: {"gamma": "0.50", "alpha": "0.3"}})
    assert str(run.plan.changes) == "epsilon=0.9@5,alpha=0.3@10,gamma=0.5@10"
    again = finished(tmp_path / "again", changes=str(run.plan.changes))
    assert contents(run) == contents(again) != contents(finished(tmp_path / "plain"))
    assert (run.path / MANIFEST).read_bytes() == (again.path / MANIFEST).read_bytes()


def test_a_changed_run_that_is_killed_and_resumed_ends_in_the_same_bytes(tmp_path):
    expected = contents(finished(tmp_path / "whole", changes="epsilon=0.9@5,gamma=0.5@10"))
    run = new_run(tmp_path / "run")

    def steer(training):
        if training.games == 4:
            runs.change(run, training, {"epsilon": "0.9"})
        if training.games == 9:
            runs.change(run, training, {"gamma": "0.5"})
            raise RuntimeError  # as if killed: what was played since the last evaluation is lost

    with pytest.raises(RuntimeError):
        resume(run, Watcher(progress=steer, every=1))
    resume(read_run(run.path))
    assert contents(run) == expected


def test_a_changed_run_that_is_stopped_in_each_game_ends_in_the_same_bytes(tmp_path):
    changes = "win=0.2@3,win=0.95@5,loss=0.1@6"  # more moves are remembered from game 5 on
    expected = contents(finished(tmp_path / "whole", "move-weights", changes=changes))
    run = new_run(tmp_path / "run", "move-weights", changes=changes)
    while not run.is_finished:
        try:
            resume(run, Watcher(progress=lambda training: signal.raise_signal(signal.SIGINT)))
        except KeyboardInterrupt:
            continue
    assert contents(run) == expected


def test_the_agent_of_a_run_plays_by_the_settings_that_held_at_its_end(tmp_path):
    run = finished(tmp_path / "run", "td-lambda(hidden=2)", "tic-tac-toe", games=4, grade="no", changes="gamma=0.5@2")
    assert run.agent().judge.gamma == 0.5
    assert run.digest() != finished(tmp_path / "other", "td-lambda(hidden=2)", "tic-tac-toe", games=4).digest()


def test_a_refused_change_leaves_the_run_as_it_was(tmp_path):
    run = new_run(tmp_path / "run")
    before = (run.path / MANIFEST).read_bytes()
    with pytest.raises(LudusError, match="gamma must be 0 to 1"):
        steered(run, {4: {"gamma": "7"}})
    assert (run.path / MANIFEST).read_bytes() == before
