# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of Deployments, groups and endpoint pickers.

Source: KServe pkg/controller/v1alpha2/llmisvc/scheduler.go, pkg/apis/serving/v1alpha2/llm_inference_service_lifecycle.go@v0.17.0.
"""

from __future__ import annotations

import pytest

from module_utils.kinds.llm_inference_service.conditions.workloads import (
    picker_condition,
    workload_conditions,
)
from module_utils.kube.manifest import Json
from tests.objects import Cluster

from .world import resolved, said, stopped, thing

SCHEDULED: Json = {"router": {"scheduler": {"template": {}}}}


def deployment(*conditions: Json, name: str = "chat-kserve", available: int = 0) -> Json:
    status = {"conditions": list(conditions), "availableReplicas": available}
    return thing("apps/v1", "Deployment", name, status=status)


LATE = said("Progressing", "False", "ProgressDeadlineExceeded", "too slow")


@pytest.mark.parametrize(
    ("conditions", "status", "reason", "message"),
    [
        ([said("Progressing", "False"), said("Available")], "True", "", ""),
        ([said("Available", "False", "Min", "none")], "False", "Min", "none"),
        ([LATE], "False", "Progressing", ""),
        ([], "False", "Progressing", ""),
    ],
)
def test_a_deployment_is_ready_when_it_is_available(
    conditions: list[Json], status: str, reason: str, message: str
) -> None:
    (found,) = workload_conditions(resolved({}), Cluster([deployment(*conditions)]))
    assert (found.type, found.status) == ("MainWorkloadReady", status)
    assert (found.reason, found.message) == (reason, message)


@pytest.mark.parametrize(
    ("spec", "kinds"),
    [
        ({}, ["MainWorkloadReady"]),
        ({"worker": {}}, ["WorkerWorkloadReady"]),
        ({"prefill": {}}, ["MainWorkloadReady", "PrefillWorkloadReady"]),
        (
            {"worker": {}, "prefill": {"worker": {}}},
            ["WorkerWorkloadReady", "PrefillWorkerWorkloadReady"],
        ),
    ],
)
def test_each_workload_that_a_service_has_is_spoken_of(spec: Json, kinds: list[str]) -> None:
    assert [one.type for one in workload_conditions(resolved(spec), Cluster())] == kinds
    every = [one.type for one in workload_conditions(stopped(spec), Cluster())]
    assert every == [
        "MainWorkloadReady",
        "WorkerWorkloadReady",
        "PrefillWorkloadReady",
        "PrefillWorkerWorkloadReady",
    ]


def test_a_group_says_that_it_is_progressing() -> None:
    (found,) = workload_conditions(resolved({"worker": {}}), Cluster())
    assert (found.reason, found.message) == ("Progressing", "LWS is progressing")


PICKER = "chat-kserve-router-scheduler"


@pytest.mark.parametrize(
    ("live", "status", "reason"),
    [
        (deployment(said("Available", "False"), name=PICKER, available=1), "True", ""),
        (deployment(LATE, said("Available"), name=PICKER), "False", "ProgressDeadlineExceeded"),
        (deployment(said("Progressing", "False"), said("Available"), name=PICKER), "True", ""),
        (deployment(said("Available", "False", "Min"), name=PICKER), "False", "Min"),
        (deployment(name=PICKER), "False", "Progressing"),
    ],
)
def test_one_picker_is_enough(live: Json, status: str, reason: str) -> None:
    found = picker_condition(resolved(SCHEDULED), Cluster([live]))
    assert found is not None
    assert (found.status, found.reason) == (status, reason)


def test_nothing_is_said_of_a_picker_that_is_not_ours() -> None:
    theirs = {"router": {"scheduler": {"template": {}, "pool": {"ref": {"name": "theirs"}}}}}
    assert picker_condition(resolved(theirs), Cluster()) is None
    assert picker_condition(resolved({}), Cluster()) is None
