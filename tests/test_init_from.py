"""Trainings initialised from a run: with the same parameters, to the same bytes, or not at all."""

import json
import shutil
import signal

import numpy as np
import pytest
from trained import NIM, contents, finished, new_run

from ludus.documents import checksum
from ludus.errors import LudusError
from ludus.learning.loop.training import Watcher
from ludus.learning.runs import _restored, extend, read_run, resume
from ludus.learning.runs.files import MANIFEST, read_manifest

pytestmark = pytest.mark.usefixtures("plain", "home")

TOADS = "toads-and-frogs(toads=2, gaps=2, frogs=2)"
LEARNERS = [
    "q-table",
    "q-table(tables=roles, symmetry=true)",
    "move-weights",
    "td-lambda(hidden=2, view=mover)",
    "dqn(hidden=8, buffer=64, batch=8)",
    "alphazero(width=8, blocks=1, lanes=4, sims=4, batch=4, buffer=40, reuse=8, random_plies=2)",
]
NEVER_LEARNS = "dqn(hidden=8, buffer=5000, batch=5000)"


def stopped(path, *args, **plan):
    """A run that was stopped after its first evaluation."""
    run = new_run(path, *args, **plan)
    with pytest.raises(KeyboardInterrupt):
        resume(run, Watcher(line=lambda line: signal.raise_signal(signal.SIGINT)))
    return run


def same(some, others):
    return some.keys() == others.keys() and all(np.array_equal(some[name], others[name]) for name in some)


def change(teacher):
    resume(extend(teacher, teacher.plan.games + 20))


def move(teacher):
    shutil.move(teacher.path, teacher.path.with_name("elsewhere"))


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_training_starts_with_all_parameters_of_the_run(tmp_path, learner):
    teacher = finished(tmp_path / "teacher", learner, TOADS, grade="no")
    pupil = _restored(new_run(tmp_path / "pupil", learner, TOADS, init_from=teacher.path, seed=1))
    assert same(pupil.trainer.parameters(), teacher.parameters()[0])
    assert pupil.games == 0


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_training_that_was_stopped_ends_in_the_same_bytes(tmp_path, learner):
    teacher = finished(tmp_path / "teacher", learner, TOADS, grade="no")
    plan = {"init_from": teacher.path, "grade": "no", "seed": 1}
    pupil = stopped(tmp_path / "pupil", learner, TOADS, **plan)
    resume(pupil)
    assert contents(pupil) == contents(finished(tmp_path / "whole", learner, TOADS, **plan))
    assert contents(pupil) != contents(finished(tmp_path / "other", learner, TOADS, grade="no", seed=1))


def test_the_first_evaluation_equals_the_last_one_of_the_run_if_nothing_was_learned_since(tmp_path):
    teacher = finished(tmp_path / "teacher", NEVER_LEARNS, TOADS)
    pupil = finished(tmp_path / "pupil", NEVER_LEARNS, TOADS, init_from=teacher.path, seed=1)
    other = finished(tmp_path / "other", NEVER_LEARNS, TOADS, seed=1)
    assert pupil.metrics()[0]["grade"] == teacher.metrics()[-1]["grade"] != other.metrics()[0]["grade"]


@pytest.mark.parametrize("learner", LEARNERS[:-1])
def test_a_twin_starts_with_the_same_parameters(tmp_path, learner):
    teacher = finished(tmp_path / "teacher", learner, TOADS, grade="no")
    trainer = _restored(new_run(tmp_path / "pupil", learner, TOADS, init_from=teacher.path, opponent="twin")).trainer
    if learner.startswith("dqn"):
        arrays = trainer.arrays()
        assert np.array_equal(arrays["network0.online"], arrays["network1.online"])
        return
    tables = trainer.store.state.networks.below if learner.startswith("td") else trainer.store.entries.visits
    own, others = np.split(tables, 2)
    assert own.any()
    assert np.array_equal(own, others)


