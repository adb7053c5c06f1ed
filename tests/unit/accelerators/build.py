# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes, pods and workloads for tests."""

from __future__ import annotations

from typing import Any

from module_utils.accelerators.demand import demands_of
from module_utils.accelerators.explain import explain
from module_utils.accelerators.fit import Answer, fit
from module_utils.accelerators.inventory import Inventory
from module_utils.kube.manifest import Json

GPU = "nvidia.com/gpu"
PLENTY = {"cpu": "64", "memory": "1Ti", "pods": "110"}


def node(
    name: str,
    devices: int = 8,
    *,
    resource: str = GPU,
    capacity: int | None = None,
    labels: Json | None = None,
    ready: bool = True,
    sizes: Json | None = None,
    **spec: Any,
) -> Json:
    """Return a node. capacity: devices with the unhealthy ones. sizes: beside the devices."""
    beside = sizes or PLENTY
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/hostname": name, **(labels or {})},
        },
        "spec": spec,
        "status": {
            "allocatable": {**beside, resource: str(devices)},
            "capacity": {**beside, resource: str(devices if capacity is None else capacity)},
            "conditions": [{"type": "Ready", "status": "True" if ready else "False"}],
        },
    }


def container(devices: int = 0, *, resource: str = GPU, **more: Any) -> Json:
    """Return a container that asks for devices."""
    asked = {resource: str(devices)} if devices else {}
    return {"name": "vllm", "image": "vllm", "resources": {"limits": asked}, **more}


def pod(
    name: str,
    devices: int,
    on: str = "",
    *,
    phase: str = "Running",
    resource: str = GPU,
    **spec: Any,
) -> Json:
    """Return a pod. on: its node, none where it is still pending."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "others", "labels": {"app": name}},
        "spec": {
            "containers": [container(devices, resource=resource)],
            **({"nodeName": on} if on else {}),
            **spec,
        },
        "status": {"phase": phase},
    }


def deployment(
    devices: int,
    replicas: int = 1,
    *,
    name: str = "chat",
    resource: str = GPU,
    requests: Json | None = None,
    **spec: Any,
) -> Json:
    """Return a Deployment whose pods ask for devices. spec: of the pods."""
    server = container(devices, resource=resource)
    server["resources"]["requests"] = requests or {}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "team-a"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [server], **spec},
            },
        },
    }


def judge(
    workloads: list[Json],
    nodes: list[Json],
    pods: list[Json] | None = None,
    changed: frozenset[int] = frozenset(),
) -> tuple[list[Answer], Inventory]:
    """Ask whether workloads fit."""
    demands = [demand for workload in workloads for demand in demands_of(workload)]
    inventory = Inventory(demands)
    for each in pods or ():
        inventory.add_pod(each)
    for each in nodes:
        inventory.add_node(each)
    return fit(demands, inventory, changed), inventory


def said(workload: Json, nodes: list[Json], pods: list[Json] | None = None) -> tuple[str, str]:
    """Return the verdict about one workload and its explanation."""
    (answer,), inventory = judge([workload], nodes, pods)
    return answer.verdict.value, explain(answer, inventory)
