# SPDX-License-Identifier: GPL-3.0-or-later
"""InferenceServices that somebody has spoilt: with what KServe's webhook has rules about, or a field of the wrong form."""

from __future__ import annotations

import copy
import random
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe

from .admission import ODD_NAMES, spoilt
from .isvc_inputs import cases

Json = dict[str, Any]
_KEY = "serving.kserve.io"
_NOTES = (
    (f"{_KEY}/autoscalerClass", "odd"),
    (f"{_KEY}/autoscalerClass", ""),
    (f"{_KEY}/deploymentMode", "odd"),
    (f"{_KEY}/deploymentMode", "standard"),
    (f"{_KEY}/deploymentMode", ""),
    (f"{_KEY}/deploymentMode", "ModelMesh"),
    (f"{_KEY}/gpu-resource-types", '["a.example/gpu"]'),
    (f"{_KEY}/gpu-resource-types", "a.example/gpu"),
    (f"{_KEY}/gpu-resource-types", "[1]"),
    (f"{_KEY}/gpu-resource-types", "{}"),
    (f"{_KEY}/stop", "odd"),
    ("autoscaling.knative.dev/class", "odd"),
    ("autoscaling.knative.dev/initial-scale", "many"),
    ("Odd key!", "x"),
)
_URIS = (
    ("gs://m/a", "/mnt/a"),
    ("gs://m/b", "/mnt/b/c"),
    ("s3://m/c", "/other"),
    ("s3://m/c", "/"),
    ("s3://m/c", "relative"),
    ("s3://m/c", "/mnt/../c"),
    ("pvc://claim/a", "/mnt/a"),
    ("pvc://claim/b", "/mnt/a"),
    ("pvc://claim/b", "/far"),
    ("", "/mnt/a"),
    ("oci://registry.example.com/m:1", "/mnt/a"),
)
_EVERY: tuple[tuple[str, Any], ...] = (
    ("minReplicas", -1),
    ("minReplicas", 9),
    ("maxReplicas", -1),
    ("containerConcurrency", -1),
    ("containerConcurrency", 0),
    ("scaleMetric", "rps"),
    ("scaleMetric", "memory"),
    ("scaleTarget", 0),
    ("scaleTarget", 1),
    ("scaleTarget", 100),
    ("scaleTarget", 101),
    ("logger", {}),
    ("logger", {"mode": "odd"}),
    ("logger", {"mode": "all", "storage": {"path": "", "key": "k"}}),
    ("logger", {"mode": "all", "storage": {"path": "", "key": "", "parameters": {"type": "s3"}}}),
    ("deploymentStrategy", {}),
    ("autoScaling", {}),
    ("autoScaling", {"metrics": [{"type": "Resource"}]}),
    ("initContainers", [{"name": "a", "env": [{"name": "PYTHONPATH", "value": "/x"}]}]),
    ("containers", [{"name": "app", "env": [{"name": "PYTHONPATH", "value": "/x"}]}]),
    ("containers", [{"env": [{"name": "PROTOCOL", "value": "v3"}]}]),
    ("containers", [{"name": "a"}, {"name": "b"}]),
    ("containers", []),
)
_PREDICTOR: tuple[tuple[str, Any], ...] = (
    ("model", {"modelFormat": {"name": "sklearn"}, "name": "own", "storageUri": "gs://m/a"}),
    ("model", {"modelFormat": {"name": "sklearn"}, "name": "kserve-container"}),
    ("model", {}),
    ("sklearn", {"protocolVersion": "v3", "storageUri": "gs://m/a"}),
    ("sklearn", {"env": [{"name": "PYTHONPATH", "value": "/x"}]}),
    ("tensorflow", {"runtimeVersion": "1.14.0", "resources": {"limits": {"nvidia.com/gpu": "1"}}}),
    ("pytorch", {"storageUri": "gs://m/a", "storage": {"key": "k"}}),
    ("model", {"modelFormat": {"name": "vLLM"}, "storage": {"parameters": {"type": "odd"}}}),
    (
        "model",
        {
            "modelFormat": {"name": "sklearn"},
            "storageUri": "gs://m/a",
            "confidential": {"enabled": True, "resourceId": "kbs:///a/b"},
        },
    ),
    ("workerSpec", {}),
    ("workerSpec", {"pipelineParallelSize": 0, "tensorParallelSize": -1}),
    ("workerSpec", {"containers": [{"name": "a"}, {"name": "b"}]}),
    ("workerSpec", {"containers": [{"env": [{"name": "PYTHONPATH", "value": "/x"}]}]}),
    ("workerSpec", {"containers": [{"name": "a", "resources": {"limits": {"a.example/gpu": 1}}}]}),
    (
        "model",
        {
            "modelFormat": {"name": "huggingface"},
            "storageUri": "pvc://claim/m",
            "env": [{"name": "TENSOR_PARALLEL_SIZE", "value": "2"}],
        },
    ),
    (
        "model",
        {
            "modelFormat": {"name": "huggingface"},
            "storageUri": "pvc://claim/m",
            "resources": {"limits": {"a.example/gpu": 1}},
        },
    ),
    (
        "containers",
        [
            {"name": "kserve-container", "image": "a:1"},
            {"name": "transformer-container", "env": [{"name": "STORAGE_URI", "value": "gs://m"}]},
        ],
    ),
)
_EXPLAINER: tuple[tuple[str, Any], ...] = (
    ("art", {}),
    ("art", {"type": "Odd"}),
    ("art", {"type": "SquareAttack", "runtimeVersion": "latest"}),
    ("art", {"type": "SquareAttack", "storage": {"parameters": {"type": "odd"}}}),
    ("art", {"type": "SquareAttack", "storageUri": "gs://m/a", "storage": {"key": "k"}}),
    ("containers", []),
)


def requests(seed: int, count: int, release: KServe) -> list[Json]:
    """Return custom resources of which some have an odd part, and some a field or a few that are spoilt."""
    chance = random.Random(f"admission of inference services {seed}")
    documents = [case.document for case in cases(seed, release, count)]
    for document in documents:
        for dummy in range(chance.choice((0, 0, 1, 1, 2))):
            _make_odd(document, chance)
    return [
        spoilt(document, chance) if chance.random() < 0.6 else _moved(document)
        for document in documents
    ]


def _moved(document: Json) -> Json:
    return {**document, "metadata": {**document["metadata"], "namespace": "default"}}


def _make_odd(document: Json, chance: random.Random) -> None:
    form = chance.random()
    if form < 0.1:
        document["metadata"]["name"] = chance.choice(ODD_NAMES)
    elif form < 0.3:
        notes = document["metadata"].setdefault("annotations", {})
        notes.update(chance.sample(_NOTES, 1))
    elif form < 0.45:
        role = chance.choice(("predictor", "predictor", "transformer", "explainer"))
        given = chance.sample(_URIS, chance.randint(1, 3))
        uris = [{"uri": uri, "mountPath": path} for uri, path in given]
        document["spec"].setdefault(role, {})["storageUris"] = uris
    else:
        role, fields = chance.choice(
            (
                ("predictor", _PREDICTOR),
                ("predictor", _PREDICTOR),
                ("predictor", _EVERY),
                ("transformer", _EVERY),
                ("explainer", _EVERY),
                ("explainer", _EXPLAINER),
            )
        )
        field, value = chance.choice(fields)
        document["spec"].setdefault(role, {})[field] = copy.deepcopy(value)
