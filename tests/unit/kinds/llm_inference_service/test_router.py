# SPDX-License-Identifier: GPL-3.0-or-later
"""The managed route and what it needs, and what may not be. Source: KServe pkg/controller/v1alpha2/llmisvc/controller_int_test.go@v0.17.0."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.llm_inference_service.children.http_route import http_route
from module_utils.kinds.llm_inference_service.errors import Unbuildable
from module_utils.kinds.llm_inference_service.router.pool_group import is_migrated, verdict
from module_utils.kinds.llm_inference_service.router.references import invalid_references
from module_utils.kube.manifest import Json
from module_utils.kube.reader import GivenObjects
from tests.objects import Cluster

from .world import gateway, resolved, route, stopped

OLD, NEW = "inference.networking.x-k8s.io", "inference.networking.k8s.io"
MIGRATED = {"serving.kserve.io/inference-pool-migrated": "v1"}


def backend(group: str = OLD, name: str = "chat-inference-pool") -> Json:
    return {"group": group, "kind": "InferencePool", "name": name, "port": 8000}


def routed(*backends: Json, parents: Any = ({"name": "gw"},), **router: Any) -> Json:
    spec = {"parentRefs": list(parents), "rules": [{"backendRefs": list(backends)}]}
    return {"router": {"route": {"http": {"spec": spec}}, **router}}


def live(group: str, *conditions: Json, annotations: Json | None = None) -> Json:
    """Return the managed route with a pool of a group; conditions: those of its first parent."""
    made = route({"rules": [{"backendRefs": [backend(group)]}]}, "chat-kserve-route")
    made["metadata"]["annotations"] = annotations or {}
    policy = {"conditions": [condition("Attached", "True")]}
    made["status"] = {"parents": [{"conditions": list(conditions)}, policy] if conditions else []}
    return made


def condition(kind: str, status: str, reason: str = "R") -> Json:
    return {"type": kind, "status": status, "reason": reason}


RESOLVED = condition("ResolvedRefs", "True")
WRONG_KIND = condition("ResolvedRefs", "False", "InvalidKind")
NOT_FOUND = condition("ResolvedRefs", "False", "BackendNotFound")
ACCEPTED = condition("Accepted", "True")


#: A live route, the group that is asked about, and what its gateway says of it.
VERDICTS: dict[str, tuple[Json, str, str]] = {
    "without a pool nothing is known": (route(), NEW, "unknown"),
    "a pool of the old group tells nothing of the new one": (
        live(OLD, RESOLVED),
        NEW,
        "unknown",
    ),
    "the new group that is resolved is taken": (live(NEW, RESOLVED), NEW, "taken"),
    "the new group of a wrong kind is refused": (live(NEW, WRONG_KIND), NEW, "refused"),
    "a new pool that is not found is no refusal": (live(NEW, NOT_FOUND), NEW, "taken"),
    "without a status nothing is known": (live(NEW), NEW, "unknown"),
    "the first parent's consent counts": (live(NEW, ACCEPTED, RESOLVED), NEW, "taken"),
    "the first parent's refusal counts": (live(NEW, ACCEPTED, WRONG_KIND), NEW, "refused"),
    "a policy alone says nothing of pools": (live(NEW, ACCEPTED), NEW, "unknown"),
    "a route without a pool tells nothing of the old group": (route(), OLD, "unknown"),
    "a pool of the new group tells nothing of the old one": (
        live(NEW, RESOLVED),
        OLD,
        "unknown",
    ),
    "without a status nothing is known of the old group": (live(OLD), OLD, "unknown"),
    "the old group that is resolved is taken": (live(OLD, RESOLVED), OLD, "taken"),
    "the old group of a wrong kind is refused": (live(OLD, WRONG_KIND), OLD, "refused"),
    "an old pool that is not found is no refusal": (live(OLD, NOT_FOUND), OLD, "taken"),
}


@pytest.mark.parametrize("row", VERDICTS)
def test_only_the_first_parent_says_whether_pools_are_taken(row: str) -> None:
    made, group, expected = VERDICTS[row]
    assert verdict(made, group, KServe.V0_17) == expected


#: The live route, and the group that ours names.
TURNS: dict[str, tuple[Json | None, str]] = {
    "a fresh route names the old group": (None, OLD),
    "a route that nobody has looked at names the old group": (live(OLD), OLD),
    "an annotation by hand turns the route": (live(OLD, annotations=MIGRATED), NEW),
    "a refusal of the old group turns the route": (live(OLD, ACCEPTED, WRONG_KIND), NEW),
    "a turned route stays turned": (live(NEW, NOT_FOUND, annotations=MIGRATED), NEW),
    "a pool of somebody else in the new group turns the route": (live(NEW, RESOLVED), NEW),
    "a route that is taken as it is stays": (live(OLD, RESOLVED), OLD),
}


@pytest.mark.parametrize("row", TURNS)
def test_a_route_turns_to_the_new_group_for_good(row: str) -> None:
    before, group = TURNS[row]
    spec = routed(backend("any"), backend(name="other"), scheduler={})
    child = http_route(resolved(spec), Cluster([before] if before else []))
    assert child is not None
    manifest = child.manifest.to_dict()
    mine, other = manifest["spec"]["rules"][0]["backendRefs"]
    assert (mine["group"], other["group"]) == (group, OLD)
    assert manifest["metadata"].get("annotations") == (MIGRATED if group == NEW else None)
    assert is_migrated(before, KServe.V0_17) is (group == NEW)


@pytest.mark.parametrize("router", [{}, {"scheduler": {"pool": {"ref": {"name": "theirs"}}}}])
def test_pools_of_others_stay_as_they_are(router: Json) -> None:
    child = http_route(resolved(routed(backend("any"), **router)), Cluster([live(NEW, RESOLVED)]))
    assert child is not None
    assert child.manifest.body["spec"]["rules"][0]["backendRefs"] == [backend("any")]
    assert not child.manifest.annotations


def test_the_route_is_labelled_as_part_of_the_router() -> None:
    child = http_route(resolved(routed(backend())), Cluster())
    assert child is not None
    assert child.manifest.name == "chat-kserve-route"
    assert child.manifest.labels["app.kubernetes.io/component"] == "llminferenceservice-router"


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"router": {"scheduler": {}}},
        {"router": {"route": {"http": {"refs": [{"name": "mine"}]}}}},
        {"router": {"route": {"http": {}}}},
    ],
)
def test_no_route_is_made_where_none_is_wanted(spec: Json) -> None:
    assert http_route(resolved(spec), Cluster()) is None
    assert http_route(stopped(routed(backend())), Cluster()) is None


def test_a_route_that_presets_leave_empty_is_refused() -> None:
    with pytest.raises(Unbuildable, match="neither the service nor its presets"):
        http_route(resolved({"router": {"route": {}}}), Cluster())


@pytest.mark.parametrize(
    ("parents", "refused"),
    [
        ([{"name": "a"}, {"name": "a"}], True),
        ([{"name": "a"}, {"name": "a", "sectionName": "s"}], True),
        ([{"name": "a", "sectionName": "s"}, {"name": "a", "sectionName": "s"}], True),
        ([{"name": "a", "sectionName": "s"}, {"name": "a", "sectionName": "t"}], False),
        ([{"name": "a"}, {"name": "a", "namespace": "net"}], False),
    ],
)
def test_a_parent_stands_once_in_a_route(parents: list[Json], refused: bool) -> None:
    service = resolved(routed(backend(), parents=parents))
    if not refused:
        assert http_route(service, Cluster()) is not None
        return
    with pytest.raises(Unbuildable, match="the Gateway API refuses"):
        http_route(service, Cluster())


@pytest.mark.parametrize("port", [8000, None])
def test_a_backend_that_becomes_a_service_needs_a_port(port: int | None) -> None:
    pool = {key: value for key, value in {**backend(), "port": port}.items() if value is not None}
    assert http_route(resolved(routed(pool, scheduler={})), Cluster()) is not None
    service = {**pool, "group": "", "kind": "Service"}
    made = resolved(routed(service))
    if port:
        assert http_route(made, Cluster()) is not None
        return
    with pytest.raises(Unbuildable, match="Must have port for Service reference"):
        http_route(made, Cluster())


def refs(*names: str) -> Json:
    return {"refs": [{"name": name} for name in names]}


def by_user(*names: str) -> Json:
    return {"router": {"route": {"http": refs(*names)}}}


INVALID: list[tuple[str, Json, list[Json], str, str]] = [
    (
        "a gateway that is not there is named",
        {"router": {"gateway": refs("none"), **by_user("lost")["router"]}},
        [],
        "GatewaysReady",
        "Gateway team-a/none does not exist",
    ),
    (
        "each of several gateways that are not there is named",
        {"router": {"gateway": {"refs": [{"name": "a"}, {"name": "b", "namespace": "net"}]}}},
        [],
        "GatewaysReady",
        "Gateway team-a/a does not exist; Gateway net/b does not exist",
    ),
    (
        "a gateway of the managed route that is not there is named",
        routed(backend(), parents=[{"name": "none"}]),
        [],
        "HTTPRoutesReady",
        "Managed HTTPRoute references non-existent Gateway team-a/none",
    ),
    (
        "a gateway in the empty namespace is named",
        routed(backend(), parents=[{"name": "gw", "namespace": ""}]),
        [gateway()],
        "HTTPRoutesReady",
        "Managed HTTPRoute references non-existent Gateway /gw",
    ),
    (
        "a route that is not there is named",
        {"router": {"gateway": refs("gw"), **by_user("lost")["router"]}},
        [gateway()],
        "HTTPRoutesReady",
        "HTTPRoute team-a/lost does not exist",
    ),
    (
        "a route without parents is named",
        by_user("mine"),
        [route(parents=[])],
        "HTTPRoutesReady",
        "HTTPRoute target validation failed: HTTPRoute team-a/mine has no parent gateway references",
    ),
    (
        "a route whose gateway is not there is named",
        by_user("mine"),
        [route()],
        "HTTPRoutesReady",
        (
            "HTTPRoute target validation failed: "
            "HTTPRoute team-a/mine references non-existent Gateway team-a/gw"
        ),
    ),
]


@pytest.mark.parametrize(
    ("spec", "objects", "where", "message"),
    [row[1:] for row in INVALID],
    ids=[row[0] for row in INVALID],
)
def test_a_reference_that_leads_nowhere_is_named(
    spec: Json, objects: list[Json], where: str, message: str
) -> None:
    found = invalid_references(resolved(spec), Cluster(objects))
    assert found is not None
    assert (found.condition, found.message) == (where, message)
    assert found.missing


#: What a service refers to, and what there is.
FOUND: dict[str, tuple[Json, list[Json]]] = {
    "a gateway of the author that is there is right": (
        routed(backend(), gateway=refs("gw")),
        [gateway()],
    ),
    "a gateway that came late is right": (
        {"router": {"gateway": refs("gw"), "route": {}}},
        [gateway()],
    ),
    "a route that came late is right": (by_user("mine"), [route(), gateway()]),
    "one gateway is found": ({"router": {"gateway": refs("gw")}}, [gateway()]),
    "two gateways are found": (
        {"router": {"gateway": refs("gw", "b")}},
        [gateway(), gateway("b")],
    ),
    "without references there is nothing to find": ({}, []),
    "a route without any parents has none that are missing": (routed(backend(), parents=[]), []),
}


@pytest.mark.parametrize("row", FOUND)
def test_references_that_are_there_are_right(row: str) -> None:
    spec, objects = FOUND[row]
    assert invalid_references(resolved(spec), Cluster(objects)) is None


def test_a_gateway_of_another_namespace_is_not_found() -> None:
    found = invalid_references(
        resolved({"router": {"gateway": refs("gw")}}), Cluster([gateway(namespace="net")])
    )
    assert found is not None
    assert [one.name for one in found.missing] == ["gw"]


def test_given_manifests_without_gateways_prove_nothing() -> None:
    service = resolved(routed(backend(), parents=[{"name": "none"}]))
    assert invalid_references(service, GivenObjects()) is None
    assert invalid_references(service, GivenObjects([gateway()])) is not None
