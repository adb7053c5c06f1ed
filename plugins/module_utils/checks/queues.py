# SPDX-License-Identifier: GPL-3.0-or-later
"""Queues of Kueue that workloads name: whether they are there, and let anything of this namespace in.

How much they have left is judged where pods with devices are fitted into the cluster (`capacity/check.py`), which tells the rest as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..accelerators.kueue import (
    API_VERSIONS,
    QUEUE_LABEL,
    Queues,
    queue_of,
    queue_problems,
)
from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView, Workload
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


@check(QUEUE, reads=("LocalQueues", "ClusterQueues", "ResourceFlavors"))
def queue(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield queues that admit none of the service's pods."""
    made = {Reference.of(each): each for each in view.made}
    for workload in view.workloads:
        name = _queue_of(made.get(workload.reference) or {}, workload)
        queues = _queues(workload.reference.namespace, reader) if name else None
        for problem in queue_problems((), name, queues) if queues is not None else ():
            yield QUEUE.at(f'metadata.labels["{QUEUE_LABEL}"]', what=problem.message)


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
