# SPDX-License-Identifier: GPL-3.0-or-later
"""Warnings that need a look at other objects: whether the gateway is there, and whether it admits the route.

Source: docs/differences.md, W37.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...kube.problem import Problem
from ...kube.reader import Reader
from ..gateways import Target, gateway_problems
from .settings import Settings
from .spec import ModelService


def advise(service: ModelService, settings: Settings, reader: Reader) -> Sequence[Problem]:
    """Return what the objects around a service say about it. Never an error: their owners may still act."""
    target = _target(service, settings)
    return () if target is None else tuple(gateway_problems(target, service.namespace, reader))


def _target(service: ModelService, settings: Settings) -> Target | None:
    if service.route is not None:
        name, namespace = (
            service.route.gateway,
            service.route.gateway_namespace or service.namespace,
        )
        path = "spec.httpRoute.gatewayRef"
    elif settings.gateway_name:
        name, namespace = settings.gateway_name, settings.gateway_namespace
        path = "spec.httpRoute"
    else:
        return None
    return Target(name, namespace, path, _absent(service, f"{namespace}/{name}"))


def _absent(service: ModelService, place: str) -> str:
    if service.route is not None:
        return f"Gateway {place} does not exist, so the route is not served; create it or name another one"
    return (
        f"missing, and the Gateway of the default route, {place}, does not exist, so the route is not served; create it, name "
        "another one in httpRoute or in the setting gateway_name, or set gateway_name to an empty text for no default route"
    )
