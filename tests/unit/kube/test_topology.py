# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of a service stand in the order of a request, and each says in one word how it is."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.manifest import Json
from module_utils.kube.reference import Reference
from module_utils.kube.topology import State, gateway_state, parents, pod_state, state, way


def thing(kind: str, name: str = "a", api_version: str = "v1", **parts: Any) -> Json:
    metadata = {"name": name, "namespace": "team-a", **parts.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}


def deployment(name: str, ready: int, desired: int, **labels: str) -> Json:
    status = {"readyReplicas": ready, "updatedReplicas": desired, "replicas": desired}
    template = {"metadata": {"labels": labels}}
    spec = {"replicas": desired, "template": template, "selector": {"matchLabels": labels}}
    return thing("Deployment", name, "apps/v1", spec=spec, status=status)


def accepted(status: str, reason: str = "Accepted") -> Json:
    condition = {"type": "Accepted", "status": status, "reason": reason, "message": "text"}
    return {"parents": [{"parentRef": {"name": "edge"}, "conditions": [condition]}]}


def pod(name: str, *, ready: bool, waiting: str = "", **labels: str) -> Json:
    container = {"name": "engine", "state": {"waiting": {"reason": waiting}} if waiting else {}}
    status: Json = {
        "phase": "Running",
        "conditions": [{"type": "Ready", "status": "True" if ready else "False"}],
        "containerStatuses": [container],
    }
    owner = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": "chat-decode-1",
        "controller": True,
    }
    metadata = {"labels": {"pod-template-hash": "1", **labels}, "ownerReferences": [owner]}
    return thing("Pod", name, metadata=metadata, spec={"nodeName": "n1"}, status=status)


@pytest.mark.parametrize(
    ("live", "word", "message"),
    [
        (None, "missing", "it does not exist"),
        (thing("ConfigMap"), "there", ""),
        (thing("ConfigMap", metadata={"deletionTimestamp": "now"}), "waiting", "it is being deleted"),
        (deployment("a", 2, 2), "ready", "2/2 replicas ready"),
        (deployment("a", 1, 2), "waiting", "1/2 replicas ready"),
        (deployment("a", 0, 0), "idle", "no replicas are wanted"),
        (thing("HTTPRoute", status=accepted("True")), "ready", "is accepted by Gateway edge"),
        (thing("HTTPRoute"), "waiting", "No gateway has reported"),
        (thing("HTTPRoute", status=accepted("False", "NotAllowed")), "failed", "NotAllowed: text"),
        (thing("InferencePool"), "unknown", "No gateway has reported"),
    ],
)  # fmt: skip
def test_state_is_one_word(live: Json | None, word: str, message: str) -> None:
    found = state(live)
    assert found.word == word
    assert message in found.message


def test_pod_tells_why_a_workload_fails() -> None:
    bad = pod("p", ready=False, waiting="ImagePullBackOff", app="x")
    found = state(deployment("chat-decode", 0, 1, app="x"), [bad])
    assert found.word == "failed"
    assert "ImagePullBackOff" in found.message
    assert pod_state(bad).word == "failed"
    assert pod_state(pod("p", ready=True)) == State("ready")
    assert pod_state(pod("p", ready=False)) == State("waiting", "Running")


def test_gateway_is_ready_when_it_is_programmed() -> None:
    def said(status: str) -> Json:
        condition = {"type": "Programmed", "status": status, "reason": "Invalid", "message": "text"}
        return thing("Gateway", status={"conditions": [condition]})

    assert gateway_state(said("True")).word == "ready"
    assert gateway_state(said("False")) == State("failed", "Invalid: text")
    assert gateway_state(thing("Gateway")).word == "waiting"
    assert gateway_state(None).word == "missing"


def test_objects_stand_in_the_order_of_a_request() -> None:
    pool = thing("InferencePool", "chat", "x/v1", spec={"endpointPickerRef": {"name": "chat-epp"}})
    service = thing("Service", "chat-epp", spec={"selector": {"app": "epp"}})
    written = [
        {"manager": "ours", "time": "2026-01-02T00:00:00Z"},
        {"manager": "ours", "time": "2026-01-03T00:00:00Z", "subresource": "status"},
        {"manager": "other", "time": "2026-01-04T00:00:00Z"},
    ]
    objects = [
        thing("ConfigMap", "chat", metadata={"managedFields": written}),
        deployment("chat-decode", 1, 1, app="decode"),
        deployment("chat-epp", 1, 1, app="epp", more="1"),
        pool,
        service,
    ]
    live = {Reference.of(each): each for each in objects}
    gone = Reference("x/v1", "HTTPRoute", "team-a", "chat")
    gateway = Reference("x/v1", "Gateway", "infra", "edge")
    rows = way(
        [*live, gone], live, {gateway: State("ready")}, [pod("p1", ready=True), thing("Pod", "stranger")], "ours"
    )  # fmt: skip
    assert [(row["layer"], row["kind"], row["name"], row["state"]) for row in rows] == [
        ("gateway", "Gateway", "edge", "ready"),
        ("route", "HTTPRoute", "chat", "missing"),
        ("pool", "InferencePool", "chat", "unknown"),
        ("picker", "Deployment", "chat-epp", "ready"),
        ("picker", "Service", "chat-epp", "there"),
        ("workload", "Deployment", "chat-decode", "ready"),
        ("pod", "Pod", "p1", "ready"),
        ("other", "ConfigMap", "chat", "there"),
    ]
    assert [(row["node"], row["of"]) for row in rows if row["kind"] == "Pod"] == [
        ("n1", "chat-decode")
    ]
    assert {row["group"] for row in rows if row["kind"] in ("InferencePool", "Deployment")} == {
        "x",
        "apps",
    }
    assert {row["written"] for row in rows} == {"", "2026-01-02T00:00:00Z"}


def test_gateways_are_those_that_routes_name() -> None:
    named = [
        {"name": "edge"},
        {"name": "mesh", "kind": "Service"},
        {"name": "edge", "namespace": "b"},
    ]
    route = thing("HTTPRoute", spec={"parentRefs": named})
    found = parents([route, thing("ConfigMap"), route])
    assert [str(each) for each in found] == ["Gateway team-a/edge", "Gateway b/edge"]
