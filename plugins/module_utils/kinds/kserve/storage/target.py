# SPDX-License-Identifier: GPL-3.0-or-later
"""A container that needs something from its pod: it, and the volumes that the pod then has."""

from __future__ import annotations

from dataclasses import dataclass

from ....kube.manifest import Json
from ..pod import appended, with_variables


@dataclass(frozen=True, slots=True)
class Target:
    """A container and the volumes of its pod. Neither is changed in place."""

    container: Json
    volumes: tuple[Json, ...] = ()

    def with_env(self, *variables: Json) -> Target:
        """Return it with variables at the end of the environment."""
        return Target(with_variables(self.container, variables), self.volumes)

    def with_mount(self, volume: Json, path: str) -> Target:
        """Return it with a volume that the container reads. A volume of that name is added once."""
        mount = {"name": volume["name"], "mountPath": path, "readOnly": True}
        there = any(each.get("name") == volume["name"] for each in self.volumes)
        return Target(
            appended(self.container, "volumeMounts", mount),
            self.volumes if there else (*self.volumes, volume),
        )


def in_pod(pod: Json, target: Target) -> Json:
    """Return a pod with the volumes of a target whose container is one of its own or will be."""
    return {**pod, "volumes": list(target.volumes)} if target.volumes else pod
