"""Sweeps, tournaments, benchmarks, papers and trainings on Ray, with nodes that are lost: the same bytes as here."""

import cluster_jobs
import pytest
from ray_cluster import kill_node, ray_cluster
from trained import RESULT, contents, new_run

from ludus import catalog
from ludus.arena.tournament import tournament
from ludus.learning.presets import configured
from ludus.learning.runs import create, train
from ludus.learning.runs.remote import train_runs
from ludus.study import benchmark as benchmarks
from ludus.study.paper.running import Kept, work
from ludus.study.paper.tasks import Task
from ludus.study.sweep import Kind, Order, load
from ludus.study.sweep.rounds import new_sweep, resume_sweep

pytestmark = pytest.mark.slow

GAME = "toads-and-frogs(toads=2, gaps=2, frogs=2)"
GRID = {"epsilon": ("0.2", "0.8"), "opponent": ("random", "twin"), "eval_games": ("4",)}
ORDERS = (Order(Kind.GRID, 20, 10), Order(Kind.RETRAIN, 20, 10, change_opponent=True))
AGENTS = ["mcts(sims=20)", "mcts(sims=20, seed=1)", "minimax(depth=2)", "minimax(depth=3)", "random"]
SMALL = {
    "alphazero": "alphazero(width=8, blocks=1, lanes=4, sims=4, buffer=40, batch=8)",
    "dqn": "dqn(hidden=8, buffer=64, batch=8)",
    "td-lambda": "td-lambda(hidden=5, view=mover)",
}  # networks


@pytest.fixture(scope="module")
def cluster():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1")
        with ray_cluster(nodes=3) as cluster:
            yield cluster


@pytest.fixture
def loses_a_node(cluster):
    """A progress callback that ends a node when the first of several jobs is done."""
    lost = []

    def on_progress(progress):
        if progress.done == 1 and progress.jobs > 3 and not lost:
            lost.append(cluster.worker_nodes and next(iter(cluster.worker_nodes)).node_id)
            kill_node(cluster, lost[0])

    yield on_progress
    assert lost
    cluster.add_node(num_cpus=1)


def files(folder, *endings):
    found = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.name.endswith(endings)}
    return {name: path.read_bytes() for name, path in found.items()}


def test_a_sweep_that_loses_a_node_gives_the_bytes_of_a_local_one(cluster, loses_a_node, tmp_path):
    for place, on in (("ray", f"ray={cluster.address}"), ("here", "local=1")):
        new_sweep(GAME, "q-table", GRID, ORDERS, 0, tmp_path / place)
        on_progress = loses_a_node if place == "ray" else lambda progress: None
        resume_sweep(tmp_path / place, on, lambda step, progress, on_progress=on_progress: on_progress(progress))
    endings = "sweep.json", "metrics.jsonl", ".safetensors", ".csv", ".txt"
    assert load(tmp_path / "ray").is_finished
    assert files(tmp_path / "ray", *endings) == files(tmp_path / "here", *endings)


def test_a_tournament_that_loses_a_node_gives_the_results_of_a_local_one(cluster, loses_a_node):
    there = tournament(
        GAME, AGENTS, 4, on=f"ray={cluster.address}", on_progress=lambda step, progress: loses_a_node(progress)
    )
    here = tournament(GAME, AGENTS, 4, on="local=1")
    assert there.meetings == here.meetings


def test_trainings_on_ray_leave_the_files_of_local_ones(cluster, tmp_path):
    first = train(GAME, "q-table", out=tmp_path / "first", games=20, eval_games=4)
    made = {}
    for place, on in (("there", f"ray={cluster.address}"), ("here", "local=1")):
        needed = {"init_from": str(first.path), "opponent": str(first.path)}
        config, plan = configured(first.game, "q-table", {"games": "20", "eval_games": "4"} | needed, None)
        runs = [create(first.game, config, plan._replace(seed=seed), tmp_path / place / f"{seed}") for seed in (1, 2)]
        train_runs(runs, on, done=lambda run: None)
        made[place] = files(tmp_path / place, "run.json", "metrics.jsonl", ".safetensors")
    assert made["there"] == made["here"]


def test_a_benchmark_that_loses_a_node_gives_the_results_of_a_local_one(cluster, loses_a_node, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    entries = tuple(benchmarks.Entry(f"q-table(epsilon={share})", 60) for share in ("0.2", "0.5"))
    monkeypatch.setitem(benchmarks.SCALES, "quick", benchmarks.Scale((GAME,), 60, 3, entries))
    found = {}
    for place, on in (("there", f"ray={cluster.address}"), ("here", "local=1"), ("beside", "local=2")):
        on_progress = loses_a_node if place == "there" else None
        held = benchmarks.benchmark(out=tmp_path / place, on=on, on_progress=on_progress)
        found[place] = {case: outcome._replace(seconds=[]) for case, outcome in held.outcomes.items()}
    assert found["there"] == found["here"] == found["beside"]
    assert len(found["there"]) == 7
    monkeypatch.setattr(benchmarks, "train", None)  # nothing is left to be done
    kept = benchmarks.benchmark(out=tmp_path / "there", on="local=1").outcomes
    assert {case: outcome._replace(seconds=[]) for case, outcome in kept.items()} == found["there"]


def test_a_paper_that_loses_a_node_gives_the_results_of_a_local_one(cluster, loses_a_node, tmp_path):
    tasks = [Task(f"note {n}", cluster_jobs.noted, (n,), keeps=True) for n in range(6)]
    found = {}
    for place, on in (("there", f"ray={cluster.address}"), ("here", "local=1"), ("beside", "local=2")):
        on_progress = (lambda step, progress: loses_a_node(progress)) if place == "there" else None
        asked = iter([{"notes": [*tasks, Task("sum", cluster_jobs.summed, needs=tuple(tasks))]}])
        found[place] = work(asking(asked), Kept(tmp_path / place), on, on_progress), files(tmp_path / place, "number")
    assert found["there"] == found["here"] == found["beside"]
    assert len(found["there"][1]) == 6


def asking(rounds):
    """A working that asks for tasks, round by round, and returns all results."""
    found = []
    for tasks in rounds:
        found.append((yield tasks))
    return found


def test_each_learner_leaves_the_same_files_wherever_it_trains(cluster, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    made = {}
    for place, on in (("there", f"ray={cluster.address}"), ("here", "local=1"), ("beside", "local=2")):
        learners = [SMALL.get(name, name) for name in catalog.names(catalog.LEARNERS)]
        runs = [new_run(tmp_path / place / str(n), learner, GAME, games=8) for n, learner in enumerate(learners)]
        train_runs(runs, on, done=lambda run: None)
        made[place] = [contents(run) for run in runs]
    assert made["there"] == made["here"] == made["beside"]
    assert all(set(RESULT) <= set(files) for files in made["there"])
