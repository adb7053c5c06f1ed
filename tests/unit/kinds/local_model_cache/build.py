# SPDX-License-Identifier: GPL-3.0-or-later
"""The smallest caches, their groups, nodes and services, and what becomes of them, for the tables of these tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from module_utils.kinds.local_model_cache.kind import (
    LOCAL_MODEL_CACHE,
    LOCAL_MODEL_NAMESPACE_CACHE,
)
from module_utils.kinds.local_model_cache.resolved import Resolved
from module_utils.kinds.peers import Peers
from module_utils.kube.intent import Intent
from module_utils.kube.manifest import Json
from module_utils.kube.problem import InputError
from tests.objects import Cluster, node_group, thing
from tests.unit.kinds.inference_service.build import config_map

API_VERSION = "serving.kserve.io/v1alpha1"
MODEL = "s3://models/qwen"
JOBS = "jobs"
LOCAL = {"enabled": True, "jobNamespace": JOBS, "fsGroup": 1000, "jobTTLSecondsAfterFinished": 60}


def cache(name: str = "qwen", namespace: str = "", **spec: Any) -> Json:
    """Return a cache of one group: of the whole cluster, or of a namespace."""
    kind = "LocalModelNamespaceCache" if namespace else "LocalModelCache"
    usual = {"sourceModelUri": MODEL, "modelSize": "1Gi", "nodeGroups": ["gpus"]}
    return thing(API_VERSION, kind, name, namespace, spec={**usual, **spec})


def group(name: str = "gpus", label: str = "gpus") -> Json:
    """Return a group of the nodes of one pool."""
    return node_group(name, label)


def node(name: str = "n1", pool: str = "gpus", *, ready: bool = True) -> Json:
    """Return a node of a pool."""
    said = [{"type": "Ready", "status": str(ready)}]
    return thing(
        "v1", "Node", name, metadata={"labels": {"pool": pool}}, status={"conditions": said}
    )


def service(
    name: str = "chat", namespace: str = "team-a", uri: str = MODEL, **metadata: Any
) -> Json:
    """Return an InferenceService that serves a model."""
    model = {"modelFormat": {"name": "huggingface"}, "storageUri": uri}
    return thing(
        "serving.kserve.io/v1beta1",
        "InferenceService",
        name,
        namespace,
        metadata=metadata,
        spec={"predictor": {"model": model}},
    )


def llm(name: str = "talk", namespace: str = "team-b", uri: str = MODEL) -> Json:
    """Return an LLMInferenceService that serves a model."""
    spec = {"model": {"uri": uri}}
    return thing("serving.kserve.io/v1alpha2", "LLMInferenceService", name, namespace, spec=spec)


def configured(**local: Any) -> Json:
    """Return KServe's configuration with caches in use."""
    return config_map(localModel={**LOCAL, **local})


def intent(
    document: Json, objects: Iterable[Json] = (), release: str = "0.20", beside: Iterable[Any] = ()
) -> Intent:
    """Return what a cache becomes beside one group of one node, and other objects. beside: typed services of its task."""
    namespaced = document["kind"] == LOCAL_MODEL_NAMESPACE_CACHE.kind
    kind = LOCAL_MODEL_NAMESPACE_CACHE if namespaced else LOCAL_MODEL_CACHE
    settings = kind.settings({}, {"kserve": release})
    loaded = kind.load(document, settings)
    assert loaded.service is not None, loaded.problems
    reader = Cluster([configured(), group(), node(), *objects])
    return kind.compile(loaded.service, settings, reader, Peers([loaded.service, *beside]))


def resolved(document: Json, *objects: Json, release: str = "0.20") -> Resolved:
    """Return what a cache means."""
    basis = intent(document, objects, release).basis
    assert isinstance(basis, Resolved)
    return basis


def children(document: Json, *objects: Json, release: str = "0.20") -> Mapping[str, Json]:
    """Return its children by kind and full name."""
    made = intent(document, objects, release).children
    return {str(child.manifest.reference): child.manifest.to_dict() for child in made}


def refused(document: Json, *objects: Json, release: str = "0.20") -> list[tuple[str, str]]:
    """Return field and rule of everything that keeps a cache from being made."""
    namespaced = document["kind"] == LOCAL_MODEL_NAMESPACE_CACHE.kind
    kind = LOCAL_MODEL_NAMESPACE_CACHE if namespaced else LOCAL_MODEL_CACHE
    loaded = kind.load(document, kind.settings({}, {"kserve": release}))
    if loaded.service is None:
        return [(each.path, each.rule) for each in loaded.problems]
    try:
        intent(document, objects, release)
    except InputError as error:
        return [(each.path, each.rule) for found in error.complaints for each in found.problems]
    return []
