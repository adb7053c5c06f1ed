# SPDX-License-Identifier: GPL-3.0-or-later
"""The pods of canaries, and how many pods the predictor has beside them.

Source: KServe pkg/controller/v1beta1/inferenceservice/components/predictor.go at aaac4e294dae.
"""

from __future__ import annotations

from dataclasses import replace

from ....kube.reader import Reader
from ..canaries import Canary, as_service, canaries, is_available
from ..errors import Unbuildable
from ..resolved import Resolved
from .component import Component
from .predictor import predictor

_PREDICTOR = "spec.predictor"


def canary_components(resolved: Resolved, reader: Reader) -> tuple[Component, ...]:
    """Return the canaries of a service. Raises Unbuildable, at the canary's own field."""
    return tuple(_component(each, resolved, reader) for each in canaries(resolved.service))


def beside_canaries(component: Component, found: tuple[Component, ...]) -> Component:
    """Return a predictor with as many pods less as its available canaries have, but with one."""
    least = component.spec.get("minReplicas")
    others = sum(each.spec["minReplicas"] for each in found if each.available)
    if least is None or not others:
        return component
    return replace(component, spec={**component.spec, "minReplicas": max(least - others, 1)})


def _component(canary: Canary, resolved: Resolved, reader: Reader) -> Component:
    release = resolved.settings.release
    alone = replace(resolved, service=as_service(resolved.service, canary, release))
    try:
        made = predictor(alone, reader).component
    except Unbuildable as error:
        if error.problem.path.startswith(_PREDICTOR):
            path = f"{canary.field}.predictor{error.problem.path.removeprefix(_PREDICTOR)}"
            error.problem = replace(error.problem, path=path)
        raise
    # Where no cluster is asked, a canary counts as available.
    available = not reader.complete or is_available(canary, resolved.service.namespace, reader)
    return replace(made, canary=canary, available=available)
