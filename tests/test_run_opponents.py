"""Runs that play other runs: a training resumes to the same bytes unless the other run has changed."""

import json
import shutil
import signal

import pytest
from trained import contents, finished, new_run

from ludus.errors import LudusError
from ludus.learning.loop.training import Watcher
from ludus.learning.runs import extend, read_run, resume
from ludus.learning.runs.files import MANIFEST

pytestmark = pytest.mark.usefixtures("plain", "home")


def one_line(error):
    assert "\n" not in str(error.value)
    return str(error.value)


def stopped(path, **plan):
    """A run that was stopped after its first evaluation."""
    run = new_run(path, **plan)
    with pytest.raises(KeyboardInterrupt):
        resume(run, Watcher(line=lambda line: signal.raise_signal(signal.SIGINT)))
    return run


@pytest.mark.parametrize("role", ["opponent", "eval_against"])
@pytest.mark.parametrize("teach", [stopped, finished])
def test_a_pupil_resumes_to_the_same_bytes_while_its_teacher_stays_the_same(tmp_path, teach, role):
    played = {role: str(teach(tmp_path / "teacher").path)}
    pupil = stopped(tmp_path / "pupil", **played)
    resume(pupil)
    assert contents(pupil) == contents(finished(tmp_path / "whole", **played))


def changes(teacher):
    resume(extend(teacher, teacher.plan.games + 6) if teacher.is_finished else teacher)


def moves(teacher):
    shutil.move(teacher.path, teacher.path.with_name("elsewhere"))


@pytest.mark.parametrize("role", ["opponent", "eval_against"])
@pytest.mark.parametrize(("what", "problem"), [(changes, "has changed since"), (moves, "is gone")])
@pytest.mark.parametrize("teach", [stopped, finished])
def test_a_pupil_is_not_trained_once_its_teacher_has_changed(tmp_path, teach, what, problem, role):
    teacher = teach(tmp_path / "teacher")
    pupil = stopped(tmp_path / "pupil", **{role: str(teacher.path)})
    what(teacher)
    for training in (lambda: resume(pupil), lambda: extend(pupil, 30)):
        with pytest.raises(LudusError) as error:
            training()
        assert one_line(error) == f"{pupil.path} cannot be trained: the run {teacher.path}, which it plays, {problem}"


def test_a_pupil_that_has_finished_needs_no_teacher(tmp_path):
    teacher = finished(tmp_path / "teacher")
    pupil = finished(tmp_path / "pupil", eval_against=str(teacher.path))
    moves(teacher)
    resume(pupil)
    assert read_run(pupil.path).agent()


def test_a_teacher_among_the_users_runs_is_known_by_its_name(tmp_path):
    teacher = finished(tmp_path / "runs" / "teacher")
    pupil = stopped(tmp_path / "pupil", opponent="teacher:4,self")
    assert json.loads((pupil.path / MANIFEST).read_text())["opponents"] == {"teacher": teacher.digest()}
    changes(teacher)
    with pytest.raises(LudusError, match="the run teacher, which it plays, has changed since"):
        resume(pupil)


def test_an_agent_of_the_name_of_a_folder_is_the_agent(tmp_path, monkeypatch):
    finished(tmp_path / "random")
    monkeypatch.chdir(tmp_path)
    assert json.loads((new_run(tmp_path / "run").path / MANIFEST).read_text())["plan"]["eval_against"] == "random"


@pytest.mark.parametrize(
    ("folder", "plan"),
    [
        ("a,b", {"opponent": "teacher"}),
        ("a,b", {"eval_against": "teacher"}),
        ("a(b", {"opponent": "teacher:3,self"}),
        ("teacher:5", {"opponent": "."}),
    ],
)
def test_a_path_that_would_be_read_as_something_else_is_refused(tmp_path, monkeypatch, folder, plan):
    teacher = tmp_path / folder if plan == {"opponent": "."} else tmp_path / folder / "teacher"
    finished(teacher)
    monkeypatch.chdir(tmp_path / folder)
    with pytest.raises(LudusError) as error:
        new_run(tmp_path / "pupil", **plan)
    assert "would be read as something else: the path of a run that is played has no commas, nor :5" in one_line(error)
    assert not (tmp_path / "pupil").exists()
