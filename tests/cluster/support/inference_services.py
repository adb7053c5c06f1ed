# SPDX-License-Identifier: GPL-3.0-or-later
"""InferenceServices for tests, and what has to be in a cluster before they can be made."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kube.manifest import Json
from module_utils.kinds.inference_service.crd import crd
from module_utils.kinds.kserve.defaults import DEFAULTS
from tests.lab import crds
from tests.lab.client import Client
from tests.lab.crd_sources import KSERVE_CACHES, KSERVE_RUNTIMES
from tests.objects import thing

API_VERSION = "serving.kserve.io/v1beta1"
GATEWAY_API = "gateway.networking.k8s.io/v1"
#: KServe's namespace in these tests, and the gateway of its services.
KSERVE, GATEWAY = "kserve-isvc", "kserve-ingress-gateway"
SETTINGS = {"kserve_namespace": KSERVE}
RUNTIME = "lab-sklearn"


def prepare(client: Client) -> None:
    """Install the kinds, KServe's configuration, a runtime and the gateway."""
    # One after the other: the list of a group's kinds is served as soon as one of them is in it.
    for definitions in (crds.documents(KSERVE_RUNTIMES), crds.documents(KSERVE_CACHES), [crd()]):
        crds.install(client, definitions)
    client.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": KSERVE}})
    for each in (config_map(), runtime(), *gateway()):
        client.apply(each)


def config_map(**blocks: Any) -> Json:
    """Return KServe's configuration with some blocks replaced."""
    own = {
        **DEFAULTS,
        "ingress": {**DEFAULTS["ingress"], "kserveIngressGateway": f"{KSERVE}/{GATEWAY}"},
        **blocks,
    }
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "inferenceservice-config", "namespace": KSERVE},
        "data": {name: json.dumps(value) for name, value in own.items()},
    }


def runtime(image: str = "registry.example.com/sklearn:1.0", namespace: str = "") -> Json:
    """Return a runtime for the format of these tests, which nobody else's has.

    namespace: where a test has a runtime of its own. The cluster's never changes: tests side by side share it.
    """
    return {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "ServingRuntime" if namespace else "ClusterServingRuntime",
        "metadata": {"name": RUNTIME, **({"namespace": namespace} if namespace else {})},
        "spec": {
            "protocolVersions": ["v1"],
            "supportedModelFormats": [{"name": "lab", "autoSelect": True}],
            "containers": [
                {
                    "name": "kserve-container",
                    "image": image,
                    "args": ["--model_name={{.Name}}"],
                    "resources": {"requests": {"cpu": "10m"}, "limits": {"cpu": "10m"}},
                }
            ],
        },
    }


def gateway() -> tuple[Json, Json]:
    """Return a gateway of the lab that takes routes of all namespaces, and its class."""
    listener = {
        "name": "http",
        "port": 80,
        "protocol": "HTTP",
        "allowedRoutes": {"namespaces": {"from": "All"}},
    }
    return (
        thing(
            GATEWAY_API, "GatewayClass", "lab", spec={"controllerName": "lab.modelops.io/gateway"}
        ),
        {
            "apiVersion": GATEWAY_API,
            "kind": "Gateway",
            "metadata": {"name": GATEWAY, "namespace": KSERVE},
            "spec": {"gatewayClassName": "lab", "listeners": [listener]},
        },
    )


def isvc(
    name: str, namespace: str, annotations: dict[str, str] | None = None, **predictor: Any
) -> Json:
    """Return a service with a model that comes with its image. predictor: fields added or replaced."""
    model = {"modelFormat": {"name": "lab"}, "storageUri": "hf://acme/iris"}
    metadata: Json = {"name": name, "namespace": namespace}
    if annotations:
        metadata["annotations"] = annotations
    return {
        "apiVersion": API_VERSION,
        "kind": "InferenceService",
        "metadata": metadata,
        "spec": {"predictor": {"model": model, **deepcopy(predictor)}},
    }


#: apiVersion, kind and name of the children of a service in Standard mode.
CHILDREN = (
    ("apps/v1", "Deployment", "{name}-predictor"),
    ("v1", "Service", "{name}-predictor"),
    ("autoscaling/v2", "HorizontalPodAutoscaler", "{name}-predictor"),
    (GATEWAY_API, "HTTPRoute", "{name}-predictor"),
    (GATEWAY_API, "HTTPRoute", "{name}"),
)


def children(name: str, namespace: str) -> list[Json]:
    """Return a reference to each child of `isvc`."""
    return [
        thing(api_version, kind, pattern.format(name=name), namespace)
        for api_version, kind, pattern in CHILDREN
    ]


def trained_model(name: str, place: str, service: str = "iris") -> Json:
    """Return a TrainedModel of a service, for the runtime of these tests."""
    spec = {"framework": "lab", "memory": "1Gi", "storageUri": f"gs://m/{name}"}
    return {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "TrainedModel",
        "metadata": {"name": name, "namespace": place},
        "spec": {"inferenceService": service, "model": spec},
    }
