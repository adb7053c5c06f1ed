# SPDX-License-Identifier: GPL-3.0-or-later
"""Services of several pods each, and the groups of pods that LeaderWorkerSet's real manager makes for them."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kube.manifest import Json
from tests.lab import lws
from tests.lab.client import Client, wait_until

from .cluster import there
from .llm_services import child, llm

SET = "leaderworkerset.sigs.k8s.io/name"
#: What a service has whose copies of the model take two pods each.
SPREAD: Json = {"parallelism": {"data": 2, "dataLocal": 1}, "worker": {"containers": []}}
#: What the manager makes, and what is made of that.
MADE = (
    ("v1", "Pod"),
    ("v1", "Service"),
    ("apps/v1", "StatefulSet"),
    ("apps/v1", "ControllerRevision"),
)


def demand_manager(client: Client) -> None:
    """Skip the test where no manager works. The lab always runs it."""
    works, why = lws.answers(client)
    if not works:
        pytest.skip(f"the manager of LeaderWorkerSets does not run in this cluster: {why}")


def spread(name: str, namespace: str, **spec: Any) -> Json:
    """Return a service in one group of two pods. spec: fields added or replaced."""
    return llm(name, namespace, **{**SPREAD, **spec})


def with_env(service: Json, part: str, value: str) -> Json:
    """Return a service whose engine gets a variable. part: `worker`, or `template` for the leaders."""
    container = {"name": "main", "env": [{"name": "REVISION", "value": value}]}
    return {**service, "spec": {**service["spec"], part: {"containers": [container]}}}


def groups(name: str, namespace: str) -> Json:
    """Return a reference to the LeaderWorkerSet of a service."""
    return child("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", f"{name}-kserve-mn", namespace)


def pods(client: Client, name: str, namespace: str) -> dict[str, Json]:
    """Return the pods of a service's groups that are not ending, by name."""
    found = client.list_all(
        "v1", "Pod", namespace, labelSelector=f"{SET}={groups(name, namespace)['metadata']['name']}"
    )
    return {
        pod["metadata"]["name"]: pod
        for pod in found
        if not pod["metadata"].get("deletionTimestamp")
    }


def uids(client: Client, name: str, namespace: str) -> dict[str, str]:
    """Return the uids of a service's pods, by name: a pod that was made anew has another."""
    found = pods(client, name, namespace)
    return {each: pod["metadata"]["uid"] for each, pod in found.items()}


def is_ready(pod: Json) -> bool:
    """Tell whether a pod is ready."""
    said = (pod.get("status") or {}).get("conditions") or ()
    return any((each["type"], each["status"]) == ("Ready", "True") for each in said)


def env_of(pod: Json, variable: str = "REVISION") -> str | None:
    """Return a variable of a pod's engine."""
    env = pod["spec"]["containers"][0].get("env") or []
    return next((each.get("value") for each in env if each["name"] == variable), None)


def await_pods(client: Client, name: str, namespace: str, count: int) -> None:
    """Wait until a service has so many pods: those that are too many end after the service is ready."""

    def look() -> tuple[bool, list[str]]:
        found = sorted(pods(client, name, namespace))
        return len(found) == count, found

    wait_until(look, f"{count} pods of {name}")


def await_nothing(client: Client, name: str, namespace: str) -> None:
    """Wait until all that the manager made for a service is gone: the garbage collector removes it."""
    selector = f"{SET}={groups(name, namespace)['metadata']['name']}"

    def look() -> tuple[bool, list[str]]:
        left = [
            f"{kind} {each['metadata']['name']}"
            for api_version, kind in MADE
            for each in client.list_all(api_version, kind, namespace, labelSelector=selector)
        ]
        service = client.get(
            "v1", "Service", groups(name, namespace)["metadata"]["name"], namespace
        )
        return not left and service is None, left

    wait_until(look, f"nothing to be left of {name}")


def size_of(client: Client, name: str, namespace: str) -> int:
    """Return how many pods a group of a service has."""
    found: int = there(client, groups(name, namespace))["spec"]["leaderWorkerTemplate"]["size"]
    return found
