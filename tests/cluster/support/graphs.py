# SPDX-License-Identifier: GPL-3.0-or-later
"""InferenceGraphs for tests, and what has to be in a cluster before they can be made."""

from __future__ import annotations

from typing import Any

from module_utils.kinds.inference_graph.crd import crd
from module_utils.kube.manifest import Json
from tests.lab import crds
from tests.lab.client import Client
from tests.objects import thing

from . import inference_services

API_VERSION = "serving.kserve.io/v1alpha1"


def prepare(client: Client) -> None:
    """Install the kinds, KServe's configuration, a runtime and the gateway."""
    inference_services.prepare(client)
    crds.install(client, [crd()])


def graph(
    name: str,
    namespace: str,
    *steps: Json,
    annotations: dict[str, str] | None = None,
    **spec: Any,
) -> Json:
    """Return a graph that goes through steps one after the other; to the InferenceService `iris` where none are given."""
    metadata: Json = {"name": name, "namespace": namespace}
    if annotations:
        metadata["annotations"] = annotations
    nodes = {"root": {"routerType": "Sequence", "steps": [*steps] or [{"serviceName": "iris"}]}}
    return {
        "apiVersion": API_VERSION,
        "kind": "InferenceGraph",
        "metadata": metadata,
        "spec": {"nodes": nodes, **spec},
    }


def children(name: str, namespace: str) -> list[Json]:
    """Return a reference to each child of `graph`."""
    kinds = (
        ("apps/v1", "Deployment"),
        ("v1", "Service"),
        ("autoscaling/v2", "HorizontalPodAutoscaler"),
    )
    return [thing(api_version, kind, name, namespace) for api_version, kind in kinds]
