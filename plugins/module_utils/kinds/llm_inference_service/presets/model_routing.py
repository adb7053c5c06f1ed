# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether requests may name their model in a header, which KServe 0.19 and later route by.

Source: KServe pkg/controller/v1alpha2/llmisvc/config_merge.go@v0.19.0.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....kube.manifest import Json, value_at
from ....kube.reader import Reader
from ....kube.release import Since
from ...kserve.releases import KServe
from ..names import published
from ..router.by_model import ASKS_SERVICE, MODEL_ANNOTATION, ROUTES_BY_MODEL
from ..router.kinds import gateway, parent_gateway, route
from ..router.urls import names_model
from ..system_config import SystemConfig

#: Whether adapters are routed in the order of their names.
_SORTS: Since[bool] = Since({KServe.V0_17: False, KServe.V0_20: True})
_RULES = ("router", "route", "http", "spec", "rules")


def by_model(
    own: Json,
    merged: Json,
    namespace: str,
    config: SystemConfig,
    release: KServe,
    reader: Reader,
) -> bool:
    """Return whether a route may have such rules; with releases that know of none, it keeps what it has.

    own: the service's own spec: before 0.20 of Gateways only those count that it names itself. merged: with its presets.
    """
    if not ROUTES_BY_MODEL.at(release):
        return True
    if ASKS_SERVICE.at(release):
        own = merged
        if value_at(merged, ("annotations", MODEL_ANNOTATION)) != "true":
            return False
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
    return bool(annotations.get(MODEL_ANNOTATION) == "false")


def with_adapter_rules(
    spec: Json, namespace: str, given: Sequence[str], header: str, release: KServe
) -> Json:
    """Return a merged spec whose route takes requests that name an adapter where it takes those that name the model."""
    rules = value_at(spec, _RULES)
    adapters = sorted(given) if _SORTS.at(release) else given
    if not rules or not adapters or not header:
        return spec

    def naming(match: Json, adapter: str) -> Json:
        value = published(namespace, adapter)
        headers = [
            {**one, "value": value} if one.get("name") == header else one
            for one in match["headers"]
        ]
        return {**match, "headers": headers}

    fitted = []
    for rule in rules:
        matches = rule.get("matches") or []
        named = [one for one in matches if names_model(one, header)]
        added = [naming(one, adapter) for one in named for adapter in adapters]
        fitted.append({**rule, "matches": [*matches, *added]} if added else rule)
    return _with_rules(spec, fitted)


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
    return _with_rules(spec, kept)


def _with_rules(spec: Json, rules: list[Json]) -> Json:
    router = spec["router"]
    http = router["route"]["http"]
    fitted = {**http, "spec": {**http["spec"], "rules": rules}}
    return {**spec, "router": {**router, "route": {**router["route"], "http": fitted}}}
