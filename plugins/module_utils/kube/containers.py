# SPDX-License-Identifier: GPL-3.0-or-later
"""The containers of a pod: all that it has, and those that run side by side."""

from __future__ import annotations

from collections.abc import Iterator

from .manifest import Json

#: Where containers are in a pod, in the order in which they start.
LISTS = ("initContainers", "containers")


def containers_of(pod: Json, lists: tuple[str, ...] = LISTS) -> Iterator[tuple[Json, str]]:
    """Yield the containers of a pod, each with its place: `containers[0]`."""
    for field in lists:
        for number, container in enumerate(pod.get(field) or ()):
            yield container, f"{field}[{number}]"


def running_in(pod: Json) -> Iterator[tuple[Json, str]]:
    """Yield the containers of a pod that run side by side, each with its place."""
    yield from containers_of(pod, ("containers",))
    for container, place in containers_of(pod, ("initContainers",)):
        if is_sidecar(container):
            yield container, place


def is_sidecar(container: Json) -> bool:
    """Return whether an init container keeps running while the others do."""
    return container.get("restartPolicy") == "Always"
