# SPDX-License-Identifier: GPL-3.0-or-later
"""Services in a small world: a service as its author would write it, resolved in a cluster that has what is given."""

from __future__ import annotations

import json
from typing import Any

from module_utils.kinds.inference_service.errors import Unbuildable
from module_utils.kinds.inference_service.pods.build import components
from module_utils.kinds.inference_service.pods.component import Component, Components
from module_utils.kinds.inference_service.resolve import resolve
from module_utils.kinds.inference_service.resolved import Resolved
from module_utils.kinds.inference_service.settings import Settings
from module_utils.kinds.inference_service.spec import InferenceService
from module_utils.kinds.kserve.defaults import DEFAULTS
from module_utils.kube.manifest import Json
from tests.parity.recorded_llm_services import Recorded

NAME, NAMESPACE = "chat", "team-a"


def model(model_format: str = "sklearn", **fields: Any) -> Json:
    """Return the predictor of a model in a bucket."""
    return {
        "model": {"modelFormat": {"name": model_format}, "storageUri": "gs://b/m", **fields},
    }


def runtime(name: str, *formats: Json, namespace: str = "", **spec: Any) -> Json:
    """Return a runtime of the cluster, or of a namespace."""
    metadata: Json = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "ServingRuntime" if namespace else "ClusterServingRuntime",
        "metadata": metadata,
        "spec": {
            "supportedModelFormats": list(formats),
            "containers": [{"name": "kserve-container", "image": f"example.com/{name}:1"}],
            **spec,
        },
    }


def takes(name: str = "sklearn", **fields: Any) -> Json:
    """Return a format that a runtime takes, and for which it is chosen by itself."""
    return {"name": name, "autoSelect": True, **fields}


def resolved(
    predictor: Json,
    *manifests: Json,
    annotations: Json | None = None,
    name: str = NAME,
    **parts: Any,
) -> tuple[Resolved, Recorded]:
    """Return a service as its cluster makes it, and the cluster. parts: its other components."""
    spec = {"predictor": predictor, **parts}
    metadata = {"name": name, "namespace": NAMESPACE, "annotations": annotations or {}}
    service = InferenceService(
        {"metadata": metadata, "spec": spec}, name, NAMESPACE, {}, annotations or {}, spec
    )
    reader = Recorded(manifests)
    return resolve(service, Settings(), reader), reader


def built(predictor: Json, *manifests: Json, **rest: Any) -> Components:
    """Return all components of a service."""
    return components(*resolved(predictor, *manifests, **rest))


def only(predictor: Json, *manifests: Json, **rest: Any) -> Component:
    """Return the predictor of a service."""
    return built(predictor, *manifests, **rest).items[0]


def refusal(predictor: Json, *manifests: Json, **rest: Any) -> Unbuildable:
    """Return why a service cannot be built."""
    try:
        built(predictor, *manifests, **rest)
    except Unbuildable as error:
        return error
    raise AssertionError("the service was built")


def config(**blocks: Json) -> Json:
    """Return KServe's configuration as it comes, with some blocks changed."""
    changed = {name: {**DEFAULTS.get(name, {}), **block} for name, block in blocks.items()}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "inferenceservice-config", "namespace": "kserve"},
        "data": {name: json.dumps(block) for name, block in {**DEFAULTS, **changed}.items()},
    }
