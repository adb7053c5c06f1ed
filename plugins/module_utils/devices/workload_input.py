# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads that a user gives to be judged: manifests, and those that services are compiled to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..accelerators.demand import WORKLOADS
from ..checks.workloads import (
    device_problems,
    name_problems,
    workload_device_problems,
    workload_name_problems,
)
from ..fleet.compile import compile_fleet
from ..fleet.load import load_fleet, subject_of
from ..fleet.service import Service
from ..fleet.settings import Settings
from ..kube.input_schemas import input_problems
from ..kube.intent import Intent
from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError, Problem
from ..kube.reader import Reader
from ..kube.validation.objects import object_problems
from ..kube.workload_schemas import workload_problems
from ..task.manifest_loader import Document


@dataclass(frozen=True, slots=True)
class GivenWorkload:
    """One workload. subject: how messages call it. warnings: what its containers ask for and will not get to work."""

    subject: str
    manifest: Json
    warnings: Sequence[Problem] = ()


def given_workloads(
    documents: Sequence[Document], settings: Settings, namespace: str | None
) -> tuple[list[GivenWorkload], list[Service]]:
    """Return the workloads among documents, and the services. settings: of these.

    Raises InputError for documents that are neither, and for what containers ask for in vain; all at once.
    """
    found: list[GivenWorkload] = []
    services: list[Service] = []
    others = []
    complaints = []
    for document in documents:
        kind = document.value.get("kind") if isinstance(document.value, dict) else None
        if not isinstance(kind, str) or kind not in WORKLOADS:
            others.append(document)
            continue
        manifest = _placed(document.value, namespace)
        subject = subject_of(document.origin, manifest)
        problems = _problems(manifest)
        errors = [problem for problem in problems if problem.severity == "error"]
        complaints.append(Complaint(subject, tuple(errors)))
        found.append(GivenWorkload(subject, manifest, problems))
    try:
        services = load_fleet(others, settings, namespace, skip_invalid=False, also=WORKLOADS)[0]
    except InputError as error:
        complaints += error.complaints
    if any(complaint.problems for complaint in complaints):
        raise InputError(complaints)
    return found, services


def workloads_of(services: Sequence[Service], reader: Reader) -> list[GivenWorkload]:
    """Return the workloads that services are compiled to. reader: shows their presets and runtimes. Raises InputError."""
    compiled, dummy = compile_fleet(services, reader, partial(_workloads_of, reader), judged=True)
    return [each for workloads in compiled for each in workloads]


def with_names(workload: GivenWorkload, reader: Reader) -> GivenWorkload:
    """Return a workload that is given by itself with what is said of the names in it."""
    found = workload_name_problems(workload.manifest, reader)
    return replace(workload, warnings=[*workload.warnings, *found])


def _workloads_of(reader: Reader, service: Service, intent: Intent) -> list[GivenWorkload]:
    """Return a service's workloads. What checks say of its devices and its names is with the first."""
    manifests = [child.manifest for child in intent.children if child.manifest.kind in WORKLOADS]
    view = service.view(intent.basis, [child.manifest.to_dict() for child in intent.children])
    told = [
        [*device_problems(view), *name_problems(view, reader)],
        *([] for dummy in manifests),
    ]
    return [
        GivenWorkload(service.subject, manifest.to_dict(), told[number])
        for number, manifest in enumerate(manifests)
    ]


def _placed(manifest: Json, namespace: str | None) -> Json:
    metadata = manifest.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    place = metadata.get("namespace") or namespace or "default"
    return {**manifest, "metadata": {**metadata, "namespace": place}}


def _problems(manifest: Json) -> list[Problem]:
    """Return what is wrong with a workload: its shape, or else what its containers ask for in vain."""
    faults = [*input_problems(manifest, {}), *workload_problems(manifest, "")]
    if not isinstance(manifest.get("apiVersion"), str):
        text = f"missing: the version of the kind {manifest['kind']}"
        faults.append(Problem("apiVersion", text, rule="missing"))
    return faults or [*workload_device_problems(manifest), *_refused(manifest)]


def _refused(manifest: Json) -> Iterator[Problem]:
    """Yield what the API server would refuse of a workload; amounts are reported with what is said of devices."""
    for problem in object_problems(manifest):
        if problem.rule != "resources":
            yield problem
