# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether requests may name their model in a header, which KServe 0.19 and later route by.

Source: KServe pkg/controller/v1alpha2/llmisvc/config_merge.go@v0.19.0.
"""

from __future__ import annotations

from ....kube.manifest import Json, value_at
from ....kube.reader import Reader
from ...kserve.releases import KServe
from ..router.by_model import ROUTES_BY_MODEL
from ..router.kinds import gateway, parent_gateway, route
from ..router.urls import names_model
from ..system_config import SystemConfig

#: A Gateway with `false` takes no such routes.
_ANNOTATION = "serving.kserve.io/model-based-routing-enabled"
_RULES = ("router", "route", "http", "spec", "rules")


def by_model(
    own: Json, namespace: str, config: SystemConfig, release: KServe, reader: Reader
) -> bool:
    """Return whether a route may have such rules; with releases that know of none, it keeps what it has.

    own: the service's own spec: of Gateways only those count that it names itself.
    """
    if not ROUTES_BY_MODEL.at(release):
        return True
    if config.ingress.model_mode != "enabled":
        return config.ingress.model_mode == "forced"
    named = [gateway(*place) for place in _gateways(own, namespace)]
    if not named:
        return True
    for one in value_at(own, ("router", "route", "http", "refs")) or ():
        live = reader.get(route(namespace, one.get("name") or "")) or {}
        parents = value_at(live, ("spec", "parentRefs")) or ()
        named += [parent_gateway(parent, namespace) for parent in parents]
    found = [reader.get(reference) for reference in named]
    # A Gateway that is not there says nothing, and KServe then asks none of the others.
    return None in found or not any(_declines(live or {}) for live in found)


def _gateways(own: Json, namespace: str) -> list[tuple[str, str]]:
    refs = value_at(own, ("router", "gateway", "refs")) or ()
    return [(ref.get("namespace") or namespace, ref.get("name") or "") for ref in refs]


def _declines(live: Json) -> bool:
    annotations = value_at(live, ("metadata", "annotations")) or {}
    return bool(annotations.get(_ANNOTATION) == "false")


def without_model_rules(spec: Json, header: str) -> Json:
    """Return a merged spec whose route has no match by the header, and no rule that is left without a match."""
    rules = value_at(spec, _RULES)
    if rules is None:
        return spec
    kept = []
    for rule in rules:
        matches = [one for one in rule.get("matches") or () if not names_model(one, header)]
        if matches:
            kept.append({**rule, "matches": matches})
    router = spec["router"]
    http = router["route"]["http"]
    fitted = {**http, "spec": {**http["spec"], "rules": kept}}
    return {**spec, "router": {**router, "route": {**router["route"], "http": fitted}}}
