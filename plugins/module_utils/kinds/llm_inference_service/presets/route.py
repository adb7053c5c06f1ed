# SPDX-License-Identifier: GPL-3.0-or-later
"""Fitting the managed route of a merged spec to the service: its gateways and its backends.

Source: KServe pkg/controller/v1alpha2/llmisvc/config_merge.go@v0.17.0.
"""

from __future__ import annotations

from typing import Any

from ....kube import gvk
from ....kube.manifest import Json, value_at
from ....kube.release import Since
from ...kserve.releases import KServe
from .. import names

_SPEC = ("router", "route", "http", "spec")
#: Whether a gateway ref without namespace gives a parentRef with an empty one.
_EMPTY_NAMESPACE: Since[bool] = Since({KServe.V0_17: True, KServe.V0_19: False})


def with_fitted_route(spec: Json, service: str, release: KServe) -> Json:
    """Return a merged spec whose route points to the service's gateways, and to its pool or Service. service: its name."""
    route = value_at(spec, _SPEC)
    if route is None:
        return spec
    gateways = value_at(spec, ("router", "gateway", "refs"))
    if gateways:
        route = {**route, "parentRefs": [_parent(gateway, release) for gateway in gateways]}
    scheduler = value_at(spec, ("router", "scheduler"))
    pool = value_at(scheduler or {}, ("pool", "ref", "name")) or ""
    if scheduler is None:
        target: Json = {"group": "", "kind": "Service", "name": names.workload_service(service)}
    elif pool:
        target = {"name": pool}
    else:
        target = {}
    if target and route.get("rules"):
        route = {**route, "rules": [_rule(rule, service, target) for rule in route["rules"]]}
    router = spec["router"]
    http = {**router["route"]["http"], "spec": route}
    return {**spec, "router": {**router, "route": {**router["route"], "http": http}}}


def is_default_backend(backend: Json, service: str) -> bool:
    """Tell whether a backend is the service's own pool, in whichever group."""
    return backend.get("kind") == "InferencePool" and backend.get("name") == names.inference_pool(
        service
    )


def _parent(gateway: Json, release: KServe) -> Json:
    parent = {
        "group": gvk.GATEWAY_GROUP,
        "kind": "Gateway",
        "name": gateway.get("name") or "",
    }
    namespace = gateway.get("namespace") or ""
    # An empty one is no namespace at all, and nothing is found there.
    if namespace or _EMPTY_NAMESPACE.at(release):
        parent["namespace"] = namespace
    if gateway.get("sectionName"):
        parent["sectionName"] = gateway["sectionName"]
    return parent


def _rule(rule: Json, service: str, target: Json) -> Json:
    backends: Any = rule.get("backendRefs")
    if not backends:
        return rule
    fitted = [
        {**backend, **target} if is_default_backend(backend, service) else backend
        for backend in backends
    ]
    return {**rule, "backendRefs": fitted}
