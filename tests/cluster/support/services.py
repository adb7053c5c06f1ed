# SPDX-License-Identifier: GPL-3.0-or-later
"""ModelServices for tests: the smallest one, and one that uses everything."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kube.manifest import Json

API_VERSION = "model.otterscale.io/v1alpha1"


def small(name: str, namespace: str, **spec: Any) -> Json:
    """Return a service that gets ready on the lab's CPU nodes. spec: blocks added or replaced."""
    return {
        "apiVersion": API_VERSION,
        "kind": "ModelService",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "model": {"name": f"acme/{name}", "image": f"registry.example.com/models/{name}:1.0"},
            "engine": {"image": "registry.example.com/serving/vllm:0.11.0"},
            "accelerator": {"type": "cpu"},
            "decode": {},
            **deepcopy(spec),
        },
    }


def full(name: str, namespace: str, **spec: Any) -> Json:
    """Return a service that has a child of every kind."""
    everything: Json = {
        "engine": {
            "image": "registry.example.com/serving/vllm:0.11.0",
            "env": [{"name": "FIRST", "value": "1"}, {"name": "SECOND", "value": "2"}],
        },
        "decode": {"replicas": 2},
        "prefill": {"replicas": 1},
        "routingProxy": {"connector": "nixlv2", "secureProxy": False},
        "inferencePool": {"endpointPicker": {"replicas": 1}},
        "monitoring": {"podMonitor": {"enabled": True}},
        "httpRoute": {"gatewayRef": {"name": "edge", "namespace": "infra"}},
    }
    return small(name, namespace, **{**everything, **spec})


#: apiVersion, kind and name (after the service's own, or the whole of it for cluster scope) of the children of `full`.
CHILDREN = (
    ("v1", "ServiceAccount", "{name}-epp"),
    ("v1", "ConfigMap", "{name}-epp-config"),
    ("v1", "Secret", "{name}-epp-sa-metrics-reader-secret"),
    ("v1", "Service", "{name}-epp"),
    ("rbac.authorization.k8s.io/v1", "Role", "{name}-epp"),
    ("rbac.authorization.k8s.io/v1", "RoleBinding", "{name}-epp"),
    ("rbac.authorization.k8s.io/v1", "ClusterRole", "{namespace}-{name}-epp"),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "{namespace}-{name}-epp"),
    ("apps/v1", "Deployment", "{name}-decode"),
    ("apps/v1", "Deployment", "{name}-prefill"),
    ("apps/v1", "Deployment", "{name}-epp"),
    ("inference.networking.k8s.io/v1", "InferencePool", "{name}"),
    ("gateway.networking.k8s.io/v1", "HTTPRoute", "{name}"),
    ("networking.istio.io/v1beta1", "DestinationRule", "{name}-epp"),
    ("monitoring.coreos.com/v1", "PodMonitor", "{name}-decode"),
    ("monitoring.coreos.com/v1", "PodMonitor", "{name}-prefill"),
    ("monitoring.coreos.com/v1", "ServiceMonitor", "{name}-epp"),
)
CLUSTER_SCOPED = ("ClusterRole", "ClusterRoleBinding")


def children(name: str, namespace: str) -> list[Json]:
    """Return a reference to each child of `full`, as a manifest without content."""
    return [
        reference(api_version, kind, pattern.format(name=name, namespace=namespace), namespace)
        for api_version, kind, pattern in CHILDREN
    ]


def reference(api_version: str, kind: str, name: str, namespace: str) -> Json:
    """Return what a client needs to find an object."""
    place = {} if kind in CLUSTER_SCOPED else {"namespace": namespace}
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **place}}


def deployment(name: str, namespace: str) -> Json:
    """Return a reference to a Deployment."""
    return reference("apps/v1", "Deployment", name, namespace)


def custom_resource(service: Json) -> Json:
    """Return a reference to a service's own object."""
    meta = service["metadata"]
    place = meta.get("namespace", "")
    return reference(service["apiVersion"], service["kind"], meta["name"], place)
