"""Sweeps for real, on a tiny game: rounds, files, places to compute on, resuming after a kill, the command."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import TESTS
from trained import BOLD

from ludus.errors import LudusError
from ludus.learning.runs import read_run
from ludus.learning.runs.files import read_arrays, write_arrays
from ludus.study.sweep import Kind, Order, files, load
from ludus.study.sweep.rounds import add_order, new_sweep, resume_sweep

GAME = "toads-and-frogs(toads=2, gaps=2, frogs=2)"
GRID = {"epsilon": ("0.2", "0.8"), "opponent": ("random", "twin"), "eval_games": ("4",)}
ORDERS = (Order(Kind.GRID, 20, 10), Order(Kind.RETRAIN, 20, 10, change_opponent=True), Order(Kind.RETRAIN_BEST, 30))


def content(folder):
    """The bytes of all that repeats itself: not clocks, nor heads, which hold the path of the folder."""
    kept = ("sweep.json", "metrics.jsonl", "agent.safetensors", ".csv", ".txt")
    paths = [path for path in sorted(folder.rglob("*")) if path.name.endswith(kept)]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A sweep of three rounds."""
    folder = tmp_path_factory.mktemp("sweeps") / "done"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1")
        new_sweep(GAME, "q-table", GRID, ORDERS, 0, folder)
        resume_sweep(folder, "local=1")
    return folder


def test_each_round_trains_and_compares_its_agents(done):
    rounds = load(done).rounds
    assert [len(last.agents) for last in rounds] == [4, 8, 8]
    assert all(last.is_finished and all(agent.points is not None for agent in last.agents) for last in rounds)


def test_games_add_up_over_the_rounds(done):
    for agent in load(done).rounds[-1].agents:
        assert agent.games == (40 if agent.put_back else 70)


def test_a_training_begins_with_what_the_one_before_has_learned(done):
    run = read_run(done / "2" / "epsilon=0.2_vs-random_vs-twin")
    assert run.plan.init_from.name == str(done / "1" / "epsilon=0.2_vs-random")
    assert str(run.plan.opponent) == "twin"


def test_no_two_trainings_draw_the_same_numbers(done):
    seeds = [read_run(path.parent).plan.seed for path in done.glob("[123]/*/run.json")]
    assert len(set(seeds)) == len(seeds) == 20


def test_the_best_are_retrained_without_tests_in_between(done):
    assert [line["games"] for line in read_run(done / "3" / "epsilon=0.2_vs-random").metrics()] == [30]


def test_finished_trainings_leave_no_checkpoints(done):
    assert not list(done.rglob("checkpoint*"))


def test_curves_are_written_as_the_paper_does(done):
    lines = (done / "train" / "GS_epsilon_0.2_vsRandomvsSelf.txt").read_text().splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["10", "20", "30", "40"]
    assert {line.split()[3] for line in lines} == {"4"}


@pytest.mark.parametrize(("cut", "finished"), [(0, "10 1 4 4"), (1, "10 1 3 4")])
def test_ties_count_as_finished_and_cut_games_do_not(done, tmp_path, cut, finished):
    shutil.copytree(done, tmp_path / "copy")
    name = "epsilon=0.2_vs-random"
    path = tmp_path / "copy" / "1" / name / "agent.safetensors"
    arrays, notes = read_arrays(path)
    line, *others = notes.metrics
    seat = {"wins": 1, "draws": 1, "losses": 0, "cut": cut}
    other = {"wins": 0, "draws": 1, "losses": 1, "cut": 0}
    changed = line | {"against": {"random": {"first": seat, "second": other}}}
    write_arrays(path, arrays, notes._replace(metrics=(changed, *others)))
    files.write_curves(load(tmp_path / "copy"), tmp_path / "copy")
    written = (tmp_path / "copy" / "train" / "GS_epsilon_0.2_vsRandom.txt").read_text()
    assert written.splitlines()[0] == finished


def test_tournaments_are_written_as_the_paper_does(done):
    rows = (done / "results" / "tournament2.csv").read_text().splitlines()
    assert rows[0] == "-1,-1,-1,0.2,0.2,0.8,0.8,0.2,0.2,0.8,0.8"
    assert rows[2] == "-1,-1,-1,-1,-1,-1,-1,0,1,0,1"
    assert all(len(row.split(",")) == 11 for row in rows)
    assert "trained vs RandomvsSelf \t40\tepochs" in (done / "results" / "tournament2.txt").read_text()


def test_several_processes_give_the_same_bytes(done, tmp_path, plain):
    new_sweep(GAME, "q-table", GRID, ORDERS[:2], 0, tmp_path)
    resume_sweep(tmp_path, "local=2")
    both = [name for name in content(tmp_path) if name[0] in "12" or name.startswith("results")]
    assert len(both) == 12 * 2 + 4
    assert [content(tmp_path)[name] for name in both] == [content(done)[name] for name in both]


