# SPDX-License-Identifier: GPL-3.0-or-later
"""What a queue of Kueue lets a workload have."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.accelerators.kueue import (
    QUEUE_LABEL,
    Queues,
    misplaced_queue,
    queue_of,
    queue_problems,
)

from .build import GPU, Json, deployment, judge, node

LOCAL = {"metadata": {"name": "team"}, "spec": {"clusterQueue": "gpus"}}


def cluster_queue(quota: int, used: int, resource: str = GPU, **spec: Any) -> Json:
    flavors = [
        {"name": "h100", "resources": [{"name": resource, "nominalQuota": str(quota)}]},
        {"name": "a100", "resources": [{"name": resource, "nominalQuota": "1"}]},
    ]
    usage = [{"name": "h100", "resources": [{"name": resource, "total": str(used)}]}]
    return {
        "metadata": {"name": "gpus"},
        "spec": {
            "namespaceSelector": {},
            "resourceGroups": [{"coveredResources": [resource], "flavors": flavors}],
            **spec,
        },
        "status": {"flavorsUsage": usage},
    }


def said(
    found: Json, locals_: list[Json], flavors: list[Json] | None = None, **labels: str
) -> list[tuple[str, str]]:
    answers, dummy = judge([deployment(2, 2)], [node("a")])
    queues = Queues(locals_, [found], flavors, "team-a", labels, [{"zone": "a"}])
    problems = queue_problems(answers, "team", queues)
    return [(problem.severity, problem.message) for problem in problems]


def test_queue_with_room_in_one_flavor_admits() -> None:
    assert said(cluster_queue(8, 4), [LOCAL]) == []


def test_queue_that_is_full_names_all_numbers() -> None:
    ((severity, text),) = said(cluster_queue(8, 5), [LOCAL])
    assert severity == "error"
    assert "flavor h100: 8 nvidia.com/gpu, 5 used, 4 requested" in text
    assert "flavor a100: 1 nvidia.com/gpu, 0 used, 4 requested" in text


def test_queue_that_may_borrow_is_not_certain() -> None:
    ((severity, text),) = said(cluster_queue(8, 5, cohort="all"), [LOCAL])
    assert severity == "warning"
    assert "the other queues of cohort all lend no more now" in text


def test_queue_without_the_resource_or_without_a_queue() -> None:
    ((dummy, text),) = said(cluster_queue(8, 0, resource="amd.com/gpu"), [LOCAL])
    assert "has no quota of nvidia.com/gpu" in text
    ((dummy, text),) = said(cluster_queue(8, 0), [])
    assert "LocalQueue team does not exist" in text


def flavor(name: str, **labels: str) -> Json:
    return {"metadata": {"name": name}, "spec": {"nodeLabels": labels}}


@pytest.mark.parametrize(
    ("spec", "local", "flavors", "text"),
    [
        ({"namespaceSelector": None}, {}, None, "has no namespaceSelector"),
        (
            {"namespaceSelector": {"matchLabels": {"team": "b"}}},
            {},
            None,
            "does not select namespace team-a",
        ),
        (
            {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "team-b"}}},
            {},
            None,
            "does not select namespace team-a",
        ),
        ({"stopPolicy": "Hold"}, {}, None, "ClusterQueue gpus is stopped (stopPolicy Hold)"),
        ({}, {"stopPolicy": "HoldAndDrain"}, None, "LocalQueue team is stopped"),
        ({}, {}, [flavor("a100")], "names ResourceFlavor h100, which does not exist"),
        (
            {},
            {},
            [flavor("a100"), flavor("h100", zone="b")],
            "no node has the labels of ResourceFlavor h100",
        ),
    ],
)
def test_queue_that_admits_nothing_says_why(
    spec: Json, local: Json, flavors: list[Json] | None, text: str
) -> None:
    named = {**LOCAL, "spec": {**LOCAL["spec"], **local}}
    messages = [
        said_text for dummy, said_text in said(cluster_queue(8, 0, **spec), [named], flavors)
    ]
    assert [each for each in messages if text in each], messages


def test_queue_that_is_not_active_says_what_it_reports() -> None:
    found = cluster_queue(8, 0)
    condition = {"type": "Active", "status": "False", "message": "flavor x is not there"}
    found["status"]["conditions"] = [condition]
    ((severity, text),) = said(found, [LOCAL])
    assert severity == "error"
    assert "is not active, so Kueue admits nothing: flavor x is not there" in text


def test_queue_that_selects_the_namespace_says_nothing() -> None:
    selecting = cluster_queue(8, 0, namespaceSelector={"matchLabels": {"team": "a"}})
    assert said(selecting, [LOCAL], [flavor("a100"), flavor("h100", zone="a")], team="a") == []


@pytest.mark.parametrize(
    ("own", "pods", "queue"),
    [({QUEUE_LABEL: "team"}, {}, "team"), ({}, {QUEUE_LABEL: "team"}, "team"), ({}, {}, "")],
)
def test_a_workload_names_its_queue_itself_or_by_its_pods(
    own: Json, pods: Json, queue: str
) -> None:
    workload = deployment(1, 1)
    workload["metadata"]["labels"] = own
    workload["spec"]["template"].setdefault("metadata", {})["labels"] = pods
    assert queue_of(workload) == queue


def test_a_queue_in_an_annotation_is_told() -> None:
    workload = deployment(1, 1)
    workload["metadata"]["annotations"] = {QUEUE_LABEL: "team"}
    (problem,) = misplaced_queue(workload)
    assert problem.path == f'metadata.annotations["{QUEUE_LABEL}"]'
    workload["metadata"]["labels"] = {QUEUE_LABEL: "team"}
    assert list(misplaced_queue(workload)) == []


def test_flavors_that_the_pods_cannot_get_do_not_count() -> None:
    taint = {"key": "gpu", "value": "h100", "effect": "NoSchedule"}
    tainted = {"metadata": {"name": "h100"}, "spec": {"nodeTaints": [taint]}}
    plain = {"metadata": {"name": "a100"}, "spec": {}}
    ((severity, text),) = said(cluster_queue(8, 0), [LOCAL], [tainted, plain])
    assert (severity, "flavor a100: 1" in text, "h100" in text) == ("error", True, False)
    both = [tainted, {"metadata": {"name": "a100"}, "spec": {"nodeTaints": [taint]}}]
    ((severity, text),) = said(cluster_queue(8, 0), [LOCAL], both)
    assert severity == "error"
    assert "has no flavor for these pods" in text
    assert "flavor h100: the pods do not tolerate its taint gpu=h100:NoSchedule" in text
    tolerated = {**tainted["spec"], "tolerations": [{"key": "gpu", "operator": "Exists"}]}
    found = [{"metadata": {"name": "h100"}, "spec": tolerated}, plain]
    assert said(cluster_queue(8, 0), [LOCAL], found) == []
