# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the routes of a service send requests: backends that are there, may be named, and get any.

Source: Gateway API, HTTPRoute, BackendRef and ReferenceGrant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..kinds.check import WARNING, Check, check
from ..kinds.route_view import RouteView
from ..kinds.view import ServiceView
from ..kube import gvk
from ..kube.did_you_mean import nearest
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.reader import Reader
from ..kube.reference import Reference

_GRANTS = f"{gvk.GATEWAY_GROUP}/v1beta1"
_VERSIONS = {"Service": ("v1",), "InferencePool": (gvk.POOL, gvk.OLD_POOL)}
#: In which API groups the kinds are to which an HTTPRoute sends requests.
_GROUPS = {kind: {each.rpartition("/")[0] for each in _VERSIONS[kind]} for kind in _VERSIONS}

GRANT = Check(
    "reference-grant",
    WARNING,
    finds="HTTPRoute {route} sends requests to {kind} {backend} of another namespace, which no ReferenceGrant there permits",
    fix="create a ReferenceGrant in {namespace} from HTTPRoute of {home} to {kind}",
)
BACKEND = Check(
    "backend-missing",
    WARNING,
    finds="HTTPRoute {route} sends requests to {kind} {backend}, which {absent}: these requests get 500",
    fix="name one that exists{made}",
)
BACKEND_GROUP = Check(
    "backend-group",
    WARNING,
    finds='HTTPRoute {route} sends requests to {kind} {backend} of group "{group}", which has no such kind: these requests get 500 (InvalidKind)',
    fix="set group: {right}",
)
WEIGHTS = Check(
    "backend-weights",
    WARNING,
    finds="all backends of a rule of HTTPRoute {route} have weight 0: its requests fail",
    fix="give at least one backend a weight above 0, or leave the weights out",
)


@check(GRANT, reads=("ReferenceGrants",))
def grant(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield backends in other namespaces that no ReferenceGrant there permits."""
    for route, backend in _backends(view):
        home = route.reference.namespace
        if backend.namespace == home:
            continue
        grants = reader.list(_GRANTS, "ReferenceGrant", backend.namespace, {})
        known = reader.complete or bool(grants)
        if known and not any(_permits(each, home, backend) for each in grants):
            yield GRANT.at(
                route.place,
                route=route.reference.name,
                kind=backend.kind,
                backend=backend.full_name,
                namespace=backend.namespace,
                home=home,
            )


@check(BACKEND, reads=("Services", "InferencePools"))
def backend_missing(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield backends of routes that do not exist."""
    made = [Reference.of(each) for each in view.made]
    refers = {(each.kind, each.name) for each, dummy in view.refers}
    for route, backend in _backends(view):
        ours = {each.name for each in made if each.kind == backend.kind}
        # What a controller looks for itself is reported in the controller's words.
        if backend.name in ours or (reader.complete and (backend.kind, backend.name) in refers):
            continue
        named = [
            Reference(version, backend.kind, backend.namespace, backend.name)
            for version in _VERSIONS[backend.kind]
        ]
        there = any(each in view.run or reader.get(each) for each in named)
        if there or not (reader.complete or _contradicted(backend, ours, named, reader)):
            continue
        absent = (
            "does not exist"
            if reader.complete
            else "the service does not create and the given objects do not contain"
        )
        yield BACKEND.at(
            route.place,
            route=route.reference.name,
            kind=backend.kind,
            backend=backend.full_name,
            absent=absent,
            made=f"; the service creates {', '.join(sorted(ours))}" if ours else "",
        )


def _contradicted(
    backend: Reference, ours: set[str], named: Sequence[Reference], reader: Reader
) -> bool:
    """Tell whether what is given leaves no doubt about a backend: its name is a slip, another one takes its place, or others are there."""
    if nearest(backend.name, ours) or (ours and backend.kind == "InferencePool"):
        return True
    return any(reader.list(each.api_version, each.kind, each.namespace, {}) for each in named)


@check(BACKEND_GROUP)
def backend_group(view: ServiceView) -> Iterator[Problem]:
    """Yield backends of routes whose group does not have their kind: without a group, the core group with Services counts."""
    for route, dummy, each in backend_references(view):
        kind, group = str(each.get("kind") or "Service"), str(each.get("group") or "")
        groups = _GROUPS.get(kind, {group})
        if group not in groups:
            yield BACKEND_GROUP.at(
                route.place,
                route=route.reference.name,
                kind=kind,
                backend=each.get("name"),
                group=group,
                right=min(groups) or '""',
            )


@check(WEIGHTS, costly=True)
def weights(view: ServiceView) -> Iterator[Problem]:
    """Yield rules of HTTPRoutes that give all of their backends a weight of 0."""
    for route, manifest in _routes(view):
        for number, rule in enumerate(value_at(manifest, ("spec", "rules")) or ()):
            backends = rule.get("backendRefs") or ()
            if backends and all(each.get("weight") == 0 for each in backends):
                place = view.field_map.at(route.reference, f"spec.rules[{number}].backendRefs")
                yield WEIGHTS.at(place, route=route.reference.name)


def _routes(view: ServiceView) -> Iterator[tuple[RouteView, Json]]:
    """Yield the HTTPRoutes of a service with their manifests."""
    for manifest in view.made_of(gvk.GATEWAY, "HTTPRoute"):
        reference = Reference.of(manifest)
        yield from ((route, manifest) for route in view.routes if route.reference == reference)


def backend_references(view: ServiceView) -> Iterator[tuple[RouteView, str, Json]]:
    """Yield the backendRefs of HTTPRoutes, each with its route and its path there."""
    for route, manifest in _routes(view):
        for rule, each in enumerate(value_at(manifest, ("spec", "rules")) or ()):
            for number, backend in enumerate(each.get("backendRefs") or ()):
                yield route, f"spec.rules[{rule}].backendRefs[{number}]", backend


def _backends(view: ServiceView) -> Iterator[tuple[RouteView, Reference]]:
    """Yield where the rules of HTTPRoutes send requests, each once."""
    found: dict[tuple[Reference, Reference], RouteView] = {}
    for route, dummy_path, each in backend_references(view):
        kind = each.get("kind") or "Service"
        if kind in _VERSIONS:
            place = each.get("namespace") or route.reference.namespace
            backend = Reference(_VERSIONS[kind][0], kind, place, each.get("name") or "")
            found[route.reference, backend] = route
    for (dummy, backend), route in found.items():
        yield route, backend


def _permits(grant: Json, home: str, backend: Reference) -> bool:
    spec = grant.get("spec") or {}
    comes = any(
        (each.get("kind"), each.get("namespace")) == ("HTTPRoute", home)
        for each in spec.get("from") or ()
    )
    return comes and any(
        each.get("kind") == backend.kind and each.get("name") in (None, "", backend.name)
        for each in spec.get("to") or ()
    )
