# SPDX-License-Identifier: GPL-3.0-or-later
"""Changing the init container that fetches a model: it is the last one of a pod."""

from __future__ import annotations

from ....kube.manifest import Json
from ..pod import appended


def init_env(pod: Json) -> list[Json]:
    """Return the environment of the container."""
    return list(pod["initContainers"][-1].get("env") or ())


def with_env(pod: Json, env: list[Json]) -> Json:
    """Return a pod whose container has this environment."""
    return _with_last(
        pod, {**pod["initContainers"][-1], "env": env} if env else pod["initContainers"][-1]
    )


def with_mount(pod: Json, volume: Json, mount: Json) -> Json:
    """Return a pod with a volume that the container mounts."""
    container = appended(pod["initContainers"][-1], "volumeMounts", mount)
    return appended(_with_last(pod, container), "volumes", volume)


def _with_last(pod: Json, container: Json) -> Json:
    return {**pod, "initContainers": [*pod["initContainers"][:-1], container]}
