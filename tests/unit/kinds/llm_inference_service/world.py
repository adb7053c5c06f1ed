# SPDX-License-Identifier: GPL-3.0-or-later
"""A small cluster for the tests of router and status: services with their presets merged, Gateways, routes, pools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from module_utils.kinds.llm_inference_service.resolved import Resolved
from module_utils.kinds.llm_inference_service.settings import Settings
from module_utils.kinds.llm_inference_service.spec import LlmInferenceService
from module_utils.kinds.llm_inference_service.system_config import (
    Certificates,
    Credentials,
    Ingress,
    Storage,
    SystemConfig,
)
from module_utils.kube.manifest import Json

GATEWAY_API = "gateway.networking.k8s.io/v1"
NAMESPACE = "team-a"


def resolved(
    spec: Json,
    scheme: str = "http",
    annotations: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> Resolved:
    """Return a service `chat` with a merged spec. scheme: of the URLs to be first."""
    service = LlmInferenceService(
        document={},
        name="chat",
        namespace=NAMESPACE,
        labels={},
        annotations=annotations or {},
        version="v1alpha2",
        spec={},
    )
    storage = Storage("100m", "1", "100Mi", "1Gi")
    ingress = Ingress("gw", "kserve", scheme)
    config = SystemConfig(ingress, storage, Credentials(), Certificates())
    return Resolved(service, spec, config, settings or Settings(), {})


def stopped(spec: Json) -> Resolved:
    """Return the same service, stopped."""
    return resolved(spec, annotations={"serving.kserve.io/stop": "true"})


def thing(api_version: str, kind: str, name: str, namespace: str = NAMESPACE, **parts: Any) -> Json:
    """Return an object."""
    place = {"namespace": namespace} if namespace else {}
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **place}, **parts}


def listener(name: str = "http", protocol: str = "HTTP", port: int = 80, host: str = "") -> Json:
    """Return a listener of a Gateway."""
    hostname = {"hostname": host} if host else {}
    return {"name": name, "protocol": protocol, "port": port, **hostname}


def gateway(
    name: str = "gw",
    addresses: Sequence[str] = ("203.0.113.1",),
    listeners: Sequence[Json] = (listener(),),
    namespace: str = NAMESPACE,
    conditions: Sequence[Json] = (),
) -> Json:
    """Return a Gateway of the class `class`."""
    return thing(
        GATEWAY_API,
        "Gateway",
        name,
        namespace,
        spec={"gatewayClassName": "class", "listeners": list(listeners)},
        status={
            "addresses": [{"value": value} for value in addresses],
            "conditions": list(conditions),
        },
    )


CLASS = thing(GATEWAY_API, "GatewayClass", "class", "")


def route(
    spec: Mapping[str, Any] | None = None,
    name: str = "mine",
    parents: Sequence[Json] = ({"name": "gw"},),
) -> Json:
    """Return an HTTPRoute."""
    return thing(GATEWAY_API, "HTTPRoute", name, spec={"parentRefs": list(parents), **(spec or {})})


def service(name: str, labels: Mapping[str, str] | None = None) -> Json:
    """Return a Service."""
    made = thing("v1", "Service", name)
    made["metadata"]["labels"] = dict(labels or {})
    return made


def said(
    kind: str, status: str = "True", reason: str = "R", message: str = "m", seen: int = 0
) -> Json:
    """Return a condition. seen: the generation of its object that it speaks of, 0 for none."""
    generation = {"observedGeneration": seen} if seen else {}
    return {"type": kind, "status": status, "reason": reason, "message": message, **generation}
