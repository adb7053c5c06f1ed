# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses about the containers of a pod. Source: k8s.io/kubernetes v1.36.3, pkg/apis/core/validation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..containers import is_sidecar
from ..manifest import Json
from ..problem import Problem
from ..schema_faults import show
from ..text import few
from .env import env_problems
from .images import blank_problems
from .probes import PROBES, lifecycle_problems, probe_problems
from .resources import resource_problems
from .security import container_security_problems

LISTS = ("containers", "initContainers")
_SHOWN = 5


def container_problems(pod: Json, path: str) -> Iterator[Problem]:
    """Yield what is wrong with the containers of a pod."""
    if not pod.get("containers"):
        message = (
            "no container is named, neither by the service nor by its presets; a pod needs one"
        )
        yield Problem(f"{path}.containers", message, rule="container")
    names = Counter(container["name"] for field in LISTS for container in pod.get(field) or ())
    volumes = {volume["name"]: volume for volume in pod.get("volumes") or ()}
    for field in LISTS:
        for number, container in enumerate(pod.get(field) or ()):
            where = f"{path}.{field}[{number}]"
            if field == "containers" and names[container["name"]] > 1:
                message = f"name {show(container['name'])} is listed twice"
                yield Problem(f"{where}.name", message, rule="container")
            yield from _container(container, where, pod, volumes)
            if field == "initContainers" and not is_sidecar(container):
                yield from _only_of_sidecars(container, where)
            else:
                yield from probe_problems(container, where)
                yield from lifecycle_problems(container, where, pod)
    yield from _host_ports(pod, path)


def _container(
    container: Json, path: str, pod: Json, volumes: Mapping[str, Json]
) -> Iterator[Problem]:
    if not container.get("image"):
        named = [str(each["name"]) for each in pod.get("containers") or () if each.get("image")]
        others = f"; those with one are {', '.join(named)}" if named else ""
        message = f"container {show(container.get('name'))} has no image: no preset has a container of this name{others}"
        yield Problem(f"{path}.image", message, rule="image")
    yield from blank_problems(container.get("image") or "", f"{path}.image")
    yield from _mounts(container, path, volumes)
    scratch = [name for name, volume in volumes.items() if "emptyDir" in volume]
    yield from env_problems(container.get("env") or (), f"{path}.env", scratch)
    for number, source in enumerate(container.get("envFrom") or ()):
        if ("configMapRef" in source) == ("secretRef" in source):
            message = "give exactly one of configMapRef, secretRef"
            yield Problem(f"{path}.envFrom[{number}]", message, rule="env-source")
    claims = [claim["name"] for claim in pod.get("resourceClaims") or ()]
    yield from resource_problems(container.get("resources") or {}, f"{path}.resources", claims)
    yield from _resizing(container.get("resizePolicy") or (), f"{path}.resizePolicy", pod)
    if container.get("restartPolicyRules") and "restartPolicy" not in container:
        message = "missing: rules need it beside them"
        yield Problem(f"{path}.restartPolicy", message, rule="container")
    context = container.get("securityContext") or {}
    own_users = pod.get("hostUsers") is False
    yield from container_security_problems(context, f"{path}.securityContext", own_users=own_users)
    yield from _ports(container.get("ports") or (), f"{path}.ports")


def _ports(ports: Sequence[Json], path: str) -> Iterator[Problem]:
    seen: set[str] = set()
    for number, port in enumerate(ports):
        name = port.get("name")
        if name and name in seen:
            yield Problem(f"{path}[{number}].name", f"{show(name)} is listed twice", rule="port")
        seen.add(name or "")


