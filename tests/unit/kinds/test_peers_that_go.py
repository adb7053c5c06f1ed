# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes with a run is not there for the services of the run: a cache, a service that a graph calls."""

from __future__ import annotations

import pytest

from module_utils.kinds.inference_graph.kind import INFERENCE_GRAPH
from module_utils.kinds.peers import Peers
from module_utils.kube.manifest import Json
from module_utils.kube.problem import InputError
from module_utils.kube.reference import Reference
from tests.objects import Cluster, thing
from tests.unit.kinds.inference_graph.build import document, service
from tests.unit.kinds.inference_service.build import config_map

ONE, TWO = (thing("example.com/v1", "Cache", name) for name in ("one", "two"))
OTHER = thing("example.com/v1", "Other", "one")


def goes(live: Json) -> bool:
    """Tell that all of one name go."""
    return bool(live["metadata"]["name"] == "one")


def test_what_goes_is_not_among_what_is_planned() -> None:
    there = Cluster([ONE, TWO, OTHER])
    planned = Peers((), goes).planned(there, "Cache")
    assert planned.list("example.com/v1", "Cache", "", {}) == [TWO]
    assert planned.get(Reference.of(ONE)) is None
    assert planned.get(Reference.of(TWO)) == TWO
    assert planned.get(Reference.of(OTHER)) == OTHER
    assert Peers(()).planned(there, "Cache") is there


@pytest.mark.parametrize("leaves", [True, False])
def test_a_graph_whose_service_goes_is_refused(leaves: bool) -> None:
    settings = INFERENCE_GRAPH.settings({}, {})
    graph = INFERENCE_GRAPH.load(document(), settings).service
    assert graph is not None
    reader = Cluster([config_map(), service()])
    peers = Peers([graph], lambda dummy: leaves)
    if not leaves:
        assert INFERENCE_GRAPH.compile(graph, settings, reader, peers).children
        return
    with pytest.raises(InputError, match="this run removes it"):
        INFERENCE_GRAPH.compile(graph, settings, reader, peers)
