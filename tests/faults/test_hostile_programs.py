"""Outside programs that hang, flood, fork or die get one line and leave no process behind; nor does a killed Ludus."""

import os
import shlex
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import httpx
import pytest

import ludus
from faults.hostile_program import KINDS
from faults.marked import NAME, left, marked, wait_until
from ludus.agents.agent import probabilities
from ludus.agents.program import Program

pytestmark = pytest.mark.slow

GAME = "toads-and-frogs(toads=2, gaps=2, frogs=2)"
PLAYING = {"play-on", "fork-and-play", "hop", "signal-its-parent", "flood-errors"}
COMMAND = [sys.executable, "-c", "from ludus.commands import main; main()"]


def program(kind):
    return shlex.join([sys.executable, str(Path(__file__).with_name("hostile_program.py")), kind])


@pytest.fixture
def mark(monkeypatch):
    """A mark that all processes started from here carry; none is left in the end."""
    mark = uuid.uuid4().hex
    monkeypatch.setenv(NAME, mark)
    yield mark
    assert left(mark) == []


def asked(bot, times=4):
    """What is wrong with a program that is asked some times."""
    game = ludus.make_game(GAME)
    try:
        for _ in range(times):
            probabilities(bot, game, game.start())
            time.sleep(0.05)
    except ludus.LudusError as error:
        return str(error)
    finally:
        bot.close()
    return ""


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_program_ends_with_all_that_it_has_started(kind, mark):
    began = time.monotonic()
    problem = asked(Program(program(kind), timeout=1.5))
    assert marked(mark) == []  # at once
    assert time.monotonic() - began < 10
    assert bool(problem) == (kind not in PLAYING), problem
    assert len(problem.splitlines()) <= 1


def test_the_last_words_of_a_program_that_has_left_daemons_behind_are_shown(mark):
    assert asked(Program(program("fork-and-die"))).endswith("stopped with exit status 3")
    assert asked(Program(program("die-in-the-game"))).endswith("stopped with exit status 4: no more")


def test_a_program_that_is_killed_shows_its_signal(mark):
    assert asked(Program(program("die-by-a-signal"))).endswith("stopped with exit status -11")


def test_what_a_program_says_on_standard_error_takes_little_memory_and_no_disk(mark):
    bot, game = Program(program("flood-errors")), ludus.make_game(GAME)
    probabilities(bot, game, game.start())
    errors = bot._run._errors
    assert wait_until(lambda: len(errors) >= 1 << 16)
    time.sleep(0.2)
    assert len(errors) <= 1 << 17
    bot.close()


def killed(process, number):
    """The exit status of a process that is killed, with a sign for a signal that ended it."""
    process.send_signal(number)
    return process.wait(30)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "arguments",
    [
        ["match", GAME, f"cmd:{program('fork-and-play')}", "random", "--games", "1000"],
        ["tournament", GAME, f"cmd:{program('fork-and-play')}", "first", "last", "--games", "1000", "--on", "local=2"],
        ["grade", f"cmd:{program('fork-and-play')}", GAME, "--vouch"],
        ["play", GAME, "--against", f"cmd:{program('hang')}", "--seat", "second"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_killed_ludus_leaves_no_process_behind(arguments, number, mark, home, plain):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([*COMMAND, *arguments], **pipes) as process:
        many = 3 if arguments[0] == "play" else 15
        assert wait_until(lambda: len(marked(mark)) >= many)
        assert killed(process, number) != 0


def trained_by_a_killed_server(number, mark, **settings):
    """The run of a training whose server was killed after its first games."""
    serve = [*COMMAND, "serve", "--port", "0"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True, env=os.environ | {"COLUMNS": "200"}) as process:
        address = process.stdout.readline().split()[3]
        order = {"game": "tic-tac-toe", "learner": "q-table", "settings": {"games": "100000000", **settings}}
        with httpx.Client(base_url=f"{address}api/", timeout=60) as client:
            run = client.post("trainings", json=order).json()["run"]
            assert wait_until(lambda: client.get(f"trainings/{run}").json()["games"] > 0)
        assert len(marked(mark)) == 2
        killed(process, number)
    return run


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_killed_server_leaves_trainings_saved_and_stopped(number, mark, home, plain):
    run = trained_by_a_killed_server(number, mark, eval_every="100000", eval_games="4")
    assert left(mark) == []
    assert (home / "runs" / run / "checkpoint.safetensors").is_file()


def test_a_training_that_is_evaluated_for_long_does_not_outlive_its_server(full, mark, home, plain):
    if not full:
        pytest.skip("takes ten seconds: make faults")
    trained_by_a_killed_server(signal.SIGKILL, mark, eval_every="1", eval_games="1000000000")
    assert left(mark, 20) == []
