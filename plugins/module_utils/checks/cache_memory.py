# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of the node in which an engine keeps caches and weights, against the limit of its container.

Source: vLLM's pages Engine Arguments, Environment Variables, and KV Offloading Connector.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..kinds.check import WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.view import PREFILL, ServiceView, Workload
from ..kube.manifest import value_at
from ..kube.problem import Problem
from ..kube.quantity import parse_quantity
from .devices import size_of

_GIB = 2**30
#: Flags in GiB for each device, and those in GiB for all of them.
_OF_EACH, _OF_ALL = ("--swap-space", "--cpu-offload-gb"), ("--kv-offloading-size",)
#: Variables in GiB.
_VARIABLES = ("VLLM_CPU_KVCACHE_SPACE", "LMCACHE_MAX_LOCAL_CPU_SIZE")
_BYTES = re.compile(r"cpu_bytes_to_use[^0-9a-z]+(?P<bytes>[0-9]+)")

TOO_MUCH = Check(
    "cache-memory",
    WARNING,
    finds="the engine keeps {size} GiB in the memory of its container ({names}), whose limit is {limit}: the node ends it when they fill up",
    fix="raise resources.limits.memory, or keep less",
)


class _Kept(NamedTuple):
    """Something that is kept in memory: what says so, how many bytes, and where that is."""

    name: str
    size: float
    place: Place


@check(TOO_MUCH, costly=True)
def too_much(view: ServiceView) -> Iterator[Problem]:
    """Yield engines that keep more in memory than their container may use."""
    for workload in view.serving:
        limit = value_at(workload.engine_container, ("resources", "limits", "memory"))
        kept = list(_kept(view, workload)) if limit is not None else []
        size = sum(each.size for each in kept)
        if kept and size >= parse_quantity(limit):
            largest = max(kept, key=lambda each: each.size)
            yield TOO_MUCH.at(
                largest.place,
                size=f"{size / _GIB:g}",
                names=", ".join(each.name for each in kept),
                limit=limit,
            )


def _kept(view: ServiceView, workload: Workload) -> Iterator[_Kept]:
    yield from _of_connector(view, workload)
    alone = workload.pods_per_replica == 1
    devices = size_of(workload, "tensor") if alone else 1
    for flag in workload.flags:
        place = workload.in_engine(flag.place)
        if flag.name in (*_OF_EACH, *_OF_ALL):
            number = _number(flag.value) * (devices if flag.name in _OF_EACH else 1)
            if number:
                yield _Kept(flag.name, number * _GIB, place)
    for number, variable in enumerate(workload.engine_container.get("env") or ()):
        if variable.get("name") in _VARIABLES and _number(str(variable.get("value") or "")):
            size = _number(str(variable["value"])) * _GIB
            yield _Kept(str(variable["name"]), size, workload.in_engine(f"env[{number}]"))


def _of_connector(view: ServiceView, workload: Workload) -> Iterator[_Kept]:
    """Yield what a connector keeps: its document may be in the script of a preset, with quotes of all kinds around it."""
    prefix = "spec.prefill." if workload.role == PREFILL else "spec.kv"
    said = next((each.field for each in view.sizes if each.field.startswith(prefix)), "")
    for field in ("command", "args"):
        for number, item in enumerate(workload.engine_container.get(field) or ()):
            found = _BYTES.search(str(item))
            if found is not None:
                place = Place(said) if said else workload.in_engine(f"{field}[{number}]")
                yield _Kept(said or "--kv-transfer-config", float(found["bytes"]), place)


def _number(text: str) -> float:
    try:
        return max(float(text), 0)
    except ValueError:
        return 0
