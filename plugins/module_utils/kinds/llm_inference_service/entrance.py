# SPDX-License-Identifier: GPL-3.0-or-later
"""How an LLMInferenceService is called: through the routes of its author or its own, else by its Service inside the cluster."""

from __future__ import annotations

from collections.abc import Sequence

from ...kube.manifest import Json
from ...kube.reader import Reader
from ..entrance import Backend, Entrance, engine_protocol, served_name
from . import names
from .children.http_route import http_route
from .children.workload_service import workload_service
from .conditions.routes import live_routes
from .resolved import Resolved
from .settings import Settings


def entrance(resolved: Resolved, settings: Settings, reader: Reader) -> Entrance:  # noqa: ARG001
    """Return how the service is called."""
    containers = resolved.at("template", "containers") or ()
    backend = _backend(resolved, reader)
    routes = addressed_routes(resolved, reader)
    closed = "the service is stopped" if resolved.stopped else ""
    if not (closed or routes):
        closed = "it has no route, so it can only be called inside the cluster"
        if backend is not None:
            closed += f", by {backend.url(resolved.settings.cluster_domain)}"
    return Entrance(
        engine_protocol(containers),
        served_name(containers) or resolved.at("model", "name") or resolved.name,
        routes=tuple(routes),
        targets=frozenset({resolved.pool_name, names.workload_service(resolved.name)}),
        backend=backend,
        closed=closed,
    )


def addressed_routes(resolved: Resolved, reader: Reader) -> Sequence[Json]:
    """Return the routes that lead to a service: those of its author, and the managed one as it is meant to be."""
    managed = http_route(resolved, reader)
    meant = [managed.manifest.to_dict()] if managed else []
    return [*live_routes(resolved, reader, managed=False), *meant]


def _backend(resolved: Resolved, reader: Reader) -> Backend | None:
    service = workload_service(resolved, reader)
    if service is None:
        return None
    port = service.manifest.body["spec"]["ports"][0]
    tls = port["appProtocol"] == "https"
    return Backend(service.manifest.name, resolved.namespace, port["port"], tls)
