# SPDX-License-Identifier: GPL-3.0-or-later
"""A route that its gateway refuses, for its pool is of the old group, turns to the new one: within the run where it waits.

The test plays a gateway that knows the new group alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.lab.client import ApiError, Client
from tests.lab.cluster import Cluster
from tests.lab.fixtures import fresh_namespace

from .support.broken_pods import meanwhile
from .support.cluster import read, there
from .support.entries import Entries, actions
from .support.llm_services import GATEWAY_API, child, prepare, routed

Json = dict[str, Any]
OLD, NEW = "inference.networking.x-k8s.io", "inference.networking.k8s.io"
MIGRATED = "serving.kserve.io/inference-pool-migrated"


@pytest.fixture(scope="module")
def client(lab: Cluster) -> Client:
    """Another program's view of a cluster that knows the kind."""
    prepare(lab.client)
    return lab.client


@pytest.fixture
def place(client: Client) -> Iterator[str]:
    """A namespace in which the lab plays no gateway."""
    with fresh_namespace(client, "bare") as name:
        yield name


def route(place: str, name: str = "chat") -> Json:
    return child(GATEWAY_API, "HTTPRoute", f"{name}-kserve-route", place)


def groups(live: Json) -> set[str]:
    """Return the groups under which a route names pools."""
    backends = [each for rule in live["spec"]["rules"] for each in rule["backendRefs"]]
    return {each["group"] for each in backends if each["kind"] == "InferencePool"}


def judge(client: Client, reference: Json) -> None:
    """Say of a route what a gateway says that knows the new group alone, and of the new pool that it is taken."""
    live = read(client, reference)
    if live is None:
        return
    resolved = OLD not in groups(live)
    said = {"Accepted": ("True", "Accepted")}
    said["ResolvedRefs"] = ("True", "ResolvedRefs") if resolved else ("False", "InvalidKind")
    answer(client, live, live["spec"]["parentRefs"][0], said)
    name = reference["metadata"]["name"].removesuffix("-kserve-route")
    pool = child(
        f"{NEW}/v1", "InferencePool", f"{name}-inference-pool", reference["metadata"]["namespace"]
    )
    if resolved and (there_now := read(client, pool)) is not None:
        answer(client, there_now, live["spec"]["parentRefs"][0], {"Accepted": ("True", "Accepted")})


def answer(client: Client, live: Json, parent: Json, said: dict[str, tuple[str, str]]) -> None:
    """Write the conditions of a parent, unless they are there; the object may have been changed or removed meanwhile."""
    generation = live["metadata"]["generation"]
    conditions = [
        {
            "type": kind,
            "status": status,
            "reason": reason,
            "message": "said by the test",
            "observedGeneration": generation,
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
        for kind, (status, reason) in said.items()
    ]
    parents = [
        {"controllerName": "lab.modelops.io/new", "parentRef": parent, "conditions": conditions}
    ]
    if (live.get("status") or {}).get("parents") != parents:
        try:
            client.patch_status(live, {"parents": parents})
        except ApiError as error:
            if error.code not in (404, 409):
                raise


def test_a_refused_route_turns_within_the_run_that_waits(
    entries: Entries, client: Client, place: str
) -> None:
    service = routed("chat", place)
    lines: list[str] = []
    with meanwhile(lambda: judge(client, route(place))):
        result = entries.reconcile(
            service, wait=True, wait_timeout=240.0, fit="ignore", progress=lines
        )
    live = there(client, route(place))
    assert groups(live) == {NEW}
    assert live["metadata"]["annotations"][MIGRATED] == "v1"
    assert result["services"][0]["ready"]
    # One outcome for the object, however often it was written.
    assert actions(result)["HTTPRoute/chat-kserve-route"] == "created"
    assert there(client, service)["status"]["url"]
    assert not entries.reconcile(service, fit="ignore")["changed"]


def test_a_neighbour_that_is_ready_is_left_alone(
    entries: Entries, client: Client, place: str
) -> None:
    both = [routed("chat", place), routed("code", place)]

    def gateway() -> None:
        for name in ("chat", "code"):
            judge(client, route(place, name))

    with meanwhile(gateway):
        result = entries.reconcile(*both, wait=True, wait_timeout=240.0, fit="ignore")
    assert all(service["ready"] for service in result["services"])
    assert groups(there(client, route(place, "code"))) == {NEW}
    assert result["stats"]["rounds"] <= 4


def test_without_a_wait_the_next_run_turns_the_route(
    entries: Entries, client: Client, place: str
) -> None:
    service = routed("chat", place)
    entries.reconcile(service, fit="ignore")
    judge(client, route(place))
    assert groups(there(client, route(place))) == {OLD}
    result = entries.reconcile(service, fit="ignore")
    assert actions(result)["HTTPRoute/chat-kserve-route"] == "updated"
    assert groups(there(client, route(place))) == {NEW}
    judge(client, route(place))
    assert not entries.reconcile(service, fit="ignore")["changed"]


def test_a_route_that_is_refused_for_ever_ends_the_wait(
    entries: Entries, client: Client, place: str
) -> None:
    """A gateway that takes neither group: what the run may do is done once, and the reason is told."""
    refused = {"Accepted": ("True", "Accepted"), "ResolvedRefs": ("False", "InvalidKind")}

    def gateway() -> None:
        live = read(client, route(place))
        if live is not None:
            answer(client, live, live["spec"]["parentRefs"][0], refused)

    with meanwhile(gateway):
        result = entries.run(routed("chat", place), wait=True, wait_timeout=240.0, fit="ignore")
    assert result["failed"]
    assert "InvalidKind" in result["msg"]
    assert groups(there(client, route(place))) == {NEW}
