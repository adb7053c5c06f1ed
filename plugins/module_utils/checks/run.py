# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs checks over a service: those that only look at it in every run, those that read the cluster where something changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from ..kinds.check import ERROR, WARNING, BoundCheck
from ..kinds.field_map import Place
from ..kinds.view import (
    Neighbour,
    ServiceView,
    Workload,
    group_size,
    templates_of,
)
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reader import NotAllowed, Reader
from ..kube.reference import Reference
from ..kube.validation.resources import is_extended, resource_problems
from . import devices, engine_flags, names, no_effect, quota
from .registry import checks, of_theme
from .trials import Trials


def settled_problems(view: ServiceView) -> list[Problem]:
    """Return what a look at the service itself finds. It costs little and is told in every run."""
    return _told(
        (check, problem)
        for check in checks()
        if check.in_every_run
        for problem in check.function(view)
    )


def further_problems(
    view: ServiceView,
    reader: Reader,
    own: Sequence[BoundCheck] = (),
    trials: Callable[[frozenset[str]], Trials] | None = None,
) -> list[Problem]:
    """Return what takes longer to find, or a look at the cluster.

    own: checks that only this kind has. trials: makes the service to be tried with changes, of the fields that are named already; None where it is not tried.

    Where something may not be read, the check that needs it is left out, and that is told.
    """
    found = _told(
        (check, problem)
        for check in (*checks(), *own)
        if not (check.in_every_run or check.fleet or check.tries)
        for problem in _asked(check, view, reader)
    )
    if trials is None:
        return found
    told = (*settled_problems(view), *found)
    tried = trials(frozenset(each.path for each in told if each.rule == no_effect.NO_EFFECT.rule))
    return [
        *found,
        *_told(
            (check, problem)
            for check in checks()
            if check.tries
            for problem in check.function(tried)
        ),
    ]


def problems_beside(services: Sequence[Neighbour]) -> dict[Reference, list[Problem]]:
    """Return what is wrong between the services of a run, by service."""
    found: dict[Reference, list[tuple[BoundCheck, Problem]]] = {}
    for check in checks():
        for reference, problem in check.function(services) if check.fleet else ():
            found.setdefault(reference, []).append((check, problem))
    return {reference: _told(problems) for reference, problems in found.items()}


def device_problems(view: ServiceView) -> list[Problem]:
    """Return what checks of devices and of engines' flags say of a service."""
    themes = (*of_theme(devices), *of_theme(engine_flags))
    return _told((check, problem) for check in themes for problem in check.function(view))


def name_problems(view: ServiceView, reader: Reader) -> list[Problem]:
    """Return the names in a service's pods that lead nowhere, and what their namespace demands."""
    return _told(
        (check, problem)
        for theme in (names, quota)
        for check in of_theme(theme)
        for problem in _asked(check, view, reader)
    )


def workload_name_problems(manifest: Json, reader: Reader) -> list[Problem]:
    """Return the same of a workload that is given by itself."""
    return [
        problem
        for path, template in templates_of(manifest)
        for problem in name_problems(
            _view_of(
                template.get("spec") or {},
                Reference.of(manifest),
                group_size(manifest),
                f"{path}.spec".lstrip("."),
                (manifest.get("spec") or {}).get("replicas"),
            ),
            reader,
        )
    ]


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
    """Return the same of one container. pods: how many hold one copy of the model. path: where it stands."""
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
            for container, place in devices.containers_of(workload)
            for problem in _amounts(container, f"{stem}{place}.resources")
        ),
        *(problem for check in of_theme(devices) for problem in check.function(view)),
    ]
    return list(dict.fromkeys(found))


def _view_of(
    pod: Json, reference: Reference, pods: int, path: str, replicas: int | None = None
) -> ServiceView:
    """Return pods that no service makes as checks see them. path: where the pod's spec stands."""
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
    asked = {name: resources[name] for name in ("requests", "limits") if resources.get(name)}
    names = {name for amounts in asked.values() for name in amounts}
    for problem in resource_problems(asked, path):
        device = any(is_extended(name) and name in problem.path for name in names)
        more = "; requests and limits of a device have to be equal" if device else ""
        yield replace(problem, message=f"{problem.message}{more}")


def _asked(check: BoundCheck, view: ServiceView, reader: Reader) -> Iterator[Problem]:
    try:
        yield from check.function(view, reader) if check.reads else check.function(view)
    except NotAllowed:
        message = (
            f"{check.row.rule} was not checked: reading {' and '.join(check.reads)} is not allowed"
        )
        yield Problem("", message, WARNING, rule="could-not-look")


def _told(found: Iterable[tuple[BoundCheck, Problem]]) -> list[Problem]:
    """Return problems as a service gets them, each once: errors of rows that stop a service, and warnings.

    Whatever else is an error becomes a warning, since the service's controller renders it as well.
    """
    return list(
        dict.fromkeys(
            replace(each, severity=WARNING)
            if each.severity == ERROR and not check.row.stops
            else each
            for check, each in found
        )
    )
