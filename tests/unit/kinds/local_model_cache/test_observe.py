# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of a cache follows its Jobs, as it follows the agents on the nodes with KServe's controller.

Read in KServe pkg/controller/v1alpha1/localmodel/reconcilers/utils.go and pkg/controller/v1alpha1/localmodelnode/controller.go@v0.20.0.
"""

from __future__ import annotations

import pytest

from module_utils.kinds.kind import Observation
from module_utils.kinds.local_model_cache.kind import LOCAL_MODEL_CACHE
from module_utils.kube.manifest import Json
from tests.objects import Cluster, thing

from .build import cache, children, configured, group, llm, node, resolved, service
from .test_children import job


def observed(
    *objects: Json, status: Json | None = None, before: str = "", ready: bool = True
) -> Observation:
    """Return the state of a cache. status: of its Job, None where there is none. before: what its status said of the node."""
    live = {**cache(), "status": {"nodeStatus": {"n1": before}} if before else {}}
    made = job(children(cache()))
    jobs = [] if status is None else [{**made, "status": status}]
    found = [live, node(ready=ready), *jobs, *objects]
    reader = Cluster([configured(), group(), *found])
    return LOCAL_MODEL_CACHE.observe(resolved(cache(), *found), reader, ())


@pytest.mark.parametrize(
    ("status", "before", "said"),
    [
        (None, "", "NodeDownloadPending"),
        ({}, "", "NodeDownloadPending"),
        ({"ready": 1, "active": 1}, "", "NodeDownloading"),
        ({"failed": 1, "ready": 1}, "NodeDownloading", "NodeDownloadError"),
        ({"failed": 1, "succeeded": 1}, "", "NodeDownloaded"),
        (None, "NodeDownloaded", "NodeDownloaded"),
        (None, "NodeDownloading", "NodeDownloadPending"),
        ({"ready": 1}, "NodeDownloaded", "NodeDownloading"),
    ],
)
def test_a_node_is_as_far_as_its_job(status: Json | None, before: str, said: str) -> None:
    found = observed(status=status, before=before)
    assert found.status["nodeStatus"] == {"n1": said}
    assert found.ready is (said == "NodeDownloaded")


@pytest.mark.parametrize(
    ("before", "said"), [("", "NodeNotReady"), ("NodeDownloaded", "NodeDownloaded")]
)
def test_a_node_that_is_not_ready_keeps_what_was_known_of_it(before: str, said: str) -> None:
    assert observed(before=before, ready=False).status["nodeStatus"] == {"n1": said}


def test_copies_are_counted_and_services_are_named() -> None:
    found = observed(node("n2"), service(), llm(), status={"succeeded": 1})
    assert found.status == {
        "nodeStatus": {"n1": "NodeDownloaded", "n2": "NodeDownloadPending"},
        "copies": {"available": 1, "total": 2},
        "inferenceServices": [{"namespace": "team-a", "name": "chat"}],
        "llmInferenceServices": [{"namespace": "team-b", "name": "talk"}],
    }
    assert not found.ready


def test_a_job_that_gave_up_is_a_fault_and_one_that_tries_again_is_none() -> None:
    gave_up = {"type": "Failed", "status": "True", "message": "no such bucket"}
    (fault,) = observed(status={"failed": 7, "conditions": [gave_up]}).faults
    assert fault.message.startswith("Job qwen-n1-")
    assert fault.message.endswith("on node n1: no such bucket")
    assert not observed(status={"failed": 1}).faults


def test_a_cache_that_no_node_fits_says_so() -> None:
    elsewhere = thing("v1", "Node", "n1", metadata={"labels": {"pool": "cpus"}})
    found = LOCAL_MODEL_CACHE.observe(
        resolved(cache(), elsewhere), Cluster([configured(), group(), elsewhere]), ()
    )
    assert [each.reason for each in found.faults] == ["NoNodes"]
    assert not found.ready
    assert found.status == {"copies": {}}


def test_nodes_that_match_no_longer_leave_the_status() -> None:
    gone = {**cache(), "status": {"nodeStatus": {"gone": "NodeDownloaded"}}}
    reader = Cluster([configured(), group(), node(), gone])
    found = LOCAL_MODEL_CACHE.observe(resolved(cache(), gone), reader, ())
    assert found.status["nodeStatus"] == {"n1": "NodeDownloadPending"}


def test_services_are_named_where_others_make_their_volumes() -> None:
    found = observed(service(), configured(disableVolumeManagement=True))
    assert found.status["inferenceServices"] == [{"namespace": "team-a", "name": "chat"}]
