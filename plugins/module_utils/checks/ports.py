# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports: of the containers of one pod, of the Services in front of them, and of the picker that a pool asks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..kinds.check import WARNING, Check, check
from ..kinds.engine_flags import MEANINGS
from ..kinds.view import ServiceView, Workload
from ..kube import gvk
from ..kube.command_line import has_shell
from ..kube.containers import running_in
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from .engines import SGLANG, TRITON, VLLM, by_command

_POOL = "InferencePool"
#: Where engines listen that are not told where, and a file that may tell it.
_USUAL = {VLLM: (8000,), SGLANG: (30000,), TRITON: (8000, 8001, 8002)}
_FILE = "--config"
#: The image of the project, which starts its server; one of somebody else may start it at another port.
_IMAGE = re.compile(r"(^|/)vllm/vllm-openai(:|@|$)")

SHARED = Check(
    "port-taken",
    WARNING,
    finds="containers {first} and {second} both listen on port {port}: they share one network, so the second one will not start",
    fix="give one of them another port",
)
NOBODY = Check(
    "port-nobody",
    WARNING,
    finds="Service {service} sends requests to port {target} of the pods, but their containers have {ports}: nothing answers there",
    fix="declare the port in the container that serves",
)
PICKER_PORT = Check(
    "picker-port",
    WARNING,
    finds="InferencePool {pool} asks the picker at port {port} of Service {service}, which has {ports}: every request fails",
    fix="name the port in the picker's container as its preset does, or the other one in the pool",
)


@check(SHARED)
def shared(view: ServiceView) -> Iterator[Problem]:
    """Yield ports on which several containers of a pod listen."""
    for workload in view.workloads:
        first: dict[tuple[str, int], str] = {}
        together = list(running_in(workload.pod))
        for container, path in together if len(together) > 1 else ():
            name = str(container.get("name"))
            for port in sorted(listens(workload, container)):
                other = first.setdefault(port, name)
                if other != name:
                    place = workload.fields(f"{path}.ports")
                    yield SHARED.at(place, first=other, second=name, port=port[1])


@check(NOBODY)
def nobody(view: ServiceView) -> Iterator[Problem]:
    """Yield Services that send requests to a port on which no container listens."""
    for service in _services(view):
        spec = service["spec"]
        for workload in _behind(view, spec.get("selector") or {}):
            together = [container for container, dummy in running_in(workload.pod)]
            declared = [port for each in together for port in each.get("ports") or ()]
            # A container that declares nothing may listen anywhere.
            silent = not together or any(not each.get("ports") for each in together)
            known = {port.get("name") for port in declared} | {
                number for each in together for dummy, number in listens(workload, each)
            }
            for port in spec.get("ports") or ():
                target = port.get("targetPort") or port.get("port")
                named = isinstance(target, str) and not target.isdecimal()
                if (named or not silent) and target not in known:
                    yield NOBODY.at(
                        workload.in_engine("ports") if workload.engine_path else workload.origin,
                        service=service["metadata"]["name"],
                        target=target,
                        ports=_shown(declared),
                    )


@check(PICKER_PORT)
def picker_port(view: ServiceView) -> Iterator[Problem]:
    """Yield pools that ask the picker at a port that its Service does not have."""
    services = {service["metadata"]["name"]: service for service in _services(view)}
    for pool in (*view.made_of(gvk.POOL, _POOL), *view.made_of(gvk.OLD_POOL, _POOL)):
        picker = value_at(pool, ("spec", "endpointPickerRef")) or {}
        service = services.get(picker.get("name"))
        if service is None or view.picker is None:
            continue
        number = value_at(picker, ("port", "number"))
        ports = service["spec"].get("ports") or ()
        if number is not None and number not in [port.get("port") for port in ports]:
            yield PICKER_PORT.at(
                view.picker.workload.origin,
                pool=pool["metadata"]["name"],
                port=number,
                service=service["metadata"]["name"],
                ports=", ".join(str(port.get("port")) for port in ports) or "none",
            )


def listens(workload: Workload, container: Json) -> set[tuple[str, int]]:
    """Return the ports of a container: those that it declares, and that of the engine's command line."""
    found = {
        (str(port.get("protocol") or "TCP"), int(port["containerPort"]))
        for port in container.get("ports") or ()
        if isinstance(port.get("containerPort"), int)
    }
    if container is workload.engine_container:
        told = [flag.value for flag in workload.flags if MEANINGS.get(flag.name) == "port"]
        found |= {("TCP", int(value)) for value in told if value.isdecimal()}
        if not found and not told and _FILE not in workload.flag_names:
            found |= {("TCP", port) for port in _USUAL.get(_engine(container), ())}
    return found


def _engine(container: Json) -> str:
    """Return the engine that a container starts by its own words, without a script around it."""
    if has_shell(container):
        return ""
    known = VLLM if _IMAGE.search(str(container.get("image") or "")) else ""
    return by_command(container) or ("" if container.get("command") else known)


def _services(view: ServiceView) -> list[Json]:
    return [
        each
        for each in view.made_of("v1", "Service")
        if (each.get("spec") or {}).get("type") != "ExternalName"
    ]


def _behind(view: ServiceView, selector: Json) -> Iterator[Workload]:
    """Yield the workloads to whose pods a Service sends requests."""
    for workload in view.workloads if selector else ():
        if selector.items() <= workload.labels.items():
            yield workload


def _shown(ports: list[Json]) -> str:
    said = [
        f"{port.get('containerPort')} ({port['name']})"
        if port.get("name")
        else str(port.get("containerPort"))
        for port in ports
    ]
    return ", ".join(dict.fromkeys(said))
