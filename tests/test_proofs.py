"""Files of certificates: how they are made, where they are written, and how they are described."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from conftest import TESTS

import ludus
from ludus.agents.program import Program
from ludus.commands import prove as proofs
from ludus.commands.options import require_writable
from ludus.proving import certificate as certificate_module
from ludus.proving.certificate import document, prove, prove_agent, write, written_for_checker
from ludus.solving.solver import solve

NOT_ROOT = pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
LOOP = TESTS / "loop_game.py"


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    """These games are small: plain Python is done with them before anything is compiled."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


@pytest.fixture
def looping():
    """A certificate that is quickly made."""
    return prove_agent(ludus.make_game(str(LOOP)), ludus.make_agent("last"), 0)


# ---- building and writing ----


def test_a_wrong_solution_proves_nothing():
    truth = solve(ludus.make_game("fox-and-hounds(size=4)"))
    truth.answers.score[:] = -1
    truth.answers.plies[:] = 1
    with pytest.raises(ludus.LudusError, match="the solution is wrong: player 1 is guaranteed -1 only"):
        prove(truth)


def test_too_large_a_strategy_is_given_up(monkeypatch):
    monkeypatch.setattr(certificate_module, "MOST_POSITIONS", 1000)
    with pytest.raises(ludus.LudusError, match="more than 1,000 positions can arise"):
        prove_agent(ludus.make_game("connect-four"), ludus.make_agent("first"), 0)


@pytest.mark.parametrize("name", ["same.json", "same.json.gz"])
def test_the_same_certificate_is_the_same_bytes(name, tmp_path):
    written = []
    for _ in range(2):
        write(prove(solve(ludus.make_game("fox-and-hounds(size=4)"))), tmp_path / name)
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]


UNWRITABLE = ["/", ".", "nowhere/loop.json", "file/loop.json", pytest.param("locked/loop.json", marks=NOT_ROOT)]


@pytest.mark.parametrize("place", UNWRITABLE)
def test_a_place_that_cannot_be_written_is_reported(place, looping, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    Path("locked").mkdir(0o500)
    with pytest.raises(ludus.LudusError, match="cannot be written"):
        write(looping, Path(place))
    with pytest.raises(ludus.LudusError, match="cannot be written"):
        require_writable(Path(place))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "locked"]


def test_a_place_that_can_be_written_is_not_refused(tmp_path):
    require_writable(tmp_path / "loop.json")


# ---- games that the checker cannot make again ----


def test_a_folder_may_be_called_like_a_file(tmp_path):
    folder = tmp_path / "my.pygames"
    folder.mkdir()
    (folder / "nim.py").write_text((TESTS / "user_games" / "nim.py").read_text())
    for written in (f"{folder}/nim.py", f"{folder}/nim.py:Nim"):
        assert written_for_checker(ludus.make_game(written)) == f"{folder}/nim.py:Nim"


def maze():
    return ludus.GraphGame.from_edges({"a": ["b", "c"], "b": ["c"]}, movers={"a": 0, "b": 1}, scores={"c": 1})


def test_a_game_that_is_only_an_array_is_refused():
    with pytest.raises(ludus.LudusError, match="GraphGame holds the array first"):
        document(prove(solve(maze())))


def test_a_graph_in_a_file_is_proved(tmp_path):
    path = tmp_path / "maze.py"
    path.write_text(
        "from ludus import GraphGame\n"
        "class Maze(GraphGame, like=GraphGame.from_edges({0: [1, 2], 1: [2]}, movers={0: 0, 1: 1}, scores={2: 1})):\n"
        "    pass\n"
    )
    certificate = prove(solve(ludus.make_game(str(path))))
    write(certificate, tmp_path / "maze.json")
    command = shlex.split(proofs.check_command(certificate, tmp_path / "maze.json"))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("holds: "), done.stderr


def test_a_class_inside_a_function_is_refused():
    class Hidden(NamedTuple):
        pass

    with pytest.raises(ludus.LudusError, match=r"the checker cannot find .*Hidden"):
        written_for_checker(Hidden())


def test_a_class_at_the_prompt_is_refused(monkeypatch):
    monkeypatch.setattr(Halves, "__module__", "__main__")
    with pytest.raises(ludus.LudusError, match="the checker cannot find Halves in __main__"):
        written_for_checker(Halves())


class Halves(NamedTuple):
    """No game: a parameter that is no whole number."""

    size: float = 1.5


def test_numbers_that_are_not_whole_are_refused(looping):
    with pytest.raises(ludus.LudusError, match=r"whole numbers only, not 1\.5"):
        document(looping._replace(game=Halves()))


def test_numbers_of_numpy_are_whole(looping):
    assert document(looping._replace(start=(np.int64(0),)))["start"] == [0]


# ---- as text ----


def test_the_command_that_is_shown_checks_the_file(looping, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = proofs.default_path(looping)
    write(looping, path)
    shown = proofs.to_json(looping, path)
    done = subprocess.run(shlex.split(shown["check"]), capture_output=True, text=True, check=False)
    assert done.stdout == "holds: Loop() from its start: player 0 scores at least 1 (2 positions)\n"
    assert shown["claims"] == [{"player": 0, "result": "win", "at_least": 1, "answers": 1, "positions": 2}]


def test_people_see_who_can_guarantee_what():
    certificate = prove(solve(ludus.make_game("fox-and-hounds(size=4)")))
    text = proofs.as_text(certificate, Path("fox.json"))
    assert "Hounds can guarantee a win (score at least 1): 9 answers, 20 positions" in text
    assert proofs.default_path(certificate) == Path("fox-and-hounds-size-4.proof.json")


def test_proofs_of_different_positions_have_files_of_their_own():
    game = ludus.make_game("tic-tac-toe")
    agent = ludus.make_agent("first")
    after = [game.play(game.start(), action) for action in (3, 4)]
    late = [game.play(game.play(game.play(pos, 0), 1), 5) for pos in after]
    paths = [str(proofs.default_path(prove_agent(game, agent, 0, pos))) for pos in late]
    assert len(set(paths)) == 2
    assert all(path.startswith("tic-tac-toe-") and path.endswith("-first-Crosses.proof.json") for path in paths)


def test_a_program_is_ended_when_all_is_proved(tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    print(json.dumps({'action': json.loads(line)['legal'][-1]}), flush=True)\n"
    )
    program = Program(f"{sys.executable} {bot}")
    program.has_memory = False
    game = ludus.make_game(str(LOOP))
    certificate = proofs.proved_of_agent(game, game.start(), program, proofs.ProofSeat.FIRST)
    assert certificate.strategies[0].at_least == 1
    assert program._run is None
