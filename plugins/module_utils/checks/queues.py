# SPDX-License-Identifier: GPL-3.0-or-later
"""Queues of Kueue that workloads name: whether they are there, and let anything of this namespace in.

How much they have left is judged where pods with devices are fitted into the cluster (`capacity/check.py`), which tells the rest as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..accelerators.kueue import (
    API_VERSIONS,
    PRIORITY_LABEL,
    QUEUE_LABEL,
    Queues,
    queue_of,
    queue_problems,
)
from ..kinds.check import WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.view import ServiceView, Workload
from ..kube.did_you_mean import nearest
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reader import Reader
from ..kube.reference import Reference

QUEUE = Check(
    "queue",
    WARNING,
    finds="{what}",
    fix="name a queue that admits pods of this namespace, or ask its owner",
)
PRIORITY = Check(
    "queue-priority",
    WARNING,
    finds="WorkloadPriorityClass {name} {absent}: Kueue admits no pod that names it",
    fix="create it, or name one that exists{near}",
)


@check(QUEUE, reads=("LocalQueues", "ClusterQueues", "ResourceFlavors"))
def queue(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield queues that admit none of the service's pods."""
    made = {Reference.of(each): each for each in view.made}
    for workload in view.workloads:
        name = _queue_of(made.get(workload.reference) or {}, workload)
        queues = _queues(workload.reference.namespace, reader) if name else None
        for problem in queue_problems((), name, queues) if queues is not None else ():
            yield QUEUE.at(_place(view, workload, QUEUE_LABEL), what=problem.message)


@check(PRIORITY, reads=("WorkloadPriorityClasses",))
def priority(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield Kueue priority classes that do not exist."""
    made = {Reference.of(each): each for each in view.made}
    for workload in view.workloads:
        labels = (made.get(workload.reference) or {}).get("metadata", {}).get("labels") or {}
        name = str(labels.get(PRIORITY_LABEL) or workload.labels.get(PRIORITY_LABEL) or "")
        names = _priorities(reader) if name else []
        if name and name not in names and (names or reader.complete):
            near = nearest(name, names)
            yield PRIORITY.at(
                _place(view, workload, PRIORITY_LABEL),
                name=name,
                absent="does not exist" if reader.complete else "is not among the given objects",
                near=f'; did you mean "{near}"?' if near else "",
            )


def _priorities(reader: Reader) -> list[str]:
    found = (reader.list(each, "WorkloadPriorityClass", "", {}) for each in API_VERSIONS)
    return [str(each["metadata"]["name"]) for listed in found for each in listed]


def _place(view: ServiceView, workload: Workload, label: str) -> Place | str:
    """Return where the author writes a label."""
    return view.label(workload, label) or f'metadata.labels["{label}"]'


def _queue_of(manifest: Json, workload: Workload) -> str:
    found = queue_of(manifest) if manifest else ""
    return found or str(workload.labels.get(QUEUE_LABEL) or "")


def _queues(namespace: str, reader: Reader) -> Queues | None:
    """Return the queues of a namespace, None where there is no queue at all: without Kueue nobody reads the label."""
    for api_version in API_VERSIONS:
        local = reader.list(api_version, "LocalQueue", namespace, {})
        in_all = reader.list(api_version, "ClusterQueue", "", {})
        if local or in_all:
            found = reader.get(Reference("v1", "Namespace", "", namespace))
            flavors = reader.list(api_version, "ResourceFlavor", "", {})
            labels = None if found is None else found["metadata"].get("labels") or {}
            return Queues(local, in_all, flavors or None, namespace, labels, ())
    return None
