# SPDX-License-Identifier: GPL-3.0-or-later
"""Volumes of pods: whether a container sees them."""

from __future__ import annotations

from collections.abc import Iterator

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView
from ..kube.manifest import Json
from ..kube.problem import Problem

UNMOUNTED = Check(
    "volume-unmounted",
    WARNING,
    finds="no container of the pods mounts the volume {name}",
    fix="add it to volumeMounts of a container, or leave it out",
)


@check(UNMOUNTED, costly=True)
def unmounted(view: ServiceView) -> Iterator[Problem]:
    """Yield volumes of the author that no container mounts."""
    for workload in view.workloads:
        mounted = set(_mounted(workload.pod))
        for number, volume in enumerate(workload.pod.get("volumes") or ()):
            name = volume.get("name")
            place = workload.fields(f"volumes[{number}]")
            if name not in mounted and place.is_authors:
                yield UNMOUNTED.at(place, name=name)


def _mounted(pod: Json) -> Iterator[str]:
    for containers in ("initContainers", "containers"):
        for container in pod.get(containers) or ():
            for field in ("volumeMounts", "volumeDevices"):
                yield from (str(each.get("name")) for each in container.get(field) or ())
