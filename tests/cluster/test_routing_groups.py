# SPDX-License-Identifier: GPL-3.0-or-later
"""Services that share requests by weights: their routes lead to each other as soon as they work, and let go of who goes.

The test plays the gateway, which from 0.20 on has to accept the pools of a service.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from module_utils.kube.manifest import Json
from tests.lab.client import Client

from .support.broken_pods import meanwhile
from .support.cluster import read, there
from .support.entries import Entries, actions
from .support.llm_services import prepare, routed
from .support.new_gateway import judge, route
from .support.places import knowing, own_namespace

WAIT: Json = {"wait": True, "wait_timeout": 240.0}
NEWEST: Json = {"releases": {"kserve": "0.20"}, "fit": "ignore"}


client = knowing(prepare)
place = own_namespace("bare")


@pytest.fixture
def played(client: Client, place: str) -> Iterator[None]:
    """A gateway that answers to the routes and pools of all members."""

    def gateway() -> None:
        for name in ("a", "b", "c"):
            judge(client, route(place, name))

    with meanwhile(gateway):
        yield


def member(name: str, place: str, weight: int) -> Json:
    router = {"gateway": {}, "scheduler": {}, "route": {"group": "chat", "weight": weight}}
    model = {"uri": "hf://acme/chat", "name": "acme/chat"}
    return routed(name, place, router=router, model=model)


def shares(client: Client, place: str, name: str) -> dict[str, int]:
    """Return the weights of the members in the rules that a route shares with others."""
    live = there(client, route(place, name))
    shared = [
        rule
        for rule in live["spec"]["rules"]
        if not any(
            match["path"]["value"].startswith(f"/{place}/{name}") for match in rule["matches"]
        )
    ]
    assert shared
    found = [
        {
            each["name"].removesuffix("-inference-pool"): each["weight"]
            for each in rule["backendRefs"]
        }
        for rule in shared
    ]
    assert all(each == found[0] for each in found)
    return found[0]


@pytest.mark.usefixtures("played")
def test_members_find_each_other_in_one_run(entries: Entries, client: Client, place: str) -> None:
    both = [member("a", place, 3), member("b", place, 1)]
    result = entries.reconcile(*both, **WAIT, **NEWEST)
    assert all(service["ready"] for service in result["services"])
    for name in ("a", "b"):
        assert shares(client, place, name) == {"a": 3, "b": 1}
    settled = entries.reconcile(*both, **NEWEST)
    assert not settled["changed"]
    assert there(client, both[0])["status"]["router"]["group"]["members"][1]["name"] == "b"

    # Another one comes, given without the others: it finds them, and they find it when they are given next.
    third = member("c", place, 2)
    entries.reconcile(third, **WAIT, **NEWEST)
    assert shares(client, place, "c") == {"a": 3, "b": 1, "c": 2}
    assert shares(client, place, "a") == {"a": 3, "b": 1}
    result = entries.reconcile(*both, **NEWEST)
    assert {name for name, how in actions(result).items() if how == "updated"} == {
        "HTTPRoute/a-kserve-route",
        "HTTPRoute/b-kserve-route",
    }
    assert shares(client, place, "a") == {"a": 3, "b": 1, "c": 2}


@pytest.mark.usefixtures("played")
def test_a_member_goes_when_no_route_leads_to_it(
    entries: Entries, client: Client, place: str
) -> None:
    both = [member("a", place, 3), member("b", place, 1)]
    entries.reconcile(*both, **WAIT, **NEWEST)
    told = entries.refused(both[1], state="absent")
    assert "HTTPRoute" in told
    assert "still sends it requests" in told

    both[1]["metadata"]["annotations"] = {"serving.kserve.io/stop": "true"}
    entries.reconcile(*both, **NEWEST)
    assert shares(client, place, "a") == {"a": 3}
    entries.reconcile(both[1], state="absent")
    assert read(client, both[1]) is None
    assert not entries.reconcile(both[0], **NEWEST)["changed"]


@pytest.mark.usefixtures("played")
def test_a_list_that_leaves_a_member_out_takes_it_out_of_the_routes_first(
    entries: Entries, client: Client, place: str
) -> None:
    both = [member("a", place, 3), member("b", place, 1)]
    fleet = {"fleet": place}
    entries.reconcile(*both, **WAIT, **NEWEST, **fleet)
    entries.reconcile(both[0], **NEWEST, **fleet, state="overridden", max_deletions=13)
    assert shares(client, place, "a") == {"a": 3}
    assert read(client, both[1]) is None