def _host_ports(pod: Json, path: str) -> Iterator[Problem]:
    """Yield ports of the node that are taken twice, or that are not those of the container on the node's own network."""
    # Init containers run one after another; containers side by side.
    groups = [
        [("containers", number, each) for number, each in enumerate(pod.get("containers") or ())],
        *(
            [("initContainers", number, each)]
            for number, each in enumerate(pod.get("initContainers") or ())
        ),
    ]
    for group in groups:
        taken: set[tuple[Any, ...]] = set()
        for field, number, container in group:
            for position, port in enumerate(container.get("ports") or ()):
                where = f"{path}.{field}[{number}].ports[{position}].hostPort"
                wanted = port.get("hostPort")
                if not wanted:
                    continue
                key = (wanted, port["protocol"], port.get("hostIP") or "")
                if key in taken:
                    yield Problem(where, f"{wanted} is taken twice", rule="port")
                taken.add(key)
                if (
                    field == "containers"
                    and pod.get("hostNetwork")
                    and wanted != port["containerPort"]
                ):
                    message = f"{wanted} is not containerPort, as it has to be with hostNetwork"
                    yield Problem(where, message, rule="port")


def _mounts(container: Json, path: str, volumes: Mapping[str, Json]) -> Iterator[Problem]:
    privileged = (container.get("securityContext") or {}).get("privileged") is True
    devices = {
        device["name"]: device["devicePath"] for device in container.get("volumeDevices") or ()
    }
    for number, mount in enumerate(container.get("volumeMounts") or ()):
        where = f"{path}.volumeMounts[{number}]"
        if mount["name"] not in volumes:
            message = f"{show(mount['name'])} is none of the pod's volumes: {few(sorted(volumes), _SHOWN) or 'it has none'}"
            yield Problem(f"{where}.name", message, rule="mount")
        if mount["name"] in devices or mount["mountPath"] in devices.values():
            yield Problem(where, "is a device of volumeDevices, too", rule="mount")
        if mount.get("subPath") and mount.get("subPathExpr"):
            yield Problem(f"{where}.subPathExpr", "cannot be combined with subPath", rule="mount")
        way = mount.get("mountPropagation")
        if way == "Bidirectional" and not privileged:
            message = "Bidirectional is only for privileged containers"
            yield Problem(f"{where}.mountPropagation", message, rule="mount")
        writable = not mount.get("readOnly") or way not in (None, "None")
        if mount.get("recursiveReadOnly") in ("Enabled", "IfPossible") and writable:
            message = f"{mount['recursiveReadOnly']} needs readOnly: true and no mountPropagation"
            yield Problem(f"{where}.recursiveReadOnly", message, rule="mount")
    yield from _devices(container, path, volumes)


def _devices(container: Json, path: str, volumes: Mapping[str, Json]) -> Iterator[Problem]:
    seen: set[str] = set()
    for number, device in enumerate(container.get("volumeDevices") or ()):
        where, volume = f"{path}.volumeDevices[{number}].name", volumes.get(device["name"])
        if volume is None:
            message = f"{show(device['name'])} is none of the pod's volumes: {few(sorted(volumes), _SHOWN) or 'it has none'}"
            yield Problem(where, message, rule="mount")
        elif not {"persistentVolumeClaim", "ephemeral"} & set(volume):
            message = f"{show(device['name'])} is no claim, as the volume of a device has to be"
            yield Problem(where, message, rule="mount")
        if device["name"] in seen:
            yield Problem(where, f"{show(device['name'])} is listed twice", rule="mount")
        seen.add(device["name"])


def _resizing(policies: Sequence[Json], path: str, pod: Json) -> Iterator[Problem]:
    seen: set[str] = set()
    for number, policy in enumerate(policies):
        name, where = policy["resourceName"], f"{path}[{number}]"
        if name in seen:
            yield Problem(where, f"{show(name)} is listed twice", rule="container")
        seen.add(name)
        if pod.get("restartPolicy") == "Never" and policy["restartPolicy"] != "NotRequired":
            message = "has to be NotRequired where the pod is never restarted"
            yield Problem(f"{where}.restartPolicy", message, rule="container")


def _only_of_sidecars(container: Json, path: str) -> Iterator[Problem]:
    for field in ("lifecycle", *PROBES):
        if container.get(field) is not None:
            message = "is for containers and for init containers with restartPolicy: Always"
            yield Problem(f"{path}.{field}", message, rule="container")
    for number, policy in enumerate(container.get("resizePolicy") or ()):
        if policy["restartPolicy"] == "RestartContainer":
            message = "RestartContainer is not for init containers that end"
            yield Problem(f"{path}.resizePolicy[{number}].restartPolicy", message, rule="container")
