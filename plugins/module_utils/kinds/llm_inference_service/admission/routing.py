# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes and gateways that do not go together. Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_validation.go@v0.17.0."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ....kube.manifest import Json, value_at
from ....kube.release import Since
from ...kserve.releases import KServe
from .field_error import FieldError

#: The fields by which parentRefs and gateway refs are the same.
_COMPARED: Since[tuple[str, ...]] = Since(
    {
        KServe.V0_17: ("namespace", "name"),
        KServe.V0_18: ("namespace", "name", "sectionName"),
    }
)
_HTTP = "spec.router.route.http"
_GROUP = "spec.router.route.group"
_UNSUPPORTED = "unsupported configuration: "
_CHOOSE = f"either remove 'spec.router.gateway.refs' or '{_HTTP}.spec.parentRefs'"

REDUNDANT = (
    f"{_HTTP}.spec.parentRefs can be omitted when spec.router.gateway.refs is set; "
    "parentRefs will be derived automatically from gateway refs"
)


def errors(spec: Json, version: str, release: KServe) -> Iterator[FieldError]:
    """Yield what is wrong. version: in which the service is written; v1alpha1 takes no parentRefs beside gateway refs."""
    http = value_at(spec, ("router", "route", "http"))
    if http is None:
        return
    gateway = value_at(spec, ("router", "gateway"))
    refs, route = http.get("refs"), http.get("spec")
    if refs and route is not None:
        yield FieldError(
            "Invalid",
            _HTTP,
            f"{_UNSUPPORTED}cannot use both custom HTTPRoute refs ('{_HTTP}.refs') and an inline route spec "
            f"('{_HTTP}.spec'); choose one",
            http,
        )
    if refs and gateway is not None and not gateway.get("refs"):
        yield FieldError(
            "Invalid",
            f"{_HTTP}.refs",
            f"{_UNSUPPORTED}custom HTTP routes ('{_HTTP}.refs') cannot be used with a managed gateway "
            f"('spec.router.gateway'); either remove '{_HTTP}.refs' or set 'spec.router.gateway.refs'",
            refs,
        )
    parents, gateways = _both(spec)
    if parents and gateways and (version == "v1alpha1" or not _same(parents, gateways, release)):
        how = (
            "cannot be used with" if version == "v1alpha1" else "has parentRefs that conflict with"
        )
        yield FieldError(
            "Invalid",
            f"{_HTTP}.spec",
            f"{_UNSUPPORTED}managed HTTP route spec ('{_HTTP}.spec') {how} custom gateway refs "
            f"('spec.router.gateway.refs'); {_CHOOSE}",
            route,
        )


def group_errors(spec: Json) -> Iterator[FieldError]:
    """Yield what is wrong with the group that a service shares requests with."""
    route = value_at(spec, ("router", "route")) or {}
    group, weight = route.get("group"), route.get("weight")
    if group is None and weight is None:
        return
    if value_at(spec, ("router", "ingress")) is not None:
        yield FieldError(
            "Invalid",
            _GROUP,
            "traffic splitting requires Gateway API routing; the controller manages HTTPRoutes, not Ingress resources",
            group or "",
        )
    elif group is None:
        yield FieldError("Required", _GROUP, "weight requires group")
    elif weight is None:
        yield FieldError("Required", "spec.router.route.weight", "group requires weight")
    elif value_at(route, ("http", "refs")):
        yield FieldError(
            "Invalid",
            _GROUP,
            "traffic splitting cannot be used with custom HTTPRoute refs; controller-managed routes "
            "(route.http.spec or route.http: {}) are required",
            group,
        )


def redundant_parents(spec: Json, version: str, release: KServe) -> bool:
    """Return whether parentRefs only repeat the gateway refs, of which v1alpha2 warns."""
    parents, gateways = _both(spec)
    given = version != "v1alpha1" and bool(parents and gateways)
    return given and _same(parents, gateways, release)


def _both(spec: Json) -> tuple[Sequence[Json], Sequence[Json]]:
    parents = value_at(spec, ("router", "route", "http", "spec", "parentRefs"))
    return parents or (), value_at(spec, ("router", "gateway", "refs")) or ()


def _same(parents: Sequence[Json], gateways: Sequence[Json], release: KServe) -> bool:
    def key(one: Json) -> tuple[Any, ...]:
        return tuple(one.get(field) or "" for field in _COMPARED.at(release))

    return Counter(map(key, parents)) == Counter(map(key, gateways))