def test_two_runs_against_random_train_on_against_each_other(tmp_path):
    learner = LEARNERS[4]
    toads = finished(tmp_path / "runs" / "toads", learner, TOADS, opponent="random", seats="first", grade="no")
    finished(tmp_path / "runs" / "frogs", learner, TOADS, opponent="random", seats="second", grade="no")
    again = finished(
        tmp_path / "again", learner, TOADS, init_from="toads", opponent="frogs", seats="first", grade="no", games=30
    )
    assert again.is_finished
    assert read_manifest(again.path).init_from == {"toads": toads.digest()}


def test_an_unfinished_run_gives_the_parameters_of_its_checkpoint(tmp_path):
    teacher = stopped(tmp_path / "teacher")
    assert same(
        _restored(new_run(tmp_path / "pupil", init_from=teacher.path)).trainer.parameters(), teacher.parameters()[0]
    )


# ---- runs that have changed since ----


@pytest.mark.parametrize(("what", "problem"), [(change, "has changed since"), (move, "is gone")])
def test_a_run_is_not_initialised_from_one_that_has_changed(tmp_path, what, problem):
    teacher = finished(tmp_path / "teacher")
    pupil = new_run(tmp_path / "pupil", init_from=teacher.path)
    what(teacher)
    for training in (lambda: resume(pupil), lambda: extend(pupil, 30)):
        with pytest.raises(LudusError) as error:
            training()
        expected = f"{pupil.path} cannot be trained: the run {teacher.path}, which it is initialised from, {problem}"
        assert str(error.value) == expected


@pytest.mark.parametrize("what", [change, move])
def test_a_run_that_has_started_needs_the_other_no_more(tmp_path, what):
    teacher = finished(tmp_path / "teacher")
    pupil = stopped(tmp_path / "pupil", init_from=teacher.path)
    whole = contents(finished(tmp_path / "whole", init_from=teacher.path))
    what(teacher)
    resume(pupil)
    assert contents(pupil) == whole
    resume(extend(pupil, 30))
    assert read_run(pupil.path).is_finished


def test_a_manifest_of_another_version_is_refused(tmp_path):
    path = new_run(tmp_path / "run").path
    content = json.loads((path / MANIFEST).read_text()) | {"ludus": 1}
    del content["digest"]
    (path / MANIFEST).write_text(json.dumps(content | {"digest": checksum(content)}))
    with pytest.raises(LudusError, match="it was written by another version of Ludus"):
        read_run(path)


# ---- what does not fit ----


@pytest.mark.parametrize(
    ("learner", "game", "problem"),
    [
        ("dqn(hidden=8)", TOADS, f"it was trained on {TOADS}, not on toads-and-frogs"),
        ("q-table", "toads-and-frogs", "it was trained by q-table, not by dqn"),
        ("dqn(hidden=9)", "toads-and-frogs", "it has hidden=9, not hidden=8"),
    ],
)
def test_the_parameters_of_the_run_must_fit(tmp_path, learner, game, problem):
    finished(tmp_path / "teacher", learner, game, games=1, grade="no", eval_against="none")
    with pytest.raises(LudusError) as error:
        new_run(tmp_path / "pupil", "dqn(hidden=8)", "toads-and-frogs", init_from=tmp_path / "teacher")
    assert str(error.value) == f"a training cannot be initialised from teacher: {problem}"
    assert not (tmp_path / "pupil").exists()


@pytest.mark.parametrize("learner", ["q-table(tables=roles)", "q-table(symmetry=true)"])
def test_tables_of_another_shape_do_not_fit(tmp_path, learner):
    finished(tmp_path / "teacher", learner)
    with pytest.raises(LudusError, match=r"it has (tables=roles, not tables=shared|symmetry=true, not symmetry=false)"):
        new_run(tmp_path / "pupil", init_from=tmp_path / "teacher")


def test_a_run_that_is_not_there_is_named(tmp_path):
    with pytest.raises(LudusError, match="there is no run nobody to initialise from; ludus runs lists them"):
        new_run(tmp_path / "pupil", init_from="nobody")


def test_a_run_that_has_learned_nothing_is_named(tmp_path):
    teacher = new_run(tmp_path / "teacher", game=NIM)
    with pytest.raises(LudusError, match="has learned nothing yet: ludus train --resume"):
        new_run(tmp_path / "pupil", init_from=teacher.path)
