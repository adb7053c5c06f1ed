# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of a whole service: which part decides, what stays from before, and what a wait has to know."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.kind import Observation
from module_utils.kinds.llm_inference_service.observe import observe, reconcile_error
from module_utils.kube.manifest import Json
from tests.objects import Cluster

from .world import CLASS, gateway, resolved, route, stopped, thing

AVAILABLE = [{"type": "Available", "status": "True"}]
ROUTED: Json = {"router": {"route": {"http": {"spec": {"parentRefs": [{"name": "gw"}]}}}}}
NAMED: Json = {"router": {"gateway": {"refs": [{"name": "gw"}]}, **ROUTED["router"]}}
URL = "http://203.0.113.1/"


def deployment(
    name: str = "chat-kserve", ready: int = 1, updated: int = 1, generation: int = 1
) -> Json:
    status = {
        "conditions": AVAILABLE if ready else [],
        "observedGeneration": 1,
        "replicas": updated,
        "readyReplicas": ready,
        "updatedReplicas": updated,
        "availableReplicas": ready,
    }
    made = thing("apps/v1", "Deployment", name, spec={"replicas": 1}, status=status)
    made["metadata"]["generation"] = generation
    return made


def parent(**status: Any) -> Json:
    made = thing("serving.kserve.io/v1alpha2", "LLMInferenceService", "chat", status=status)
    made["metadata"]["generation"] = 3
    return made


def accepted(status: str = "True") -> Json:
    made = route(name="chat-kserve-route")
    conditions = [
        {"type": kind, "status": status, "reason": "R"} for kind in ("Accepted", "ResolvedRefs")
    ]
    made["status"] = {"parents": [{"parentRef": {"name": "gw"}, "conditions": conditions}]}
    return made


def words(observation: Observation) -> dict[str, str]:
    """Return each condition in short: its reason where it is false, else its status."""
    return {
        one["type"]: one.get("reason", "") if one["status"] == "False" else one["status"]
        for one in observation.status["conditions"]
    }


WORLD = [CLASS, gateway(), parent()]


def test_a_service_without_router_is_ready_with_its_pods() -> None:
    found = observe(resolved({}), Cluster([deployment(), parent()]))
    assert words(found) == {
        "MainWorkloadReady": "True",
        "PresetsCombined": "True",
        "Ready": "True",
        "RouterReady": "True",
        "WorkloadsReady": "True",
    }
    assert found.ready
    assert found.status["observedGeneration"] == 3
    assert [one["type"] for one in found.status["conditions"]] == sorted(words(found))


def test_only_what_does_not_count_by_itself_has_a_severity() -> None:
    found = observe(resolved({}), Cluster([deployment()]))
    severities = {one["type"]: one.get("severity") for one in found.status["conditions"]}
    assert severities["MainWorkloadReady"] == severities["PresetsCombined"] == "Info"
    assert severities["Ready"] is severities["WorkloadsReady"] is severities["RouterReady"] is None


@pytest.mark.parametrize(
    ("row", "objects", "reason"),
    [
        ("both are not ready: the router has the last word", [], "HTTPRoutesNotReady"),
        ("the pods alone", [accepted()], "Progressing"),
        ("the route alone", [deployment(), accepted("False")], "HTTPRoutesNotReady"),
        ("all is well", [deployment(), accepted()], "True"),
    ],
)
def test_ready_tells_the_reason_of_the_last_part_that_is_not(
    row: str, objects: list[Json], reason: str
) -> None:
    routes = (
        [route(name="chat-kserve-route")]
        if not any(one["kind"] == "HTTPRoute" for one in objects)
        else []
    )
    found = observe(resolved(ROUTED), Cluster([*WORLD, *routes, *objects]))
    assert words(found)["Ready"] == reason, row
    assert found.url == URL, row


def test_ready_waits_for_pods_of_the_present_template() -> None:
    old = observe(resolved({}), Cluster([deployment(generation=2)]))
    assert words(old)["Ready"] == "True"
    assert not old.ready
    assert not observe(resolved({}), Cluster([deployment(updated=0)])).ready


