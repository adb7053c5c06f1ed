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
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.conditions.workloads import (
    scheduler_condition,
    workload_conditions,
)

from .world import NAMESPACE, Cluster, gateway, resolved, route, stopped, thing

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
    ("R1", [gateway("a", conditions=programmed("True"))], gateways("a"), ""),
    ("R2", [gateway("a", conditions=programmed("False"))], gateways("a"), "[team-a/a]"),
    (
        "R3",
        [gateway(name, conditions=programmed("True")) for name in "ab"],
        gateways("a", "b"),
        "",
    ),
    (
        "R4",
        [gateway("a", conditions=programmed("True")), gateway("b")],
        gateways("b", "a"),
        "[team-a/b]",
    ),
    ("R5", [gateway("b"), gateway("a")], gateways("b", "a"), "[team-a/a team-a/b]"),
    ("R7", [], {"router": {"gateway": {}, "route": {"http": {}}}}, None),
    ("R11", [gateway("a", conditions=programmed("Unknown"))], gateways("a"), "[team-a/a]"),
    ("R13", [gateway("a", conditions=[said("Other")])], gateways("a"), "[team-a/a]"),
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
    ("R14", seen(reported(ACCEPTED, RESOLVED), POLICY), ""),
    ("R15 and R22", seen(reported(ACCEPTED, RESOLVED)), ""),
    (
        "R16",
        seen(reported(said("Accepted", "False"), RESOLVED)),
        '"False" (reason "R", message "m")',
    ),
    ("R18", seen(POLICY), "not reported on by gw"),
    (
        "R19",
        seen(reported(ACCEPTED)),
        (
            '"Unknown" (reason "ConditionMissing", '
            'message "ResolvedRefs condition not yet reported by gateway controller")'
        ),
    ),
    ("R21", seen(parents=()), EMPTY),
    ("nobody has looked", {**seen(), "status": {}}, UNSEEN),
    ("everybody has gone", seen(), EMPTY),
    ("R23", seen(reported(ACCEPTED, RESOLVED), reported(ACCEPTED, RESOLVED)), ""),
    (
        "R24",
        seen(
            reported(ACCEPTED, RESOLVED, name="a"),
            reported(ACCEPTED, RESOLVED, name="b", namespace=NAMESPACE, kind="Gateway"),
            parents=("a", "b"),
        ),
        "",
    ),
    (
        "R26",
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
    ("R33", [], 1, "WaitingForGateway", WAITING),
    ("R34", [taken(said("Accepted"))], 1, "", ""),
    (
        "R35",
        [taken(said("Accepted", "False"))],
        1,
        "InferencePoolNotReady",
        f'{PLACE}: Accepted="False" (reason "R", message "m")',
    ),
    (
        "R36",
        [taken(said("Other"))],
        1,
        "InferencePoolNotReady",
        f"The inference pool {PLACE} is not ready",
    ),
    (
        "R37",
        [taken(said("Accepted", seen=1))],
        2,
        "InferencePoolNotReady",
        f'{PLACE}: Accepted="True" (reason "R", message "m")',
    ),
    ("R38", [taken(said("Accepted"))] * 3, 1, "", ""),
    (
        "R39",
        [taken(said("Accepted")), taken(said("Accepted", "False"))],
        1,
        "InferencePoolNotReady",
        f'{PLACE}: Accepted="False" (reason "R", message "m")',
    ),
]


@pytest.mark.parametrize("api", [POOL_API, OLD_POOL_API])
@pytest.mark.parametrize(
    ("parents", "generation", "reason", "message"),
    [row[1:] for row in POOLS],
    ids=[row[0] for row in POOLS],
)
def test_a_pool_is_ready_when_every_parent_takes_it(
    api: str, parents: list[Json], generation: int, reason: str, message: str
) -> None:
    found = pool_condition(pool(*parents, api=api, generation=generation))
    assert (found.reason, found.message) == (reason, message)
    assert found.status == ("False" if reason else "True")


SCHEDULED: Json = {"router": {"scheduler": {"template": {}}}}
TAKEN = taken(said("Accepted"))


