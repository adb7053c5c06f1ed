# SPDX-License-Identifier: GPL-3.0-or-later
"""Runtimes and their like that a file holds and no API server would are told; what stands in the recordings is fine."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.inference_service.input_schemas import shapes
from module_utils.kube.input_schemas import COMMON, input_problems
from tests.parity.recorded_inference_services import recorded_cluster, stored_cases

from .build import runtime

SHAPES = {**COMMON, **shapes()}


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"containers": {"name": "kserve-container"}}, "spec.containers"),
        ({"containers": [{"image": "x"}]}, "spec.containers[0].name"),
        ({"supportedModelFormats": [{"name": "a", "priority": "1"}]}, "priority"),
        ({"supportedModelFormats": [{"name": "a", "priority": 0}]}, "priority"),
        ({"supportedModelFormats": [{"autoSelect": True}]}, "supportedModelFormats[0].name"),
        ({"supportedModelFormats": [{"names": "a"}]}, "supportedModelFormats[0].name"),
        ({"protocolVersions": "v1"}, "spec.protocolVersions"),
        ({"workerSpec": {"tensorParallelSize": "2"}}, "spec.workerSpec.tensorParallelSize"),
    ],
)
def test_a_runtime_that_cannot_be_read_is_told(spec: dict[str, Any], path: str) -> None:
    (problem,) = input_problems({**runtime(), "spec": spec}, SHAPES)
    assert problem.path.endswith(path)


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"inferenceservice": "a"}, "spec.inferenceService"),
        ({"model": {"framwork": "a", "memory": 1, "storageUri": "s3://a"}}, "spec.model.framework"),
        ({"model": {"framework": "a", "memry": 1, "storageUri": "s3://a"}}, "spec.model.memory"),
    ],
)
def test_a_trained_model_with_a_misspelt_field_lacks_it(spec: dict[str, Any], path: str) -> None:
    model = {"framework": "a", "memory": "1Gi", "storageUri": "s3://a/b"}
    usual = {"model": model} if "model" not in spec else {"inferenceService": "a"}
    document = {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "TrainedModel",
        "metadata": {"name": "a", "namespace": "b"},
        "spec": {**usual, **spec},
    }
    assert [problem.path for problem in input_problems(document, SHAPES)] == [path]


def test_every_recorded_object_is_fine() -> None:
    objects = [each for folder in stored_cases() for each in recorded_cluster(folder).objects()]
    assert [str(problem) for each in objects for problem in input_problems(each, SHAPES)] == []
