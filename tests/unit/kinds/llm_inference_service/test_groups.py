# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of pods and the accounts under which pods run. Source: KServe pkg/controller/v1alpha2/llmisvc/controller_int_multi_node_test.go@v0.17.0.

What needs a server is tried on one: tests/cluster/test_llm_inference_service_scenarios.py.
"""

from __future__ import annotations

import pytest

from module_utils.kube.manifest import Json

from .build import document
from .preset_world import account, children, pod, preset

GROUPS: Json = {"worker": {}, "parallelism": {"data": 4, "dataLocal": 1}}
#: What a picker needs.
PICKER = {"chat-epp-sa", "chat-epp-role", "chat-epp-rb"}
PREFILL_GROUPS: Json = {"worker": {}, "parallelism": {"data": 3, "dataLocal": 1}, "replicas": 1}


def group(found: dict[tuple[str, str], Json], name: str) -> Json:
    spec: Json = found["LeaderWorkerSet", name]["spec"]
    return spec


def labels(template: Json) -> Json:
    found: Json = template["metadata"]["labels"]
    return found


def test_groups_have_leaders_that_serve() -> None:
    """Leader and worker, size, role decode beside prefill."""
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
    """Sizes, replicas and roles of both."""
    found = children(
        document(worker={}, parallelism={"data": 10, "dataLocal": 2}, prefill=PREFILL_GROUPS)
    )
    prefill = group(found, "chat-kserve-mn-prefill")
    assert group(found, "chat-kserve-mn")["leaderWorkerTemplate"]["size"] == 5
    assert (prefill["replicas"], prefill["leaderWorkerTemplate"]["size"]) == (1, 3)
    assert prefill["leaderWorkerTemplate"]["subGroupPolicy"] == {"subGroupSize": 3}
    assert labels(prefill["leaderWorkerTemplate"]["leaderTemplate"])["llm-d.ai/role"] == "prefill"


def test_groups_run_under_their_account() -> None:
    """Account, Role and binding of groups with a sidecar, and the pods that use them."""
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
    """Metadata with known prefixes reaches object, leader and worker; roles without prefill are `both`."""
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


#: What the service says → accounts, Roles and bindings that are made.
ACCESS: dict[str, tuple[Json, set[str]]] = {
    "groups with the author's account make none": (
        {**GROUPS, "template": {"serviceAccountName": "own"}},
        set(),
    ),
    "a worker may name the author's account": (
        {**GROUPS, "worker": {"serviceAccountName": "own"}},
        set(),
    ),
    "groups make their account": (GROUPS, {"chat-kserve-mn"}),
    "without workers the account of groups goes": ({}, set()),
    "prefill groups with the author's account make none": (
        {"prefill": {**PREFILL_GROUPS, "template": {"serviceAccountName": "own"}}},
        {"chat-kserve", "chat-kserve-role", "chat-kserve-rb"},
    ),
    "prefill groups make their account": (
        {"prefill": PREFILL_GROUPS},
        {"chat-kserve-mn-prefill", "chat-kserve", "chat-kserve-role", "chat-kserve-rb"},
    ),
    "without prefill workers the account of prefill groups goes": (
        {"prefill": {}},
        {"chat-kserve", "chat-kserve-role", "chat-kserve-rb"},
    ),
    "a pod with the author's account makes none": (
        {"template": {"serviceAccountName": "own"}},
        set(),
    ),
    "a pod without a sidecar needs no account": ({"router": {"scheduler": {}}}, PICKER),
    "a pod with the author's account and a route makes none": (
        {"template": {"serviceAccountName": "own"}, "router": {"route": {}}},
        set(),
    ),
    "a pod with a route and no sidecar needs no account": ({"router": {"route": {}}}, set()),
    "a sidecar with the author's account makes what that may do": (
        {"prefill": {}, "template": {"serviceAccountName": "own"}},
        {"chat-kserve-role", "chat-kserve-rb", "chat-kserve-mn-role", "chat-kserve-mn-rb"},
    ),
    "groups with a sidecar make what both need": (
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
}


@pytest.mark.parametrize("row", ACCESS)
def test_accounts_follow_what_pods_need(row: str) -> None:
    spec, wanted = ACCESS[row]
    found = children(document(**spec), account("own"))
    kinds = ("ServiceAccount", "Role", "RoleBinding")
    assert {name for kind, name in found if kind in kinds} == wanted


#: What a service was, what it becomes, and the group that goes.
GONE: dict[str, tuple[Json, Json, str]] = {
    "without workers the group goes": (GROUPS, {}, "chat-kserve-mn"),
    "without prefill its group goes": (
        {**GROUPS, "prefill": PREFILL_GROUPS},
        GROUPS,
        "chat-kserve-mn-prefill",
    ),
}


@pytest.mark.parametrize("row", GONE)
def test_a_group_that_is_not_asked_for_goes(row: str) -> None:
    before, after, name = GONE[row]
    assert ("LeaderWorkerSet", name) in children(document(**before))
    assert ("LeaderWorkerSet", name) not in children(document(**after))
