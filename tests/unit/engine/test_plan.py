# SPDX-License-Identifier: GPL-3.0-or-later
"""What a plan does, refuses and leaves alone is known before anything is written."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.cluster.errors import KindMissing
from ansible_collections.modelops.inference.plugins.module_utils.engine.desired import Desired
from ansible_collections.modelops.inference.plugins.module_utils.engine.owner_object import (
    custom_resource,
)
from ansible_collections.modelops.inference.plugins.module_utils.engine.plan import Action
from ansible_collections.modelops.inference.plugins.module_utils.engine.policy import (
    Budget,
    Policy,
)
from ansible_collections.modelops.inference.plugins.module_utils.engine.service_plan import (
    ServicePlan,
    deletions,
    plan_service,
    removals,
    stage_of,
)
from ansible_collections.modelops.inference.plugins.module_utils.engine.snapshot import Snapshot
from ansible_collections.modelops.inference.plugins.module_utils.kinds.registry import KINDS
from ansible_collections.modelops.inference.plugins.module_utils.kube.intent import Stage
from ansible_collections.modelops.inference.plugins.module_utils.kube.reader import GivenObjects
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference

from .wanted import SERVICE, UID, child, live, wanted

Json = dict[str, Any]
PARENT = custom_resource(
    {
        "apiVersion": SERVICE.api_version,
        "kind": SERVICE.kind,
        "metadata": {"name": SERVICE.name, "namespace": SERVICE.namespace},
        "spec": {"decode": {"replicas": 1}},
    },
    "default",
)
CONFIG = wanted(child(data={"key": "value"}))
DEPLOYMENT = wanted(
    child(
        "Deployment",
        "chat-decode",
        api_version="apps/v1",
        stage=Stage.WORKLOAD,
        spec={"selector": {"matchLabels": {"app": "chat"}}},
    )
)
CHILDREN = (CONFIG, DEPLOYMENT)


def _there(made: Desired) -> Json:
    there = live(made)
    if made is PARENT:
        there["metadata"]["uid"] = UID
    return there


def _snapshot(*objects: Json) -> Snapshot:
    return Snapshot({Reference.of(each): each for each in objects})


def _plan(
    snapshot: Snapshot, children: Iterable[Desired] = CHILDREN, **options: Any
) -> ServicePlan:
    return plan_service(PARENT, tuple(children), snapshot, Policy(**options))


def _actions(plan: ServicePlan) -> dict[str, Action]:
    return {str(change.reference): change.action for change in plan.changes}


SETTLED = tuple(_there(each) for each in (PARENT, *CHILDREN))


def test_service_that_is_as_wanted_needs_nothing() -> None:
    plan = _plan(_snapshot(*SETTLED))
    assert (plan.changes, plan.problems) == ([], [])
    assert plan.unchanged == [PARENT.reference, CONFIG.reference, DEPLOYMENT.reference]
    assert plan.owner_uid == UID


def test_new_service_is_made_from_its_parent_to_its_children() -> None:
    plan = _plan(_snapshot())
    assert [change.action for change in plan.changes] == [Action.CREATE] * 3
    assert plan.changes[0].stage is Stage.PARENT
    assert plan.owner_uid == ""


def test_what_is_missing_is_made_and_what_differs_is_updated() -> None:
    drifted = deepcopy(SETTLED[1])
    drifted["data"]["key"] = "other"
    plan = _plan(_snapshot(SETTLED[0], drifted))
    assert _actions(plan) == {
        "ConfigMap team-a/chat-config": Action.UPDATE,
        "Deployment team-a/chat-decode": Action.CREATE,
    }
    assert [change.reason for change in plan.changes] == [
        "data.key was changed",
        "it does not exist",
    ]


def test_children_get_a_new_owner_where_the_parent_was_made_anew() -> None:
    parent = deepcopy(SETTLED[0])
    parent["metadata"]["uid"] = "another"
    assert set(_actions(_plan(_snapshot(parent, *SETTLED[1:])))) == {
        str(CONFIG.reference),
        str(DEPLOYMENT.reference),
    }


def _other_selector() -> Json:
    there = deepcopy(SETTLED[2])
    there["spec"]["selector"]["matchLabels"]["app"] = "other"
    return there


def test_field_that_cannot_change_is_a_problem_and_says_the_way_out() -> None:
    plan = _plan(_snapshot(*SETTLED[:2], _other_selector()))
    assert plan.changes == []
    (problem,) = plan.problems
    assert problem.rule == "immutable"
    assert "spec.selector cannot be changed" in problem.message
    assert "recreate: [Deployment]" in problem.message


def test_field_that_cannot_change_is_no_problem_where_the_object_may_be_made_anew() -> None:
    plan = _plan(_snapshot(*SETTLED[:2], _other_selector()), recreate=frozenset({"Deployment"}))
    assert plan.problems == []
    assert _actions(plan) == {str(DEPLOYMENT.reference): Action.RECREATE}
    refused = _plan(_snapshot(*SETTLED[:2], _other_selector()), recreate=frozenset({"RoleBinding"}))
    assert refused.changes == []


def _of(manager: str, **annotations: str) -> Json:
    there = live(CONFIG, manager=manager)
    there["metadata"]["annotations"].update(annotations)
    return there


@pytest.mark.parametrize(
    ("there", "said"),
    [
        (_of("kubectl"), "set adopt: true"),
        (
            _of("modelops.inference", **{"inference.modelops.io/owner": "ModelService/team-a/b"}),
            "rename one of the services",
        ),
    ],
)
def test_object_of_somebody_else_is_refused_by_name_with_the_way_out(
    there: Json, said: str
) -> None:
    plan = _plan(_snapshot(SETTLED[0], there, SETTLED[2]))
    (problem,) = plan.problems
    assert plan.changes == []
    assert problem.rule == "ownership"
    assert str(CONFIG.reference) in problem.message
    assert said in problem.message


def test_stranger_that_carries_our_marks_is_taken_over_where_that_is_permitted() -> None:
    """Manifests of `state: rendered` that somebody applied with kubectl."""
    plan = _plan(_snapshot(SETTLED[0], _of("kubectl"), SETTLED[2]), adopt=True)
    assert plan.problems == []
    assert _actions(plan) == {str(CONFIG.reference): Action.ADOPT}


def test_object_of_another_service_is_not_taken_over() -> None:
    other = _of("modelops.inference", **{"inference.modelops.io/owner": "ModelService/team-a/b"})
    plan = _plan(_snapshot(SETTLED[0], other, SETTLED[2]), adopt=True)
    assert [problem.rule for problem in plan.problems] == ["ownership"]
    assert plan.changes == []


def test_custom_resource_that_its_author_applied_is_the_service_itself() -> None:
    by_hand = live(PARENT, manager="kubectl")
    by_hand["metadata"]["uid"] = UID
    plan = _plan(_snapshot(by_hand, *SETTLED[1:]))
    assert plan.problems == []
    assert _actions(plan) == {str(PARENT.reference): Action.ADOPT}


def test_service_of_another_fleet_is_refused_once_and_not_child_by_child() -> None:
    others = [deepcopy(each) for each in SETTLED]
    for each in others:
        each["metadata"]["labels"]["inference.modelops.io/fleet"] = "blue"
    plan = _plan(_snapshot(*others))
    (problem,) = plan.problems
    assert str(PARENT.reference) in problem.message
    assert "set fleet to that name" in problem.message


def test_kind_that_is_not_installed_is_named_once() -> None:
    pools = [wanted(child("InferencePool", name, api_version="x/v1")) for name in ("a", "b")]
    snapshot = _snapshot(*SETTLED)
    snapshot.missing["x/v1", "InferencePool"] = KindMissing("x/v1", "InferencePool")
    plan = _plan(snapshot, [*CHILDREN, *pools])
    assert [problem.rule for problem in plan.problems] == ["missing-kind"]
    assert "CRD is not installed" in plan.problems[0].message


# What is removed.


def _old(kind: str, name: str = "old", api_version: str = "v1", **options: Any) -> Json:
    return live(wanted(child(kind, name, api_version=api_version, **options)))


def test_child_that_the_service_no_longer_wants_is_removed_and_nothing_else() -> None:
    others = live(wanted(child(name="others"), service=SERVICE._replace(name="other")))
    plan = _plan(_snapshot(*SETTLED, _old("ConfigMap"), others))
    (change,) = removals(_snapshot(*SETTLED, _old("ConfigMap"), others), plan)
    assert (change.action, change.reference.name) == (Action.DELETE, "old")
    assert change.reason == "the service no longer needs it"


def test_copy_that_somebody_made_of_a_child_is_not_removed() -> None:
    copy = _old("ConfigMap", "copied-by-hand")
    copy["metadata"]["managedFields"][0].update(manager="kubectl-client-side-apply")
    snapshot = _snapshot(*SETTLED, copy)
    assert removals(snapshot, _plan(snapshot)) == []


def test_what_is_being_deleted_already_is_not_deleted_again() -> None:
    old = _old("ConfigMap")
    old["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    snapshot = _snapshot(*SETTLED, old)
    assert removals(snapshot, _plan(snapshot)) == []


def test_removal_goes_from_routes_to_the_custom_resource() -> None:
    """A route goes before what it leads to, an account after the workload that uses it."""
    kinds = ("ServiceAccount", "HTTPRoute", "Deployment", "RoleBinding", "Service", "Role")
    there = [_there(PARENT), *(_old(kind, f"old-{kind.lower()}") for kind in kinds)]
    found = deletions(_snapshot(*there), SERVICE, keep=set(), reason="absent")
    assert [change.reference.kind for change in found][:4] == [
        "HTTPRoute",
        "Deployment",
        "Service",
        "RoleBinding",
    ]
    assert found[-1].reference == PARENT.reference
    assert {change.reference.kind for change in found[4:6]} == {"ServiceAccount", "Role"}


@pytest.mark.parametrize(
    ("kind", "name", "stage"),
    [
        ("ModelService", "chat", Stage.PARENT),
        ("ConfigMap", "chat.modelservice", Stage.PARENT),
        ("ConfigMap", "chat-epp-config", Stage.CONFIG),
        ("ServiceAccount", "x", Stage.ACCESS),
        ("ClusterRole", "x", Stage.ACCESS),
        ("ClusterRoleBinding", "x", Stage.CONFIG),
        ("Secret", "x", Stage.CONFIG),
        ("LeaderWorkerSet", "x", Stage.WORKLOAD),
        ("InferencePool", "x", Stage.ROUTING),
        ("KindOfTheFuture", "x", Stage.ROUTING),
    ],
)
def test_stage_of_an_object_whose_intent_is_gone(kind: str, name: str, stage: Stage) -> None:
    assert stage_of(Reference("x/v1", kind, "team-a", name), SERVICE) is stage


def test_each_kind_of_child_is_removed_in_the_stage_in_which_it_is_made() -> None:
    from tests.unit.kinds.inference_graph.build import document as graph_document
    from tests.unit.kinds.inference_graph.build import node
    from tests.unit.kinds.inference_service.build import document as isvc_document
    from tests.unit.kinds.llm_inference_service.build import document as llm_document
    from tests.unit.kinds.local_model_cache.build import cache, group
    from tests.unit.kinds.local_model_cache.build import node as cache_node
    from tests.unit.kinds.model_service.build import document

    router: Json = {"scheduler": {}, "route": {}, "gateway": {}}
    documents = (
        document(
            inferencePool={"endpointPicker": {}},
            prefill={},
            monitoring={"podMonitor": {"enabled": True}},
        ),
        llm_document(prefill={}, router=router),
        graph_document({"root": node("Sequence", {"serviceUrl": "http://x"})}),
        cache(),
        cache(namespace="team-a"),
        *(
            isvc_document(predictor={"containers": [{"image": "x"}]}, annotations=asked)
            for asked in (
                {"autoscalerClass": "none"},
                {"deploymentMode": "Standard"},
                {"deploymentMode": "Knative"},
            )
        ),
    )
    assert {each["kind"] for each in documents} == {kind for dummy, kind in KINDS}
    reader = GivenObjects([group(), cache_node()])
    for each in documents:
        kind = KINDS[each["apiVersion"], each["kind"]]
        settings = kind.settings({}, {})
        service = kind.load(each, settings).service
        made = kind.compile(service, settings, reader).children
        assert made
        for each_child in made:
            reference = each_child.manifest.reference
            assert stage_of(reference, SERVICE) is each_child.stage, reference


@pytest.mark.parametrize(
    ("limit", "objects", "allowed"),
    [
        (None, 0, 5),
        (None, 24, 5),
        (None, 30, 6),
        (None, 249, 49),
        (None, 250, 50),
        (None, 3000, 50),
        (0, 3000, 0),
        (700, 3, 700),
    ],
)
def test_so_many_objects_may_go_and_not_one_more(
    limit: int | None, objects: int, allowed: int
) -> None:
    budget = Budget(limit)
    assert budget.of(objects) == allowed
    assert budget.allows(allowed, objects)
    assert not budget.allows(allowed + 1, objects)
