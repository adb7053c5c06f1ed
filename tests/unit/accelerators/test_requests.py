# SPDX-License-Identifier: GPL-3.0-or-later
"""What a pod asks of a node, as the scheduler counts it."""

from __future__ import annotations

import pytest

from module_utils.accelerators.requests import pod_requests, shown

from .build import Json


def asks(restart: str = "", **requests: str) -> Json:
    return {
        "name": "x",
        "resources": {"requests": requests},
        **({"restartPolicy": restart} if restart else {}),
    }


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ({}, {}),
        (
            {"containers": [asks(cpu="100m"), asks(cpu="1.5", memory="1Ki")]},
            {"cpu": 1600, "memory": 1024},
        ),
        ({"containers": [{"name": "x", "resources": {"limits": {"cpu": "2"}}}]}, {"cpu": 2000}),
        (
            {"containers": [asks(cpu="1")], "initContainers": [asks(cpu="3"), asks(cpu="2")]},
            {"cpu": 3000},
        ),
        (
            {
                "containers": [asks(cpu="1")],
                "initContainers": [asks(cpu="3"), asks("Always", cpu="2")],
            },
            {"cpu": 3000},
        ),
        (
            {
                "containers": [asks(cpu="1")],
                "initContainers": [asks("Always", cpu="2"), asks(cpu="3")],
            },
            {"cpu": 5000},
        ),
        (
            {"containers": [asks(cpu="1")], "resources": {"requests": {"cpu": "4", "x.y/z": "1"}}},
            {"cpu": 4000},
        ),
        (
            {"containers": [asks(cpu="1")], "resources": {"limits": {"cpu": "4", "memory": "1"}}},
            {"cpu": 1000, "memory": 1},
        ),
        ({"containers": [asks(cpu="1")], "overhead": {"cpu": "250m"}}, {"cpu": 1250}),
        ({"containers": [asks(cpu="0.0001")]}, {"cpu": 1}),
    ],
)
def test_effective_requests(spec: Json, wanted: dict[str, int]) -> None:
    assert pod_requests(spec) == wanted


def test_container_that_is_being_resized_counts_with_the_larger_size() -> None:
    status = {
        "containerStatuses": [
            {
                "name": "x",
                "resources": {"requests": {"cpu": "3"}},
                "allocatedResources": {"cpu": "2"},
            }
        ]
    }
    assert pod_requests({"containers": [asks(cpu="1")]}, status) == {"cpu": 3000}


@pytest.mark.parametrize("wrong", ["many", "", "1 2"])
def test_what_is_no_quantity_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="is not a quantity"):
        pod_requests({"containers": [asks(cpu=wrong)]})


def test_amounts_are_shown_as_people_write_them() -> None:
    assert [shown("cpu", 500), shown("memory", 2**34), shown("nvidia.com/gpu", 8)] == [
        "500m",
        "16Gi",
        "8",
    ]
