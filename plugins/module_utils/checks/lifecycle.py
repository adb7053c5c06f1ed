# SPDX-License-Identifier: GPL-3.0-or-later
"""How containers end, and memory that counts twice: limits of a pod that contradict each other.

Source: Kubernetes documentation, Termination of Pods, and Volumes, emptyDir.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView
from ..kube.containers import running_in
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.quantity import parse_quantity

_SLEEP = re.compile(r"\bsleep\s+(?P<seconds>[0-9]+)\b")
_HOOK = ("lifecycle", "preStop", "exec", "command")
#: What Kubernetes takes where nothing is said.
_GRACE = 30
_SERVICES_OF_KNATIVE = "serving.knative.dev"

KILLED = Check(
    "grace-period",
    WARNING,
    finds="container {container} sleeps {seconds} s before it ends, and its pod has {grace} s for that: it is killed with its requests",
    fix="give a longer terminationGracePeriodSeconds",
)
LARGER = Check(
    "memory-volume",
    WARNING,
    finds="the volume {name} in memory may hold {size}, which counts towards the memory limit of container {container}, {limit}: the container is killed first",
    fix="raise the limit, or lower sizeLimit",
)


@check(KILLED, costly=True)
def killed(view: ServiceView) -> Iterator[Problem]:
    """Yield containers that wait longer before they end than their pod has time. Knative gives pods its own time."""
    for workload in view.workloads:
        if workload.reference.api_version.startswith(_SERVICES_OF_KNATIVE):
            continue
        grace = workload.pod.get("terminationGracePeriodSeconds", _GRACE)
        for container, path in running_in(workload.pod):
            command = value_at(container, _HOOK) or ()
            found = _SLEEP.search(" ".join(map(str, command)))
            if found and int(found["seconds"]) >= grace:
                yield KILLED.at(
                    workload.written(f"{path}.{'.'.join(_HOOK)}", "terminationGracePeriodSeconds"),
                    container=container.get("name"),
                    seconds=found["seconds"],
                    grace=grace,
                )


@check(LARGER, costly=True)
def larger(view: ServiceView) -> Iterator[Problem]:
    """Yield volumes in memory that may grow beyond the memory of the container that has them."""
    for workload in view.workloads:
        for number, volume in enumerate(workload.pod.get("volumes") or ()):
            given: Json = volume.get("emptyDir") or {}
            size = given.get("sizeLimit")
            if given.get("medium") != "Memory" or not size:
                continue
            for container, dummy in running_in(workload.pod):
                limit = value_at(container, ("resources", "limits", "memory"))
                mounts = [each.get("name") for each in container.get("volumeMounts") or ()]
                place = workload.fields(f"volumes[{number}].emptyDir.sizeLimit")
                if limit and volume.get("name") in mounts and _more(size, limit) and place.exact:
                    yield LARGER.at(
                        place,
                        name=volume.get("name"),
                        size=size,
                        container=container.get("name"),
                        limit=limit,
                    )


def _more(size: object, limit: object) -> bool:
    try:
        return parse_quantity(str(size)) > parse_quantity(str(limit))
    except ValueError:
        return False
