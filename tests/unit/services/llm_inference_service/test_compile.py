# SPDX-License-Identifier: GPL-3.0-or-later
"""Which children a service has. The letters are those of the controller's own test suite."""

from __future__ import annotations

from typing import Any

import pytest

from .build import document
from .preset_world import ROUTER, account, children, pod, pods, preset, refusal

Json = dict[str, Any]

GROUPS: Json = {"worker": {}, "parallelism": {"data": 4, "dataLocal": 1}}
PREFILL_GROUPS: Json = {"worker": {}, "parallelism": {"data": 3, "dataLocal": 1}, "replicas": 1}
STOPPED = {"serving.kserve.io/stop": "True"}


def group(found: dict[tuple[str, str], Json], name: str) -> Json:
    spec: Json = found["LeaderWorkerSet", name]["spec"]
    return spec


def labels(template: Json) -> Json:
    found: Json = template["metadata"]["labels"]
    return found


def test_groups_have_leaders_that_serve() -> None:
    """L1: leader and worker, size, role decode beside prefill."""
    found = children(document(**GROUPS, replicas=2, prefill={}))
    spec = group(found, "chat-kserve-mn")
    templates = spec["leaderWorkerTemplate"]
    assert (spec["replicas"], templates["size"]) == (2, 4)
    assert labels(templates["leaderTemplate"])["llm-d.ai/role"] == "decode"
    assert labels(templates["leaderTemplate"])["kserve.io/component"] == "workload"
    assert "kserve.io/component" not in labels(templates["workerTemplate"])
    assert ("Deployment", "chat-kserve-prefill") in found
    assert ("Deployment", "chat-kserve") not in found


def test_both_roles_may_be_groups() -> None:
    """L2: sizes, replicas and roles of both."""
    found = children(
        document(worker={}, parallelism={"data": 10, "dataLocal": 2}, prefill=PREFILL_GROUPS)
    )
    prefill = group(found, "chat-kserve-mn-prefill")
    assert group(found, "chat-kserve-mn")["leaderWorkerTemplate"]["size"] == 5
    assert (prefill["replicas"], prefill["leaderWorkerTemplate"]["size"]) == (1, 3)
    assert prefill["leaderWorkerTemplate"]["subGroupPolicy"] == {"subGroupSize": 3}
    assert labels(prefill["leaderWorkerTemplate"]["leaderTemplate"])["llm-d.ai/role"] == "prefill"


def test_groups_run_under_their_account() -> None:
    """L3: account, Role and binding of groups with a sidecar, and the pods that use them."""
    found = children(document(**GROUPS, prefill={}, router={"scheduler": {}}))
    templates = group(found, "chat-kserve-mn")["leaderWorkerTemplate"]
    for name in ("leaderTemplate", "workerTemplate"):
        assert templates[name]["spec"]["serviceAccountName"] == "chat-kserve-mn"
    (subject,) = found["RoleBinding", "chat-kserve-mn-rb"]["subjects"]
    assert subject == {"kind": "ServiceAccount", "name": "chat-kserve-mn", "namespace": "team-a"}
    assert ("Role", "chat-kserve-mn-role") in found


def test_without_a_leader_workers_serve() -> None:
    bare = preset("kserve-config-llm-worker-data-parallel", {"worker": pod()})
    template = group(children(document(**GROUPS), bare), "chat-kserve-mn")["leaderWorkerTemplate"]
    assert "leaderTemplate" not in template
    assert labels(template["workerTemplate"])["kserve.io/component"] == "workload"


def test_the_queue_is_passed_on_to_groups_and_nothing_else() -> None:
    """L6: metadata with known prefixes reaches object, leader and worker; roles without prefill are `both`."""
    given = document(worker={}, parallelism={"data": 1, "dataLocal": 1})
    given["metadata"] |= {
        "labels": {"kueue.x-k8s.io/queue-name": "q", "random": "x"},
        "annotations": {
            "kueue.x-k8s.io/a": "1",
            "leaderworkerset.sigs.k8s.io/exclusive": "2",
            "random": "x",
        },
    }
    manifest = children(given)["LeaderWorkerSet", "chat-kserve-mn"]
    templates = manifest["spec"]["leaderWorkerTemplate"]
    for part in (manifest, templates["leaderTemplate"], templates["workerTemplate"]):
        assert labels(part)["kueue.x-k8s.io/queue-name"] == "q"
        assert "random" not in labels(part)
        assert set(part["metadata"]["annotations"]) == {
            "kueue.x-k8s.io/a",
            "leaderworkerset.sigs.k8s.io/exclusive",
        }
    assert templates["size"] == 1
    assert labels(templates["leaderTemplate"])["llm-d.ai/role"] == "both"


