# SPDX-License-Identifier: GPL-3.0-or-later
"""Volumes of pods: whether a container sees them, and the one with the model where it looks for it."""

from __future__ import annotations

from collections.abc import Iterator

from ..kinds.check import WARNING, Check, check
from ..kinds.kserve.storage.initializer import MODEL_PATH, diverted_mount
from ..kinds.view import ServiceView
from ..kube.command_line import words
from ..kube.manifest import Json
from ..kube.problem import Problem

UNMOUNTED = Check(
    "volume-unmounted",
    WARNING,
    finds="no container of the pods mounts the volume {name}",
    fix="add it to volumeMounts of a container, or leave it out",
)

DIVERTED = Check(
    "model-not-brought",
    WARNING,
    finds="KServe mounts the model in the volume {name}, unless the container mounts it, as here at {mount}: {path}, where the server looks, stays empty",
    fix="give the volume and its mount another name",
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


@check(DIVERTED, costly=True)
def diverted(view: ServiceView) -> Iterator[Problem]:
    """Yield mounts that take the name of KServe's volume, so that the server finds no model where it looks for it."""
    for workload in view.serving:
        container = workload.engine_container
        number = diverted_mount(container)
        if number is not None and any(MODEL_PATH in word for word in words(container)):
            mount = container["volumeMounts"][number]
            place = workload.in_engine(f"volumeMounts[{number}]")
            yield DIVERTED.at(
                place, name=mount["name"], mount=mount.get("mountPath"), path=MODEL_PATH
            )


def _mounted(pod: Json) -> Iterator[str]:
    for containers in ("initContainers", "containers"):
        for container in pod.get(containers) or ():
            for field in ("volumeMounts", "volumeDevices"):
                yield from (str(each.get("name")) for each in container.get(field) or ())
