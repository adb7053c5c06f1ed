# SPDX-License-Identifier: GPL-3.0-or-later
"""A service of KServe's controller is taken over without a pod that restarts, and keeps its certificate. The controller is played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.fixtures import fresh_namespace

from .support.cluster import read, there
from .support.entries import Entries, actions
from .support.groups import (
    await_nothing,
    demand_manager,
    groups,
    is_ready,
    pods,
    spread,
    uids,
    with_env,
)
from .support.llm_services import child, children, prepare, routed
from .support.services import custom_resource, reference

Json = dict[str, Any]
#: The name that the API server gives to writes of a program called `manager`.
MANAGER = "manager"
FINALIZER = "serving.kserve.io/llmisvc-finalizer"


@pytest.fixture(scope="module")
def client(lab: Cluster) -> Client:
    """Another program's view of a cluster that knows the kind."""
    prepare(lab.client)
    return lab.client


@dataclass(frozen=True, slots=True)
class Made:
    """A service that its author applied and the played controller reconciled."""

    service: Json
    children: list[Json]


@pytest.fixture
def made(client: Client, entries: Entries) -> Iterator[Made]:
    """A service in single pods whose children the controller has made."""
    with (
        fresh_namespace(client, "bare") as place,
        _made_by_controller(
            client, entries, routed("chat", place), children("chat", place)
        ) as found,
    ):
        yield found


@contextmanager
def _made_by_controller(
    client: Client, entries: Entries, service: Json, wanted: Sequence[Json]
) -> Iterator[Made]:
    """Give a service whose children the controller has made: those that we made first, put there again by it."""
    entries.reconcile(service)
    found = [_as_sent(there(client, each)) for each in wanted]
    entries.reconcile(service, state="absent", wait=True)
    for each in found:
        client.wait_for(each, lambda live: live is None)
    await_nothing(client, service["metadata"]["name"], service["metadata"]["namespace"])
    owner = client.create(
        {**service, "metadata": {**service["metadata"], "finalizers": [FINALIZER]}},
        fieldManager="kubectl-create",
    )
    for each in found:
        client.create(_owned(each, owner), fieldManager=MANAGER)
    try:
        yield Made(service, found)
    finally:
        if read(client, custom_resource(service)) is not None:
            client.patch(custom_resource(service), {"metadata": {"finalizers": None}})


def _as_sent(live: Json) -> Json:
    """Return an object as its controller would have sent it. The address of a Service stays, since the certificate names it."""
    meta = live["metadata"]
    ours = "inference.modelops.io/"
    kept = {
        part: {key: value for key, value in (meta.get(part) or {}).items() if ours not in key}
        for part in ("labels", "annotations")
    }
    body = {key: value for key, value in live.items() if key not in ("metadata", "status")}
    place = {"namespace": meta["namespace"]} if "namespace" in meta else {}
    return {**body, "metadata": {"name": meta["name"], **place, **kept}}