#: L9 to L18: what the service says, accounts in the namespace → accounts, Roles and bindings that are made.
ACCESS: dict[str, tuple[Json, set[str]]] = {
    "a pod needs none": ({}, set()),
    "a pod with the author's account": ({"template": {"serviceAccountName": "own"}}, set()),
    "a sidecar": ({"prefill": {}}, {"chat-kserve", "chat-kserve-role", "chat-kserve-rb"}),
    "a sidecar with the author's account": (
        {"prefill": {}, "template": {"serviceAccountName": "own"}},
        {"chat-kserve-role", "chat-kserve-rb", "chat-kserve-mn-role", "chat-kserve-mn-rb"},
    ),
    "groups": (GROUPS, {"chat-kserve-mn"}),
    "groups with the author's account": (
        {**GROUPS, "worker": {"serviceAccountName": "own"}},
        set(),
    ),
    "groups with a sidecar": (
        {**GROUPS, "prefill": {}},
        {
            "chat-kserve-mn",
            "chat-kserve-mn-role",
            "chat-kserve-mn-rb",
            "chat-kserve",
            "chat-kserve-role",
            "chat-kserve-rb",
        },
    ),
    "groups of prefill pods": (
        {"prefill": PREFILL_GROUPS},
        {"chat-kserve-mn-prefill", "chat-kserve", "chat-kserve-role", "chat-kserve-rb"},
    ),
    "groups of prefill pods with the author's account": (
        {"prefill": {**PREFILL_GROUPS, "template": {"serviceAccountName": "own"}}},
        {"chat-kserve", "chat-kserve-role", "chat-kserve-rb"},
    ),
}


@pytest.mark.parametrize("name", ACCESS)
def test_accounts_follow_what_pods_need(name: str) -> None:
    spec, wanted = ACCESS[name]
    found = children(document(**spec), account("own"))
    kinds = ("ServiceAccount", "Role", "RoleBinding")
    assert {name for kind, name in found if kind in kinds} == wanted


def test_an_account_called_like_the_managed_one_is_refused() -> None:
    told = refusal(document(template={"serviceAccountName": "chat-kserve"}))
    assert "spec.template.serviceAccountName" in told
    assert "the service would manage itself: do not name it" in told


#: P1 to P8: metadata of the service, its spec → what Deployment and pod carry besides.
PROPAGATED: dict[str, tuple[Json, Json, Json, Json]] = {
    "P1 annotations": (
        {
            "annotations": {
                "k8s.v1.cni.cncf.io/networks": "a",
                "kueue.x-k8s.io/x": "b",
                "random": "c",
            }
        },
        {},
        {"k8s.v1.cni.cncf.io/networks": "a", "kueue.x-k8s.io/x": "b"},
        {"k8s.v1.cni.cncf.io/networks": "a", "kueue.x-k8s.io/x": "b"},
    ),
    "P3, P4 what belongs to others": (
        {
            "annotations": {
                "internal.serving.kserve.io/x": "a",
                "kubectl.kubernetes.io/last-applied-configuration": "{}",
            }
        },
        {},
        {},
        {},
    ),
    "P5 Prometheus": (
        {"annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": "8000"}},
        {},
        {"prometheus.io/scrape": "true", "prometheus.io/port": "8000"},
        {"prometheus.io/scrape": "true", "prometheus.io/port": "8000"},
    ),
    "P6 the spec's own win on pods": (
        {"annotations": {"kueue.x-k8s.io/x": "metadata"}},
        {"annotations": {"kueue.x-k8s.io/x": "spec", "extra": "1"}},
        {"kueue.x-k8s.io/x": "metadata"},
        {"kueue.x-k8s.io/x": "spec", "extra": "1"},
    ),
    "P8 the spec's own alone": ({}, {"annotations": {"a": "1"}}, {}, {"a": "1"}),
}


