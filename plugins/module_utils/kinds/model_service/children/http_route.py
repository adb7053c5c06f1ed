# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTTPRoute by which requests come from the gateway to the pool."""

from __future__ import annotations

from ....kube import gvk
from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from .. import labels, names
from ..settings import Settings
from ..spec import ModelService

#: Clients name the service in this header; the model's name in the request's body is not looked at.
MODEL_HEADER = "OtterScale-Model-Name"


def http_route(service: ModelService, settings: Settings) -> Child | None:
    """Return the route that the service describes, else the default route, else None where the default is switched off.

    Source: model-operator internal/modelservice/httproute.go@v0.9.0-alpha.2.
    """
    parent = _parent(service, settings)
    if parent is None:
        return None
    hostnames = list(service.route.hostnames) if service.route else []
    spec = filled({"parentRefs": [parent], "hostnames": hostnames, "rules": [_rule(service.name)]})
    return Child(
        stage=Stage.ROUTING,
        manifest=Manifest(
            api_version=gvk.GATEWAY,
            kind="HTTPRoute",
            name=names.route(service.name),
            namespace=service.namespace,
            labels=labels.routing(service.name, settings.operator_version),
            body={"spec": spec},
        ),
    )


def _parent(service: ModelService, settings: Settings) -> Json | None:
    if service.route is not None:
        elsewhere = service.route.gateway_namespace
        namespace = "" if elsewhere == service.namespace else elsewhere
        return filled({"name": service.route.gateway, "namespace": namespace})
    if not settings.gateway_name:
        return None
    return {
        "group": gvk.GATEWAY_GROUP,
        "kind": "Gateway",
        "name": settings.gateway_name,
        "namespace": settings.gateway_namespace,
    }


def _rule(service: str) -> Json:
    pool = {
        "group": gvk.POOL_GROUP,
        "kind": "InferencePool",
        "name": names.pool(service),
    }
    header = {"type": "Exact", "name": MODEL_HEADER, "value": service}
    match = {"headers": [header], "path": {"type": "PathPrefix", "value": "/"}}
    return {"matches": [match], "backendRefs": [pool]}
