# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports that meet in one container, one pod or one Service (docs/differences.md, W39)."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.problem import Problem
from ..settings import Settings
from ..spec import ModelService

#: Ports that every picker opens.
_PICKER_PORTS = {9003: "health checks", 9090: "metrics"}


def picker_port(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Refuse a picker port that the picker uses already."""
    taken = _PICKER_PORTS.get(service.pool.port) if service.pool else None
    if service.pool and taken:
        message = f"{service.pool.port} is the picker's port for {taken}; choose another one, for example 9002"
        yield Problem("spec.inferencePool.endpointPicker.port", message, rule="picker-port")


def proxy_port(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Warn where proxy and engine want the same port of the decode pod. The API accepts it, the pod never gets ready."""
    proxy = service.routing_proxy
    if proxy is not None and proxy.target_port == service.engine.port:
        message = (
            f"{proxy.target_port} is spec.engine.port too, which the proxy takes; the engine cannot listen there and "
            "restarts forever. Choose another port"
        )
        yield Problem("spec.routingProxy.targetPort", message, "warning", rule="proxy-port")
