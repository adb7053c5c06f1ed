# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices that pods ask for by claim (DRA), counted like any other resource where the claim is simple."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..kube.manifest import Json, value_at
from .demand import CLAIMS, Demand
from .requests import CLASS_PREFIX, Amounts

_TEMPLATE = "resourceClaimTemplateName"
#: What makes a request more than a number of devices of a class.
_MORE = ("selectors", "adminAccess", "tolerations", "capacity")


def with_claims(demand: Demand, templates: Mapping[str, Json]) -> Demand:
    """Return a demand with what its claims ask for. templates: ResourceClaimTemplates of its namespace, by name."""
    asked: Amounts = {}
    others = tuple(doubt for doubt in demand.doubts if doubt != CLAIMS)
    try:
        for claim in demand.spec.get("resourceClaims") or ():
            for name, count in _asked(claim, templates).items():
                asked[name] = asked.get(name, 0) + count
        if len(asked) > 1:
            raise ValueError("device claims of several classes, which may be of the same devices")
    except ValueError as error:
        return replace(demand, doubts=(*others, str(error)))
    return replace(demand, requests={**demand.requests, **asked}, doubts=others)


def _asked(claim: Json, templates: Mapping[str, Json]) -> Amounts:
    """Return the devices of one claim of a pod by class. Raises ValueError where they are not simply counted."""
    name = claim.get(_TEMPLATE)
    if not name:
        raise ValueError(f"ResourceClaim {claim.get('resourceClaimName')}, which pods share")
    if name not in templates:
        raise ValueError(f"ResourceClaimTemplate {name} does not exist")
    devices = value_at(templates[name], ("spec", "spec", "devices")) or {}
    if devices.get("constraints"):
        raise ValueError(f"constraints between the devices of ResourceClaimTemplate {name}")
    asked: Amounts = {}
    for request in devices.get("requests") or ():
        exactly = request.get("exactly")
        if not exactly or exactly.get("allocationMode", "ExactCount") != "ExactCount":
            raise ValueError(f"a choice of devices in ResourceClaimTemplate {name}")
        if any(exactly.get(field) for field in _MORE):
            raise ValueError(
                f"a request of ResourceClaimTemplate {name} that looks at more than the class"
            )
        key = f"{CLASS_PREFIX}{exactly['deviceClassName']}"
        asked[key] = asked.get(key, 0) + int(exactly.get("count") or 1)
    return asked
