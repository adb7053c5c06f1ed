# SPDX-License-Identifier: GPL-3.0-or-later
"""The Service in front of the endpoint picker, which the gateway calls for every request."""

from __future__ import annotations

from typing import Any

from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ....kube.reader import Reader
from ....kube.release import Since
from ...kserve.releases import KServe
from .. import labels, names
from ..resolved import Resolved

#: The ports of the picker's containers that others call, by name.
_PORTS = ("grpc", "grpc-health", "metrics", "zmq")
#: Whether the Service is called as the pool's spec says.
_BY_POOL: Since[bool] = Since({KServe.V0_17: False, KServe.V0_18: True})


def picker_service(resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return the Service, None where the picker is somebody else's. Source: KServe pkg/controller/v1alpha2/llmisvc/scheduler.go@v0.17.0."""
    if not resolved.managed_picker:
        return None
    return Child(
        stage=Stage.SERVICE,
        manifest=Manifest(
            api_version="v1",
            kind="Service",
            name=picker_service_name(resolved),
            namespace=resolved.namespace,
            labels=labels.picker(resolved.name),
            body={
                "spec": filled(
                    {"selector": labels.picker(resolved.name), "ports": _ports(resolved)}
                )
            },
        ),
    )


def picker_service_name(resolved: Resolved) -> str:
    """Return the Service's name; whether it follows the pool's `endpointPickerRef` is the release's business."""
    given = resolved.at("router", "scheduler", "pool", "spec", "endpointPickerRef", "name")
    by_pool = _BY_POOL.at(resolved.settings.release)
    return given if by_pool and given else names.picker_service(resolved.name)


def _ports(resolved: Resolved) -> list[Json]:
    """Return the known ports of all containers by name; the last of a name wins."""
    containers: Any = resolved.at("router", "scheduler", "template", "containers") or ()
    found = {
        port.get("name"): port for container in containers for port in container.get("ports") or ()
    }
    return [
        filled(
            {
                "name": name,
                "port": found[name].get("containerPort"),
                "targetPort": name,
                "protocol": found[name].get("protocol"),
            }
        )
        for name in _PORTS
        if name in found
    ]
