# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses of claims of devices, their templates and classes. Source: Kubernetes pkg/apis/resource/validation@v1.37.2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..cel_syntax import cel_fault, words_of
from ..did_you_mean import nearest
from ..manifest import Json
from ..names import check_word
from ..problem import Problem
from ..schema_faults import show

_RULE = "device-claim"
_TEMPLATE = "ResourceClaimTemplate"
_EXACT, _ALL = "ExactCount", "All"
#: The only variable of selectors, and the words that are values.
_DEVICE, _VALUES = "device", frozenset({"true", "false", "null"})


def device_claim_problems(manifest: Json) -> Iterator[Problem]:
    """Yield what is wrong with a claim, or with a template of claims."""
    spec, path = _map(manifest.get("spec")), "spec"
    if manifest.get("kind") == _TEMPLATE:
        spec, path = _map(spec.get("spec")), "spec.spec"
    devices, path = _map(spec.get("devices")), f"{path}.devices"
    names: set[str] = set()
    for number, request in _items(devices.get("requests")):
        where = f"{path}.requests[{number}]"
        name = str(request.get("name") or "")
        if name in names:
            yield Problem(
                f"{where}.name", f"{show(name)} is the name of another request", rule=_RULE
            )
        elif fault := check_word(name):
            yield Problem(f"{where}.name", fault, rule=_RULE)
        names.add(name)
        names |= {f"{name}/{each.get('name')}" for dummy, each in _alternatives(request)}
        yield from _request(request, where)
    for part in ("constraints", "config"):
        for number, each in _items(devices.get(part)):
            yield from _named(each, f"{path}.{part}[{number}]", names)


def device_class_problems(manifest: Json) -> Iterator[Problem]:
    """Yield what is wrong with a class of devices."""
    yield from _selectors(_map(manifest.get("spec")), "spec")


def _request(request: Json, where: str) -> Iterator[Problem]:
    exactly, several = request.get("exactly"), [*_alternatives(request)]
    if exactly is not None and several:
        message = "exactly and firstAvailable are both given; write one of them"
        yield Problem(where, message, rule=_RULE)
    for path, each in (
        (where, request),
        (f"{where}.exactly", _map(exactly)),
        *((f"{where}.firstAvailable[{number}]", inner) for number, inner in several),
    ):
        yield from _counted(each, path)
        yield from _selectors(each, path)


def _counted(request: Json, where: str) -> Iterator[Problem]:
    mode, count = request.get("allocationMode") or _EXACT, request.get("count")
    if mode not in (_EXACT, _ALL):
        near = nearest(str(mode), (_EXACT, _ALL), 0.5)
        meant = f'; did you mean "{near}"?' if near else ""
        message = f"{show(mode)} is not {_EXACT} or {_ALL}{meant}"
        yield Problem(f"{where}.allocationMode", message, rule=_RULE)
    elif mode == _ALL and count:
        message = f"{count} beside allocationMode {_ALL}, which takes every device that matches; leave out one of them"
        yield Problem(f"{where}.count", message, rule=_RULE)
    elif mode == _EXACT and isinstance(count, int) and count < 1 and "count" in request:
        message = f"{count} is less than 1"
        yield Problem(f"{where}.count", message, rule=_RULE)


def _selectors(holder: Json, where: str) -> Iterator[Problem]:
    for number, selector in _items(holder.get("selectors")):
        expression = _map(selector.get("cel")).get("expression")
        if not isinstance(expression, str):
            continue
        fault = cel_fault(expression)
        others = words_of(expression) - _VALUES - {_DEVICE}
        if not fault and others and _DEVICE not in words_of(expression):
            fault = f"it speaks of {sorted(others)[0]}, and the only variable is {_DEVICE}"
        if fault:
            path = f"{where}.selectors[{number}].cel.expression"
            message = f"{show(expression)} is no expression of CEL: {fault}"
            yield Problem(path, message, rule=_RULE)


def _named(holder: Json, where: str, names: set[str]) -> Iterator[Problem]:
    """Yield requests that a constraint or configuration names and that the claim does not have, and an attribute without its domain."""
    wanted = holder.get("requests")
    for number, name in enumerate(wanted if isinstance(wanted, list) else ()):
        if str(name) not in names:
            near = nearest(str(name), names)
            has = f'did you mean "{near}"?' if near else f"it has {', '.join(sorted(names))}"
            message = f"the claim has no request {show(name)}; {has}"
            yield Problem(f"{where}.requests[{number}]", message, rule=_RULE)
    attribute = holder.get("matchAttribute")
    if isinstance(attribute, str) and "/" not in attribute:
        message = f"{show(attribute)} lacks its domain; write it as in gpu.example.com/{attribute or 'numa'}"
        yield Problem(f"{where}.matchAttribute", message, rule=_RULE)


def _alternatives(request: Json) -> Iterator[tuple[int, Json]]:
    yield from _items(request.get("firstAvailable"))


def _items(value: Any) -> Iterator[tuple[int, Json]]:
    """Yield the maps of a list with their numbers; what is no map is told by its type."""
    for number, each in enumerate(value if isinstance(value, list) else ()):
        if isinstance(each, Mapping):
            yield number, dict(each)


def _map(value: Any) -> Json:
    return dict(value) if isinstance(value, Mapping) else {}
