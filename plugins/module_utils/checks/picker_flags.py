# SPDX-License-Identifier: GPL-3.0-or-later
"""The picker's command line against what is made around it: its pool, and the ports at which gateways, probes and Prometheus ask it.

Source: gateway-api-inference-extension cmd/epp/runner/runner.go, llm-d-inference-scheduler cmd/epp.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..endpoint_picker.flags import CONFIG, POOL, PORTS, SELECTOR, meant_flag
from ..kinds.check import WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.view import PickerView, ServiceView
from ..kube.command_line import Flag, placed_flags
from ..kube.manifest import Json
from ..kube.problem import Problem

#: KServe looks for the flag as an item of its own, and adds its configuration where there is none.
_TWO_ITEMS = "write the flag and its value as two items, by which the controller sees it"

CONTRADICTS = Check(
    "picker-flag",
    WARNING,
    finds="{flag} is {value}, and for the pool of this service it is {wanted}: the picker finds none of its pods",
    fix="write {wanted}",
)
NO_POOL = Check(
    "picker-flag",
    WARNING,
    finds="the picker's arguments have no {flag}, and replace those of the preset: it does not start",
    fix="give {flag}={pool} as well",
)
OTHER_PORT = Check(
    "picker-flag",
    WARNING,
    finds="{flag} is {value}, and the ports of the picker's container are {ports}: nobody asks it there",
    fix="write one of these, or change ports, probes and the pool, too",
)
TWO_CONFIGS = Check(
    "picker-flag",
    WARNING,
    finds="{flag} has no effect beside {other}, which the picker reads",
    fix="keep one of them",
)
UNKNOWN = Check(
    "picker-flag",
    WARNING,
    finds="the picker has no flag {flag}, and does not start with it",
    fix="write {near} if that is what you mean",
)


@check(CONTRADICTS, costly=True)
def contradicts(view: ServiceView) -> Iterator[Problem]:
    """Yield flags that name another pool than the service's."""
    for picker, flag, place in _authored_flags(view):
        wanted = _wanted(view, picker).get(flag.name)
        if wanted and flag.value not in ("", wanted) and "$" not in flag.value:
            yield CONTRADICTS.at(place, flag=flag.name, value=flag.value, wanted=wanted)


@check(NO_POOL, costly=True)
def no_pool(view: ServiceView) -> Iterator[Problem]:
    """Yield arguments of the author that replace the preset's, and lack the pool."""
    picker = view.picker
    if picker is None or not picker.pool:
        return
    for path, container in picker_containers(picker):
        given = {flag.name for flag in placed_flags(container)}
        place = picker.workload.fields(f"{path}.args")
        if container.get("args") and not given & {POOL, SELECTOR} and place.is_authors:
            yield NO_POOL.at(place, flag=POOL, pool=picker.pool)


@check(OTHER_PORT, costly=True)
def other_port(view: ServiceView) -> Iterator[Problem]:
    """Yield ports of the picker that its container does not name."""
    picker = view.picker
    for path, container in picker_containers(picker):
        ports = {str(each.get("containerPort")) for each in container.get("ports") or ()}
        for flag in placed_flags(container) if ports else ():
            if picker is None or flag.name not in PORTS or flag.value in ports:
                continue
            place = picker.workload.fields(f"{path}.{flag.place}")
            if flag.value.isdecimal() and place.is_authors:
                shown = ", ".join(sorted(ports, key=int))
                yield OTHER_PORT.at(place, flag=flag.name, value=flag.value, ports=shown)


@check(TWO_CONFIGS, costly=True)
def two_configs(view: ServiceView) -> Iterator[Problem]:
    """Yield configurations that another one overrides: a text overrides a file, and the last text overrides others."""
    picker = view.picker
    if picker is None:
        return
    given = [(path, flag) for path, flag in _flags(picker) if flag.name in CONFIG]
    given.sort(key=lambda each: CONFIG.index(each[1].name), reverse=True)
    for path, flag in given[:-1]:
        place = picker.workload.fields(f"{path}.{flag.place}")
        other = given[-1][1].name
        if place.is_authors:
            added = other == flag.name
            fix = _TWO_ITEMS if added and picker.config is None else ""
            where = "the one that the controller adds" if added else other
            yield TWO_CONFIGS.at(place, flag=flag.name, other=where, fix=fix)


@check(UNKNOWN, costly=True)
def unknown(view: ServiceView) -> Iterator[Problem]:
    """Yield flags that resemble one of the picker's, but that it does not know."""
    for dummy, flag, place in _authored_flags(view):
        near = meant_flag(flag.name) if flag.name.startswith("--") else None
        if near:
            yield UNKNOWN.at(place, flag=flag.name, near=near)


def _wanted(view: ServiceView, picker: PickerView) -> Mapping[str, str]:
    """Return what flags have to say of the pool that is made."""
    groups = {
        str(each.get("apiVersion")).partition("/")[0]
        for each in view.made
        if each.get("kind") == "InferencePool"
    }
    if not groups or not picker.pool:
        return {}
    wanted = {POOL: picker.pool, "--pool-namespace": view.reference.namespace}
    return {**wanted, "--pool-group": groups.pop()} if len(groups) == 1 else wanted


def picker_containers(picker: PickerView | None) -> Iterator[tuple[str, Json]]:
    """Yield the container of the picker with its place in the pod."""
    containers = picker.workload.pod.get("containers") or () if picker is not None else ()
    for number, container in enumerate(containers):
        if container.get("name") == "main":
            yield f"containers[{number}]", container


def _authored_flags(view: ServiceView) -> Iterator[tuple[PickerView, Flag, Place]]:
    """Yield the flags that the author gives to the picker."""
    picker = view.picker
    if picker is None:
        return
    for path, flag in _flags(picker):
        place = picker.workload.fields(f"{path}.{flag.place}")
        if place.is_authors:
            yield picker, flag, place


def _flags(picker: PickerView | None) -> Iterator[tuple[str, Flag]]:
    for path, container in picker_containers(picker):
        for flag in placed_flags(container):
            yield path, flag
