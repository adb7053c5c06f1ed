# SPDX-License-Identifier: GPL-3.0-or-later
"""ServingRuntimes and ClusterServingRuntimes at random, right by their CRD and at times refused by KServe's webhook."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]
_API = "serving.kserve.io/v1alpha1"
_FORMATS = ("sklearn", "SKLearn", "xgboost", "huggingface", "own")
_DEVICES = ("nvidia.com/gpu", "amd.com/gpu", "a.example/card", "a.example/other")
_GPU_TYPES = (
    '["a.example/card"]',
    "a.example/card",
    "[1]",
    "[]",
    '["a.example/card","nvidia.com/gpu"]',
)


def runtimes_there(seed: int) -> list[Json]:
    """Return the runtimes of a namespace that new ones meet."""
    chance = random.Random(f"runtimes that are there {seed}")
    found = []
    for name in ("first", "second"):
        spec = {
            "supportedModelFormats": _formats(chance, 1),
            "protocolVersions": _protocols(chance),
            "containers": [{"name": "kserve-container", "image": "a.example/server:1"}],
        }
        found.append(_runtime("ServingRuntime", name, spec))
    return found


def requests(chance: random.Random, count: int) -> Sequence[Json]:
    """Return runtimes that are to be created."""
    return [_request(chance) for dummy in range(count)]


def _request(chance: random.Random) -> Json:
    spec: Json = {
        "supportedModelFormats": _formats(chance, chance.choice((1, 1, 2, 3))),
        "protocolVersions": _protocols(chance),
        "containers": [_container(chance, ("kserve-container", "kserve-container", "app"))],
    }
    if chance.random() < 0.3:
        spec["containers"].append(_container(chance, ("sidecar",)))
    if chance.random() < 0.1:
        spec["multiModel"] = chance.random() < 0.5
    if chance.random() < 0.1:
        spec["disabled"] = chance.random() < 0.7
    if chance.random() < 0.5:
        spec["workerSpec"] = _workers(chance)
    if chance.random() < 0.2:
        key = "serving.kserve.io/gpu-resource-types"
        spec["annotations"] = {key: chance.choice(_GPU_TYPES)}
    return _runtime(chance.choice(("ServingRuntime", "ClusterServingRuntime")), "new", spec)


def _runtime(kind: str, name: str, spec: Json) -> Json:
    metadata = {"name": name, **({"namespace": "default"} if kind == "ServingRuntime" else {})}
    return {"apiVersion": _API, "kind": kind, "metadata": metadata, "spec": spec}


def _formats(chance: random.Random, count: int) -> list[Json]:
    found = []
    for dummy in range(count):
        one: Json = {"name": chance.choice(_FORMATS)}
        if chance.random() < 0.7:
            one["version"] = chance.choice(("1", "1", "2"))
        if chance.random() < 0.8:
            one["autoSelect"] = chance.random() < 0.85
        if chance.random() < 0.8:
            one["priority"] = chance.choice((1, 1, 2))
        found.append(one)
    return found


def _protocols(chance: random.Random) -> list[str]:
    return chance.sample(("v1", "v2", "grpc-v2"), chance.choice((1, 1, 2)))


def _container(chance: random.Random, names: Sequence[str]) -> Json:
    made: Json = {"name": chance.choice(names), "image": "a.example/server:1"}
    if chance.random() < 0.2:
        name = chance.choice(("PYTHONPATH", "PIPELINE_PARALLEL_SIZE", "TENSOR_PARALLEL_SIZE", "X"))
        made["env"] = [{"name": name, "value": "1"}]
    if chance.random() < 0.3:
        made["resources"] = {"limits": {chance.choice(_DEVICES): "1", "cpu": "1"}}
    return made


def _workers(chance: random.Random) -> Json:
    names = ("worker-container", "worker-container", "worker")
    count = chance.choice((1, 1, 1, 1, 2))
    made: Json = {"containers": [_container(chance, names) for dummy in range(count)]}
    for number, each in enumerate(made["containers"]):
        each["name"] += "" if number == 0 else f"-{number}"
    for field in ("pipelineParallelSize", "tensorParallelSize"):
        if chance.random() < 0.3:
            made[field] = chance.choice((0, 1, 2, -1))
    return made
