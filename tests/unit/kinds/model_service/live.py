# SPDX-License-Identifier: GPL-3.0-or-later
"""Live objects of a ModelService in the states in which a cluster shows them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from module_utils.kube.manifest import Json
from module_utils.kube.reference import Reference

NAMESPACE = "team-a"


def deployment(
    name: str,
    desired: int = 1,
    ready: int = 0,
    *,
    updated: int | None = None,
    total: int | None = None,
    seen: int = 1,
    conditions: Iterable[Json] = (),
    namespace: str = NAMESPACE,
) -> Json:
    """Return a Deployment with these counters; as many pods as are wanted, all of the present template, unless told."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace, "generation": 1},
        "spec": {"replicas": desired, "selector": {"matchLabels": {"app": name}}},
        "status": {
            "observedGeneration": seen,
            "readyReplicas": ready,
            "updatedReplicas": max(desired, ready) if updated is None else updated,
            "replicas": max(desired, ready) if total is None else total,
            "conditions": list(conditions),
        },
    }


def pod(
    of: str, *, template: str = "a", created: str = "2026-01-01T00:00:00Z", **status: Any
) -> Json:
    """Return a pod of a Deployment."""
    labels = {"app": of, "pod-template-hash": template}
    meta = {
        "name": f"{of}-{template}-x",
        "namespace": NAMESPACE,
        "labels": labels,
        "creationTimestamp": created,
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "status": status}


def waiting(reason: str, message: str = "", container: str = "vllm") -> list[Json]:
    """Return container statuses with one container that waits."""
    return [{"name": container, "state": {"waiting": {"reason": reason, "message": message}}}]


def route(*conditions: Json, name: str = "chat", generation: int = 1) -> Json:
    """Return an HTTPRoute of which one gateway says this; no conditions: no gateway has seen it."""
    parent = {"parentRef": {"name": "edge", "namespace": "infra"}, "conditions": list(conditions)}
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": name, "namespace": NAMESPACE, "generation": generation},
        "status": {"parents": [parent] if conditions else []},
    }


def pool(*conditions: Json) -> Json:
    """Return an InferencePool of which one gateway says this."""
    return {
        **route(*conditions),
        "apiVersion": "inference.networking.k8s.io/v1",
        "kind": "InferencePool",
    }


def said(kind: str, status: str, reason: str, message: str = "", generation: int = 1) -> Json:
    """Return one condition."""
    return {
        "type": kind,
        "status": status,
        "reason": reason,
        "message": message,
        "observedGeneration": generation,
    }


ACCEPTED = said("Accepted", "True", "Accepted")


def live(*objects: Json) -> dict[Reference, Json]:
    """Return objects by reference."""
    return {Reference.of(item): item for item in objects}
