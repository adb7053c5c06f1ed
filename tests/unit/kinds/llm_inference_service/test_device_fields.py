# SPDX-License-Identifier: GPL-3.0-or-later
"""Which fields of an LLMInferenceService mean devices: of one pod and of groups, of both roles."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.accelerators.build import place, read_accelerator
from module_utils.accelerators.devices import read_parallelism
from module_utils.kinds.device_fields import DEVICE_FIELDS
from module_utils.kinds.device_request import DeviceRequest, LiveService
from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.llm_inference_service.schema import spec_schema
from module_utils.kube.schema_check import check

from .build import document

Json = dict[str, Any]
FIELDS = DEVICE_FIELDS["LLMInferenceService"]
GPU = "nvidia.com/gpu"
TAINT = {"key": GPU, "operator": "Exists", "effect": "NoSchedule"}
WORKER: Json = {"worker": {"containers": []}}


def wish(per_node: int = 0, device_class: str = "", **sizes: int) -> DeviceRequest:
    given = {
        "type": "nvidia",
        "devices_per_node": per_node,
        "device_class": device_class,
        "profile": "",
        "product": "",
        "topology": "",
        "shared": False,
        "ranks_per_device": None,
    }
    accelerator, dummy = read_accelerator(given, "accelerator")
    parallelism, dummy = read_parallelism(sizes, "parallelism")
    placement, shape, dummy = place(accelerator, parallelism, None)
    return DeviceRequest(
        accelerator, parallelism, shape.devices_per_pod, shape.pods_per_replica, placement
    )


def served(role: str = "decode", **spec: Any) -> LiveService:
    given = document(**spec)["spec"]
    return LiveService(given, {}, role, FIELDS.place(role)[1:])


def pod(devices: int) -> Json:
    resources = {"limits": {GPU: str(devices)}, "requests": {GPU: str(devices)}}
    return {"containers": [{"name": "main", "resources": resources}], "tolerations": [TAINT]}


#: What is wanted, of which service and role, and what is applied.
PUT: dict[str, tuple[DeviceRequest, LiveService, Json]] = {
    "one pod gets its devices in the container that serves": (
        wish(tensor=4),
        served(),
        {"parallelism": {"tensor": 4}, "template": pod(4)},
    ),
    "several copies in one pod are said": (
        wish(tensor=1, data=2, data_local=2),
        served(),
        {"parallelism": {"tensor": 1, "data": 2, "dataLocal": 2}, "template": pod(2)},
    ),
    "leader and worker get the same": (
        wish(tensor=2, data=4, data_local=2),
        served(**WORKER),
        {
            "parallelism": {"tensor": 2, "data": 4, "dataLocal": 2},
            "template": pod(4),
            "worker": pod(4),
        },
    ),
    "pipeline stages are pods of a group": (
        wish(per_node=8, tensor=8, pipeline=2),
        served(**WORKER),
        {"parallelism": {"tensor": 8, "pipeline": 2}, "template": pod(8), "worker": pod(8)},
    ),
    "prefill asks for itself": (
        wish(tensor=2),
        served("prefill", prefill={"replicas": 1}),
        {"prefill": {"parallelism": {"tensor": 2}, "template": pod(2)}},
    ),
    "a group of prefill pods asks for itself": (
        wish(tensor=1, data=2, data_local=1),
        served("prefill", prefill=WORKER),
        {
            "prefill": {
                "parallelism": {"tensor": 1, "data": 2, "dataLocal": 1},
                "template": pod(1),
                "worker": pod(1),
            }
        },
    ),
}


@pytest.mark.parametrize("row", PUT)
def test_devices_are_set_where_the_role_serves(row: str) -> None:
    wanted, service, fields = PUT[row]
    assert list(FIELDS.problems(wanted, service)) == []
    assert FIELDS.put(wanted, service) == fields
    assert (
        check(
            spec_schema("v1alpha2", KServe.V0_17),
            {**service.spec, **fields},
            "spec",
            keep_empty=True,
        ).problems
        == ()
    )


#: What is wanted, of which service, the field that is named, and why it cannot be said.
REFUSED: dict[str, tuple[DeviceRequest, LiveService, str, str]] = {
    "several pods need workers": (
        wish(tensor=1, data=4, data_local=1),
        served(),
        "parallelism",
        "without spec.worker it has one",
    ),
    "several prefill pods need workers": (
        wish(tensor=1, data=4, data_local=1),
        served("prefill", prefill={}),
        "parallelism",
        "without spec.prefill.worker it has one",
    ),
    "stages of a group need nodes of a size": (
        wish(tensor=4, pipeline=2),
        served(**WORKER),
        "parallelism",
        "give accelerator.devices_per_node",
    ),
    "stages and copies exclude each other": (
        wish(tensor=1, pipeline=2, data=2),
        served(),
        "parallelism",
        "exclude each other",
    ),
    "claims stand in the template": (
        wish(device_class="gpu.nvidia.com", tensor=1),
        served(),
        "accelerator.device_class",
        "only for state rendered",
    ),
}


@pytest.mark.parametrize("row", REFUSED)
def test_what_the_kind_cannot_say_is_refused(row: str) -> None:
    wanted, service, field, message = REFUSED[row]
    (problem,) = FIELDS.problems(wanted, service)
    assert problem.path == field
    assert message in problem.message


#: A workload of the service → the field that a user has to set instead.
CHILDREN = {
    "chat-kserve": "spec.template.containers[main].resources",
    "chat-kserve-prefill": "spec.prefill.template.containers[main].resources",
    "chat-kserve-mn": "containers[main].resources of spec.template and spec.worker",
    "chat-kserve-mn-prefill": "containers[main].resources of spec.prefill.template and spec.prefill.worker",
    "chat-kserve-router-scheduler": "",
}


@pytest.mark.parametrize("workload", CHILDREN)
def test_the_field_behind_a_workload_is_named(workload: str) -> None:
    assert FIELDS.field_of("chat", workload) == CHILDREN[workload]
