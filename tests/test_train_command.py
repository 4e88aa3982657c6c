"""`ludus train` as people use it."""

import json
from functools import partial

import pytest
from conftest import TESTS

NIM = str(TESTS / "user_games" / "nim.py")
SHORT = ["--games", "40", "--matches", "2", "--every", "20"]


@pytest.fixture
def ludus_train(ludus, plain, home):
    """Runs `ludus train`, which keeps what it makes in a folder of the test."""
    return partial(ludus, "train")


def test_a_training_says_what_came_of_it(ludus_train):
    done = ludus_train(NIM, "q-table", *SHORT, "--epsilon", "0.3")
    assert done.returncode == 0
    assert "20 games right in" in " ".join(done.stderr.split())
    assert "; against random " in done.stderr
    assert "trained in" in done.stdout


def test_json_is_one_document(ludus_train):
    done = ludus_train(NIM, "move-weights", *SHORT, "--json")
    assert [line["games"] for line in json.loads(done.stdout)["metrics"]] == [20, 40]


def test_a_run_goes_on_to_more_games(ludus_train, tmp_path):
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
    ("words", "told"),
    [
        ([], "say what to learn and how"),
        (["tapnswap"], "say what to learn and how"),
        (["tapnswap", "q-tables"], "did you mean q-table"),
        (["tapnswap", "q-table", "--epsilon", "2"], "shares are 0 to 1"),
        (["tapnswap", "move-weights", "--gamma", "0.5"], "move-weights has no setting gamma"),
        (["tapnswap", "q-table", "--opponent", "nobody"], "no agent is called 'nobody'"),
        (["tapnswap", "q-table", "--preset", "best"], "there is: perfect"),
        (["tapnswap", "q-table", "--forbid", "first:sometimes"], "first:win"),
        (["--resume", "nothing"], "there is no run nothing"),
        (["--resume", "nothing", "--epsilon", "0.1"], "only --games may be given"),
    ],
)
def test_bad_input_gets_one_line(ludus_train, words, told):
    done = ludus_train(*words)
    assert done.returncode == 2
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_what_cannot_be_trained_leaves_no_folder(ludus_train, tmp_path):
    ludus_train("tapnswap", "q-table", "--opponent", "nobody")
    assert not list((tmp_path / "runs").glob("*"))
