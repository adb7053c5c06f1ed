# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses of the requests and limits of a container, and of a pod.

Source: k8s.io/kubernetes v1.36.3, pkg/apis/core/validation, pkg/apis/core/helper.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..manifest import Json
from ..names import check_label_key, check_word
from ..problem import Problem
from ..quantity import parse_quantity
from ..schema_check import child_path
from ..schema_faults import show

_HUGE_PAGES = "hugepages-"
#: The rule of requests that do not fit the limit beside them.
ABOVE_LIMIT = "request-above-limit"
#: Resources that are counted in bytes, and fewer than any container works with.
_IN_BYTES, _FEW_BYTES = ("memory", "ephemeral-storage"), 2**20
_CONTAINER_RESOURCES = ("cpu", "memory", "ephemeral-storage")
#: What the pod as a whole can ask for.
_POD_RESOURCES = ("cpu", "memory")


def resource_problems(
    resources: Mapping[str, Any], path: str, claims: Collection[str] | None = ()
) -> Iterator[Problem]:
    """Yield what is wrong with the requests and limits of one container, and with claims that the pod does not have.

    claims: those of the pod; None where they are not known.
    """
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for side, amounts in (("limits", limits), ("requests", requests)):
        for name, amount in amounts.items():
            for message in _amount_faults(name, parse_quantity(amount), amount):
                yield Problem(child_path(f"{path}.{side}", name), message, rule="resources")
    for name, amount in requests.items():
        fault = _against_limit(name, amount, limits.get(name))
        if fault:
            rule = ABOVE_LIMIT if limits.get(name) is not None else "resources"
            yield Problem(child_path(f"{path}.requests", name), fault, rule=rule)
    named = {*limits, *requests}
    if any(name.startswith(_HUGE_PAGES) for name in named) and not named & {"cpu", "memory"}:
        yield Problem(
            path,
            "huge pages also need a request or limit of cpu or memory",
            rule="resources",
        )
    if claims is not None:
        yield from _claim_problems(resources.get("claims") or (), f"{path}.claims", claims)


def pod_resource_problems(pod: Json, path: str) -> Iterator[Problem]:
    """Yield what is wrong with what a pod asks for as a whole, beside its containers."""
    whole = pod.get("resources")
    if whole is None:
        return
    limits, requests = whole.get("limits") or {}, whole.get("requests") or {}
    for side, amounts in (("limits", limits), ("requests", requests)):
        for name, amount in amounts.items():
            where = child_path(f"{path}.resources.{side}", name)
            if name not in _POD_RESOURCES and not name.startswith(_HUGE_PAGES):
                message = f"a pod as a whole may only request {' and '.join(_POD_RESOURCES)}; write {show(name)} into resources of a container"
                yield Problem(where, message, rule="resources")
            elif parse_quantity(amount) < 0:
                yield Problem(where, f"{amount} is negative", rule="resources")
    for name, amount in requests.items():
        fault = _against_limit(name, amount, limits.get(name))
        if fault:
            yield Problem(child_path(f"{path}.resources.requests", name), fault, rule="resources")
    if whole.get("claims") is not None:
        message = "a pod as a whole has no claims; name them in its containers"
        yield Problem(f"{path}.resources.claims", message, rule="resource-claims")


def _claim_problems(claims: Sequence[Json], path: str, known: Collection[str]) -> Iterator[Problem]:
    for number, claim in enumerate(claims):
        where = f"{path}[{number}]"
        if claim["name"] not in known:
            there = f"it has {', '.join(known)}" if known else "it has none"
            message = f"{show(claim['name'])} is not a claim of the pod: {there}; leave it out, or name it in resourceClaims"
            yield Problem(where, message, rule="resource-claims")
        fault = check_word(claim["request"]) if claim.get("request") else None
        if fault:
            yield Problem(f"{where}.request", fault, rule="resource-claims")


def is_extended(name: str) -> bool:
    """Return whether a resource is counted in whole pieces and cannot be shared, as devices are."""
    return "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")


def _amount_faults(name: str, amount: Fraction, text: str) -> Iterator[str]:
    fault = check_label_key(name)
    if fault:
        yield fault
    elif "/" not in name and name not in _CONTAINER_RESOURCES and not name.startswith(_HUGE_PAGES):
        yield f"{show(name)} is not a resource of a container: {', '.join(_CONTAINER_RESOURCES)}, or vendor.example/device"
    elif (
        "/" in name
        and "kubernetes.io/" not in name
        and (name.startswith("requests.") or check_label_key(f"requests.{name}"))
    ):
        yield f"{show(name)} is not the name of an extended resource"
    if amount < 0:
        yield f"{text} is negative"
    elif name.startswith(_HUGE_PAGES) and not _whole_pages(name, amount):
        yield f"{text} is not a multiple of the page size in {name}"
    elif is_extended(name) and amount.denominator != 1:
        yield f"{text} is not a whole number; devices are counted in pieces"


def _whole_pages(name: str, amount: Fraction) -> bool:
    try:
        page = parse_quantity(name.removeprefix(_HUGE_PAGES))
    except ValueError:
        return False
    return page > 0 and page.denominator == 1 and amount % page == 0


def _against_limit(name: str, request: str, limit: str | None) -> str | None:
    whole = is_extended(name) or name.startswith(_HUGE_PAGES)
    if limit is None:
        return f"{show(name)} needs a limit of the same amount, {request}" if whole else None
    wanted, allowed = parse_quantity(request), parse_quantity(limit)
    if whole and wanted != allowed:
        return f"{request} must be equal to the limit of {limit}"
    if wanted > allowed:
        unit = f'; write the unit, for example "{limit}Gi"' if _lacks_unit(name, limit) else ""
        return f"{request} is more than the limit of {limit}{unit}"
    return None


def _lacks_unit(name: str, amount: str) -> bool:
    return name in _IN_BYTES and amount.isdecimal() and int(amount) < _FEW_BYTES
