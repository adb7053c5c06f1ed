# SPDX-License-Identifier: GPL-3.0-or-later
"""What a pod asks of a node, counted as the scheduler counts it.

Source: k8s.io/component-helpers v0.36.3, resource.PodRequests. Amounts are whole numbers: thousandths of a cpu, and for
everything else the resource's own unit (bytes, pieces).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..kube.containers import is_sidecar
from ..kube.manifest import Json
from ..kube.quantity import format_quantity, parse_quantity

Amounts = dict[str, int]
#: How a device class (DRA) is written among resources here, and how a container may ask for its devices like for a resource.
CLASS_PREFIX = "deviceclass/"
_IMPLICIT_CLASS = "deviceclass.resource.kubernetes.io/"
#: The resource that counts pods themselves.
PODS = "pods"
#: What a pod as a whole may ask for, beside what its containers ask for; huge pages too.
_POD_LEVEL = ("cpu", "memory")
_HUGE_PAGES = "hugepages-"
_MILLI = 1000


@lru_cache(maxsize=4096)
def _amount(is_cpu: bool, value: str | int | float) -> int:
    return math.ceil(parse_quantity(value) * (_MILLI if is_cpu else 1))


def amounts(resources: Mapping[str, Any] | None) -> Amounts:
    """Return a map of quantities as whole numbers. Raises ValueError and TypeError for what is no quantity."""
    return {
        name.replace(_IMPLICIT_CLASS, CLASS_PREFIX): _amount(name == "cpu", value)
        for name, value in (resources or {}).items()
    }


def shown(name: str, amount: int) -> str:
    """Return an amount as people read it: `500m` of cpu, `16Gi` of memory, `8` devices."""
    if name == "cpu":
        return format_quantity(Fraction(amount, _MILLI))
    binary = name in ("memory", "ephemeral-storage") or name.startswith(_HUGE_PAGES)
    return format_quantity(amount, "BinarySI") if binary else str(amount)


def pod_requests(spec: Json, status: Json | None = None) -> Amounts:
    """Return the effective requests of a pod.

    The larger of what runs together (containers and sidecars) and of the peak while init containers run one after the
    other, beside the sidecars that were started before them; what the pod asks for as a whole takes precedence; overhead is added.
    status: of a pod that runs; a container that is being resized counts with the larger of its sizes.
    """
    sizes = _running_sizes(status or {})
    total: Amounts = {}
    sidecars: Amounts = {}
    peak: Amounts = {}
    for container in spec.get("containers") or ():
        _add(total, _container(container, sizes))
    for container in spec.get("initContainers") or ():
        asked = _container(container, sizes)
        if is_sidecar(container):
            _add(total, asked)
            _add(sidecars, asked)
            asked = sidecars
        else:
            asked = dict(asked)
            _add(asked, sidecars)
        _raise(peak, asked)
    _raise(total, peak)
    total |= _of_the_whole(spec.get("resources") or {}, total)
    _add(total, amounts(spec.get("overhead")))
    return total


def _container(container: Json, sizes: Mapping[str, Amounts]) -> Amounts:
    resources = container.get("resources") or {}
    # A limit without a request is the request, too.
    asked = amounts({**(resources.get("limits") or {}), **(resources.get("requests") or {})})
    running = sizes.get(container.get("name", ""))
    if running:
        _raise(asked, running)
    return asked


def _running_sizes(status: Json) -> dict[str, Amounts]:
    sizes = {}
    for field in ("containerStatuses", "initContainerStatuses"):
        for container in status.get(field) or ():
            if container.get("resources"):
                size = amounts(container["resources"].get("requests"))
                _raise(size, amounts(container.get("allocatedResources")))
                sizes[container["name"]] = size
    return sizes


def _of_the_whole(resources: Json, containers: Amounts) -> Amounts:
    """Return what the pod as a whole asks for. A limit alone is its request where no container asks for that resource."""
    requests = amounts(resources.get("requests"))
    limits = amounts(resources.get("limits"))
    asked = {name: limit for name, limit in limits.items() if name not in containers} | requests
    return {
        name: amount
        for name, amount in asked.items()
        if name in _POD_LEVEL or name.startswith(_HUGE_PAGES)
    }


def _add(total: Amounts, more: Mapping[str, int]) -> None:
    for name, amount in more.items():
        total[name] = total.get(name, 0) + amount


def _raise(total: Amounts, least: Mapping[str, int]) -> None:
    for name, amount in least.items():
        if amount > total.get(name, 0):
            total[name] = amount