def _owned(manifest: Json, owner: Json) -> Json:
    if "namespace" not in manifest["metadata"]:
        return manifest
    controller = {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {**manifest, "metadata": {**manifest["metadata"], "ownerReferences": [controller]}}


def templates(client: Client, found: list[Json]) -> dict[str, Json]:
    """Return the pod template of each Deployment: where it stays, no pod is made anew."""
    return {
        each["metadata"]["name"]: there(client, each)["spec"]["template"]
        for each in found
        if each["kind"] == "Deployment"
    }


def test_a_service_of_the_controller_is_left_to_it(entries: Entries, made: Made) -> None:
    result = entries.reconcile(made.service)
    assert result["services"][0]["reconciler"] == "controller"
    assert not {name for name in actions(result) if not name.startswith("LLMInferenceService/")}


def test_children_are_not_taken_without_leave(entries: Entries, made: Made) -> None:
    message = entries.refused(made.service, reconciler="direct")
    assert "adopt: true" in message


def test_a_service_is_taken_over_with_its_certificate(
    entries: Entries, client: Client, made: Made
) -> None:
    before = templates(client, made.children)
    predicted = entries.reconcile(made.service, reconciler="direct", adopt=True, check_mode=True)
    result = entries.reconcile(made.service, reconciler="direct", adopt=True)
    assert actions(predicted) == actions(result)
    done = {
        name: action for name, action in actions(result).items() if "InferenceService" not in name
    }
    assert set(done.values()) == {"adopted"}
    assert len(done) == len({(each["kind"], each["metadata"]["name"]) for each in made.children})
    assert templates(client, made.children) == before
    (secret,) = [each for each in made.children if each["kind"] == "Secret"]
    assert there(client, secret)["data"] == secret["data"]
    assert not entries.reconcile(made.service)["changed"]


def test_taking_over_changes_no_spec_and_a_deployment_counts_our_annotations_alone(
    entries: Entries, client: Client, made: Made
) -> None:
    def state(each: Json) -> tuple[Any, int]:
        live = there(client, each)
        return live.get("spec"), live["metadata"].get("generation", 0)

    before = [state(each) for each in made.children]
    entries.reconcile(made.service, reconciler="direct", adopt=True)
    after = [state(each) for each in made.children]
    assert [spec for spec, dummy in after] == [spec for spec, dummy in before]
    # The API server counts a Deployment's annotations as a change of it, for they reach its ReplicaSets.
    assert [new - old for (dummy, old), (dummy_spec, new) in zip(before, after, strict=True)] == [
        1 if each["kind"] == "Deployment" else 0 for each in made.children
    ]


def test_what_was_taken_over_goes_with_the_finalizer_of_the_controller(
    entries: Entries, client: Client, made: Made
) -> None:
    entries.reconcile(made.service, reconciler="direct", adopt=True)
    entries.reconcile(made.service, state="absent", wait=True)
    assert read(client, custom_resource(made.service)) is None
    binding = f"{made.service['metadata']['namespace']}-chat-epp-auth-rb"
    kind = "rbac.authorization.k8s.io/v1", "ClusterRoleBinding"
    assert read(client, reference(*kind, binding, "")) is None


@pytest.fixture
def grouped(client: Client, entries: Entries) -> Iterator[Made]:
    """A service in two groups of pods, all ready, whose children the controller has made."""
    demand_manager(client)
    with fresh_namespace(client, "bare") as place:
        wanted = [
            child("v1", "Secret", "chat-kserve-self-signed-certs", place),
            child("v1", "ServiceAccount", "chat-kserve-mn", place),
            child("v1", "Service", "chat-kserve-workload-svc", place),
            groups("chat", place),
        ]
        service = spread("chat", place, replicas=2)
        with _made_by_controller(client, entries, service, wanted) as found:
            client.wait_for(
                groups("chat", place),
                lambda live: live and (live.get("status") or {}).get("readyReplicas") == 2,
            )
            yield found


def test_groups_are_taken_over_and_no_pod_is_made_anew(
    entries: Entries, client: Client, grouped: Made
) -> None:
    place = grouped.service["metadata"]["namespace"]
    before = uids(client, "chat", place)
    assert len(before) == 4
    direct: Json = {"reconciler": "direct", "adopt": True}
    predicted = entries.reconcile(grouped.service, **direct, check_mode=True)
    result = entries.reconcile(grouped.service, **direct, wait=True, wait_timeout=180.0)
    assert actions(predicted) == actions(result)
    assert actions(result)["LeaderWorkerSet/chat-kserve-mn"] == "adopted"
    assert result["services"][0]["ready"]
    assert uids(client, "chat", place) == before
    assert all(map(is_ready, pods(client, "chat", place).values()))
    (told,) = entries.info(grouped.service)["services"]
    assert {pod["name"]: pod["uid"] for pod in told["pods"]} == before
    again = entries.reconcile(grouped.service)
    assert not again["changed"], actions(again)


def test_groups_that_would_start_anew_are_not_taken_without_leave(
    entries: Entries, client: Client, grouped: Made
) -> None:
    place = grouped.service["metadata"]["namespace"]
    before = uids(client, "chat", place)
    changed = with_env(grouped.service, "worker", "other")
    message = entries.refused(changed, reconciler="direct", adopt=True)
    assert "allow_restart" in message
    assert "LeaderWorkerSet" in message
    assert uids(client, "chat", place) == before
