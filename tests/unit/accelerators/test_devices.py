# SPDX-License-Identifier: GPL-3.0-or-later
"""From parallelism to devices per pod and pods per replica."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.accelerators.devices import Parallelism, check_shape, read_parallelism, shape


@pytest.mark.parametrize(
    ("sizes", "devices_per_node", "ranks_per_device", "per_pod", "pods"),
    [
        ({}, 0, 1, 1, 1),
        ({"tensor": 4}, 0, 1, 4, 1),
        ({"tensor": 8}, 8, 1, 8, 1),
        ({"tensor": 2, "pipeline": 2}, 8, 1, 4, 1),
        ({"tensor": 8, "pipeline": 2}, 8, 1, 8, 2),
        ({"tensor": 8, "pipeline": 2}, 0, 1, 16, 1),
        ({"data": 16, "data_local": 8}, 8, 1, 8, 2),
        ({"data": 32, "data_local": 8}, 8, 1, 8, 4),
        ({"tensor": 2, "data": 4}, 8, 1, 8, 1),
        ({"tensor": 16}, 8, 1, 8, 2),
        ({"tensor": 8}, 4, 2, 4, 1),
        ({"tensor": 4, "pipeline": 2, "data": 4, "data_local": 2}, 8, 1, 8, 4),
    ],
)
def test_devices_and_pods(
    sizes: Any, devices_per_node: int, ranks_per_device: int, per_pod: int, pods: int
) -> None:
    found = shape(Parallelism(**sizes), devices_per_node, ranks_per_device)
    assert (found.devices_per_pod, found.pods_per_replica) == (per_pod, pods)


def test_pods_that_cannot_be_divided_over_nodes_are_refused() -> None:
    with pytest.raises(ValueError, match="needs 12 devices in one pod, and a node has 8"):
        shape(Parallelism(tensor=12), 8)
    with pytest.raises(ValueError, match="ranks do not fill"):
        shape(Parallelism(tensor=3), 4, 2)


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        ({"tensor": 0}, ["p.tensor"]),
        ({"tensor": 1.5, "pipeline": "two"}, ["p.tensor", "p.pipeline"]),
        ({"tensor": True}, ["p.tensor"]),
        ({"tensor": -8, "data": 0}, ["p.tensor", "p.data"]),
        ({"data": 16, "data_local": 3}, ["p.data_local"]),
        ({"data": 2, "data_local": 4}, ["p.data_local"]),
        ({"tensor": 8, "data": 2}, []),
    ],
)
def test_every_problem_is_found_at_once(given: Any, paths: list[str]) -> None:
    assert [problem.path for problem in read_parallelism(given, "p")[1]] == paths


@pytest.mark.parametrize(
    ("sizes", "resource", "severity", "rule"),
    [
        ({"tensor": 2}, "nvidia.com/gpu.shared", "error", "shared-devices"),  # T8
        ({"data": 2}, "nvidia.com/gpu.shared", "error", "shared-devices"),
        ({"tensor": 2}, "nvidia.com/mig-1g.10gb", "warning", "mig-parallel"),
        ({"tensor": 16}, "nvidia.com/gpu", "warning", "tensor-across-nodes"),
        ({"tensor": 3}, "nvidia.com/gpu", "warning", "tensor-heads"),
    ],
)
def test_what_will_not_work_on_a_device_is_said(
    sizes: Any, resource: str, severity: str, rule: str
) -> None:
    wanted = Parallelism(**sizes)
    (problem,) = check_shape(wanted, shape(wanted, 8), resource, 8, "parallelism")
    assert (problem.severity, problem.rule) == (severity, rule)


def test_one_shared_device_is_fine() -> None:
    wanted = Parallelism()
    assert not list(check_shape(wanted, shape(wanted), "nvidia.com/gpu.shared", 8, "p"))