@pytest.mark.parametrize(
    ("objects", "status", "reason"),
    [
        ([pool(), pool(TAKEN, api=OLD_POOL_API)], "True", ""),
        ([pool(TAKEN), pool(api=OLD_POOL_API)], "True", ""),
        (
            [pool(), pool(taken(said("Accepted", "False")), api=OLD_POOL_API)],
            "False",
            "WaitingForGateway",
        ),
        ([pool(api=OLD_POOL_API)], "False", "WaitingForGateway"),
        ([], "False", "InferencePoolFetchError"),
    ],
)
def test_one_group_that_is_taken_is_enough(objects: list[Json], status: str, reason: str) -> None:
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


def deployment(*conditions: Json, name: str = "chat-kserve", available: int = 0) -> Json:
    status = {"conditions": list(conditions), "availableReplicas": available}
    return thing("apps/v1", "Deployment", name, status=status)


LATE = said("Progressing", "False", "ProgressDeadlineExceeded", "too slow")


@pytest.mark.parametrize(
    ("conditions", "status", "reason", "message"),
    [
        ([said("Progressing", "False"), said("Available")], "True", "", ""),
        ([said("Available", "False", "Min", "none")], "False", "Min", "none"),
        ([LATE], "False", "Progressing", ""),
        ([], "False", "Progressing", ""),
    ],
)
def test_a_deployment_is_ready_when_it_is_available(
    conditions: list[Json], status: str, reason: str, message: str
) -> None:
    (found,) = workload_conditions(resolved({}), Cluster([deployment(*conditions)]))
    assert (found.type, found.status) == ("MainWorkloadReady", status)
    assert (found.reason, found.message) == (reason, message)


@pytest.mark.parametrize(
    ("spec", "kinds"),
    [
        ({}, ["MainWorkloadReady"]),
        ({"worker": {}}, ["WorkerWorkloadReady"]),
        ({"prefill": {}}, ["MainWorkloadReady", "PrefillWorkloadReady"]),
        (
            {"worker": {}, "prefill": {"worker": {}}},
            ["WorkerWorkloadReady", "PrefillWorkerWorkloadReady"],
        ),
    ],
)
def test_each_workload_that_a_service_has_is_spoken_of(spec: Json, kinds: list[str]) -> None:
    assert [one.type for one in workload_conditions(resolved(spec), Cluster())] == kinds
    every = [one.type for one in workload_conditions(stopped(spec), Cluster())]
    assert every == [
        "MainWorkloadReady",
        "WorkerWorkloadReady",
        "PrefillWorkloadReady",
        "PrefillWorkerWorkloadReady",
    ]


def test_a_group_says_that_it_is_progressing() -> None:
    (found,) = workload_conditions(resolved({"worker": {}}), Cluster())
    assert (found.reason, found.message) == ("Progressing", "LWS is progressing")


PICKER = "chat-kserve-router-scheduler"


@pytest.mark.parametrize(
    ("live", "status", "reason"),
    [
        (deployment(said("Available", "False"), name=PICKER, available=1), "True", ""),
        (deployment(LATE, said("Available"), name=PICKER), "False", "ProgressDeadlineExceeded"),
        (deployment(said("Progressing", "False"), said("Available"), name=PICKER), "True", ""),
        (deployment(said("Available", "False", "Min"), name=PICKER), "False", "Min"),
        (deployment(name=PICKER), "False", "Progressing"),
    ],
)
def test_one_picker_is_enough(live: Json, status: str, reason: str) -> None:
    found = scheduler_condition(resolved(SCHEDULED), Cluster([live]))
    assert found is not None
    assert (found.status, found.reason) == (status, reason)


def test_nothing_is_said_of_a_picker_that_is_not_ours() -> None:
    theirs = {"router": {"scheduler": {"template": {}, "pool": {"ref": {"name": "theirs"}}}}}
    assert scheduler_condition(resolved(theirs), Cluster()) is None
    assert scheduler_condition(resolved({}), Cluster()) is None
