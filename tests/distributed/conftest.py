"""One cluster of three nodes for all tests that need Ray; the nodes are processes of this machine."""

from collections.abc import Iterator

import pytest

NODE = {"num_cpus": 2, "object_store_memory": 100 << 20}


@pytest.fixture(scope="session")
def cluster() -> Iterator[object]:
    """A `ray.cluster_utils.Cluster`: a head without CPUs for workers, and two nodes with two each."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={**NODE, "num_cpus": 1, "include_dashboard": False})
    for _ in range(2):
        made.add_node(**NODE)
    yield made
    made.shutdown()
