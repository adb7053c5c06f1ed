# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with the pods of a workload: of a service's, or of one that is given by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..kinds.field_map import Place
from ..kinds.view import ServiceView, Workload, group_size, templates_of
from ..kube.containers import containers_of
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reader import Reader
from ..kube.reference import Reference
from ..kube.validation.resources import is_extended, resource_problems
from . import (
    amounts,
    device_claims,
    device_names,
    devices,
    engine_flags,
    names,
    pod_security,
    quota,
    tpus,
)
from .registry import of_theme
from .run import asked, told

#: Themes about what containers request, and which devices they see.
_REQUESTS = (devices, device_names, tpus, amounts)


def device_problems(view: ServiceView) -> list[Problem]:
    """Return what checks of devices and of engines' flags say of a service."""
    return told(
        (check, problem)
        for theme in (*_REQUESTS, engine_flags)
        for check in of_theme(theme)
        for problem in check.function(view)
    )


def name_problems(view: ServiceView, reader: Reader) -> list[Problem]:
    """Return the names in a service's pods that lead nowhere, what is wrong with their claims of devices, and what their namespace demands."""
    return told(
        (check, problem)
        for theme in (names, device_claims, pod_security, quota)
        for check in of_theme(theme)
        for problem in asked(check, view, reader)
    )


def workload_name_problems(manifest: Json, reader: Reader) -> list[Problem]:
    """Return the same of a workload that is given by itself."""
    return [problem for view in _views_of(manifest) for problem in name_problems(view, reader)]


def dangling_names(manifest: Json, reader: Reader) -> list[Problem]:
    """Return the names in the pods of a workload that lead nowhere; what may not be read is passed over."""
    return [
        problem
        for view in _views_of(manifest)
        for check in of_theme(names)
        for problem in asked(check, view, reader)
        if problem.rule == check.row.rule
    ]


def _views_of(manifest: Json) -> Iterator[ServiceView]:
    """Yield the pods of a workload, one template after the other."""
    for path, template in templates_of(manifest):
        yield _view_of(
            template.get("spec") or {},
            Reference.of(manifest),
            group_size(manifest),
            f"{path}.spec".lstrip("."),
            (manifest.get("spec") or {}).get("replicas"),
        )


def workload_device_problems(manifest: Json) -> list[Problem]:
    """Return the same of a workload that is given by itself. What no engine starts with is an error here.

    Raises TypeError, ValueError and AttributeError for what is no workload.
    """
    found: list[Problem] = []
    for path, template in templates_of(manifest):
        pod = template.get("spec") or {}
        found += _of_pod(
            pod, Reference.of(manifest), group_size(manifest), f"{path}.spec".lstrip(".")
        )
    return found


def container_device_problems(container: Json, pods: int, path: str) -> list[Problem]:
    """Return the same of one container. pods: how many hold one copy of the model. path: where it is."""
    nowhere = Reference("v1", "Pod", "", "")
    stem, dummy, last = path.rpartition(".")
    found = _of_pod({"containers": [container]}, nowhere, pods, stem)
    return [replace(each, path=each.path.replace("containers[0]", last, 1)) for each in found]


def _of_pod(pod: Json, reference: Reference, pods: int, path: str) -> list[Problem]:
    stem = f"{path}." if path else ""
    view = _view_of(pod, reference, pods, path)
    (workload,) = view.workloads
    found = [
        *(
            problem
            for container, place in containers_of(workload.pod)
            for problem in _amounts(container, f"{stem}{place}.resources")
        ),
        *(
            problem
            for theme in _REQUESTS
            for check in of_theme(theme)
            for problem in check.function(view)
        ),
    ]
    return list(dict.fromkeys(found))


def _view_of(
    pod: Json, reference: Reference, pods: int, path: str, replicas: int | None = None
) -> ServiceView:
    """Return pods that no service makes as checks see them. path: where the pod's spec is."""
    stem = f"{path}." if path else ""
    workload = Workload(
        role="",
        reference=reference,
        origin=path,
        pod=pod,
        fields=lambda place: Place(f"{stem}{place}"),
        replicas=replicas,
        pods_per_replica=pods,
    )
    return ServiceView(reference, {}, (workload,))


def _amounts(container: Json, path: str) -> Iterator[Problem]:
    """Yield what the API refuses of the amounts that a container asks for."""
    resources = container.get("resources") or {}
    amounts = {part: resources[part] for part in ("requests", "limits") if resources.get(part)}
    wanted = {name for each in amounts.values() for name in each}
    for problem in resource_problems(amounts, path):
        device = any(is_extended(name) and name in problem.path for name in wanted)
        more = "; requests and limits of a device have to be equal" if device else ""
        yield replace(problem, message=f"{problem.message}{more}")
