# SPDX-License-Identifier: GPL-3.0-or-later
"""What a stopped service keeps, and what is said of it. Source: KServe pkg/controller/v1alpha2/llmisvc/controller_int_stop_test.go@v0.17.0.

That the rest is removed from a cluster, and comes back, is tried on one: tests/cluster/test_llm_inference_service.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.manifest import Json

from .build import document
from .preset_world import ROUTER
from .settled import settled

#: Keys are made by whoever runs compile, and shown to it.
KEYS: Json = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "chat-kserve-self-signed-certs", "namespace": "team-a"},
    "data": {"tls.crt": "YQ==", "tls.key": "Yg=="},
}
GROUPS: Json = {"worker": {}, "parallelism": {"data": 2, "dataLocal": 1}}


def stopped(value: str = "true", **spec: Any) -> Json:
    given = document(**spec)
    given["metadata"]["annotations"] = {"serving.kserve.io/stop": value}
    return given


#: What is asked for, what goes when it is stopped, and the conditions that say so.
STOPPED: dict[str, tuple[Json, set[tuple[str, str]], set[str]]] = {
    "pods, Service and certificate go": (
        {},
        {
            ("Deployment", "chat-kserve"),
            ("Service", "chat-kserve-workload-svc"),
            ("Secret", "chat-kserve-self-signed-certs"),
        },
        {"MainWorkloadReady", "WorkloadsReady", "Ready"},
    ),
    "the managed route goes": (
        {"router": {"route": {}}},
        {("HTTPRoute", "chat-kserve-route")},
        {"HTTPRoutesReady", "RouterReady"},
    ),
    "the picker goes with its account, Service and pool": (
        {"router": ROUTER},
        {
            ("Deployment", "chat-kserve-router-scheduler"),
            ("Service", "chat-epp-service"),
            ("InferencePool", "chat-inference-pool"),
            ("ServiceAccount", "chat-epp-sa"),
        },
        {"SchedulerWorkloadReady", "InferencePoolReady"},
    ),
    "groups go": (
        GROUPS,
        {("LeaderWorkerSet", "chat-kserve-mn")},
        {"MainWorkloadReady", "WorkerWorkloadReady"},
    ),
}


@pytest.mark.parametrize("row", STOPPED)
def test_a_stopped_service_gives_up_what_runs(row: str) -> None:
    spec, gone, conditions = STOPPED[row]
    assert gone <= settled(document(**spec), KEYS).children.keys()
    found = settled(stopped(**spec), KEYS)
    assert not gone & found.children.keys()
    assert {found.said[condition] for condition in conditions} == {"Stopped"}


@pytest.mark.parametrize(
    "given",
    [stopped("false", router=ROUTER), document(router=ROUTER)],
    ids=["a stop that is called off brings all back", "without the annotation all is there"],
)
def test_a_service_that_is_not_stopped_runs(given: Json) -> None:
    found = settled(given)
    assert ("Deployment", "chat-kserve") in found.children
    assert found.said["Ready"] == "True"


def test_a_stop_is_one_services_alone() -> None:
    other = document("code")
    assert ("Deployment", "code-kserve") in settled(other).children
    assert not settled(stopped()).children


#: What a service refers to that is not there.
MISSING: dict[str, Json] = {
    "a gateway": {"router": {**ROUTER, "gateway": {"refs": [{"name": "gone"}]}}},
    "a route": {"router": {"route": {"http": {"refs": [{"name": "gone"}]}}}},
    "an account of the pods": {"template": {"serviceAccountName": "gone"}},
    "an account of the picker": {
        "router": {"scheduler": {"template": {"serviceAccountName": "gone", "containers": []}}}
    },
}


@pytest.mark.parametrize("row", MISSING)
def test_a_stop_needs_nothing_of_what_is_missing(row: str) -> None:
    assert not settled(stopped(**MISSING[row])).children
