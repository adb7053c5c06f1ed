# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting ends when services are ready or the time is up; it watches each kind once and asks for nothing more."""

from __future__ import annotations

import threading
import time

from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.cluster import Cluster, grant
from tests.lab.proxy import Proxy
from tests.lab.proxy_record import Record

from .support.cluster import there
from .support.entries import Entries
from .support.services import custom_resource, deployment, reference, small

#: ModelService, Deployment, InferencePool, HTTPRoute, Pod.
WATCHED_KINDS = 5


def test_wait_returns_when_the_service_is_ready(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = small("chat", namespace)
    lines: list[str] = []
    result = entries.reconcile(service, wait=True, wait_timeout=90.0, progress=lines)
    assert result["services"][0]["ready"]
    assert there(client, custom_resource(service))["status"]["phase"] == "Ready"
    assert there(client, deployment("chat-decode", namespace))["status"]["readyReplicas"] == 1
    assert lines[-1].startswith(f"{namespace}/chat: decode 1/1, ready")


def test_wait_gives_up_in_time_and_says_what_is_missing(
    entries: Entries, bare_namespace: str
) -> None:
    began = time.monotonic()
    result = entries.run(small("chat", bare_namespace), wait=True, wait_timeout=2.0)
    assert result["failed"]
    assert time.monotonic() - began < 30
    assert "HTTPRoute chat" in result["msg"]
    assert result["changed"]


def test_wait_for_one_condition(entries: Entries, bare_namespace: str) -> None:
    service = small("chat", bare_namespace)
    result = entries.reconcile(service, wait=True, wait_for="DecodeReady", wait_timeout=90.0)
    assert not result["services"][0]["ready"]


def test_wait_leaves_no_threads_behind(entries: Entries, namespace: str) -> None:
    before = threading.active_count()
    entries.reconcile(small("chat", namespace), wait=True, wait_timeout=90.0)
    assert threading.active_count() <= before


def accept(client: Client, namespace: str) -> None:
    """Accept the route of the service `chat` as it is now, as its gateway would."""
    route = reference("gateway.networking.k8s.io/v1", "HTTPRoute", "chat", namespace)
    live = there(client, route)
    condition = {
        "type": "Accepted",
        "status": "True",
        "reason": "Accepted",
        "message": "",
        "observedGeneration": live["metadata"]["generation"],
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    parent = {
        "controllerName": "example.com/gateway",
        "parentRef": live["spec"]["parentRefs"][0],
        "conditions": [condition],
    }
    client.patch_status(route, {"parents": [parent]})


def test_what_was_said_of_the_state_before_our_write_does_not_count(
    entries: Entries, client: Client, bare_namespace: str
) -> None:
    """The route's gateway is slow: it still shows that it accepted the route as it was."""
    service = small("chat", bare_namespace)
    entries.reconcile(service)
    accept(client, bare_namespace)
    entries.reconcile(service, wait=True, wait_timeout=90.0)
    gateway = {"name": "edge", "namespace": "infra"}
    changed = small("chat", bare_namespace, httpRoute={"gatewayRef": gateway})
    result = entries.run(changed, wait=True, wait_timeout=3.0)
    assert result["failed"]
    assert "No gateway has reported on HTTPRoute chat yet" in result["msg"]
    accept(client, bare_namespace)
    entries.reconcile(changed, wait=True, wait_timeout=90.0)


def test_each_kind_is_listed_and_watched_once_whatever_the_number_of_services(
    counted: Entries, proxy: Proxy, bare_namespace: str
) -> None:
    services = [small(f"chat-{number}", bare_namespace) for number in range(20)]
    counted.reconcile(*services)

    def waiting(*some: Json, seconds: float) -> list[Record]:
        proxy.reset()
        result = counted.run(*some, wait=True, wait_timeout=seconds)
        assert result["msg"].count("is not ready") == len(some)
        records = proxy.records
        first = next(place for place, each in enumerate(records) if each.verb == "watch")
        return records[first:]

    for records in (waiting(services[0], seconds=2.0), waiting(*services, seconds=10.0)):
        assert sum(each.verb == "watch" for each in records) == WATCHED_KINDS
        reads = [each for each in records if each.verb in ("get", "list")]
        assert len(reads) < WATCHED_KINDS, "something is read while it is watched"
        # The address of the Gateway is read once more for the result.
        assert sum(each.verb == "get" for each in records) <= 1
        assert {each.verb for each in records} <= {"watch", "list", "apply", "get"}


def test_rights_in_two_namespaces_are_enough_to_wait_in_both(
    lab: Cluster, namespace: str, other_namespace: str
) -> None:
    robot = Entries(lab.service_account_kubeconfig("robot", namespace))
    everything = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
    for place in (namespace, other_namespace):
        grant(lab, f"{namespace}/robot", [everything], place)
    roles = ["clusterroles", "clusterrolebindings"]
    look = {"apiGroups": ["rbac.authorization.k8s.io"], "resources": roles, "verbs": ["list"]}
    grant(lab, f"{namespace}/robot", [look])
    result = robot.reconcile(
        small("chat", namespace), small("chat", other_namespace), wait=True, wait_timeout=90.0
    )
    assert [service["ready"] for service in result["services"]] == [True, True]
