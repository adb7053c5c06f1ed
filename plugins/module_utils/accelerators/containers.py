# SPDX-License-Identifier: GPL-3.0-or-later
"""What the containers of a workload ask for, where the API server refuses it or no engine can work with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..kube.manifest import Json
from ..kube.pod_rules import is_extended, resource_problems
from ..kube.problem import Problem
from .command_line import command_line_problems
from .demand import templates_of
from .vendors import is_device, is_mig, is_shared


def container_problems(workload: Json) -> Iterator[Problem]:
    """Yield what is wrong about devices. Raises TypeError, ValueError and AttributeError for what is no workload."""
    pods = pods_of_a_replica(workload)
    for path, template in templates_of(workload):
        spec = template.get("spec") or {}
        for field in ("initContainers", "containers"):
            for number, container in enumerate(spec.get(field) or ()):
                place = ".".join([*path, "spec", f"{field}[{number}]"])
                yield from problems_of(container, pods, place)


def pods_of_a_replica(workload: Json) -> int:
    """Return how many pods work on one copy of the model."""
    group = (workload.get("spec") or {}).get("leaderWorkerTemplate") or {}
    return int(group.get("size") or 1)


def problems_of(container: Json, pods: int, path: str) -> Iterator[Problem]:
    """Yield what is wrong about the devices of one container. pods: of a replica."""
    yield from _of_resources(container.get("resources") or {}, f"{path}.resources")
    yield from command_line_problems(container, pods, path)


def _of_resources(resources: Json, path: str) -> Iterator[Problem]:
    asked = {name: resources[name] for name in ("requests", "limits") if resources.get(name)}
    for problem in resource_problems(asked, path):
        device = any(is_extended(name) and name in problem.path for name in _names(asked))
        more = "; requests and limits of a device have to be equal" if device else ""
        yield Problem(problem.path, f"{problem.message}{more}", problem.severity, problem.rule)
    devices = sorted(name for name in _names(asked) if is_device(name))
    slices = [name for name in devices if is_mig(name)]
    if slices and len(devices) > 1:
        text = f"{', '.join(devices)} in one container: slices and whole devices cannot be used together"
        yield Problem(path, text, rule="mixed-devices")
    for name in devices:
        count = _count(asked, name)
        if is_shared(name) and count > 1:
            text = f"{count} of {name} may be slices of one and the same device; ask for 1, or for whole devices"
            yield Problem(path, text, rule="shared-devices")
        elif is_mig(name) and count > 1:
            text = f"{count} of {name} cannot reach each other's memory, so most engines use one of them; ask for one larger slice or whole devices"
            yield Problem(path, text, "warning", rule="mig-parallel")
    if devices and resources.get("claims"):
        text = f"{', '.join(devices)} beside device claims: the container gets both; ask in one way"
        yield Problem(path, text, "warning", rule="mixed-devices")


def _names(asked: Json) -> set[str]:
    return {name for amounts in asked.values() for name in amounts}


def _count(asked: Json, name: str) -> int:
    """Return how many a container asks for, 0 where that is no whole number, which is another problem."""
    amount: Any = (asked.get("limits") or asked.get("requests") or {}).get(name)
    return int(amount) if str(amount).isdecimal() else 0
