"""A real Ray cluster of several nodes on this machine, for tests."""

import os
from contextlib import contextmanager
from pathlib import Path
from unittest import mock


@contextmanager
def ray_cluster(nodes):
    """A cluster of this many nodes of one core each, and a head that computes nothing."""
    import ray
    from ray.cluster_utils import Cluster

    tests = str(Path(__file__).parent)
    with mock.patch.dict(os.environ, {"PYTHONPATH": tests, "RAY_USAGE_STATS_ENABLED": "0"}):
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        try:
            for _ in range(nodes):
                cluster.add_node(num_cpus=1)
            yield cluster
        finally:
            ray.shutdown()
            cluster.shutdown()


def kill_node(cluster, node_id):
    """End the node of this id at once, as if its machine had lost power."""
    (node,) = [node for node in cluster.worker_nodes if node.node_id == node_id]
    cluster.remove_node(node, allow_graceful=False)
