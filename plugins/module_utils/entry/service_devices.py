# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices set on, and taken from, one role of a service's custom resource: the fields that mean devices, and no others."""

from __future__ import annotations

from dataclasses import dataclass

from ..accelerators.build import Accelerator
from ..accelerators.devices import Parallelism
from ..cluster.connection import Cluster
from ..engine import GPU_MANAGER
from ..kube import managed_fields
from ..kube.manifest import Json, value_at
from ..kube.problem import Complaint, InputError
from ..kube.reference import Reference
from ..services.devices import DEVICE_FIELDS
from .few_fields import Written, predict, there, write


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted. devices: of each pod."""

    accelerator: Accelerator
    parallelism: Parallelism
    devices: int


def check_role(kind: str, role: str) -> None:
    """Raise InputError for a role that the kind has not."""
    roles = DEVICE_FIELDS[kind].roles
    if role not in roles:
        text = (
            f'"{role}" is not one of {", ".join(roles)}'
            if role
            else f"missing; one of {', '.join(roles)}"
        )
        raise InputError.single("workload", "role", text)


class ServiceDevices:
    """One live service, and the role of it that gets the devices."""

    def __init__(self, cluster: Cluster, reference: Reference, role: str, *, force: bool) -> None:
        """Read the service. Raises InputError where it or its role is not there."""
        self._cluster = cluster
        self._reference = reference
        self._role = role
        self._force = force
        self._live = there(cluster, reference)
        self._kind = DEVICE_FIELDS[reference.kind]
        if not isinstance(value_at(self._live, ("spec", role)), dict):
            text = "is not there; set it in the service first, since its presence alone changes what the service is"
            raise InputError.single(str(reference), f"spec.{role}", text)

    def put(self, wish: Wish, *, dry_run: bool) -> Written:
        """Make the role's pods ask for the devices. Raises InputError for what the kind cannot say, and for conflicts."""
        problems = tuple(self._kind.problems(wish.accelerator, wish.parallelism, wish.devices))
        if problems:
            raise InputError([Complaint(str(self._reference), problems)])
        spec = self._kind.fields(wish.accelerator, wish.parallelism, self._role)
        return self._apply({"spec": spec}, dry_run=dry_run)

    def clear(self, *, dry_run: bool) -> Written:
        """Withdraw what was set; the server's defaults and what others set stay."""
        if managed_fields.apply_entry(self._live, GPU_MANAGER) is None:
            return Written(False, {}, {})
        return self._apply({}, dry_run=dry_run)

    def _apply(self, body: Json, *, dry_run: bool) -> Written:
        manifest = self._reference.to_manifest() | body
        after = predict(self._cluster, self._reference, manifest, force=self._force)
        changed = after["spec"] != self._live["spec"]
        if changed and not dry_run:
            write(self._cluster, manifest, force=self._force)
        return Written(changed, self._shown(self._live), self._shown(after))

    def _shown(self, service: Json) -> Json:
        role = value_at(service, ("spec", self._role)) or {}
        fields = {name: role[name] for name in ("parallelism", "nodeSelector") if role.get(name)}
        return {"accelerator": value_at(service, ("spec", "accelerator")), self._role: fields}
