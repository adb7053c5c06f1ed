# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that are in a cluster beside services, for tests of checks."""

from __future__ import annotations

from typing import Any

from tests.unit.kinds.inference_service.build import config_map

Json = dict[str, Any]


def gateway(name: str, namespace: str) -> Json:
    """Return a Gateway that lets in routes of its own namespace only."""
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "gatewayClassName": "x",
            "listeners": [{"name": "http", "port": 80, "protocol": "HTTP"}],
        },
    }


def autoscaler(target: str) -> Json:
    """Return an HPA of somebody for a Deployment."""
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "by-hand", "namespace": "team-a"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": target},
            "maxReplicas": 3,
        },
    }


def secret(name: str, key: str) -> Json:
    """Return a Secret with one entry."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": "team-a"},
        "stringData": {key: "x"},
    }


def class_of(kind: str, name: str) -> Json:
    """Return a class for the whole cluster."""
    versions = {
        "RuntimeClass": "node.k8s.io/v1",
        "PriorityClass": "scheduling.k8s.io/v1",
        "GatewayClass": "gateway.networking.k8s.io/v1",
    }
    return {"apiVersion": versions[kind], "kind": kind, "metadata": {"name": name}}


def volume(phase: str, mode: str) -> Json:
    """Return a claim of a volume."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "models", "namespace": "team-a"},
        "spec": {"accessModes": [mode], "volumeName": "v"},
        "status": {"phase": phase},
    }


def opaque(name: str) -> Json:
    """Return a Secret that holds no password of a registry."""
    return {**secret(name, "password"), "type": "Opaque"}


#: A queue that admits nothing, since it selects no namespace.
QUEUES = (
    {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "LocalQueue",
        "metadata": {"name": "team", "namespace": "team-a"},
        "spec": {"clusterQueue": "gpus"},
    },
    {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "ClusterQueue",
        "metadata": {"name": "gpus"},
        "spec": {"resourceGroups": []},
    },
)


#: The one class of priorities that Kueue knows.
PRIORITY = {
    "apiVersion": "kueue.x-k8s.io/v1beta1",
    "kind": "WorkloadPriorityClass",
    "metadata": {"name": "low"},
    "value": 1,
}


def counting(entry: str) -> Json:
    """Return a quota that counts something of every pod of the namespace."""
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "team", "namespace": "team-a"},
        "spec": {"hard": {entry: "100"}},
    }


def strict() -> Json:
    """Return the namespace, which enforces the strictest level of Pod Security."""
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "team-a", "labels": labels},
    }


def hosts(taken: str, name: str, namespace: str) -> Json:
    """Return a Gateway whose listener takes requests for one host name of all namespaces."""
    listener = {"name": "web", "port": 80, "protocol": "HTTP", "hostname": taken}
    everybody = {"allowedRoutes": {"namespaces": {"from": "All"}}}
    found = gateway(name, namespace)
    found["spec"]["listeners"] = [{**listener, **everybody}]
    return found


NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}}


#: As the first versions of the API had it.
FLAT_CLAIMS = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaimTemplate",
    "metadata": {"name": "one-gpu", "namespace": "team-a"},
    "spec": {
        "spec": {"devices": {"requests": [{"name": "gpu", "deviceClassName": "gpu.nvidia.com"}]}}
    },
}
CLAIMS = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaimTemplate",
    "metadata": {"name": "one-gpu", "namespace": "team-a"},
    "spec": {
        "spec": {
            "devices": {
                "requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com"}}]
            }
        }
    },
}


NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a", "labels": {"zone": "z"}}}


CONFIG = config_map()
