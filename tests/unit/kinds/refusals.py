# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that is wrong with a custom resource: of itself, or else of the objects that it becomes."""

from __future__ import annotations

from typing import Any

from module_utils.fleet.service import Service
from module_utils.kinds.registry import KINDS
from module_utils.kube.problem import InputError, Problem
from module_utils.kube.reader import GivenObjects, Reader
from module_utils.kube.release import ChosenRelease


def refusals(
    document: dict[str, Any], settings: Any, reader: Reader | None = None, kind: str = ""
) -> tuple[Problem, ...]:
    """Return the problems of a custom resource, warnings included, as a task that renders it finds them.

    kind: as which it is read; else what it says.
    """
    kinds = {kind.kind: kind for kind in KINDS.values()}
    read_as = kinds[kind or document["kind"]]
    loaded = read_as.load(document, settings)
    if loaded.service is None or any(each.severity == "error" for each in loaded.problems):
        return tuple(loaded.problems)
    try:
        found = api_refusals(loaded.service, settings, reader or GivenObjects(()))
    except InputError as error:
        found = [problem for each in error.complaints for problem in each.problems]
    return (*loaded.problems, *found)


def api_refusals(typed: Any, settings: Any, reader: Reader) -> list[Problem]:
    """Return what the API would refuse of the objects of a typed service. Raises InputError where it cannot be built."""
    reference = typed.reference
    kind = KINDS[reference.api_version, reference.kind]
    release = ChosenRelease(settings.release, "option", "")
    service = Service(str(reference), kind, reference, typed, settings, release)
    intent = service.compile(reader)
    manifests = [child.manifest.to_dict() for child in intent.children]
    return service.api_problems(intent.basis, manifests, manifests)
