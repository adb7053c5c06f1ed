# SPDX-License-Identifier: GPL-3.0-or-later
"""Beside the operator: `direct` keeps out of its way, `controller` and `auto` let it work.

No operator runs here: a Deployment that looks like it stands for one, and the test plays its part.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from module_utils.engine import lasting
from tests.lab.client import Client, wait_until
from tests.lab.control_plane import ControlPlane

from .support.cluster import owned, there
from .support.entries import Entries, actions
from .support.places import on, own_namespace
from .support.services import custom_resource, deployment, small

Json = dict[str, Any]
FINALIZER = "model.otterscale.io/epp-cluster-rbac"


client, entries = on("own_lab")


place = own_namespace()


@pytest.fixture
def operator(client: Client, place: str) -> Iterator[Json]:
    """A Deployment with the labels of model-operator's."""
    labels = {"control-plane": "controller-manager", "app.kubernetes.io/name": "model-operator"}
    pod = {"containers": [{"name": "manager", "image": "registry.example.com/operator:1"}]}
    manifest = deployment("model-operator", place)
    manifest["metadata"]["labels"] = labels
    manifest["spec"] = {
        "replicas": 1,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": pod},
    }
    client.apply(manifest)
    yield manifest
    client.delete(manifest)


def stop(client: Client, operator: Json) -> None:
    """Scale the operator down, and wait until no pod of it is counted: until then it runs."""
    client.patch(operator, {"spec": {"replicas": 0}})
    client.wait_for(operator, without_pods)


def without_pods(live: Json | None) -> bool:
    """Return whether a Deployment's controller has seen what is wanted of it, and counts no pods."""
    assert live is not None
    status = live.get("status") or {}
    seen = status.get("observedGeneration") == live["metadata"]["generation"]
    return seen and not status.get("replicas")


def test_direct_is_refused_while_the_operator_runs(
    entries: Entries, client: Client, place: str, operator: Json
) -> None:
    service = small("chat", place)
    message = entries.refused(service, reconciler="direct")
    assert f"Deployment {place}/model-operator" in message
    assert "reconciler: controller" in message
    assert owned(client, service) == {}
    stop(client, operator)
    entries.reconcile(service, reconciler="direct")
    assert "Deployment/chat-decode" in owned(client, service)


def test_auto_lets_a_running_operator_work(
    entries: Entries,
    client: Client,
    place: str,
    operator: Json,  # noqa: ARG001
) -> None:
    service = small("chat", place)
    result = entries.reconcile(service)
    assert result["services"][0]["reconciler"] == "controller"
    assert actions(result) == {"ModelService/chat": "created"}
    assert there(client, custom_resource(service))["spec"]["model"]["name"] == "acme/chat"
    assert not entries.reconcile(service)["changed"]


def test_auto_without_an_operator_makes_the_children(
    entries: Entries, client: Client, place: str
) -> None:
    service = small("chat", place)
    result = entries.reconcile(service)
    assert result["services"][0]["reconciler"] == "direct"
    assert "Deployment/chat-decode" in owned(client, service)


def test_auto_leaves_a_service_with_the_operators_finalizer_to_it(
    entries: Entries, client: Client, place: str
) -> None:
    """The operator may be down for a moment: its finalizer says whose the service is."""
    service = small("chat", place)
    mine = {**service, "metadata": {**service["metadata"], "finalizers": [FINALIZER]}}
    client.apply(mine, manager="model-operator")
    result = entries.reconcile(service)
    assert result["services"][0]["reconciler"] == "controller"
    assert owned(client, service) == {}
    assert any("no controller of ModelService is seen" in text for text in result["warnings"])
    client.patch(custom_resource(service), {"metadata": {"finalizers": None}})


def test_auto_keeps_a_service_that_is_ours(
    entries: Entries, client: Client, place: str, operator: Json
) -> None:
    service = small("chat", place)
    stop(client, operator)
    entries.reconcile(service)
    client.patch(operator, {"spec": {"replicas": 1}})
    result = entries.reconcile(service)
    assert result["services"][0]["reconciler"] == "direct"
    assert not result["changed"]
    changed = small("chat", place, decode={"replicas": 2})
    assert "model-operator" in entries.refused(changed)


def test_controller_is_refused_for_a_service_whose_children_are_ours(
    entries: Entries, client: Client, place: str
) -> None:
    service = small("chat", place)
    entries.reconcile(service, reconciler="direct")
    message = entries.refused(service, reconciler="controller")
    assert "this collection reconciles" in message
    assert "Deployment/chat-decode" in owned(client, service)


