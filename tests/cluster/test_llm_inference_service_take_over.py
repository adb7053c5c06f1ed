# SPDX-License-Identifier: GPL-3.0-or-later
"""A service of KServe's controller is taken over without a pod that restarts, and keeps its certificate. The controller is played."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.fixtures import fresh_namespace

from .support.cluster import read, there
from .support.entries import Entries, actions
from .support.llm_services import children, prepare, routed
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
    """A service whose children the controller has made: those that we made first, put there again by it."""
    with fresh_namespace(client, "bare") as place:
        service = routed("chat", place)
        entries.reconcile(service)
        found = [_as_sent(there(client, each)) for each in children("chat", place)]
        entries.reconcile(service, state="absent", wait=True)
        for each in found:
            client.wait_for(each, lambda live: live is None)
        owner = client.create(
            {**service, "metadata": {**service["metadata"], "finalizers": [FINALIZER]}},
            fieldManager="kubectl-create",
        )
        for each in found:
            client.create(_owned(each, owner), fieldManager=MANAGER)
        yield Made(service, found)
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


def test_what_was_taken_over_goes_with_the_finalizer_of_the_controller(
    entries: Entries, client: Client, made: Made
) -> None:
    entries.reconcile(made.service, reconciler="direct", adopt=True)
    entries.reconcile(made.service, state="absent", wait=True)
    assert read(client, custom_resource(made.service)) is None
    binding = f"{made.service['metadata']['namespace']}-chat-epp-auth-rb"
    kind = "rbac.authorization.k8s.io/v1", "ClusterRoleBinding"
    assert read(client, reference(*kind, binding, "")) is None
