# SPDX-License-Identifier: GPL-3.0-or-later
"""A field that its place does not have leads to one that was meant: spelt alike and of its type, or the same one near by."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.schema import (
    SPEC,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.schema import (
    PARALLELISM,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.schema_check import check

MODEL: dict[str, Any] = {"modelFormat": {"name": "huggingface"}, "storageUri": "hf://acme/chat"}


def told(field: str, value: Any, *above: str, **predictor: Any) -> str:
    """Return what is said of a field that a predictor with a model gets, or a part of it."""
    spec: dict[str, Any] = {"predictor": {"model": {**MODEL}, **predictor}}
    holder = spec
    for step in above:
        holder = holder[step]
    holder[field] = value
    path = ".".join(("spec", *above, field))
    return next(each.message for each in check(SPEC, spec, "spec").problems if each.path == path)


@pytest.mark.parametrize(
    ("field", "value", "above", "meant"),
    [
        ("modle", {}, ("predictor",), "model"),
        ("storage_uri", "s3://b/m", ("predictor", "model"), "storageUri"),
        ("min-replicas", 1, ("predictor",), "minReplicas"),
        ("toleration", [], ("predictor",), "tolerations"),
        ("minReplica", "1", ("predictor",), "minReplicas"),
    ],
)
def test_name_spelt_alike_is_what_was_meant(
    field: str, value: Any, above: tuple[str, ...], meant: str
) -> None:
    assert told(field, value, *above) == f'unknown field, did you mean "{meant}"?'


@pytest.mark.parametrize(
    ("field", "meant"),
    [
        ("tensorParallel", "tensor"),
        ("pipeline_parallel_size", "pipeline"),
        ("data-parallelism", "data"),
        ("expertCount", None),
    ],
)
def test_size_with_more_words_is_what_was_meant(field: str, meant: str | None) -> None:
    found = check(PARALLELISM, {field: 2}, "spec.parallelism").problems
    said = f'unknown field, did you mean "{meant}"?' if meant else "unknown field; known here"
    assert found[0].message.startswith(said)


@pytest.mark.parametrize(
    ("field", "value"),
    [("protocolVersion", "v2"), ("ports", []), ("toleration", "gpu"), ("containers2", 1)],
)
def test_name_of_another_type_or_far_away_is_not(field: str, value: Any) -> None:
    assert "did you mean" not in told(field, value, "predictor")


def test_field_of_another_place_is_named_where_the_service_has_that_place() -> None:
    assert told("protocolVersion", "v2", "predictor") == (
        "unknown field; it belongs in spec.predictor.model.protocolVersion"
    )
    assert told("minReplicas", 1) == "unknown field; it belongs in spec.predictor.minReplicas"


def test_nearest_place_comes_first() -> None:
    message = told("minReplicas", 1, "predictor", "model")
    assert message.startswith("unknown field; it belongs in spec.predictor.minReplicas")


def test_place_of_a_part_that_is_not_there_is_named_where_there_is_no_other() -> None:
    assert told("tensorParallelSize", 2, "predictor") == (
        "unknown field; it belongs in spec.predictor.workerSpec.tensorParallelSize"
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("spec", {"nodeSelector": {"gpu": "a"}}),
        ("template", {"spec": {"tolerations": []}, "metadata": {"labels": {"team": "a"}}}),
        ("metadata", {"annotations": {"a": "b"}}),
    ],
)
def test_level_that_other_kinds_have_is_left_out(field: str, value: Any) -> None:
    message = f"unknown field; leave {field} out, and write what is in it one level higher"
    assert told(field, value, "predictor") == message


@pytest.mark.parametrize("value", [{}, {"other": 1}, {"nodeSelector": "gpu"}, []])
def test_level_with_something_else_in_it_is_not(value: Any) -> None:
    assert "one level higher" not in told("spec", value, "predictor")
