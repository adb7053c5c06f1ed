# SPDX-License-Identifier: GPL-3.0-or-later
"""Changing a pod spec. Each function returns a new one and shares with the given one what stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...kube.manifest import Json


def container_of(pod: Json | None, name: str, field: str = "containers") -> Json | None:
    """Return the first container of a name, None where there is none."""
    return next((item for item in (pod or {}).get(field) or () if item.get("name") == name), None)


def changed(
    pod: Json, name: str, change: Callable[[Json], Json], field: str = "containers"
) -> Json:
    """Return a pod of which each container of a name is changed."""
    items = [change(item) if item.get("name") == name else item for item in pod.get(field) or ()]
    return {**pod, field: items} if items else pod


def without(pod: Json, name: str, field: str = "containers") -> Json:
    """Return a pod without the containers of a name."""
    items = pod.get(field) or ()
    kept = [item for item in items if item.get("name") != name]
    return pod if len(kept) == len(items) else {**pod, field: kept}


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
    return with_volume(pod, volume)


def mounts(container: Json, volume: str) -> bool:
    """Tell whether a container mounts a volume."""
    return any(mount.get("name") == volume for mount in container.get("volumeMounts") or ())


def has_volume(pod: Json, name: str) -> bool:
    """Tell whether a pod has a volume."""
    return any(volume.get("name") == name for volume in pod.get("volumes") or ())


def with_volume(pod: Json, volume: Json) -> Json:
    """Return a pod with a volume, unless it has one of that name."""
    return pod if has_volume(pod, volume["name"]) else appended(pod, "volumes", volume)


def with_variables(container: Json, variables: Iterable[Json]) -> Json:
    """Return a container with variables at the end of its environment."""
    added = list(variables)
    return appended(container, "env", *added) if added else container


def with_value(container: Json, name: str, value: str) -> Json:
    """Return a container in which a variable has a value. One that is there keeps its place and its other fields."""
    env = list(container.get("env") or ())
    for place, variable in enumerate(env):
        if variable.get("name") == name:
            env[place] = {**variable, "value": value}
            return {**container, "env": env}
    return {**container, "env": [*env, {"name": name, "value": value}]}


def variable_of(container: Json, name: str) -> Json | None:
    """Return a variable of a container, None where there is none."""
    return next((item for item in container.get("env") or () if item.get("name") == name), None)
