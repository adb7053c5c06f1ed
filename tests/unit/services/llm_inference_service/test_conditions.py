# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of Gateways, routes, pools and workloads: reference/kserve-llmisvc.md §9.16, a row a case."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.conditions.pools import (
    pool_condition,
    pool_state,
)
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.conditions.routes import (
    gateways_condition,
    route_fault,
    routes_condition,
)

from .world import NAMESPACE, Cluster, gateway, resolved, route, thing

Json = dict[str, Any]
POOL_API = "inference.networking.k8s.io/v1"
OLD_POOL_API = "inference.networking.x-k8s.io/v1alpha2"


def said(
    kind: str, status: str = "True", reason: str = "R", message: str = "m", seen: int = 0
) -> Json:
    generation = {"observedGeneration": seen} if seen else {}
    return {"type": kind, "status": status, "reason": reason, "message": message, **generation}


def programmed(status: str) -> list[Json]:
    return [said("Other"), said("Programmed", status)]


def gateways(*names: str, **http: Any) -> Json:
    router = {"gateway": {"refs": [{"name": name} for name in names]}, "route": {"http": http}}
    return {"router": router}


GATEWAYS: list[tuple[str, list[Json], Json, str | None]] = [
    (
        "R1 a programmed gateway is ready",
        [gateway("a", conditions=programmed("True"))],
        gateways("a"),
        "",
    ),
    (
        "R2 a gateway that is not programmed is named",
        [gateway("a", conditions=programmed("False"))],
        gateways("a"),
        "[team-a/a]",
    ),
    (
        "R3 two programmed gateways are ready",
        [gateway(name, conditions=programmed("True")) for name in "ab"],
        gateways("a", "b"),
        "",
    ),
    (
        "R4 of two gateways the one that is not programmed is named",
        [gateway("a", conditions=programmed("True")), gateway("b")],
        gateways("b", "a"),
        "[team-a/b]",
    ),
    (
        "R5 gateways that say nothing are not ready",
        [gateway("b"), gateway("a")],
        gateways("b", "a"),
        "[team-a/a team-a/b]",
    ),
    (
        "R7 without references nothing is said of gateways",
        [],
        {"router": {"gateway": {}, "route": {"http": {}}}},
        None,
    ),
    (
        "R11 an unknown state is not ready",
        [gateway("a", conditions=programmed("Unknown"))],
        gateways("a"),
        "[team-a/a]",
    ),
    (
        "R13 other conditions do not make a gateway ready",
        [gateway("a", conditions=[said("Other")])],
        gateways("a"),
        "[team-a/a]",
    ),
    (
        "R8 a gateway without namespace is the service's neighbour",
        [gateway("a", conditions=programmed("True")), gateway("a", namespace="other")],
        gateways("a"),
        "",
    ),
    ("R9 true means programmed", [gateway("a", conditions=programmed("True"))], gateways("a"), ""),
    (
        "R10 false means not programmed",
        [gateway("a", conditions=programmed("False"))],
        gateways("a"),
        "[team-a/a]",
    ),
    ("R12 no word means not programmed", [gateway("a")], gateways("a"), "[team-a/a]"),
    (
        "parents of the author's routes count",
        [gateway("a", conditions=programmed("True")), gateway(), route()],
        gateways("a", refs=[{"name": "mine"}]),
        "[team-a/gw]",
    ),
]


@pytest.mark.parametrize(
    ("objects", "spec", "waiting"), [row[1:] for row in GATEWAYS], ids=[row[0] for row in GATEWAYS]
)
def test_gateways_are_ready_when_they_are_programmed(
    objects: list[Json], spec: Json, waiting: str | None
) -> None:
    found = gateways_condition(resolved(spec), Cluster(objects))
    if waiting is None:
        assert found is None
        return
    assert found is not None
    assert found.status == ("False" if waiting else "True")
    assert found.message == (waiting and f"The following Gateways are not ready: {waiting}")


def reported(*conditions: Json, name: str = "gw", **parent: Any) -> Json:
    return {"parentRef": {"name": name, **parent}, "conditions": list(conditions)}


ACCEPTED, RESOLVED = said("Accepted"), said("ResolvedRefs")
POLICY = reported(said("Attached"))
UNSEEN = "v1.HTTPRouteStatus{RouteStatus:v1.RouteStatus{Parents:[]v1.RouteParentStatus(nil)}}"
EMPTY = UNSEEN.replace("(nil)", "{}")


