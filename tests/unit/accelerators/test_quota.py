# SPDX-License-Identifier: GPL-3.0-or-later
"""What a namespace lets pods ask for."""

from __future__ import annotations

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.accelerators.demand import (
    demands_of,
)
from ansible_collections.modelops.inference.plugins.module_utils.accelerators.quota import (
    quota_problems,
    range_problems,
    with_defaults,
)
from ansible_collections.modelops.inference.plugins.module_utils.accelerators.requests import (
    pod_requests,
)

from .build import GPU, Json, deployment, judge, node


def quota(hard: Json, used: Json | None = None, namespace: str = "team-a", **spec: object) -> Json:
    return {
        "metadata": {"name": "gpus", "namespace": namespace},
        "spec": {"hard": hard, **spec},
        "status": {"used": used or {}},
    }


def problems(found: Json, replicas: int = 2, **pods: object) -> list[tuple[str, str]]:
    answers, dummy = judge([deployment(2, replicas, **pods)], [node("a")])  # type: ignore[arg-type]
    return [(each.severity, each.message) for each in quota_problems(answers, [found])]


def test_quota_that_is_exceeded_names_all_numbers() -> None:
    ((severity, text),) = problems(quota({f"requests.{GPU}": "5"}, {f"requests.{GPU}": "3"}))
    assert severity == "error"
    assert (
        "gpus of namespace team-a allows 5 requests.nvidia.com/gpu; 3 are used and 4 are requested"
        in text
    )
    assert "2 too many" in text


def test_plain_name_of_a_device_has_no_effect_and_is_said() -> None:
    ((severity, text),) = problems(quota({GPU: "1"}))
    assert severity == "warning"
    assert "only requests.nvidia.com/gpu counts" in text


@pytest.mark.parametrize(
    ("hard", "exceeded"),
    [
        ({"pods": "1"}, True),
        ({"pods": "2"}, False),
        ({"cpu": "3"}, True),
        ({"requests.cpu": "4"}, False),
        ({"limits.memory": "1Gi"}, False),
        ({"services": "0"}, False),
    ],
)
def test_other_entries(hard: Json, exceeded: bool) -> None:
    assert bool(problems(quota(hard), requests={"cpu": "2"})) is exceeded


def test_quota_of_another_namespace_or_scope_does_not_count() -> None:
    none = {f"requests.{GPU}": "0"}
    assert not problems(quota(none, namespace="team-b"))
    assert not problems(quota(none, scopes=["BestEffort"]))
    scope = {"scopeName": "PriorityClass", "operator": "In", "values": ["low"]}
    selective = quota(none, scopeSelector={"matchExpressions": [scope]})
    assert not problems(selective)
    assert problems(selective, priorityClassName="low")


def limit_range(**item: object) -> Json:
    limits = [{"type": "Container", **item}]
    return {"metadata": {"name": "sizes", "namespace": "team-a"}, "spec": {"limits": limits}}


def test_defaults_of_a_limit_range_count_as_asked_for() -> None:
    spec = deployment(1)["spec"]["template"]["spec"]
    filled = with_defaults(
        spec, [limit_range(default={"memory": "4Gi"}, defaultRequest={"cpu": "1"})]
    )
    assert pod_requests(filled) == {"memory": 4 * 2**30, "cpu": 1000, GPU: 1}
    assert pod_requests(spec) == {GPU: 1}


def test_container_outside_a_limit_range_is_named() -> None:
    (demand,) = demands_of(deployment(1, requests={"cpu": "8"}))
    found = [
        each.message
        for each in range_problems(demand, [limit_range(max={"cpu": "4"}, min={"memory": "1Gi"})])
    ]
    assert found == [
        "LimitRange sizes requires at least 1Gi memory, container vllm requests 0",
        "LimitRange sizes allows at most 4 cpu, container vllm has no limit",
    ]
