# SPDX-License-Identifier: GPL-3.0-or-later
"""The container that serves the model."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ....kube.fields import filled
from ....kube.manifest import Json, copied
from ....kube.release import Since
from ..labels import RoleName
from ..releases import ModelOperator
from ..settings import Settings
from ..spec import ModelService, Role
from .accelerator import with_devices
from .environment import variable
from .security import container_security

#: The variable by which vLLM learns the port of NIXL's side channel.
NIXL_PORT = "VLLM_NIXL_SIDE_CHANNEL_PORT"
#: Where the processes of one server exchange tensors.
SHARED_MEMORY = "/dev/shm"  # noqa: S108
_WHOLE_NUMBER = re.compile(r"\+?[0-9]+", re.ASCII)


def vllm(service: ModelService, settings: Settings, name: RoleName, role: Role) -> Json:
    """Return the container of a role.

    Source: model-operator internal/modelservice/deployment.go@v0.9.0-alpha.2, v1.0.1.
    """
    port = vllm_port(service, name)
    mounts: list[Json] = [
        {"name": "model", "mountPath": service.model.mount_path, "readOnly": True}
    ]
    if wants_shared_memory(role, settings):
        mounts.append({"name": "shm", "mountPath": SHARED_MEMORY})
    return filled(
        {
            "name": "vllm",
            "image": service.engine.image or settings.engine_image,
            "imagePullPolicy": service.engine.image_pull_policy,
            "command": ["vllm", "serve"],
            "args": _arguments(service, role, port),
            "env": _environment(service, role),
            "ports": _ports(service, settings, port),
            "resources": with_devices(role, service.accelerator),
            "volumeMounts": mounts,
            "lifecycle": _drain(settings),
            "securityContext": container_security(),
        }
    )


def _drain(settings: Settings) -> Json:
    """Return what keeps vLLM from ending at once; the kubelet itself waits, so no program of the image is needed."""
    seconds = settings.drain_seconds
    return {"preStop": {"sleep": {"seconds": seconds}}} if seconds else {}


def vllm_port(service: ModelService, name: RoleName) -> int:
    """Return where vLLM listens: the engine's port, unless the decode pod's sidecar has taken it."""
    if name == "decode" and service.routing_proxy is not None:
        return service.routing_proxy.target_port
    return service.engine.port


def wants_shared_memory(role: Role, settings: Settings) -> bool:
    """Tell whether the role gets a /dev/shm of its own: its processes exchange tensors, and the settings say so."""
    return settings.shared_memory is not None and role.tensor > 1


def last_of_each_name(variables: Iterable[Json]) -> list[Json]:
    """Return the variables without those that a later one of the same name overrides.

    The kubelet does the same when it starts the container, but server-side apply refuses a name that is listed twice.
    """
    last = {entry["name"]: entry for entry in variables}
    return [entry for entry in variables if last[entry["name"]] is entry]


def _arguments(service: ModelService, role: Role, port: int) -> list[str]:
    sizes = {
        "--tensor-parallel-size": role.tensor,
        "--data-parallel-size": role.data,
        "--data-parallel-size-local": role.data_local,
    }
    return [
        service.model.mount_path,
        *("--port", str(port)),
        *("--served-model-name", service.model.name),
        *(part for flag, size in sizes.items() if size > 1 for part in (flag, str(size))),
        *service.engine.args,
    ]


def _environment(service: ModelService, role: Role) -> list[Json]:
    return last_of_each_name(
        [
            variable("TP_SIZE", str(max(role.tensor, 1))),
            variable("DP_SIZE", str(max(role.data, 1))),
            variable("DP_SIZE_LOCAL", str(max(role.data_local, 1))),
            *(filled(copied(dict(entry))) for entry in service.engine.env),
        ]
    )


def _ports(service: ModelService, settings: Settings, port: int) -> list[Json]:
    ports = [{"name": "http", "containerPort": port, "protocol": "TCP"}]
    nixl = nixl_port(service.engine.env) if OPENS_NIXL_PORT.at(settings.release) else None
    if nixl not in (None, port):
        ports.append({"name": "nixl-side", "containerPort": nixl, "protocol": "TCP"})
    return ports


#: Whether the port of NIXL's side channel becomes a port of the container.
OPENS_NIXL_PORT: Since[bool] = Since(
    {ModelOperator.V0_9_0_ALPHA_2: False, ModelOperator.V1_0_1: True}
)


def nixl_port(variables: Iterable[Json]) -> int | None:
    """Return the port of NIXL's side channel: a literal number of the first variable of its name, or None."""
    value = next((entry.get("value") for entry in variables if entry["name"] == NIXL_PORT), None)
    if not value or not _WHOLE_NUMBER.fullmatch(value):
        return None
    port = int(value)
    return port if 1 <= port <= 65535 else None
