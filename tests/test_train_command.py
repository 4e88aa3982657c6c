"""`ludus train` as people use it."""

import json
import re
from functools import partial

import pytest
from conftest import TESTS
from trained import BOLD

from ludus import catalog
from ludus.commands.train import learner_in
from ludus.learning.runs import Run, train
from ludus.learning.runs.history import unlearned

NIM = str(TESTS / "user_games" / "nim.py")
SHORT = ["--games", "40", "--eval-games", "2", "--eval-every", "20"]


@pytest.fixture
def ludus_train(ludus, plain, home):
    """Runs `ludus train`, which keeps what it makes in a folder of the test."""
    return partial(ludus, "train")


def test_a_training_reports_its_result(ludus_train):
    done = ludus_train(NIM, "q-table", *SHORT, "--epsilon", "0.3")
    assert done.returncode == 0
    assert "20 games accuracy" in " ".join(done.stderr.split())
    assert "; against random " in done.stderr
    assert "trained in" in done.stdout


def shown_options(text):
    return set(re.findall(r"--[a-z-]+", text))


def test_the_help_of_a_learner_shows_its_settings_and_those_of_the_training_only(ludus_train):
    shown = shown_options(ludus_train("tapnswap", "q-table", "--help").stdout)
    assert {"--games", "--opponent", "--epsilon", "--tables"} <= shown
    assert not shown & {"--sims", "--hidden", "--batch"}


def test_the_help_without_a_learner_lists_every_learner_with_a_line(ludus_train):
    text = ludus_train("--help").stdout
    assert "--epsilon" not in shown_options(text)
    for name, learner in catalog.learners().items():
        assert re.search(rf"{name} +{re.escape(catalog.about(learner)[:20])}", text)


@pytest.mark.parametrize(
    ("words", "learner"),
    [
        (["tapnswap", "q-table"], "q-table"),
        (["--epsilon", "0.1", "tapnswap", "--out", "dqn", "q-table(alpha=1)", "--symmetry"], "q-table(alpha=1)"),
        (["--boldness", "0.3", "./nim.py", "./bold.py"], "./bold.py"),
        (["tapnswap", "q-tables"], "q-tables"),
        (["tapnswap"], None),
        (["--resume", "dqn", "--games", "10"], None),
    ],
)
def test_the_learner_is_found_among_the_arguments(words, learner):
    assert learner_in(words) == learner


def test_json_is_one_document(ludus_train):
    done = ludus_train(NIM, "move-weights", *SHORT, "--json")
    assert [line["games"] for line in json.loads(done.stdout)["metrics"]] == [20, 40]


def test_a_run_resumes_to_more_games(ludus_train, tmp_path):
    ludus_train(NIM, "q-table", *SHORT, "--out", str(tmp_path / "run"))
    done = ludus_train("--resume", str(tmp_path / "run"), "--games", "60", "--json")
    assert json.loads(done.stdout)["metrics"][-1]["games"] == 60


def test_a_person_is_asked_to_play_and_may_leave(ludus_train):
    done = ludus_train(NIM, "q-table", *SHORT, "--play-every", "10", typed="q\n")
    assert done.returncode == 0
    assert done.stderr.count("your turn to play against the learner") == 1
    assert "After 10 games" in done.stderr
    assert "No more games, then" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "say what to learn and how"),
        (["tapnswap"], "say what to learn and how"),
        (["tapnswap", "q-tables"], "did you mean q-table"),
        (["tapnswap", "nosuchlearner"], "there are: q-table, sarsa, monte-carlo, move-weights, "),
        (["tapnswap", "nosuch.py"], "there is no file nosuch.py"),
        (["tapnswap", NIM], "nim.py holds no learner: a learner is a NamedTuple class with the methods trainer, agent"),
        (["tapnswap", "q-table", "--epsilon", "2"], "shares are 0 to 1"),
        (["tapnswap", "move-weights", "--gamma", "0.5"], "move-weights has no setting gamma"),
        (["tapnswap", "q-table", "--opponent", "nobody"], "no agent is called 'nobody'"),
        (["tapnswap", "q-table", "--preset", "best"], "there is: perfect"),
        (["tapnswap", "q-table", "--forbid", "first:sometimes"], "first:win"),
        (["--resume", "nothing"], "there is no run nothing"),
        (["--resume", "nothing", "--epsilon", "0.1"], "only --games may be given"),
    ],
)
def test_bad_input_gets_one_line(ludus_train, words, message):
    done = ludus_train(*words)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.fixture
