"""Jobs on a real Ray cluster of several nodes."""

import cluster_jobs
import pytest
from ray_cluster import kill_node, ray_cluster

from ludus.cluster import Job, run_jobs
from ludus.errors import LudusError

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster():
    with ray_cluster(nodes=3) as cluster:
        yield cluster


@pytest.fixture
def on(cluster):
    return f"ray={cluster.address}"


def results(function, count, on, **options):
    found = {}
    run_jobs([Job(f"job {n}", function, (n,)) for n in range(count)], on, done=found.__setitem__, **options)
    return found


def test_ray_gives_what_local_gives(on):
    assert results(cluster_jobs.square, 50, on) == results(cluster_jobs.square, 50, "local")


def test_networks_are_computed_to_the_same_bytes(on):
    on_ray = results(cluster_jobs.network, 2, on, threads=2)
    assert on_ray == results(cluster_jobs.network, 2, "local=2", threads=2)


def test_a_refusal_on_ray_is_passed_on_with_the_name_of_the_job(on):
    with pytest.raises(LudusError, match=r"^job \d: \d is not wanted$"):
        results(cluster_jobs.refuse, 3, on)


def test_an_error_on_ray_comes_with_the_line_of_the_job(on):
    with pytest.raises(LudusError, match=r"^job 0 failed: ZeroDivisionError: .*\n  .*cluster_jobs.py:24, in divide: "):
        results(cluster_jobs.divide, 3, on)


def test_a_lost_worker_costs_only_its_job(on, tmp_path):
    found = {}
    jobs = [Job(f"job {n}", cluster_jobs.die_once, (str(tmp_path), n)) for n in range(6)]
    run_jobs(jobs, on, done=found.__setitem__)
    assert found == {n: n for n in range(6)}


def test_a_lost_node_costs_only_its_jobs(cluster, on, tmp_path, capsys):
    found, lost = {}, []

    def done(number, result):
        found[number] = result
        begun = dict(mark.name.split("-") for mark in tmp_path.iterdir())
        busy = [node for begun, node in begun.items() if int(begun) not in found]
        if busy and not lost:
            lost.append(busy[0])
            kill_node(cluster, busy[0])

    run_jobs([Job(f"job {n}", cluster_jobs.slow_square, (str(tmp_path), n)) for n in range(6)], on, done=done)
    assert found == {n: n * n for n in range(6)}
    assert len(list(tmp_path.iterdir())) == 7  # what the node was at was begun again on another
    assert capsys.readouterr().out == ""