DRIVER = f"""
from pathlib import Path
import sys
from ludus.study.sweep import files as sweep_files
from ludus.study.sweep import Kind, Order
from ludus.study.sweep.rounds import resume_sweep, new_sweep
if __name__ == "__main__":
    orders = (Order(Kind.GRID, 20, 10), Order(Kind.RETRAIN, 20, 10, change_opponent=True), Order(Kind.RETRAIN_BEST, 30))
    new_sweep({GAME!r}, "q-table", {GRID!r}, orders, 0, Path(sys.argv[1]))
    resume_sweep(Path(sys.argv[1]), sys.argv[2])
"""


@pytest.mark.parametrize(
    ("place", "number"),
    [
        ("2/epsilon=0.2_vs-twin/metrics.jsonl", signal.SIGKILL),
        pytest.param("1/epsilon=0.8_vs-random/agent.safetensors", signal.SIGINT, marks=pytest.mark.slow),
        pytest.param("results/tournament1.csv", signal.SIGKILL, marks=pytest.mark.slow),
    ],
)
def test_a_stopped_sweep_resumes_to_the_same_bytes(done, tmp_path, plain, place, number):
    folder, script = tmp_path / "sweep", tmp_path / "driver.py"
    script.write_text(DRIVER)
    process = subprocess.Popen([sys.executable, str(script), str(folder), "local=2"], stderr=subprocess.PIPE)
    limit = time.monotonic() + 120
    while not (folder / place).is_file():
        assert time.monotonic() < limit
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    process.communicate()
    assert process.returncode == -number
    time.sleep(0.5)  # its workers end with it
    assert not load(folder).is_finished
    resume_sweep(folder, "local=1")
    assert content(folder) == content(done)


def test_a_finished_sweep_is_left_as_it_is(done):
    before = (done / "sweep.json").stat().st_mtime_ns
    resume_sweep(done)
    assert (done / "sweep.json").stat().st_mtime_ns == before


# ---- bad input ----


@pytest.mark.parametrize(
    ("grid", "words"),
    [
        ({"epsilon": ("0.1",)}, "a grid of one agent is a training"),
        ({"epsilon": ("0.1", "much")}, "epsilon"),
        ({"colour": ("red", "blue")}, "q-table has no setting colour"),
        ({"opponent": ("random", "nobody")}, "no agent is called 'nobody'"),
        ({"games": ("10", "20")}, "games is no setting of a grid"),
        ({"seed": ("1",), "epsilon": ("0.1", "0.2")}, "the seed of a sweep is given by --seed"),
    ],
)
def test_a_bad_grid_is_refused_before_anything_is_trained(tmp_path, plain, grid, words):
    with pytest.raises(LudusError, match=words):
        new_sweep(GAME, "q-table", grid, ORDERS, 0, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_games_in_files_are_kept_by_their_whole_paths(tmp_path, plain, monkeypatch):
    monkeypatch.chdir(TESTS / "user_games")
    sweep = new_sweep("nim.py(a=1)", "q-table", {"epsilon": ("0.1", "0.2")}, ORDERS, 0, tmp_path)
    assert sweep.game.startswith(f"{TESTS}/user_games/nim.py(")


@pytest.mark.parametrize("written", ["bold.py", "bold.py:Bold"])
def test_learners_in_files_are_kept_by_their_whole_paths(tmp_path, plain, monkeypatch, written):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bold.py").write_text(BOLD)
    sweep = new_sweep(GAME, written, {"boldness": ("0.1", "0.2")}, ORDERS, 0, tmp_path / "sweep")
    assert sweep.learner == f"{tmp_path}/{written}"


def test_a_folder_with_a_sweep_is_not_used_for_another(done):
    with pytest.raises(LudusError, match="holds a sweep already"):
        new_sweep(GAME, "q-table", GRID, ORDERS, 0, done)


def test_games_are_those_that_were_played_where_trainings_stop_early(tmp_path, plain):
    grid = {
        "epsilon": ("0.5", "0.9"),
        "stop": ("true",),
        "eval_games": ("4",),
        "random_plies": ("6",),
        "backward": ("true",),
    }
    new_sweep(GAME, "q-table", grid, (Order(Kind.GRID, 4000, 100), Order(Kind.RETRAIN, 4000, 100)), 0, tmp_path)
    first, second = resume_sweep(tmp_path, "local=1").rounds
    for before, agent in zip(first.agents, second.agents, strict=True):
        assert before.games == read_run(tmp_path / before.trained).metrics()[-1]["games"] < 4000
        assert agent.games == before.games + (0 if agent.put_back else 100)
    tested = files.tests(load(tmp_path), tmp_path)["epsilon=0.5_vs-self"]
    assert [test.games for test in tested][-2:] == [first.agents[0].games, first.agents[0].games + 100]


@pytest.mark.parametrize(
    ("order", "words"),
    [(Order(Kind.RETRAIN, 0), "games must be 1 or more"), (Order(Kind.RETRAIN_BEST, 10, keep=30.0), "0 to 1, not 30")],
)
def test_a_bad_round_is_refused(done, order, words):
    with pytest.raises(LudusError, match=words):
        add_order(order, done)


def test_a_round_waits_for_the_one_before(tmp_path, plain):
    new_sweep(GAME, "q-table", GRID, ORDERS, 0, tmp_path)
    with pytest.raises(LudusError, match="is not finished: ludus sweep resume"):
        add_order(Order(Kind.RETRAIN, 10), tmp_path)


# ---- the command ----


@pytest.fixture(scope="module")
def commanded(tmp_path_factory):
    """A sweep by the command line, round by round, with what each command printed."""
    folder = tmp_path_factory.mktemp("commanded") / "sweep"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "COLUMNS": "120"}

    def run(*arguments):
        command = [sys.executable, "-c", "from ludus.commands import main; main()", "sweep", *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)

    grid = ("--grid", "epsilon=0.2,0.8", "--grid", "opponent=random,twin")
    sizes = ("--games", "20", "--eval-every", "10", "--eval-games", "4", "--on", "local=1")
    printed = [run(GAME, "q-table", *grid, *sizes, "--out", str(folder))]
    printed.append(run("retrain", str(folder), "--games", "20", "--eval-every", "10", "--change-opponent", "--json"))
    printed.append(run("retrain-best", str(folder), "--keep", "0.5", "--games", "30", "--on", "local=1"))
    return folder, printed, run


