# SPDX-License-Identifier: GPL-3.0-or-later
"""How a ModelService is called: through its route, which wants the service's name in a header."""

from __future__ import annotations

from ...kube.reader import Reader
from ..entrance import Entrance, engine_protocol
from . import names
from .children.http_route import http_route
from .settings import Settings
from .spec import ModelService


def entrance(service: ModelService, settings: Settings, reader: Reader) -> Entrance:  # noqa: ARG001
    """Return how the service is called. Its pods have no Service of their own, so without a route there is no way in."""
    route = http_route(service, settings)
    return Entrance(
        engine_protocol([{"args": list(service.engine.args)}]),
        service.model.name,
        routes=(route.manifest.to_dict(),) if route else (),
        targets=frozenset({names.pool(service.name)}),
        closed="" if route else "no route leads to it, since the setting gateway_name is empty",
    )
