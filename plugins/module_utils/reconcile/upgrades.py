# SPDX-License-Identifier: GPL-3.0-or-later
"""What later releases of its controller would change of a service that is there. Nothing is asked that compiling it does not ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..engine.desired import Desired
from ..engine.restarts import TEMPLATES
from ..fleet.service import Service
from ..fleet.settings import Settings
from ..kube.manifest import Json, value_at
from ..kube.problem import Complaint, InputError, Problem
from ..kube.reader import Reader
from ..kube.reference import Reference
from ..kube.release import ControllerRelease
from .compiled_service import CompiledService, compiled_service


def upgrades(
    target: CompiledService, settings: Settings, reader: Reader, fleet: str
) -> Iterator[Json]:
    """Yield for each later release that is reproduced what it would change, whose pods would restart, and why it cannot be had."""
    service = target.service
    for release in service.kind.releases.reproduced:
        if release <= service.settings.release:
            continue
        entry: Json = {
            "version": str(release),
            "backing": service.kind.releases.backing[release],
            "refused": [],
            "changes": [],
            "restarts": [],
        }
        try:
            after = _compiled(target, settings, reader, fleet, release)
        except InputError as error:
            found = [problem for each in error.complaints for problem in each.problems]
            yield {**entry, "refused": [str(problem) for problem in found]}
            continue
        before, later = _by_name(target), _by_name(after)
        entry["changes"] = [*_changes(before, later)]
        entry["restarts"] = [
            str(reference)
            for reference, child in later.items()
            if reference in before and _pods_of(before[reference]) != _pods_of(child)
        ]
        yield entry


def _compiled(
    target: CompiledService,
    settings: Settings,
    reader: Reader,
    fleet: str,
    release: ControllerRelease,
) -> CompiledService:
    """Return a service as a release makes it. Raises InputError."""
    service = target.service
    typed = settings.typed(service.kind, str(release))
    loaded = service.kind.load(service.written, typed)
    errors: list[Problem] = [each for each in loaded.problems if each.severity == "error"]
    if loaded.service is None or errors:
        raise InputError([Complaint(service.subject, tuple(errors))])
    later: Service = replace(service, typed=loaded.service, settings=typed, problems=[])
    return compiled_service(later, later.compile(reader), fleet, target.reconciler)


def _by_name(target: CompiledService) -> Mapping[Reference, Desired]:
    return {child.reference: child for child in target.children}


def _changes(
    before: Mapping[Reference, Desired], later: Mapping[Reference, Desired]
) -> Iterator[Json]:
    for reference in sorted(before.keys() | later.keys()):
        if reference not in before:
            action = "create"
        elif reference not in later:
            action = "delete"
        elif before[reference].digest != later[reference].digest:
            action = "update"
        else:
            continue
        yield {
            "kind": reference.kind,
            "namespace": reference.namespace,
            "name": reference.name,
            "action": action,
        }


def _pods_of(child: Desired) -> list[Json | None]:
    manifest = child.manifest()
    return [value_at(manifest, path) for path in TEMPLATES]