def seen(*reports: Json, parents: tuple[str, ...] = ("gw",), generation: int = 1) -> Json:
    made = route(parents=[{"name": name} for name in parents])
    made["metadata"]["generation"] = generation
    made["status"] = {"parents": list(reports)}
    return made


ROUTES: list[tuple[str, Json, str]] = [
    (
        "R14 controllers that speak of something else are left aside",
        seen(reported(ACCEPTED, RESOLVED), POLICY),
        "",
    ),
    ("R22 a route that its gateway takes is ready", seen(reported(ACCEPTED, RESOLVED)), ""),
    (
        "R16 a route that is not accepted is not ready",
        seen(reported(said("Accepted", "False"), RESOLVED)),
        '"False" (reason "R", message "m")',
    ),
    ("R18 a policy's controller alone takes no route", seen(POLICY), "not reported on by gw"),
    (
        "R19 a route without word of its references is not ready",
        seen(reported(ACCEPTED)),
        (
            '"Unknown" (reason "ConditionMissing", '
            'message "ResolvedRefs condition not yet reported by gateway controller")'
        ),
    ),
    ("R21 a route without parents is not ready", seen(parents=()), EMPTY),
    ("R20 a route that nobody has looked at is not ready", {**seen(), "status": {}}, UNSEEN),
    ("a route that everybody has gone from is not ready", seen(), EMPTY),
    (
        "R15 a controller that says more than it has to does no harm",
        seen(reported(ACCEPTED, RESOLVED, said("Programmed"))),
        "",
    ),
    (
        "R25 a gateway that refuses a route decides",
        seen(reported(said("Accepted", "False"))),
        '"False" (reason "R", message "m")',
    ),
    (
        "R27 one of two gateways of which a policy speaks alone has not reported",
        seen(
            reported(ACCEPTED, RESOLVED, name="a"),
            reported(said("Attached"), name="b"),
            parents=("a", "b"),
        ),
        "not reported on by b",
    ),
    (
        "R23 a second controller that takes it as well does no harm",
        seen(reported(ACCEPTED, RESOLVED), reported(ACCEPTED, RESOLVED)),
        "",
    ),
    (
        "R24 a route at two gateways is taken by both",
        seen(
            reported(ACCEPTED, RESOLVED, name="a"),
            reported(ACCEPTED, RESOLVED, name="b", namespace=NAMESPACE, kind="Gateway"),
            parents=("a", "b"),
        ),
        "",
    ),
    (
        "R26 one of two gateways that says nothing is named",
        seen(reported(ACCEPTED, RESOLVED, name="a"), parents=("a", "b")),
        "not reported on by b",
    ),
    (
        "stale",
        seen(reported(said("Accepted", message='is "ok"', seen=1), RESOLVED), generation=2),
        '"True" (reason "R", message "is \\"ok\\"")',
    ),
    ("of this generation", seen(reported(said("Accepted", seen=2), RESOLVED), generation=2), ""),
    (
        "another section",
        seen(reported(ACCEPTED, RESOLVED, sectionName="s")),
        "not reported on by gw",
    ),
]


@pytest.mark.parametrize(
    ("made", "fault"), [row[1:] for row in ROUTES], ids=[row[0] for row in ROUTES]
)
def test_a_route_is_ready_when_every_gateway_takes_it_as_it_is_now(made: Json, fault: str) -> None:
    assert route_fault(made) == (fault and f"team-a/mine: {fault}")


def test_r17_without_routes_there_is_nothing_to_say() -> None:
    assert routes_condition(resolved({"router": {"route": None}}), Cluster()) is None
    found = routes_condition(resolved({"router": {"route": {"http": {}}}}), Cluster())
    assert found is not None
    assert found.status == "True"


def test_routes_of_the_author_are_named_in_their_order_and_the_managed_one_last() -> None:
    spec = {"router": {"route": {"http": {"refs": [{"name": "b"}, {"name": "a"}], "spec": {}}}}}
    objects = [route(name=name) for name in ("a", "b", "chat-kserve-route")]
    found = routes_condition(resolved(spec), Cluster(objects))
    assert found is not None
    names = [part.partition(":")[0] for part in found.message.split("team-a/")[1:]]
    assert names == ["b", "a", "chat-kserve-route"]


