# SPDX-License-Identifier: GPL-3.0-or-later
"""The smallest InferenceGraph, services that it leads to, and what becomes of both, for the tables of these tests."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

from module_utils.kinds.inference_graph.kind import INFERENCE_GRAPH
from module_utils.kube.manifest import Json
from module_utils.kube.problem import InputError
from tests.objects import Cluster
from tests.unit.kinds.inference_service.build import config_map

PREFIX = "serving.kserve.io/"


def node(kind: str, *steps: Json) -> Json:
    """Return a node."""
    return {"routerType": kind, "steps": list(steps)}


def document(
    nodes: Mapping[str, Json] | None = None,
    *,
    name: str = "chain",
    annotations: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    **spec: Any,
) -> Json:
    """Return a custom resource: one step to the service of `service` where no nodes are given.

    annotations: names without a slash belong to KServe.
    """
    metadata: Json = {"name": name, "namespace": "team-a"}
    if annotations:
        metadata["annotations"] = {
            key if "/" in key else f"{PREFIX}{key}": value for key, value in annotations.items()
        }
    if labels:
        metadata["labels"] = dict(labels)
    usual = {"root": node("Sequence", {"serviceName": "iris"})}
    return copy.deepcopy(
        {
            "apiVersion": "serving.kserve.io/v1alpha1",
            "kind": "InferenceGraph",
            "metadata": metadata,
            "spec": {"nodes": usual if nodes is None else dict(nodes), **spec},
        }
    )


def service(
    name: str = "iris",
    predictor: Json | None = None,
    *,
    address: str = "",
    annotations: Mapping[str, str] | None = None,
    status: Json | None = None,
    **spec: Any,
) -> Json:
    """Return an InferenceService as the cluster has it. address: what it reports."""
    model = {"model": {"modelFormat": {"name": "sklearn"}, "storageUri": "gs://m/s"}}
    said: Json = {"address": {"url": address}} if address else {}
    return {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": "InferenceService",
        "metadata": {
            "name": name,
            "namespace": "team-a",
            "annotations": dict(annotations or {}),
        },
        "spec": {"predictor": model if predictor is None else predictor, **spec},
        "status": {**said, **(status or {})},
    }


def children(given: Json, *objects: Json, release: str = "0.20", **blocks: Any) -> dict[str, Json]:
    """Return what a graph becomes beside the service of `service`: kind → manifest. blocks: of KServe's configuration."""
    settings = INFERENCE_GRAPH.settings({}, {"kserve": release})
    loaded = INFERENCE_GRAPH.load(given, settings)
    assert loaded.service is not None, [str(problem) for problem in loaded.problems]
    reader = Cluster([config_map(**blocks), *(objects or (service(),))])
    intent = INFERENCE_GRAPH.compile(loaded.service, settings, reader)
    found = [child.manifest.to_dict() for child in intent.children]
    return {each["kind"]: each for each in found}


def router(given: Json, *objects: Json, **blocks: Any) -> Json:
    """Return the router's container."""
    found: Json = children(given, *objects, **blocks)["Deployment"]["spec"]["template"]["spec"]
    return found["containers"][0]


def graph_json(given: Json, *objects: Json, **blocks: Any) -> Json:
    """Return the graph as the router reads it."""
    found: Json = json.loads(router(given, *objects, **blocks)["args"][1])
    return found


def errors(given: Json, *objects: Json, **blocks: Any) -> dict[str, str]:
    """Return everything that is wrong with a graph: field → message. Only one of loading and building finds something."""
    settings = INFERENCE_GRAPH.settings({}, {})
    loaded = INFERENCE_GRAPH.load(given, settings)
    if loaded.service is None:
        return {each.path: each.message for each in loaded.problems}
    reader = Cluster([config_map(**blocks), *(objects or (service(),))])
    try:
        INFERENCE_GRAPH.compile(loaded.service, settings, reader)
    except InputError as error:
        return {
            problem.path: problem.message
            for complaint in error.complaints
            for problem in complaint.problems
        }
    return {}
