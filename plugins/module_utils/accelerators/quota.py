# SPDX-License-Identifier: GPL-3.0-or-later
"""What a namespace lets pods ask for: ResourceQuota and LimitRange, as the API server's admission applies them.

Source: k8s.io/kubernetes v1.36.3, pkg/quota/v1/evaluator/core/pods.go and plugin/pkg/admission/limitranger.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence

from ..kube.containers import containers_of
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.quantity import parse_quantity
from ..kube.validation.resources import is_extended
from .demand import Demand
from .fit import Answer
from .requests import CLASS_PREFIX, PODS, Amounts, amounts, pod_requests, shown

#: What a quota writes after the name of a device class.
_OF_CLASS = ".deviceclass.resource.k8s.io/devices"
_REQUESTS = "requests."
_LIMITS = "limits."
#: What a quota may count without a prefix: it means requests.
_PLAIN = ("cpu", "memory", "ephemeral-storage")
#: How an entry begins that counts the objects of a kind, and what is in one that counts the storage of a class.
_OBJECTS = "count/"
_OF_STORAGE = ".storage.k8s.io/"
_SCOPES_OF_EVERY_SERVER = ("NotBestEffort", "NotTerminating")


def quota_problems(answers: Sequence[Answer], quotas: Sequence[Json]) -> Iterator[Problem]:
    """Yield what a quota forbids (errors), and entries that count nothing (warnings)."""
    for quota in quotas:
        namespace = quota["metadata"].get("namespace") or ""
        covered = [
            answer
            for answer in answers
            if answer.demand.workload.namespace == namespace and _covers(quota, answer.demand)
        ]
        if covered:
            yield from _exceeded(quota, covered)


def _exceeded(quota: Json, answers: Sequence[Answer]) -> Iterator[Problem]:
    name = quota["metadata"]["name"]
    hard = value_at(quota, ("spec", "hard")) or {}
    used = value_at(quota, ("status", "used")) or {}
    for entry, allowed in hard.items():
        if _counts_pods(entry) and is_extended(entry) and not entry.endswith(_OF_CLASS):
            counted = f"{_REQUESTS}{entry.removeprefix(_LIMITS)}"
            text = (
                f"ResourceQuota {name} has no effect on {entry}: for devices only {counted} counts"
            )
            yield Problem(f"spec.hard[{entry}]", text, "warning", rule="quota-name")
            continue
        wanted = sum(_added(entry, answer) for answer in answers)
        resource = entry.removeprefix(_REQUESTS).removeprefix(_LIMITS)
        limit = amounts({resource: allowed})[resource]
        taken = amounts({resource: used.get(entry, 0)})[resource]
        if wanted and taken + wanted > limit:
            text = (
                f"ResourceQuota {name} of namespace {quota['metadata'].get('namespace')} allows {shown(resource, limit)} "
                f"{entry}; {shown(resource, taken)} are used and {shown(resource, wanted)} are requested, "
                f"{shown(resource, taken + wanted - limit)} too many"
            )
            yield Problem(f"spec.hard[{entry}]", text, rule="quota")


def _counts_pods(entry: str) -> bool:
    """Return whether an entry counts what pods ask for, not objects or storage."""
    return not entry.startswith(_OBJECTS) and _OF_STORAGE not in entry


def _added(entry: str, answer: Answer) -> int:
    """Return what a workload adds to what an entry of a quota counts: its pods that are to come, or itself where none is there yet."""
    demand = answer.demand
    if _counts_pods(entry) or entry == "count/pods":
        return answer.wanted * _counted(entry, demand)
    group, slash, dummy = demand.workload.api_version.partition("/")
    own = f"{_OBJECTS}{demand.workload.kind.lower()}s" + (f".{group}" if slash else "")
    return int(entry == own and answer.wanted == demand.pods and demand.part != "worker")


def _counted(entry: str, demand: Demand) -> int:
    """Return what one pod counts towards an entry of a quota."""
    if entry in (PODS, "count/pods"):
        return 1
    if entry.endswith(_OF_CLASS):
        return demand.requests.get(f"{CLASS_PREFIX}{entry.removesuffix(_OF_CLASS)}", 0)
    if entry.startswith(_LIMITS):
        return _limits(demand.spec).get(entry.removeprefix(_LIMITS), 0)
    name = entry.removeprefix(_REQUESTS)
    return demand.requests.get(name, 0) if entry != name or name in _PLAIN else 0


def _limits(spec: Json) -> Amounts:
    """Return the effective limits of a pod: counted as its requests are."""
    return pod_requests(
        {
            **spec,
            "containers": _as_requests(spec.get("containers")),
            "initContainers": _as_requests(spec.get("initContainers")),
            "resources": {"requests": value_at(spec, ("resources", "limits")) or {}},
        }
    )


def _as_requests(containers: Sequence[Json] | None) -> list[Json]:
    return [
        {**each, "resources": {"requests": value_at(each, ("resources", "limits")) or {}}}
        for each in containers or ()
    ]


def _covers(quota: Json, demand: Demand) -> bool:
    """Return whether a quota counts the pods of a demand, which run for ever and ask for something."""
    spec = quota.get("spec") or {}
    if any(scope not in _SCOPES_OF_EVERY_SERVER for scope in spec.get("scopes") or ()):
        return False
    return all(
        _scope_holds(expression, demand)
        for expression in value_at(spec, ("scopeSelector", "matchExpressions")) or ()
    )


def _scope_holds(expression: Json, demand: Demand) -> bool:
    if expression.get("scopeName") != "PriorityClass":
        return expression.get("scopeName") in _SCOPES_OF_EVERY_SERVER
    priority = demand.spec.get("priorityClassName") or ""
    values = expression.get("values") or ()
    match expression.get("operator"):
        case "In":
            return priority in values
        case "NotIn":
            return priority not in values
        case "Exists":
            return bool(priority)
        case _:
            return not priority


def with_defaults(spec: Json, ranges: Sequence[Json]) -> Json:
    """Return a pod's spec with the requests and limits that the namespace's LimitRanges put into its containers."""
    defaults = [each for each in _items(ranges) if each.get("type") == "Container"]
    if not defaults:
        return spec
    filled = copy.deepcopy(spec)
    for item in defaults:
        limits = {**(item.get("max") or {}), **(item.get("default") or {})}
        requests = {**(item.get("min") or {}), **limits, **(item.get("defaultRequest") or {})}
        for container, dummy in containers_of(filled):
            own = container.get("resources") or {}
            asked = {**(own.get("limits") or {}), **(own.get("requests") or {})}
            container["resources"] = {
                **own,
                "limits": {**limits, **(own.get("limits") or {})},
                "requests": {**requests, **asked},
            }
    return filled


def range_problems(demand: Demand, ranges: Sequence[Json]) -> Iterator[Problem]:
    """Yield what a namespace's LimitRanges refuse about the containers of a pod, and about the pod as a whole."""
    for limit_range in ranges:
        name = limit_range["metadata"]["name"]
        for item in _items([limit_range]):
            if item.get("type") == "Pod":
                sums = (demand.requests, _limits(demand.spec))
                yield from _outside(name, item, "the pod", *sums)
            elif item.get("type") == "Container":
                for container in demand.spec.get("containers") or ():
                    resources = container.get("resources") or {}
                    requests = {
                        **(resources.get("limits") or {}),
                        **(resources.get("requests") or {}),
                    }
                    sums = (amounts(requests), amounts(resources.get("limits")))
                    yield from _outside(name, item, f"container {container.get('name')}", *sums)


