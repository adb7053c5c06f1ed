# SPDX-License-Identifier: GPL-3.0-or-later
"""How many devices of which kind one model server asks for."""

from __future__ import annotations

from ....accelerators.vendors import VENDORS
from ....kube.manifest import Json, copied
from ....kube.quantity import format_quantity
from ..spec import Role

#: `spec.accelerator.type` → the extended resource that its device plugin offers. `cpu` has none.
RESOURCES = {name: VENDORS[name].resource for name in ("nvidia", "amd", "intel-gaudi", "google")}


def devices(role: Role) -> int:
    """Return how many devices a pod of the role asks for: tensor × data_local; `data` does not count."""
    return max(role.tensor, 1) * max(role.data_local, 1)


def with_devices(role: Role, accelerator: str) -> Json:
    """Return the role's resources with its devices as request and limit, in place of what the author gave for them.

    Source: model-operator internal/modelservice/deployment.go@v0.9.0-alpha.2.
    """
    resources: Json = copied(dict(role.resources))
    name = RESOURCES.get(accelerator)
    if name is None:
        return resources
    for field in ("limits", "requests"):
        resources[field] = {**(resources.get(field) or {}), name: format_quantity(devices(role))}
    return resources
