# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of a graph follows its Deployment, as with KServe's controller."""

from __future__ import annotations

import pytest

from module_utils.kinds.inference_graph.kind import INFERENCE_GRAPH
from module_utils.kinds.kind import Observation
from module_utils.kube.manifest import Json
from tests.objects import Cluster
from tests.unit.kinds.inference_service.build import config_map

from .build import document, service

RUNNING = {
    "conditions": [{"type": "Ready", "status": "True"}, {"type": "Stopped", "status": "False"}]
}
STOPPED = {
    "conditions": [
        {"type": "Stopped", "status": "True"},
        {"type": "Ready", "status": "False", "reason": "Stopped"},
    ]
}
URL = "http://chain-team-a.example.com"


def deployment(available: str = "", *, generation: int = 1, ready: int = 1) -> Json:
    said = [{"type": "Available", "status": available}] if available else []
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "chain", "namespace": "team-a", "generation": generation},
        "spec": {"replicas": 1},
        "status": {
            "conditions": said,
            "observedGeneration": 1,
            "replicas": 1,
            "updatedReplicas": 1,
            "readyReplicas": ready,
        },
    }


def observed(given: Json, *objects: Json, before: Json | None = None) -> Observation:
    settings = INFERENCE_GRAPH.settings({}, {})
    graph = INFERENCE_GRAPH.load(given, settings).service
    assert graph is not None
    live = {**given, "status": before or {}}
    reader = Cluster([config_map(), service(), live, *objects])
    basis = INFERENCE_GRAPH.compile(graph, settings, reader).basis
    return INFERENCE_GRAPH.observe(basis, reader, ())


def test_a_graph_is_ready_with_its_router() -> None:
    found = observed(document(), deployment("True"))
    assert found.ready
    assert found.url == URL
    assert found.status == {**RUNNING, "observedGeneration": 1, "url": URL}


def test_until_the_router_says_anything_the_status_stays() -> None:
    for live in ((), (deployment(),)):
        assert observed(document(), *live).status == {}
        before = {**STOPPED, "url": "http://x"}
        assert observed(document(), *live, before=before).status == before
        assert not observed(document(), *live, before={**RUNNING}).ready


@pytest.mark.parametrize(
    "live",
    [deployment("False", ready=0), deployment("True", generation=2), deployment("True", ready=0)],
)
def test_a_router_that_is_not_complete_is_not_ready_though_the_controller_says_so(
    live: Json,
) -> None:
    found = observed(document(), live)
    assert found.status["conditions"] == RUNNING["conditions"]
    assert not found.ready


def test_a_stopped_graph_says_so_and_who_waits_is_told() -> None:
    found = observed(document(annotations={"stop": "true"}), before={**RUNNING, "url": URL})
    assert found.status == STOPPED
    assert not found.ready
    assert [fault.reason for fault in found.faults] == ["Stopped"]


def test_what_cannot_be_applied_leaves_the_status_and_ends_a_wait() -> None:
    found = INFERENCE_GRAPH.reconcile_error(observed(document(), deployment("True")), "no")
    assert found.status["conditions"] == RUNNING["conditions"]
    assert not found.ready
    assert found.faults[0].message == "no"
