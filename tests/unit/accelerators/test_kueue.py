# SPDX-License-Identifier: GPL-3.0-or-later
"""What a queue of Kueue lets a workload have."""

from __future__ import annotations

from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.accelerators.kueue import (
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
        "spec": {"resourceGroups": [{"coveredResources": [resource], "flavors": flavors}], **spec},
        "status": {"flavorsUsage": usage},
    }


def said(found: Json, locals_: list[Json]) -> list[tuple[str, str]]:
    answers, dummy = judge([deployment(2, 2)], [node("a")])
    problems = queue_problems(answers, "team", locals_, [found])
    return [(problem.severity, problem.message) for problem in problems]


def test_queue_with_room_in_one_flavor_admits() -> None:
    assert said(cluster_queue(8, 4), [LOCAL]) == []


def test_queue_that_is_full_names_all_numbers() -> None:
    ((severity, text),) = said(cluster_queue(8, 5), [LOCAL])
    assert severity == "error"
    assert "flavor h100: 8 nvidia.com/gpu, 5 used, 4 wanted" in text
    assert "flavor a100: 1 nvidia.com/gpu, 0 used, 4 wanted" in text


def test_queue_that_may_borrow_is_not_certain() -> None:
    ((severity, text),) = said(cluster_queue(8, 5, cohort="all"), [LOCAL])
    assert severity == "warning"
    assert "may borrow in cohort all" in text


def test_queue_without_the_resource_or_without_a_queue() -> None:
    ((dummy, text),) = said(cluster_queue(8, 0, resource="amd.com/gpu"), [LOCAL])
    assert "has no quota of nvidia.com/gpu" in text
    ((dummy, text),) = said(cluster_queue(8, 0), [])
    assert "LocalQueue team does not exist" in text
