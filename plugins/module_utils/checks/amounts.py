# SPDX-License-Identifier: GPL-3.0-or-later
"""Amounts in units that the API accepts and nobody means: memory in thousandths of a byte, processors and devices by the million.

Source: Kubernetes documentation, Resource units in Kubernetes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from ..accelerators.vendors import is_device
from ..kinds.check import WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.view import ServiceView, Workload
from ..kube import gvk
from ..kube.containers import containers_of
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.quantity import parse_quantity
from ..kube.reference import Reference
from ..kube.schema_check import child_path

_CPU = "cpu"
#: Resources that are counted in bytes, each with more than any node has.
_IN_BYTES = {"memory": 2**46, "ephemeral-storage": 2**50, "sizeLimit": 2**50, "storage": 2**60}
#: With fewer bytes nothing works; 0 asks for none.
_FEW_BYTES = 2**20
#: More processors, and more devices of one kind, than any node has.
_MOST_CORES, _MOST_DEVICES = 2000, 1024
#: Fewer may be thousandths of a core.
_MANY_CORES = 10**6
#: What counts the memory or the cores of a device, by its name.
_SHARE_OF_DEVICE = re.compile(r"mem|core|percent")
_AVERAGE = ("resource", "target", "averageValue")
_CLAIM = ("ephemeral", "volumeClaimTemplate", "spec", "resources", "requests", "storage")

FRACTION = Check(
    "memory-unit",
    WARNING,
    finds='"{amount}" of {resource} is a fraction of bytes: the suffix m means a thousandth',
    fix='write "{meant}" for mebibytes',
)
BYTES = Check(
    "memory-unit",
    WARNING,
    finds='"{amount}" of {resource} are {count} bytes, too few for any container',
    fix='write the unit, for example "{number}Gi"',
)
MORE_BYTES = Check(
    "memory-unit",
    WARNING,
    finds='"{amount}" of {resource} is more than any node has',
    fix='write another unit, for example "{number}Gi"',
)
NEGATIVE = Check(
    "memory-unit",
    WARNING,
    finds='"{amount}" of {resource} is below 0: the engine does not start',
    fix='write an amount, for example "16Gi"',
)
CORES = Check(
    "cpu-unit",
    WARNING,
    finds='"{amount}" of cpu are {count} cores, more than any node has',
    fix="{way}",
)
DEVICES = Check(
    "device-unit",
    WARNING,
    finds='"{amount}" of {resource} are {count} devices, more than any node has',
    fix="write how many, without a unit",
)


class _Amount(NamedTuple):
    """An amount that pods ask for. text: as it is written."""

    resource: str
    text: str
    value: Fraction
    place: Place

    @property
    def number(self) -> str:
        """Return what is written before the unit."""
        return self.text.rstrip("numkKMGTPEi")


@check(FRACTION, costly=True)
def fraction(view: ServiceView) -> Iterator[Problem]:
    """Yield amounts of memory in thousandths of a byte, which the API accepts but no pod can start with."""
    for each in _amounts(view):
        if each.resource in _IN_BYTES and each.text.endswith("m"):
            meant = f"{each.number}Mi"
            yield FRACTION.at(each.place, amount=each.text, resource=each.resource, meant=meant)


@check(BYTES, costly=True)
def few_bytes(view: ServiceView) -> Iterator[Problem]:
    """Yield amounts of memory without a unit, or with one that is too small."""
    for each in _amounts(view):
        few = 1 <= each.value < _FEW_BYTES and not each.text.endswith("m")
        if few and each.resource in _IN_BYTES:
            yield BYTES.at(
                each.place,
                amount=each.text,
                resource=each.resource,
                count=int(each.value),
                number=each.number,
            )


@check(NEGATIVE, costly=True)
def negative(view: ServiceView) -> Iterator[Problem]:
    """Yield amounts of memory below 0 that the API accepts."""
    for each in _amounts(view):
        if each.value < 0 and each.resource in _IN_BYTES:
            yield NEGATIVE.at(each.place, amount=each.text, resource=each.resource)


@check(MORE_BYTES, costly=True)
def more_bytes(view: ServiceView) -> Iterator[Problem]:
    """Yield amounts of memory that no node has."""
    for each in _amounts(view):
        if each.value > _IN_BYTES.get(each.resource, each.value):
            yield MORE_BYTES.at(
                each.place, amount=each.text, resource=each.resource, number=each.number
            )


@check(CORES, costly=True)
def cores(view: ServiceView) -> Iterator[Problem]:
    """Yield processors in units of memory, or in thousandths without the suffix that says so."""
    for each in _amounts(view):
        if each.resource == _CPU and each.value >= _MOST_CORES:
            # Whoever writes 4000 means thousandths; Kubernetes writes that as 4k.
            few = each.value < _MANY_CORES
            way = f'write "{each.value}m" for thousandths' if few else f'write "{each.number}"'
            yield CORES.at(each.place, amount=each.text, count=int(each.value), way=way)


@check(DEVICES, costly=True)
def many_devices(view: ServiceView) -> Iterator[Problem]:
    """Yield devices that are counted in a unit, for example by their memory."""
    for each in _amounts(view):
        counts = is_device(each.resource) and not _SHARE_OF_DEVICE.search(each.resource)
        if counts and each.value > _MOST_DEVICES:
            yield DEVICES.at(
                each.place, amount=each.text, resource=each.resource, count=int(each.value)
            )


def _amounts(view: ServiceView) -> Iterator[_Amount]:
    yield from _measured(view)
    for size in view.sizes:
        yield from _amount("memory", size.value, Place(size.field))
    for workload in view.workloads:
        yield from _resources(workload, workload.pod, "resources")
        for container, path in containers_of(workload.pod):
            yield from _resources(workload, container, f"{path}.resources")
        for number, volume in enumerate(workload.pod.get("volumes") or ()):
            for steps in (("emptyDir", "sizeLimit"), _CLAIM):
                path = ".".join((f"volumes[{number}]", *steps))
                yield from _amount(steps[-1], value_at(volume, steps), workload.fields(path))


def _measured(view: ServiceView) -> Iterator[_Amount]:
    """Yield the amounts at which an autoscaler adds pods."""
    for manifest in view.made_of(gvk.AUTOSCALING, "HorizontalPodAutoscaler"):
        for number, metric in enumerate(value_at(manifest, ("spec", "metrics")) or ()):
            given = value_at(metric, _AVERAGE)
            path = ".".join((f"spec.metrics[{number}]", *_AVERAGE))
            place = view.field_map.at(Reference.of(manifest), path)
            yield from _amount(str(value_at(metric, ("resource", "name"))), given, place)


def _resources(workload: Workload, holder: Json, path: str) -> Iterator[_Amount]:
    for field in ("requests", "limits"):
        for name, given in ((holder.get("resources") or {}).get(field) or {}).items():
            place = workload.fields(child_path(f"{path}.{field}", name))
            yield from _amount(str(name), given, place)


def _amount(resource: str, given: object, place: Place) -> Iterator[_Amount]:
    text = "" if given is None else str(given)
    try:
        value = parse_quantity(text)
    except ValueError:
        return
    # What nobody wrote follows from what is reported at its own field.
    if value and place.exact:
        yield _Amount(resource, text, value, place)
