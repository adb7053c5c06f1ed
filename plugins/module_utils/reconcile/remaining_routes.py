# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes of services that stay and lead to what goes: requests would end there.

The members of a routing group lead to each other. KServe's controller holds a member until the routes of the others have let go of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..engine import OWNER_ANNOTATION
from ..engine.desired import owner_value
from ..engine.plan import Change
from ..engine.snapshot import Snapshot
from ..kube import gvk
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.reference import Reference

_ADVICE = (
    "stop it first, in one run with that service: annotation serving.kserve.io/stop: 'true'; "
    "or remove both, or leave it out of the list with state: overridden"
)


def routes_left(
    snapshot: Snapshot, removed: Collection[Reference], changes: Collection[Change]
) -> Iterator[tuple[Reference, Problem]]:
    """Yield each service that is removed while the route of one that stays sends it requests, with what is wrong."""
    going = {change.reference: change.service for change in changes}
    owners = {owner_value(service) for service in removed}
    for route, live in snapshot.objects.items():
        if route.kind != "HTTPRoute":
            continue
        owner = value_at(live, ("metadata", "annotations", OWNER_ANNOTATION))
        if not owner or owner in owners:
            continue
        backends = map(going.get, _backends(route.namespace, live))
        for service in dict.fromkeys(filter(None, backends)):
            kind, _slash, name = owner.partition("/")
            text = f"{route} of {kind} {name}, which stays, still sends it requests; {_ADVICE}"
            yield service, Problem("", text, rule="route-left")


def _backends(namespace: str, live: Json) -> Iterator[Reference]:
    """Yield what a live route leads to, in each version that a pool may have."""
    for rule in value_at(live, ("spec", "rules")) or ():
        for backend in rule.get("backendRefs") or ():
            name, place = backend.get("name") or "", backend.get("namespace") or namespace
            if backend.get("kind", "Service") == "Service":
                yield Reference("v1", "Service", place, name)
            elif backend.get("kind") == "InferencePool":
                yield from (
                    Reference(version, "InferencePool", place, name)
                    for version in (gvk.POOL, gvk.OLD_POOL)
                )