def pool(
    *parents: Json, api: str = POOL_API, generation: int = 1, name: str = "chat-inference-pool"
) -> Json:
    key = "parent" if api == OLD_POOL_API else "parents"
    made = thing(api, "InferencePool", name, status={key: list(parents)})
    made["metadata"]["generation"] = generation
    return made


def taken(*conditions: Json) -> Json:
    return {"conditions": list(conditions)}


WAITING = (
    "Inference Pool team-a/chat-inference-pool exists but no Gateway controller has accepted it yet"
)
PLACE = "team-a/chat-inference-pool"
POOLS: list[tuple[str, list[Json], int, str, str]] = [
    ("a pool that nobody took waits for a gateway", [], 1, "WaitingForGateway", WAITING),
    ("an accepted pool is ready", [taken(said("Accepted"))], 1, "", ""),
    (
        "a refused pool is not ready",
        [taken(said("Accepted", "False"))],
        1,
        "InferencePoolNotReady",
        f'{PLACE}: Accepted="False" (reason "R", message "m")',
    ),
    (
        "a pool without word of acceptance is not ready",
        [taken(said("Other"))],
        1,
        "InferencePoolNotReady",
        f"The inference pool {PLACE} is not ready",
    ),
    (
        "word of an older generation does not count",
        [taken(said("Accepted", seen=1))],
        2,
        "InferencePoolNotReady",
        f'{PLACE}: Accepted="True" (reason "R", message "m")',
    ),
    ("a pool that all parents accept is ready", [taken(said("Accepted"))] * 3, 1, "", ""),
    (
        "one parent that refuses a pool decides",
        [taken(said("Accepted")), taken(said("Accepted", "False"))],
        1,
        "InferencePoolNotReady",
        f'{PLACE}: Accepted="False" (reason "R", message "m")',
    ),
]


#: The new group has the rows from R33 on, the old one those from R41 on.
BOTH_GROUPS = [
    pytest.param(api, *row[1:], id=f"R{number} {row[0]} in the {age} group")
    for age, api, first in (("new", POOL_API, 33), ("old", OLD_POOL_API, 41))
    for number, row in enumerate(POOLS, first)
]


@pytest.mark.parametrize(("api", "parents", "generation", "reason", "message"), BOTH_GROUPS)
def test_a_pool_is_ready_when_every_parent_takes_it(
    api: str, parents: list[Json], generation: int, reason: str, message: str
) -> None:
    found = pool_condition(pool(*parents, api=api, generation=generation))
    assert (found.reason, found.message) == (reason, message)
    assert found.status == ("False" if reason else "True")


SCHEDULED: Json = {"router": {"scheduler": {"template": {}}}}
TAKEN = taken(said("Accepted"))


#: What there is of the pool, and what is said.
GROUPS: dict[str, tuple[list[Json], str, str]] = {
    "the old group that is taken is enough": (
        [pool(), pool(TAKEN, api=OLD_POOL_API)],
        "True",
        "",
    ),
    "the new group that is taken is enough": (
        [pool(TAKEN), pool(api=OLD_POOL_API)],
        "True",
        "",
    ),
    "of two that are not taken the new one is told of": (
        [pool(), pool(taken(said("Accepted", "False")), api=OLD_POOL_API)],
        "False",
        "WaitingForGateway",
    ),
    "R32 without the new pool the old one is told of": (
        [pool(api=OLD_POOL_API)],
        "False",
        "WaitingForGateway",
    ),
    "R40 without any pool that is told": ([], "False", "InferencePoolFetchError"),
}


@pytest.mark.parametrize("row", GROUPS)
def test_one_group_that_is_taken_is_enough(row: str) -> None:
    objects, status, reason = GROUPS[row]
    state = pool_state(resolved(SCHEDULED), Cluster(objects))
    assert state.condition is not None
    assert (state.condition.status, state.condition.reason, state.ends) == (status, reason, False)


def test_a_pool_of_somebody_else_has_to_be_there() -> None:
    spec = {"router": {"scheduler": {"pool": {"ref": {"name": "theirs"}}}}}
    missing = pool_state(resolved(spec), Cluster())
    assert missing.ends
    assert missing.condition is not None
    assert missing.condition.message == (
        "failed to fetch referenced Inference Pool team-a/theirs: "
        'InferencePool.inference.networking.k8s.io "theirs" not found'
    )
    there = pool_state(resolved(spec), Cluster([pool(TAKEN, name="theirs")]))
    assert there.condition is not None
    assert there.condition.status == "True"
