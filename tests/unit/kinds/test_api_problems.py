# SPDX-License-Identifier: GPL-3.0-or-later
"""A value that the API refuses in several children is told once, where it is written."""

from __future__ import annotations

import pytest

from module_utils.kube.manifest import Json
from tests.unit.checks.services import custom, llm
from tests.unit.checks.surroundings import CONFIG
from tests.unit.modules.task import run


def told(service: Json) -> list[str]:
    result = run(state="rendered", services=[service], cluster_objects=[CONFIG])
    assert result.get("failed")
    return [line.strip() for line in result["msg"].splitlines()[1:]]


@pytest.mark.parametrize(
    ("service", "field"),
    [
        (
            custom(ports=[{"containerPort": 80800}]),
            "spec.predictor.containers[0].ports[0].containerPort",
        ),
        (
            llm(ports=[{"containerPort": 80800}]),
            "spec.template.containers[0].ports[0].containerPort",
        ),
    ],
)
def test_value_that_becomes_several_parts_is_told_once(service: Json, field: str) -> None:
    (line,) = told(service)
    assert line.startswith(f"{field}: 80800 ")


def test_two_values_are_told_both() -> None:
    ports = [{"containerPort": 80800, "name": "h2c"}, {"containerPort": 90900, "name": "other"}]
    lines = told(custom(ports=ports))
    assert [line.partition(": ")[0] for line in lines] == [
        "spec.predictor.containers[0].ports[0].containerPort",
        "spec.predictor.containers[0].ports[1].containerPort",
    ]
