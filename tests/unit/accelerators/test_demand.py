# SPDX-License-Identifier: GPL-3.0-or-later
"""The pods that workloads want placed."""

from __future__ import annotations

import pytest

from module_utils.accelerators.demand import demands_of

from .build import Json, container, deployment, pod


def group(replicas: int, size: int, leader: bool) -> Json:
    template = {"spec": {"containers": [container(8)]}}
    both = {"leaderTemplate": {"spec": {"containers": [container(1)]}}} if leader else {}
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": "wide", "namespace": "team-a"},
        "spec": {
            "replicas": replicas,
            "leaderWorkerTemplate": {"size": size, "workerTemplate": template, **both},
        },
    }


@pytest.mark.parametrize(
    ("manifest", "wanted"),
    [
        (deployment(4, 3), [("", 3, 4)]),
        (deployment(4, 0), []),
        (pod("one", 2), [("", 1, 2)]),
        (group(2, 4, leader=False), [("", 8, 8)]),
        (group(2, 4, leader=True), [("leader", 2, 1), ("worker", 6, 8)]),
        (group(2, 1, leader=True), [("leader", 2, 1)]),
    ],
)
def test_pods_of_a_workload(manifest: Json, wanted: list[tuple[str, int, int]]) -> None:
    found = demands_of(manifest)
    assert [(each.part, each.pods, each.requests[each.device]) for each in found] == wanted


def test_kind_without_pods_is_refused() -> None:
    with pytest.raises(ValueError, match="Service is not one of Pod, Deployment"):
        demands_of({"kind": "Service"})


@pytest.mark.parametrize(
    ("strategy", "surge"),
    [
        ({}, 1),
        ({"rollingUpdate": {"maxSurge": "50%"}}, 2),
        ({"rollingUpdate": {"maxSurge": 0}}, 0),
        ({"type": "Recreate"}, 0),
    ],
)
def test_surge_of_a_rolling_update(strategy: Json, surge: int) -> None:
    manifest = deployment(1, 3)
    manifest["spec"]["strategy"] = strategy
    assert demands_of(manifest)[0].surge == surge
