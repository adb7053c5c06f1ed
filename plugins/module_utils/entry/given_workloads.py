# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads that a user gives to be judged: manifests, and those that services are compiled to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..accelerators.demand import WORKLOADS, templates_of
from ..accelerators.vendors import is_device, is_mig, is_shared
from ..kube.intent import Intent
from ..kube.manifest import Json
from ..kube.pod_rules import is_extended, resource_problems
from ..kube.problem import Complaint, InputError, Problem
from ..kube.reader import GivenObjects
from .fleet import Service, Settings, compile_fleet, load_fleet, subject_of
from .sources import Document


def given_workloads(documents: Sequence[Document], namespace: str | None) -> list[tuple[str, Json]]:
    """Return the workloads among documents, and those that services are compiled to, each with how messages call it.

    Raises InputError for documents that are neither, and for requests that are refused anyway.
    """
    found: list[tuple[str, Json]] = []
    services = []
    complaints = []
    for document in documents:
        if not isinstance(document.value, dict) or document.value.get("kind") not in WORKLOADS:
            services.append(document)
            continue
        manifest = _placed(document.value, namespace)
        subject = subject_of(document.origin, manifest)
        problems = _faults(manifest)
        complaints.append(Complaint(subject, tuple(problems)))
        found.append((subject, manifest))
    if services:
        loaded, dummy = load_fleet(services, Settings({}, {}), namespace, skip_invalid=False)
        compiled, dummy = compile_fleet(loaded, GivenObjects(), _workloads_of)
        found += [each for workloads in compiled for each in workloads]
    if any(complaint.problems for complaint in complaints):
        raise InputError(complaints)
    return found


def _workloads_of(service: Service, intent: Intent) -> list[tuple[str, Json]]:
    return [
        (service.subject, child.manifest.to_dict())
        for child in intent.children
        if child.manifest.kind in WORKLOADS
    ]


def _placed(manifest: Json, namespace: str | None) -> Json:
    metadata = manifest.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    place = metadata.get("namespace") or namespace or "default"
    return {**manifest, "metadata": {**metadata, "namespace": place}}


def _faults(manifest: Json) -> list[Problem]:
    if not manifest["metadata"].get("name"):
        return [Problem("metadata.name", "missing", rule="missing")]
    try:
        return list(_container_problems(manifest))
    except (TypeError, ValueError, AttributeError) as error:
        return [
            Problem("spec", f"is not the spec of a {manifest['kind']}: {error}", rule="quantity")
        ]


def _container_problems(workload: Json) -> Iterator[Problem]:
    """Yield what the API server or the device plugins refuse about what a workload's containers ask for."""
    for path, template in templates_of(workload):
        spec = template.get("spec") or {}
        for field_name in ("initContainers", "containers"):
            for number, container in enumerate(spec.get(field_name) or ()):
                place = ".".join([*path, "spec", f"{field_name}[{number}]", "resources"])
                yield from _of_the_container(container.get("resources") or {}, place)


def _of_the_container(resources: Json, path: str) -> Iterator[Problem]:
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
    for name in filter(is_shared, devices):
        count = str((asked.get("limits") or asked.get("requests") or {}).get(name))
        if count not in ("0", "1"):
            text = f"{count} of {name} may be slices of one and the same device; ask for 1, or for whole devices"
            yield Problem(path, text, rule="shared-devices")


def _names(asked: Json) -> set[str]:
    return {name for amounts in asked.values() for name in amounts}
