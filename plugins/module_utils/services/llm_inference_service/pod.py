# SPDX-License-Identifier: GPL-3.0-or-later
"""Changing a pod spec. Each function returns a new one and shares with the given one what stays."""

from __future__ import annotations

from collections.abc import Callable

from ...kube.manifest import Json

MAIN = "main"
SIDECAR = "llm-d-routing-sidecar"
POOL_VARIABLE = "INFERENCE_POOL_NAME"


def container_of(pod: Json | None, name: str, field: str = "containers") -> Json | None:
    """Return the first container of a name, None where there is none."""
    return next((item for item in (pod or {}).get(field) or () if item.get("name") == name), None)


def has_sidecar(pod: Json | None) -> bool:
    """Tell whether a pod sends the prefill part of requests elsewhere."""
    return container_of(pod, SIDECAR, "initContainers") is not None


def changed(
    pod: Json, name: str, change: Callable[[Json], Json], field: str = "containers"
) -> Json:
    """Return a pod of which each container of a name is changed."""
    items = [change(item) if item.get("name") == name else item for item in pod.get(field) or ()]
    return {**pod, field: items} if items else pod


def appended(part: Json, field: str, *items: Json) -> Json:
    """Return a pod or container with more items at the end of a list."""
    return {**part, field: [*(part.get(field) or ()), *items]}


def mounted(
    pod: Json, container: str, volume: Json, mount: Json, field: str = "containers"
) -> Json:
    """Return a pod whose container mounts a volume, unless it mounts one of that name already.

    volume: added only together with a mount, and where the pod has none of that name.
    """
    target = container_of(pod, container, field)
    if target is None or mounts(target, volume["name"]):
        return pod
    pod = changed(pod, container, lambda item: appended(item, "volumeMounts", mount), field)
    return pod if has_volume(pod, volume["name"]) else appended(pod, "volumes", volume)


def mounts(container: Json, volume: str) -> bool:
    """Tell whether a container mounts a volume."""
    return any(mount.get("name") == volume for mount in container.get("volumeMounts") or ())


def has_volume(pod: Json, name: str) -> bool:
    """Tell whether a pod has a volume."""
    return any(volume.get("name") == name for volume in pod.get("volumes") or ())


def with_pool(pod: Json, pool: str) -> Json:
    """Return a pod whose sidecar knows its InferencePool.

    A variable of that name that is there already has no effect beside a second one, and server-side apply takes only one.
    """

    def knowing(sidecar: Json) -> Json:
        env = [item for item in sidecar.get("env") or () if item.get("name") != POOL_VARIABLE]
        return {**sidecar, "env": [*env, {"name": POOL_VARIABLE, "value": pool}]}

    return changed(pod, SIDECAR, knowing, "initContainers")
