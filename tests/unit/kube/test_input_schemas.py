# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user gives in place of a cluster has to be what a cluster could hold."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.input_schemas import COMMON, input_problems


def _object(api_version: str, kind: str, **body: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}, **body}


GATEWAY_API = "gateway.networking.k8s.io/v1"
WRONG = {
    "data": _object("v1", "ConfigMap", data=["a"]),
    "data.a": _object("v1", "ConfigMap", data={"a": {"b": 1}}),
    "stringData.a": _object("v1", "Secret", stringData={"a": 1}),
    "secrets[0]": _object("v1", "ServiceAccount", secrets=["token"]),
    "spec.listeners[0].name": _object(GATEWAY_API, "Gateway", spec={"listeners": [{}]}),
    # What is there under a misspelt name is passed over, and missing.
    "spec.listeners[1].name": _object(
        GATEWAY_API, "Gateway", spec={"listeners": [{"name": "a"}, {"nam": "b"}]}
    ),
    "spec.rules[0].backendRefs[0]": _object(
        GATEWAY_API, "HTTPRoute", spec={"rules": [{"backendRefs": ["a"]}]}
    ),
    "status.parents": _object(GATEWAY_API, "HTTPRoute", status={"parents": "none"}),
    "metadata.labels.a": _object("x/v1", "Anything")
    | {"metadata": {"name": "a", "labels": {"a": 1}}},
}


@pytest.mark.parametrize("path", WRONG)
def test_impossible_object_is_refused_where_it_is_impossible(path: str) -> None:
    assert [problem.path for problem in input_problems(WRONG[path], COMMON)] == [path]


def test_fields_that_nobody_reads_are_passed_over() -> None:
    gateway = _object(GATEWAY_API, "Gateway", spec={"infrastructure": {"a": 1}}, other=1)
    assert not list(input_problems(gateway, COMMON))


def test_value_of_a_secret_is_not_shown() -> None:
    (problem,) = input_problems(_object("v1", "Secret", data={"key": ["s3cret"]}), COMMON)
    assert "s3cret" not in str(problem)
