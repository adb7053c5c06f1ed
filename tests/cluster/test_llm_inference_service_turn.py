# SPDX-License-Identifier: GPL-3.0-or-later
"""A route that its gateway refuses, for its pool is of the old group, turns to the new one: within the run where it waits.

The test plays a gateway that knows the new group alone.
"""

from __future__ import annotations

from tests.lab.client import Client

from .support.broken_pods import meanwhile
from .support.cluster import read, there
from .support.entries import Entries, actions
from .support.llm_services import prepare, routed
from .support.new_gateway import NEW, OLD, answer, groups, judge, route
from .support.places import knowing, own_namespace

MIGRATED = "serving.kserve.io/inference-pool-migrated"


client = knowing(prepare)
place = own_namespace("bare")


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