def test_of_several_pickers_the_leader_is_enough() -> None:
    spec = {"router": {"scheduler": {"template": {}, "replicas": 3}}}
    picker = deployment("chat-kserve-router-scheduler", ready=1, updated=3)
    picker["spec"]["replicas"] = 3
    pool = thing("inference.networking.k8s.io/v1", "InferencePool", "chat-inference-pool")
    pool["status"] = {"parents": [{"conditions": [{"type": "Accepted", "status": "True"}]}]}
    assert observe(resolved(spec), Cluster([deployment(), picker, pool])).ready


@pytest.mark.parametrize(
    ("spec", "where", "message"),
    [
        (NAMED, "GatewaysReady", "Gateway team-a/gw does not exist"),
        (ROUTED, "HTTPRoutesReady", "Managed HTTPRoute references non-existent Gateway team-a/gw"),
    ],
    ids=[
        "a gateway that is not there is an error",
        "a gateway of the managed route that is not there is an error",
    ],
)
def test_a_reference_that_leads_nowhere_ends_what_is_said_of_the_router(
    spec: Json, where: str, message: str
) -> None:
    found = observe(resolved(spec), Cluster([deployment(), parent()]))
    told = {one["type"]: one.get("message") for one in found.status["conditions"]}
    assert told[where] == told["RouterReady"] == told["Ready"] == message
    assert words(found)[where] == "RefsInvalid"
    assert len(told) == 6
    assert {kind: [one.name for one in each] for kind, each in found.awaited.items()} == {
        where: ["gw"]
    }
    assert [fault.reason for fault in found.faults] == ["RefsInvalid"]
    assert "addresses" not in found.status


def test_what_was_known_stays_while_a_gateway_is_away() -> None:
    before = observe(resolved(NAMED), Cluster([*WORLD, deployment(), accepted()])).status
    found = observe(resolved(NAMED), Cluster([deployment(), accepted(), parent(**before)]))
    assert words(found)["HTTPRoutesReady"] == "True"
    assert words(found)["GatewaysReady"] == "RefsInvalid"
    assert (found.status["url"], found.status["addresses"]) == (URL, before["addresses"])


def test_what_a_service_has_no_more_is_not_spoken_of() -> None:
    before = {"conditions": [{"type": "SchedulerWorkloadReady", "status": "True"}]}
    found = observe(resolved({}), Cluster([deployment(), parent(**before)]))
    assert "SchedulerWorkloadReady" not in words(found)


def test_a_stopped_service_says_so_of_every_part_and_keeps_its_url() -> None:
    before = {"url": URL, "addresses": [{"url": URL}]}
    found = observe(stopped(ROUTED), Cluster([*WORLD[:2], parent(**before)]))
    assert set(words(found).values()) == {"Stopped", "True"}
    assert words(found)["PresetsCombined"] == "True"
    assert len(words(found)) == 12
    assert found.status["url"] == URL
    assert "addresses" not in found.status
    assert not found.ready
    assert [fault.reason for fault in found.faults] == ["Stopped"]


def test_a_gateway_without_its_class_is_an_error_of_the_route() -> None:
    found = observe(resolved(ROUTED), Cluster([gateway(), deployment(), accepted()]))
    assert words(found)["HTTPRoutesReady"] == "HTTPRouteReconcileError"
    assert "GatewayClass" in found.status["conditions"][0]["message"]


def test_a_pool_that_is_not_there_ends_what_is_said() -> None:
    spec = {"router": {**NAMED["router"], "scheduler": {"pool": {"ref": {"name": "theirs"}}}}}
    found = observe(resolved(spec), Cluster([*WORLD, deployment(), accepted()]))
    assert words(found)["RouterReady"] == "InferencePoolFetchError"
    assert not {"GatewaysReady", "HTTPRoutesReady"} & words(found).keys()


def test_a_refused_route_is_a_fault() -> None:
    found = observe(resolved(ROUTED), Cluster([*WORLD, deployment(), accepted("False")]))
    assert [fault.reason for fault in found.faults] == ["R"]


def test_a_child_that_cannot_be_applied_makes_the_service_not_ready() -> None:
    found = reconcile_error(observe(resolved({}), Cluster([deployment()])), "no quota")
    assert words(found)["Ready"] == words(found)["MainWorkloadReady"] == "ReconcileError"
    assert not found.ready
    assert found.faults[0].message == "no quota"
