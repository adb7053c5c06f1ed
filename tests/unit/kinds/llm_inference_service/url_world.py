# SPDX-License-Identifier: GPL-3.0-or-later
"""A route, the Gateways around it, and the URLs under which it is reached then, for the tables of these tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.router.urls import (
    Naming,
    attached_gateways,
    route_urls,
)
from tests.objects import Cluster

from .world import CLASS, listener, route

Json = dict[str, Any]
DOMAIN = "cluster.local"


def rule(*paths: str | None, backend: Mapping[str, Any] | None = None) -> Json:
    """Return a rule with matches for paths; None is a match for a header alone."""
    matches = [
        {"headers": [{"name": "a", "value": "b"}]} if path is None else {"path": {"value": path}}
        for path in paths
    ]
    return {"matches": matches, "backendRefs": [backend or {"name": "s", "kind": "Service"}]}


POOL = {"name": "p", "kind": "InferencePool"}
HTTPS = listener("https", "HTTPS", 443)
BOTH = (listener(), HTTPS)
A_HOST = {"hostnames": ["api.example.com"]}


def found(objects: Sequence[Json], made: Json | None = None, scheme: str = "http") -> list[str]:
    naming = Naming(scheme, "inference", DOMAIN)
    made, reader = made or route(), Cluster([CLASS, *objects])
    return [one.url for one in route_urls(made, attached_gateways(made, reader), reader, naming)]
