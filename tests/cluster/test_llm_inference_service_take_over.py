# SPDX-License-Identifier: GPL-3.0-or-later
"""A service of KServe's controller is taken over without a pod that restarts, and keeps its certificate. The controller is played."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.fixtures import fresh_namespace

from .support.cluster import read, there
from .support.entries import Entries, actions
from .support.groups import (
    demand_manager,
    groups,
    is_ready,
    pods,
    spread,
    uids,
    with_env,
)
from .support.llm_services import child, children, prepare, routed
from .support.llm_take_over import Made, made_by_controller
from .support.places import knowing
from .support.services import custom_resource, reference

client = knowing(prepare)


@pytest.fixture
def made(client: Client, entries: Entries) -> Iterator[Made]:
    """A service in single pods whose children the controller has made."""
    with (
        fresh_namespace(client, "bare") as place,
        made_by_controller(
            client, entries, routed("chat", place), children("chat", place)
        ) as found,
    ):
        yield found


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
        with made_by_controller(client, entries, service, wanted) as found:
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
