# SPDX-License-Identifier: GPL-3.0-or-later
"""Services of each kind are followed alike, also over a restart of the API server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.control_plane import ControlPlane
from tests.lab.fixtures import fresh_namespace

from .support import inference_services, llm_services, services
from .support.entries import Entries
from .support.followed import Followed
from .support.services import custom_resource, deployment, small


@dataclass(frozen=True)
class Kind:
    """How services of a kind are made. workload: the Deployment of the service `chat`."""

    make: Callable[[str, str], Json]
    workload: str
    settings: Json


KINDS = {
    "ModelService": Kind(services.full, "chat-decode", {}),
    "LLMInferenceService": Kind(llm_services.routed, "chat-kserve", {"config_prefix": "modelops-"}),
    "InferenceService": Kind(
        inference_services.isvc, "chat-predictor", inference_services.SETTINGS
    ),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    """Each kind of services."""
    return KINDS[request.param]


@pytest.fixture
def place(lab: Cluster) -> Iterator[str]:
    """A namespace of this test alone, in a cluster that knows the kinds."""
    inference_services.prepare(lab.client)
    llm_services.prepare(lab.client)
    with fresh_namespace(lab.client, "follow") as name:
        yield name


@pytest.fixture
def followed(kind: Kind, entries: Entries, lab: Cluster, place: str) -> Iterator[Followed]:
    """Followed, with the ready service `chat`."""
    chat = kind.make("chat", place)
    entries.reconcile(chat, settings=kind.settings, wait=True, wait_timeout=120.0)
    made = Followed(lab.kubeconfig, place)
    made.wait_until_it_follows(lambda name: lab.client.apply(kind.make(name, place)))
    yield made
    made.end()


def test_drift_failure_coming_and_going_are_told(
    kind: Kind, followed: Followed, entries: Entries, client: Client, place: str
) -> None:
    chat, later = kind.make("chat", place), kind.make("later", place)
    owner = {"kind": chat["kind"], "namespace": place, "name": "chat"}
    client.patch(deployment(kind.workload, place), {"spec": {"paused": True}})
    found = followed.wait_for("drift", kind.workload)
    assert (found["service"], found["reason"]) == (owner, "changed")
    client.delete(deployment(kind.workload, place))
    assert followed.wait_for("drift", kind.workload)["reason"] == "deleted"
    failure = {"type": "Ready", "status": "False", "reason": "CrashLoop", "message": "it crashes"}
    client.patch_status(
        custom_resource(chat),
        {"conditions": [{**failure, "lastTransitionTime": "2026-01-01T00:00:00Z"}]},
    )
    found = followed.wait_for("failure", "chat")
    assert found["reason"] == "CrashLoop"
    assert "it crashes" in found["message"]
    entries.reconcile(chat, later, settings=kind.settings)
    followed.wait_for("new", "later")
    entries.reconcile(later, settings=kind.settings, state="absent")
    followed.wait_for("deletion", "later")
    assert followed.events == []


def test_restart_of_the_api_server_loses_no_event(own_lab: ControlPlane) -> None:
    with fresh_namespace(own_lab.client, "follow") as place:
        entries = Entries(own_lab.kubeconfig)
        followed = Followed(own_lab.kubeconfig, place)
        try:
            followed.wait_until_it_follows(lambda name: entries.reconcile(small(name, place)))
            entries.reconcile(services.full("chat", place))
            followed.wait_for("new", "chat")
            own_lab.restart_api_server()
            own_lab.client.delete(services.children("chat", place)[1])
            followed.wait_for("drift", "chat-epp-config")
        finally:
            followed.end()