@pytest.mark.parametrize("name", PROPAGATED)
def test_annotations_are_passed_on(name: str) -> None:
    metadata, spec, on_object, on_pod = PROPAGATED[name]
    given = document(**spec)
    given["metadata"] |= metadata
    manifest = children(given)["Deployment", "chat-kserve"]
    assert manifest["metadata"].get("annotations", {}) == on_object
    assert manifest["spec"]["template"]["metadata"].get("annotations", {}) == on_pod


def test_labels_are_passed_on_to_object_selector_and_pod() -> None:
    """P2, P6."""
    given = document(labels={"extra": "1"}, prefill={"labels": {"more": "2"}})
    given["metadata"]["labels"] = {
        "kueue.x-k8s.io/queue-name": "q",
        "random": "x",
        "app.kubernetes.io/name": "other",
    }
    found = children(given)
    for name, extra in (("chat-kserve", set()), ("chat-kserve-prefill", {"more"})):
        manifest = found["Deployment", name]
        own = labels(manifest)
        assert (
            own
            == manifest["spec"]["selector"]["matchLabels"]
            == labels(manifest["spec"]["template"])
        )
        assert own["app.kubernetes.io/name"] == "chat"
        assert {"kueue.x-k8s.io/queue-name", "extra", *extra} <= own.keys()
        assert "random" not in own


def test_the_sidecar_knows_one_pool() -> None:
    own = [{"name": "INFERENCE_POOL_NAME", "value": "mine"}]
    sidecar = {"name": "llm-d-routing-sidecar", "env": own}
    given = document(prefill={}, router=ROUTER, template={"initContainers": [sidecar]})
    decode = children(given)["Deployment", "chat-kserve"]["spec"]["template"]["spec"]
    assert decode["initContainers"][0]["env"] == [
        {"name": "INFERENCE_POOL_NAME", "value": "chat-inference-pool"}
    ]


def test_a_sidecar_without_a_router_knows_no_pool() -> None:
    decode = children(document(prefill={}))["Deployment", "chat-kserve"]["spec"]["template"]["spec"]
    assert "env" not in decode["initContainers"][0]


def test_replicas_are_sent_only_where_they_are_given() -> None:
    assert "replicas" not in children(document())["Deployment", "chat-kserve"]["spec"]
    assert children(document(replicas=0))["Deployment", "chat-kserve"]["spec"]["replicas"] == 0
    assert "replicas" not in group(children(document(**GROUPS)), "chat-kserve-mn")


@pytest.mark.parametrize(
    ("spec", "kept"),
    [
        ({"router": ROUTER}, set()),
        ({"prefill": {}, "router": ROUTER}, set()),
        (GROUPS, {("ServiceAccount", "chat-kserve-mn")}),
        (
            {**GROUPS, "prefill": {}},
            {
                ("ServiceAccount", "chat-kserve-mn"),
                ("Role", "chat-kserve-mn-role"),
                ("RoleBinding", "chat-kserve-mn-rb"),
            },
        ),
    ],
)
def test_a_stopped_service_keeps_nothing_but_the_access_of_groups(
    spec: Json, kept: set[tuple[str, str]]
) -> None:
    """S1 to S6."""
    given = document(**spec)
    given["metadata"]["annotations"] = STOPPED
    assert {key for key in children(given) if key[0] != "HTTPRoute"} == kept


def test_parts_that_do_not_go_together_are_told_at_once() -> None:
    own = {
        "containers": [
            {
                "name": "main",
                "readinessProbe": {"periodSeconds": 1},
                "volumeMounts": [{"name": "gone", "mountPath": "/a"}],
            },
            {"name": "logger"},
        ]
    }
    told = refusal(document(template=own))
    assert "LLMInferenceService team-a/chat: 3 problems" in told
    assert 'container "logger" has no image' in told
    assert '"gone" is none of the pod\'s volumes' in told
    assert "Deployment team-a/chat-kserve: spec.template.spec.containers[0].readinessProbe" in told


def test_no_child_changes_another() -> None:
    """Builders share parts of the resolved spec; the pods of both roles stay apart."""
    first, second = (children(document(prefill={}, router=ROUTER)) for dummy in range(2))
    assert first == second
    assert len(list(pods(first))) == 2
