# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses of a whole pod spec that was put together from parts which are fine by themselves.

The rules are those of k8s.io/kubernetes v1.36.3 (pkg/apis/core/validation), as far as merging can break them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .env_rules import env_problems
from .manifest import Json
from .names import check_namespace
from .problem import Problem
from .schema_faults import show
from .text import few

#: How a container can be probed; a probe has one of them.
HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc")
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_SHOWN = 5
_LAST_PORT = 65535


def pod_faults(pod: Json, path: str) -> Iterator[Problem]:
    """Yield what is wrong with a pod spec."""
    if not pod.get("containers"):
        message = (
            "no container is named, neither by the service nor by its presets; a pod needs one"
        )
        yield Problem(f"{path}.containers", message, rule="pod")
    volumes = pod.get("volumes") or []
    yield from _twice([str(volume.get("name")) for volume in volumes], f"{path}.volumes", "name")
    for number, volume in enumerate(volumes):
        sources = [key for key in volume if key != "name"]
        if len(sources) > 1:
            message = (
                f"volume {show(volume.get('name'))} has {' and '.join(sources)}: a merge keeps both "
                "sources; call your volume otherwise"
            )
            yield Problem(f"{path}.volumes[{number}]", message, rule="pod")
    known = {str(volume.get("name")) for volume in volumes}
    scratch = [str(volume.get("name")) for volume in volumes if "emptyDir" in volume]
    names = []
    for field in ("initContainers", "containers"):
        for number, container in enumerate(pod.get(field) or ()):
            names.append(str(container.get("name")))
            yield from _container(container, f"{path}.{field}[{number}]", known, scratch)
    yield from _twice(names, f"{path}.containers", "name")


def _container(
    container: Json, path: str, volumes: set[str], scratch: Sequence[str]
) -> Iterator[Problem]:
    fault = check_namespace(str(container.get("name") or ""))
    if fault:
        yield Problem(
            f"{path}.name", fault.replace("a namespace", "a container's name"), rule="pod"
        )
    if not container.get("image"):
        message = f"container {show(container.get('name'))} has no image: no preset has a container of this name"
        yield Problem(f"{path}.image", message, rule="pod")
    for number, mount in enumerate(container.get("volumeMounts") or ()):
        if mount.get("name") not in volumes:
            message = f"{show(mount.get('name'))} is none of the pod's volumes: {few(sorted(volumes), _SHOWN) or 'it has none'}"
            yield Problem(f"{path}.volumeMounts[{number}].name", message, rule="pod")
    paths = [str(mount.get("mountPath")) for mount in container.get("volumeMounts") or ()]
    yield from _twice(paths, f"{path}.volumeMounts", "mountPath")
    for probe in PROBES:
        yield from _probe(container.get(probe), f"{path}.{probe}")
    env = [variable for variable in container.get("env") or () if variable.get("name")]
    yield from env_problems(env, f"{path}.env", scratch)


def _probe(probe: Any, path: str) -> Iterator[Problem]:
    if probe is None:
        return
    handlers = [handler for handler in HANDLERS if handler in probe]
    if len(handlers) > 1:
        message = (
            f"{' and '.join(handlers)} stand side by side: a merge keeps both; use the preset's way"
        )
        yield Problem(path, message, rule="pod")
    if not handlers:
        message = f"one of {', '.join(HANDLERS)} is needed: no preset has this probe"
        yield Problem(path, message, rule="pod")
    for handler in handlers:
        port = (probe[handler] or {}).get("port", 1)
        if isinstance(port, int) and not 1 <= port <= _LAST_PORT:
            message = f"{port} is not a port; 1 to {_LAST_PORT} are"
            yield Problem(f"{path}.{handler}.port", message, rule="pod")


def _twice(names: Sequence[str], path: str, field: str) -> Iterator[Problem]:
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        yield Problem(path, f"{field} {show(name)} stands there twice", rule="pod")
