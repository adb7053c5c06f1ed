# SPDX-License-Identifier: GPL-3.0-or-later
"""InferenceServices at random with the TrainedModels that name them, and objects beside services that somebody has spoilt."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe

from . import isvc_system, runtimes_requests
from .admission import ODD_NAMES, spoilt
from .batch import Case
from .recordings import Surroundings

Json = dict[str, Any]
_LIMITS = (None, "1Gi", "2Gi", "2G", "1536Mi", 3_000_000_000)
_AMOUNTS = ("1Gi", "512Mi", "512Mi", "1024Mi", "300M", 1_000_000_000, "1.5Gi", "0")
_URIS = ("s3://bucket/m", "gs://b/m?x=1&y=<2>", "https://e.example/m.tar", "http://e.example/m")
_ODD_URIS = ("pvc://claim/m", "hf://org/m", "", "/mnt/m", "S3://bucket/m")
_FORMATS = ("sklearn", "xgboost", "lightgbm")
_FRAMEWORKS = (*_FORMATS, "tensorflow", "own")
#: How probable it is that a field of a model changes.
_CHANGES = {"framework": 0.3, "storageUri": 0.3, "memory": 0.08}


def surroundings(seed: int, release: KServe) -> Surroundings:
    """Return what is in the cluster before every case: what is there for InferenceServices, and runtimes of one namespace."""
    system, settings, environment = isvc_system.system_for(seed, release)
    there = runtimes_requests.runtimes_there(seed)
    return Surroundings([*system, *there], settings, environment)


def cases(seed: int, _release: KServe, count: int) -> list[Case]:
    """Return services of a seed, most of them without a model of their own."""
    chance = random.Random(f"{seed} trained models")
    return [_case(chance, f"m{seed}-{number}") for number in range(1, count + 1)]


def updates(seed: int, release: KServe, count: int) -> list[Case]:
    """Return services of a seed whose models become others: some stay, change or go, and new ones come."""
    chance = random.Random(f"{seed} changes of trained models")
    made = cases(seed, release, count)
    for case in made:
        case.later = [*_changed(chance, case), *_new(chance, case)]
    return made


def _changed(chance: random.Random, case: Case) -> Iterator[Json]:
    for model in case.models:
        if chance.random() < 0.75:
            spec = dict(model["spec"]["model"])
            for field, choices in (
                ("framework", _FRAMEWORKS),
                ("storageUri", (*_URIS, *_ODD_URIS)),
                ("memory", _AMOUNTS),
            ):
                if chance.random() < _CHANGES[field]:
                    spec[field] = copy.deepcopy(chance.choice(choices))
            yield {**model, "spec": {**model["spec"], "model": spec}}


def _new(chance: random.Random, case: Case) -> Iterator[Json]:
    for name in chance.sample(("five", "six"), chance.choice((0, 1, 1, 2))):
        model = _model(chance, name, case.namespace, wild=0.08)
        model["spec"]["inferenceService"] = case.document["metadata"]["name"]
        yield model


def requests(seed: int, count: int, _release: KServe) -> list[Json]:
    """Return TrainedModels of which some have a field or a few that are spoilt, and as many runtimes."""
    chance = random.Random(f"admission of trained models {seed}")
    names = ("a", "b-1", *ODD_NAMES)
    models = [
        spoilt(_model(chance, chance.choice(names), "default", wild=0.3), chance)
        for dummy in range(count - count // 2)
    ]
    return [*models, *runtimes_requests.requests(chance, count // 2)]


def _case(chance: random.Random, namespace: str) -> Case:
    metadata: Json = {"name": chance.choice(("demo", "a", "my-model")), "namespace": namespace}
    if chance.random() < 0.5:
        mode = chance.choice(("Standard", "Standard", "RawDeployment"))
        metadata["annotations"] = {"serving.kserve.io/deploymentMode": mode}
    spec: Json = {"predictor": _predictor(chance)}
    if chance.random() < 0.2:
        image = "registry.example.com/team/app:1"
        spec["transformer"] = {"containers": [{"name": "kserve-container", "image": image}]}
    document = {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": "InferenceService",
        "metadata": metadata,
        "spec": spec,
    }
    names = chance.sample(("one", "two", "three", "four", "x.y"), chance.choice((1, 2, 3, 3, 4)))
    models = [_model(chance, name, namespace, wild=0.08) for name in names]
    for each in models:
        each["spec"]["inferenceService"] = metadata["name"]
    return Case(namespace, document, mood=chance.randint(0, 9), models=models)


def _predictor(chance: random.Random) -> Json:
    server: Json = {}
    limit = chance.choice(_LIMITS)
    if limit is not None:
        server["resources"] = {"limits": {"memory": limit}, "requests": {"memory": "100Mi"}}
    if chance.random() < 0.2:
        return {"containers": [_container(chance, server)]}
    if chance.random() < 0.15:
        server["storageUri"] = "gs://models/own"
    if chance.random() < 0.5:
        server["protocolVersion"] = chance.choice(("v1", "v2"))
    name = chance.choice(_FORMATS)
    if chance.random() < 0.4:
        return {name: server}
    model = {**server, "modelFormat": {"name": name}}
    if chance.random() < 0.1:
        model["modelFormat"] = {"name": "huggingface"}
    return {"model": model}


def _container(chance: random.Random, server: Json) -> Json:
    env = []
    if chance.random() < 0.8:
        env.append({"name": "MULTI_MODEL_SERVER", "value": chance.choice(("true", "true", "yes"))})
    if chance.random() < 0.5:
        env.append({"name": "PROTOCOL", "value": chance.choice(("v1", "v2", "grpc-v2"))})
    made = {**server, "name": "kserve-container", "image": "registry.example.com/team/app:1"}
    return {**made, "env": env} if env else made


def _model(chance: random.Random, name: str, namespace: str, *, wild: float) -> Json:
    """Return a TrainedModel. wild: how probable a storage URI is that no agent fetches."""
    model = {
        "framework": chance.choice(_FRAMEWORKS),
        "memory": copy.deepcopy(chance.choice(_AMOUNTS)),
        "storageUri": chance.choice(_ODD_URIS if chance.random() < wild else _URIS),
    }
    return {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "TrainedModel",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"inferenceService": "demo", "model": model},
    }
