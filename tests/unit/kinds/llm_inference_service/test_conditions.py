# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of Gateways and routes.

Source: KServe pkg/controller/v1alpha2/llmisvc/{router_gateway_conditions_test,router_pool_readiness_test}.go@v0.17.0.
"""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.llm_inference_service.conditions.routes import (
    gateways_condition,
    route_fault,
    routes_condition,
)
from module_utils.kube.manifest import Json
from tests.objects import Cluster

from .release_pairs import settings
from .world import NAMESPACE, gateway, resolved, route, said


def programmed(status: str) -> list[Json]:
    return [said("Other"), said("Programmed", status)]


def gateways(*names: str, **http: Any) -> Json:
    router = {"gateway": {"refs": [{"name": name} for name in names]}, "route": {"http": http}}
    return {"router": router}


GATEWAYS: list[tuple[str, list[Json], Json, str | None]] = [
    (
        "a programmed gateway is ready",
        [gateway("a", conditions=programmed("True"))],
        gateways("a"),
        "",
    ),
    (
        "a gateway that is not programmed is named",
        [gateway("a", conditions=programmed("False"))],
        gateways("a"),
        "[team-a/a]",
    ),
    (
        "two programmed gateways are ready",
        [gateway(name, conditions=programmed("True")) for name in "ab"],
        gateways("a", "b"),
        "",
    ),
    (
        "of two gateways the one that is not programmed is named",
        [gateway("a", conditions=programmed("True")), gateway("b")],
        gateways("b", "a"),
        "[team-a/b]",
    ),
    (
        "gateways that say nothing are not ready",
        [gateway("b"), gateway("a")],
        gateways("b", "a"),
        "[team-a/a team-a/b]",
    ),
    (
        "without references nothing is said of gateways",
        [],
        {"router": {"gateway": {}, "route": {"http": {}}}},
        None,
    ),
    (
        "an unknown state is not ready",
        [gateway("a", conditions=programmed("Unknown"))],
        gateways("a"),
        "[team-a/a]",
    ),
    (
        "other conditions do not make a gateway ready",
        [gateway("a", conditions=[said("Other")])],
        gateways("a"),
        "[team-a/a]",
    ),
    (
        "a gateway without namespace is the service's neighbour",
        [gateway("a", conditions=programmed("True")), gateway("a", namespace="other")],
        gateways("a"),
        "",
    ),
    ("true means programmed", [gateway("a", conditions=programmed("True"))], gateways("a"), ""),
    (
        "false means not programmed",
        [gateway("a", conditions=programmed("False"))],
        gateways("a"),
        "[team-a/a]",
    ),
    ("no word means not programmed", [gateway("a")], gateways("a"), "[team-a/a]"),
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


@pytest.mark.parametrize(
    ("release", "http", "status"),
    [
        ("0.18", {}, "False"),
        ("0.19", {}, "True"),
        ("0.19", {"spec": {"parentRefs": [{"name": "a"}]}}, "False"),
        ("0.19", {"refs": [{"name": "mine"}]}, "False"),
    ],
)
def test_from_0_19_on_gateways_count_that_routes_lead_through(
    release: str, http: Json, status: str
) -> None:
    spec = {"router": {"gateway": {"refs": [{"name": "a"}]}, "route": {"http": http}}}
    found = gateways_condition(
        resolved(spec, settings=settings(release)),
        Cluster([gateway("a"), gateway(), route()]),
    )
    assert found is not None
    assert found.status == status


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
        "controllers that speak of something else are left aside",
        seen(reported(ACCEPTED, RESOLVED), POLICY),
        "",
    ),
    ("a route that its gateway takes is ready", seen(reported(ACCEPTED, RESOLVED)), ""),
    (
        "a route that is not accepted is not ready",
        seen(reported(said("Accepted", "False"), RESOLVED)),
        '"False" (reason "R", message "m")',
    ),
    ("a policy's controller alone takes no route", seen(POLICY), "not reported on by gw"),
    (
        "a route without word of its references is not ready",
        seen(reported(ACCEPTED)),
        (
            '"Unknown" (reason "ConditionMissing", '
            'message "ResolvedRefs condition not yet reported by gateway controller")'
        ),
    ),
    ("a route without parents is not ready", seen(parents=()), EMPTY),
    ("a route that nobody has looked at is not ready", {**seen(), "status": {}}, UNSEEN),
    ("a route that everybody has gone from is not ready", seen(), EMPTY),
    (
        "a controller that says more than it has to does no harm",
        seen(reported(ACCEPTED, RESOLVED, said("Programmed"))),
        "",
    ),
    (
        "a gateway that refuses a route decides",
        seen(reported(said("Accepted", "False"))),
        '"False" (reason "R", message "m")',
    ),
    (
        "one of two gateways of which a policy speaks alone has not reported",
        seen(
            reported(ACCEPTED, RESOLVED, name="a"),
            reported(said("Attached"), name="b"),
            parents=("a", "b"),
        ),
        "not reported on by b",
    ),
    (
        "a second controller that takes it as well does no harm",
        seen(reported(ACCEPTED, RESOLVED), reported(ACCEPTED, RESOLVED)),
        "",
    ),
    (
        "a route at two gateways is taken by both",
        seen(
            reported(ACCEPTED, RESOLVED, name="a"),
            reported(ACCEPTED, RESOLVED, name="b", namespace=NAMESPACE, kind="Gateway"),
            parents=("a", "b"),
        ),
        "",
    ),
    (
        "one of two gateways that says nothing is named",
        seen(reported(ACCEPTED, RESOLVED, name="a"), parents=("a", "b")),
        "not reported on by b",
    ),
    (
        "one that names no gateway is reported on by others alone",
        seen(reported(ACCEPTED, RESOLVED, name="a"), parents=()),
        "not reported on by a Gateway of the route, which names none",
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


def test_without_routes_there_is_nothing_to_say() -> None:
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
