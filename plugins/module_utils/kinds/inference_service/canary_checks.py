# SPDX-License-Identifier: GPL-3.0-or-later
"""Canaries that no request reaches."""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.problem import Problem
from ..check import WARNING, Check, check
from ..view import ServiceView
from .resolved import Resolved
from .router.front_component import has_routes

UNREACHED = Check(
    "canary-share",
    WARNING,
    finds="no request reaches the canary: {why}",
    fix="call its Service {name} yourself, or have the HTTPRoute of the predictor share the requests",
)


@check(UNREACHED)
def unreached(view: ServiceView) -> Iterator[Problem]:
    """Yield canaries whose share nobody gives them: only the HTTPRoutes that lead to the predictor do."""
    resolved: Resolved = view.basis
    why = _why(resolved)
    for each in resolved.components.canaries if why else ():
        if each.canary and each.canary.share:
            field = f"{each.canary.field}.trafficPercent"
            yield UNREACHED.at(field, why=why, name=each.name)


def _why(resolved: Resolved) -> str:
    """Return why no route shares the requests to a service, empty where one does."""
    if not has_routes(resolved):
        return "the service is only called from inside the cluster, by the Service of its predictor"
    if not resolved.config.ingress.enable_gateway_api:
        return "an Ingress leads to the predictor alone"
    if resolved.service.component("transformer") is not None:
        return "the transformer calls the Service of the predictor"
    return ""


CHECKS = (unreached,)