def status(phase: str, generation: int) -> Json:
    ready = {
        "type": "Ready",
        "status": "True" if phase == "Ready" else "False",
        "reason": phase,
        "message": f"the test says {phase}",
        "observedGeneration": generation,
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    return {"phase": phase, "observedGeneration": generation, "conditions": [ready]}


def test_controller_waits_for_the_status_of_a_played_operator(
    entries: Entries,
    client: Client,
    place: str,
    operator: Json,  # noqa: ARG001
) -> None:
    service = small("chat", place)

    def play() -> None:
        live = client.wait_for(custom_resource(service), lambda found: found is not None)
        assert live is not None
        client.patch_status(live, status("Ready", live["metadata"]["generation"]))

    player = threading.Thread(target=play)
    player.start()
    result = entries.reconcile(service, reconciler="controller", wait=True, wait_timeout=60.0)
    player.join()
    assert result["services"][0]["ready"]
    assert result["services"][0]["phase"] == "Ready"
    assert owned(client, service) == {}


def test_wait_outlives_an_api_server_that_restarts(
    entries: Entries,
    client: Client,
    own_lab: ControlPlane,
    place: str,
    operator: Json,  # noqa: ARG001
) -> None:
    service = small("chat", place)
    told: list[str] = []

    def play() -> None:
        wait_until(lambda: (bool(told), told), "the wait to have begun")
        own_lab.restart_api_server()
        live = there(client, custom_resource(service))
        client.patch_status(live, status("Ready", live["metadata"]["generation"]))

    with ThreadPoolExecutor(1) as pool:
        player = pool.submit(play)
        result = entries.reconcile(
            service, reconciler="controller", wait=True, wait_timeout=60.0, progress=told
        )
        player.result()
    assert result["services"][0]["ready"]


def test_pods_that_a_controller_says_nothing_of_end_the_wait(
    entries: Entries,
    client: Client,
    place: str,
    operator: Json,  # noqa: ARG001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its Deployment finds no node here, and the operator's status would never say so."""
    monkeypatch.setattr(lasting, "LASTS_S", {"Unschedulable": 0.5})
    service = small("chat", place)
    (decode,) = (
        manifest
        for manifest in entries.reconcile(service, state="rendered")["manifests"]
        if (manifest["kind"], manifest["metadata"]["name"]) == ("Deployment", "chat-decode")
    )
    decode["metadata"] = {"name": "chat-decode", "namespace": place}
    client.apply(decode, manager="model-operator")
    result = entries.run(service, reconciler="controller", wait=True, wait_timeout=120.0)
    for text in ("failed", "Deployment chat-decode, pod chat-decode-", "Unschedulable"):
        assert text in result["msg"]


def test_status_of_an_older_generation_is_not_taken_for_an_answer(
    entries: Entries,
    client: Client,
    place: str,
    operator: Json,  # noqa: ARG001
) -> None:
    service = small("chat", place)
    entries.reconcile(service)
    client.patch_status(custom_resource(service), status("Ready", 1))
    changed = small("chat", place, decode={"replicas": 2})
    result = entries.run(changed, wait=True, wait_timeout=2.0)
    assert result["failed"]
    assert not result["services"][0]["ready"]


def test_absent_leaves_the_finalizer_to_a_running_operator(
    entries: Entries,
    client: Client,
    place: str,
    operator: Json,  # noqa: ARG001
) -> None:
    service = small("chat", place)
    mine = {**service, "metadata": {**service["metadata"], "finalizers": [FINALIZER]}}
    client.apply(mine, manager="model-operator")
    entries.reconcile(service, state="absent")
    live = there(client, custom_resource(service))
    assert live["metadata"]["finalizers"] == [FINALIZER]
    assert live["metadata"]["deletionTimestamp"]
    client.patch(custom_resource(service), {"metadata": {"finalizers": None}})


def test_not_permitted_to_look_for_the_operator_is_said(
    own_lab: ControlPlane, client: Client, place: str
) -> None:
    from tests.lab.cluster import grant

    account = own_lab.service_account_kubeconfig("robot", place)
    everything = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
    roles = {
        "apiGroups": ["rbac.authorization.k8s.io"],
        "resources": ["clusterroles", "clusterrolebindings"],
        "verbs": ["*"],
    }
    grant(own_lab, f"{place}/robot", [everything], place)
    grant(own_lab, f"{place}/robot", [roles])
    result = Entries(account).reconcile(small("chat", place))
    assert result["services"][0]["reconciler"] == "direct"
    assert any("could not look" in text for text in result["warnings"])
    assert client.get("apps/v1", "Deployment", "chat-decode", place) is not None