def _outside(
    name: str, item: Json, what: str, requests: Mapping[str, int], limits: Mapping[str, int]
) -> Iterator[Problem]:
    for resource, least in amounts(item.get("min")).items():
        if requests.get(resource, 0) < least:
            asked = shown(resource, requests.get(resource, 0))
            text = f"LimitRange {name} requires at least {shown(resource, least)} {resource}, {what} requests {asked}"
            yield Problem("", text, rule="limit-range")
    for resource, most in amounts(item.get("max")).items():
        if limits.get(resource, most + 1) > most:
            limit = shown(resource, limits[resource]) if resource in limits else "no limit"
            text = f"LimitRange {name} allows at most {shown(resource, most)} {resource}, {what} has {limit}"
            yield Problem("", text, rule="limit-range")
    yield from _ratios(name, item, what, requests, limits)


def _ratios(
    name: str, item: Json, what: str, requests: Mapping[str, int], limits: Mapping[str, int]
) -> Iterator[Problem]:
    for resource, times in (item.get("maxLimitRequestRatio") or {}).items():
        limit, asked = limits.get(resource, 0), requests.get(resource, 0)
        if limit and asked and limit <= asked * parse_quantity(times):
            continue
        has = [
            f"{word} {shown(resource, amount)}" if amount else f"no {word}"
            for word, amount in (("limit", limit), ("request", asked))
        ]
        text = f"LimitRange {name} allows a limit of at most {times} times the request of {resource}, {what} has {' and '.join(has)}"
        yield Problem("", text, rule="limit-range")


def _items(ranges: Sequence[Json]) -> Iterator[Json]:
    for limit_range in ranges:
        yield from value_at(limit_range, ("spec", "limits")) or ()
