# SPDX-License-Identifier: GPL-3.0-or-later
"""LLMInferenceServices for tests, and what has to be in a cluster before they can be made."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kube.manifest import Json
from module_utils.kinds.llm_inference_service.crd import config_crd, crd
from tests.lab import crds
from tests.lab.client import Client
from tests.lab.crd_sources import LLM_INFERENCE_SERVICE
from tests.objects import thing

API_VERSION = "serving.kserve.io/v1alpha2"
GATEWAY_API = "gateway.networking.k8s.io/v1"
#: KServe's namespace, and the gateway of services that name none.
KSERVE, GATEWAY = "kserve", "kserve-ingress-gateway"


def prepare(client: Client) -> None:
    """Install the kinds and the default gateway. The collection's own presets are used."""
    # One after the other: the list of a group's kinds is served as soon as one of them is in it.
    for definitions in (crds.load(*LLM_INFERENCE_SERVICE), [crd()], [config_crd()]):
        crds.install(client, definitions)
    client.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": KSERVE}})
    client.apply(
        thing(
            GATEWAY_API, "GatewayClass", "lab", spec={"controllerName": "lab.modelops.io/gateway"}
        )
    )
    client.apply(gateway(GATEWAY, KSERVE))


def gateway(name: str, namespace: str) -> Json:
    """Return a gateway of the lab that takes routes of all namespaces."""
    return {
        "apiVersion": GATEWAY_API,
        "kind": "Gateway",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "gatewayClassName": "lab",
            "listeners": [
                {
                    "name": "http",
                    "port": 80,
                    "protocol": "HTTP",
                    "allowedRoutes": {"namespaces": {"from": "All"}},
                }
            ],
        },
    }


def llm(name: str, namespace: str, **spec: Any) -> Json:
    """Return a service in one pod, without a router. spec: fields added or replaced."""
    return {
        "apiVersion": API_VERSION,
        "kind": "LLMInferenceService",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "model": {"uri": "hf://acme/chat", "name": f"acme/{name}"},
            "replicas": 1,
            **deepcopy(spec),
        },
    }


def routed(name: str, namespace: str, **spec: Any) -> Json:
    """Return a service with gateway, route and endpoint picker. spec: fields added or replaced."""
    router: Json = {"gateway": {}, "route": {}, "scheduler": {}}
    return llm(name, namespace, **{"router": router, **spec})


#: apiVersion, kind and name of the children of `routed`, of which the ClusterRoleBinding is the only one without a namespace.
CHILDREN = (
    ("v1", "Secret", "{name}-kserve-self-signed-certs"),
    ("v1", "ServiceAccount", "{name}-epp-sa"),
    ("v1", "Service", "{name}-kserve-workload-svc"),
    ("v1", "Service", "{name}-epp-service"),
    ("apps/v1", "Deployment", "{name}-kserve"),
    ("apps/v1", "Deployment", "{name}-kserve-router-scheduler"),
    ("rbac.authorization.k8s.io/v1", "Role", "{name}-epp-role"),
    ("rbac.authorization.k8s.io/v1", "RoleBinding", "{name}-epp-rb"),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "{namespace}-{name}-epp-auth-rb"),
    ("inference.networking.k8s.io/v1", "InferencePool", "{name}-inference-pool"),
    ("inference.networking.x-k8s.io/v1alpha2", "InferencePool", "{name}-inference-pool"),
    (GATEWAY_API, "HTTPRoute", "{name}-kserve-route"),
)


def child(api_version: str, kind: str, name: str, namespace: str) -> Json:
    """Return what a client needs to find a child."""
    place = {} if kind == "ClusterRoleBinding" else {"namespace": namespace}
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **place}}


def children(name: str, namespace: str) -> list[Json]:
    """Return a reference to each child of `routed`."""
    return [
        child(api_version, kind, pattern.format(name=name, namespace=namespace), namespace)
        for api_version, kind, pattern in CHILDREN
    ]