def bold(tmp_path, monkeypatch):
    """A file with a learner, in the folder where one is."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bold.py").write_text(BOLD)


def grades(run):
    return [json.loads(line)["grade"] for line in (run / "metrics.jsonl").read_text().splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("written", ["bold.py(boldness=0.3)", "bold.py:Bold(boldness=0.3)"])
def test_a_learner_may_come_from_a_file(ludus_train, bold, tmp_path, written):
    assert ludus_train(NIM, written, *SHORT, "--out", "own").returncode == 0
    ludus_train(NIM, "q-table(epsilon=0.3)", *SHORT, "--out", "built-in")
    assert grades(tmp_path / "own") == grades(tmp_path / "built-in")
    named = json.loads((tmp_path / "own" / "run.json").read_text())["learner"]
    assert named == {"name": f"{tmp_path}/bold.py:Bold", "boldness": "0.3"}


@pytest.mark.slow
def test_a_run_of_a_learner_in_a_file_is_used_from_anywhere(ludus, ludus_train, bold, tmp_path, monkeypatch):
    ludus_train(NIM, "bold.py", *SHORT)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    done = ludus_train("--resume", "nim.py-bold.py-bold-1", "--games", "60", "--json")
    assert json.loads(done.stdout)["metrics"][-1]["games"] == 60
    assert ludus("grade", "nim.py-bold.py-bold-1").returncode == 0
    assert "bold.py:Bold" in ludus("runs", "--json").stdout


def test_a_run_whose_learner_is_gone_says_so(ludus_train, bold, tmp_path):
    ludus_train(NIM, "bold.py", *SHORT, "--out", "own")
    (tmp_path / "bold.py").unlink()
    done = ludus_train("--resume", "own")
    assert done.returncode == 2
    assert done.stderr == f"ludus: own/run.json cannot be used: there is no file {tmp_path}/bold.py\n"


def test_a_run_without_its_checkpoint_is_not_begun_anew(ludus_train, tmp_path):
    ludus_train(NIM, "q-table", *SHORT, "--out", str(tmp_path / "run"))
    (tmp_path / "run" / "checkpoint.safetensors").unlink()
    assert "trained in" in ludus_train("--resume", str(tmp_path / "run")).stdout
    (tmp_path / "run" / "agent.safetensors").unlink()
    done = ludus_train("--resume", str(tmp_path / "run"))
    assert done.returncode == 2
    assert "checkpoint.safetensors is missing" in done.stderr


def test_what_cannot_be_trained_leaves_no_folder(ludus_train, tmp_path):
    ludus_train("tapnswap", "q-table", "--opponent", "nobody")
    assert not list((tmp_path / "runs").glob("*"))


@pytest.mark.slow
def test_a_training_that_ends_before_its_first_update_warns(ludus_train):
    settings = [
        "--games",
        "3",
        "--lanes",
        "2",
        "--sims",
        "2",
        "--blocks",
        "1",
        "--width",
        "8",
        "--eval-against",
        "none",
        "--grade",
        "no",
    ]
    done = ludus_train("tic-tac-toe", "alphazero", *settings)
    assert done.returncode == 0, done.stderr
    assert "has learned nothing: its 3 games gave too few positions for an update" in done.stderr


@pytest.mark.parametrize(("last", "warns"), [({"updates": 0}, True), ({"updates": 32}, False), ({}, False)])
def test_only_a_training_without_updates_has_learned_nothing(last, warns, monkeypatch, plain, tmp_path):
    run = train("tic-tac-toe", "q-table", games=1, grade="no", eval_against="none", out=tmp_path / "run")
    monkeypatch.setattr(Run, "metrics", lambda self: [{"games": 1} | last])
    assert bool(unlearned(run)) == warns