def test_rounds_are_ordered_one_by_one(commanded):
    folder, printed, _ = commanded
    assert [process.returncode for process in printed] == [0, 0, 0], printed[-1].stderr
    assert [last.order.kind for last in load(folder).rounds] == [Kind.GRID, Kind.RETRAIN, Kind.RETRAIN_BEST]


def test_the_command_gives_what_the_functions_give(commanded, done):
    names = [name for name in content(done) if name[0] in "12"]
    assert [content(commanded[0])[name] for name in names] == [content(done)[name] for name in names]


def test_the_ranking_is_printed(commanded):
    assert "round 1: grid, 20 games; 4 trained, 0 put back, tournament of 4" in commanded[1][0].stdout
    assert "epsilon=0.8_vs-twin" in commanded[1][0].stdout


def test_json_is_one_document_and_nothing_else(commanded):
    report = json.loads(commanded[1][1].stdout)
    assert [len(last["agents"]) for last in report["rounds"]] == [4, 8]
    assert commanded[1][1].stderr == ""


def test_the_figure_shows_all_curves_and_the_survivors(commanded):
    page = (commanded[0] / "sweep.html").read_text()
    points = "points in the tournament of each round"
    for words in ("won against random", "optimal decisions", points, "3: retrain-best"):
        assert words in page
    assert "<script src=" not in page


def test_a_sweep_is_shown(commanded):
    folder, _, run = commanded
    shown = run("show", str(folder))
    assert shown.returncode == 0
    assert "round 3: retrain-best, 30 games, keep 0.5" in shown.stdout


def test_a_round_on_a_cluster_that_is_none_is_not_ordered(commanded):
    folder, _, run = commanded
    before = load(folder)
    refused = run("retrain", str(folder), "--games", "20", "--on", "ray=nonsense")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert load(folder) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((GAME, "q-table", "--grid", "epsilon", "--out", "new"), "cannot read --grid epsilon"),
        (("--grid", "epsilon=0.1,0.1", GAME, "q-table", "--out", "new"), "is given once"),
        ((GAME, "q-table", "--grid", "epsilon=0.1,0.2", "--out", "new", "--on", "moon"), "local, local=N, ray"),
        ((GAME, "q-tables", "--grid", "epsilon=0.1,0.2", "--out", "new"), "q-table"),
        ((GAME, "q-table", "--grid", "epsilon=0.1,0.2", "--out", "new", "--on", "ray=nonsense"), "write ray=HOST:PORT"),
        (("paper", "--out", "new", "--on", "ray=127.0.0.1:1"), "no Ray cluster answers"),
        (("resume", "nowhere"), "there is no sweep in nowhere"),
    ],
)
def test_bad_input_is_one_line(commanded, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    process = commanded[2](*arguments)
    assert process.returncode == 2
    assert words in process.stderr
    assert process.stderr.count("\n") == 1
    assert not Path("new").exists()
