"""Several processes on the same files: nothing is lost, nobody waits for a lock that nobody holds."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from faults.contents import contents
from faults.marked import wait_until
from ludus import fingerprint, make_game
from ludus.arena.league import League
from ludus.solving import opening_book, solution_file
from ludus.web.api.saved_games import SavedGame, SavedGames
from ludus.web.registry import ConflictError

pytestmark = pytest.mark.slow
BOARD = "toads-and-frogs(toads=2, gaps=2, frogs=2)"
TRAIN = ["train", BOARD, "q-table", "--games", "2000", "--eval-every", "400", "--eval-games", "20", "--out", "run"]
GRID = ["sweep", "grid", BOARD, "q-table", "--grid", "epsilon=0.1,0.2", "--games", "50", "--eval-games", "4"]
BENCHMARK = ["benchmark", "first", "--game", BOARD, "--games", "20", "--seeds", "1", "--on", "local=1"]
BOOK = ["book", "connect-four(width=4, height=3)", "--memory", "0.02"]


@pytest.fixture
def start(tmp_path):
    """Start the command line in a folder of its own; all that is started ends with the test."""
    begun = []

    def begin(*words):
        command = [sys.executable, "-c", "from ludus.commands import main; main()", *words]
        variables = os.environ | {"NUMBA_DISABLE_JIT": "1", "LUDUS_HOME": str(tmp_path / "home"), "NPROC": "1"}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        begun.append(subprocess.Popen(command, cwd=tmp_path, env=variables, **pipes))
        return begun[-1]

    yield begin
    for process in begun:
        process.kill()
        process.communicate()


def ended(processes):
    """The statuses of processes, and the last lines that they printed to stderr."""
    return [(process.communicate()[1].strip().splitlines() or [""], process.returncode) for process in processes]


def at_once(start, *words, several=3):
    """Start the same several times: how many did it; each other one is refused in a line that names who does it."""
    outcomes = ended([start(*words) for _ in range(several)])
    for lines, status in outcomes:
        assert status == 0 or (status == 2 and REFUSED.search(lines[-1])), lines
    return sum(status == 0 for _, status in outcomes)


REFUSED = re.compile(r"already( by process \d+)?: |holds a (run|sweep) already|is there already")


def alone(tmp_path, start, *words, folder):
    """What a folder holds if one process does the work alone."""
    assert ended([start(*words)])[0][1] == 0
    found = contents(tmp_path / folder)
    shutil.rmtree(tmp_path / folder)
    return found


@pytest.mark.parametrize(("words", "folder"), [(TRAIN, "run"), ([*GRID, "--out", "sweep", "--on", "local=1"], "sweep")])
def test_of_several_who_begin_the_same_one_does_it(start, tmp_path, words, folder):
    whole = alone(tmp_path, start, *words, folder=folder)
    assert at_once(start, *words) == 1
    assert contents(tmp_path / folder) == whole


@pytest.mark.parametrize(
    ("begin", "resume", "folder"),
    [
        (TRAIN, ["train", "--resume", "run"], "run"),
        ([*GRID, "--out", "sweep", "--on", "local=1"], ["sweep", "resume", "sweep", "--on", "local=1"], "sweep"),
    ],
)
def test_of_several_who_resume_the_same_one_does_it(start, tmp_path, begin, resume, folder):
    whole = alone(tmp_path, start, *begin, folder=folder)
    first = start(*begin)
    assert wait_until(lambda: any((tmp_path / folder).rglob("*.safetensors")))
    first.kill()
    first.wait()
    assert at_once(start, *resume) >= 1  # one that comes late finds it done
    assert contents(tmp_path / folder) == whole


def test_several_tournaments_enter_the_league_at_the_same_time(start, tmp_path):
    groups = [("first", "last"), ("random", "smart-random"), ("first", "random"), ("last", "smart-random")]
    outcomes = ended([start("tournament", BOARD, *agents, "--games", "20", "--on", "local=1") for agents in groups])
    assert [status for _, status in outcomes] == [0] * 4, outcomes
    with League(tmp_path / "home" / "league.sqlite") as league:
        game = fingerprint(make_game(BOARD))
        names = {one.digest: one.name for one in league.members(game)}
        assert {frozenset((names[one.a], names[one.b])) for one in league.meetings(game)} == set(map(frozenset, groups))


def test_several_books_of_one_game_are_merged(start, tmp_path, monkeypatch):
    outcomes = ended([start(*BOOK, "--plies", str(plies)) for plies in (1, 2, 3)])
    assert [status for _, status in outcomes] == [0] * 3, outcomes
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    book = opening_book.load(make_game("connect-four(width=4, height=3)"))
    assert book.extent.plies == 3
    assert not list((tmp_path / "home" / "books").glob("*.lock"))


def test_a_solution_that_several_save_is_whole(start, tmp_path):
    outcomes = ended([start("solve", BOARD, "--save", "solution") for _ in range(3)])
    assert [status for _, status in outcomes] == [0] * 3
    assert len(solution_file.load(tmp_path / "solution", make_game(BOARD))) == 17
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["solution"]


def test_of_several_benchmarks_in_one_folder_one_works(start, tmp_path):
    first = start(*BENCHMARK)
    assert wait_until(lambda: (tmp_path / "home" / "benchmarks" / "quick" / "benchmark.lock").exists())
    (lines, status), *_ = ended([start(*BENCHMARK)])
    assert (status, f"is in use already by process {first.pid}: wait for it" in lines[-1]) == (2, True)
    first.send_signal(signal.SIGINT)
    assert ended([first])[0][1] == 130


def test_several_servers_save_one_game_and_no_ply_is_lost(home, monkeypatch):
    def find(server, name):
        found = find_at_once(server, name)
        time.sleep(0.001)  # in which others may save
        return found

    find_at_once = SavedGames._find
    monkeypatch.setattr(SavedGames, "_find", find)
    servers = [SavedGames() for _ in range(3)]
    servers[0].add(SavedGame(id="a" * 16, game="tic-tac-toe", start="", seats=["person"] * 2, begun=0, changed=0))

    def play(server):
        saved = 0
        while saved < 20:
            before = server.get("a" * 16)
            longer = {"actions": [*before.actions, 0], "changed": before.changed + 1}
            with suppress(ConflictError):
                server.put(before.model_copy(update=longer), before.changed)
                saved += 1

    with ThreadPoolExecutor() as players:
        list(players.map(play, servers))
    assert len(servers[0].get("a" * 16).actions) == 60
    for server in servers:
        server.close()


def test_of_several_who_work_on_one_paper_one_does_it(start, tmp_path):
    paper = ["paper", "toads-and-frogs", "--scale", "tiny", "--on", "local=1"]
    first = start(*paper)
    assert wait_until(lambda: (tmp_path / "home" / "papers" / "tiny" / "papers.lock").exists())
    (lines, status), *_ = ended([start(*paper)])
    assert (status, f"is in use already by process {first.pid}: wait for it" in lines[-1]) == (2, True)
    first.send_signal(signal.SIGINT)
    assert ended([first])[0][1] == 130
