# SPDX-License-Identifier: GPL-3.0-or-later
"""Predictors that are on several nodes.

Source: KServe pkg/apis/serving/v1beta1/inference_service_validation.go, pkg/controller/v1beta1/inferenceservice/components/predictor.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from ....kube.manifest import Json
from ....kube.problem import Problem
from ....kube.schema_faults import show
from ...kserve.framework import model_of
from ..gpus import GPU_TYPES_ANNOTATION, unknown_devices

CLASS_ANNOTATION = "serving.kserve.io/autoscalerClass"
_SIZES = {
    "pipelineParallelSize": "PIPELINE_PARALLEL_SIZE",
    "tensorParallelSize": "TENSOR_PARALLEL_SIZE",
}
_SCHEMES = ("pvc", "oci")
_PATH = "spec.predictor.workerSpec"


def multi_node_problems(predictor: Json, annotations: Mapping[str, str]) -> Iterator[Problem]:
    """Yield what is wrong with the workers of a predictor."""
    workers = predictor.get("workerSpec")
    if workers is None:
        return
    if len(workers.get("containers") or ()) > 1:
        yield Problem(f"{_PATH}.containers", "workers have one container", rule="multi-node")
    for field in _SIZES:
        if workers.get(field, 1) < 1:
            yield Problem(f"{_PATH}.{field}", f"{workers[field]} is less than 1", rule="multi-node")
    field, model = model_of(predictor)
    if model is not None:
        yield from _model(model, f"spec.predictor.{field}", annotations)


def _model(model: Json, path: str, annotations: Mapping[str, str]) -> Iterator[Problem]:
    given = {each.get("name") for each in model.get("env") or ()}
    for field, name in _SIZES.items():
        if name in given:
            yield Problem(
                f"{path}.env",
                f"{name} comes from {_PATH}.{field}; write it there",
                rule="multi-node",
            )
    uri = model.get("storageUri")
    if uri is None:
        yield Problem(
            f"{path}.storageUri", "missing: several nodes need a model to fetch", rule="multi-node"
        )
    elif uri.split("://")[0] not in _SCHEMES:
        message = f"{show(uri)}: several nodes share a model only by pvc:// or oci://"
        yield Problem(f"{path}.storageUri", message, rule="multi-node")
    found = annotations.get(CLASS_ANNOTATION, "")
    if found != "none":
        said = show(found) if found else "missing"
        message = f"{said}: several nodes are not scaled; write none"
        yield Problem(f'metadata.annotations["{CLASS_ANNOTATION}"]', message, rule="multi-node")


def device_problems(
    predictor: Json, annotations: Mapping[str, str], gpu_types: Collection[str]
) -> Iterator[Problem]:
    """Yield devices of a multi-node predictor that nobody said to be GPUs. gpu_types: those of KServe's configuration."""
    workers = predictor.get("workerSpec")
    if workers is None:
        return
    field, model = model_of(predictor)
    holders = [(f"spec.predictor.{field}", model)] if model is not None else []
    holders += [
        (f"{_PATH}.containers[{number}]", container)
        for number, container in enumerate(workers.get("containers") or ())
    ]
    for path, container in holders:
        for name in unknown_devices(container, annotations, gpu_types):
            message = f"{show(name)} is not known as a GPU; name it in the annotation {GPU_TYPES_ANNOTATION}, a JSON list"
            yield Problem(f"{path}.resources", message, rule="gpu-type")
