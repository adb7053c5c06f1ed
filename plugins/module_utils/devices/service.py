# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices set on, and taken from, one role of a service's custom resource: the fields that mean devices, and no others."""

from __future__ import annotations

from ..cluster.connection import Cluster
from ..engine import GPU_MANAGER
from ..kinds.device_fields import DEVICE_FIELDS
from ..kinds.device_request import DeviceRequest, LiveService
from ..kube import managed_fields
from ..kube.manifest import Json, value_at
from ..kube.problem import Complaint, InputError
from ..kube.reference import Reference
from .partial_apply import Written, predict, there, write


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
        self._force = force
        self._live = there(cluster, reference)
        self._kind = DEVICE_FIELDS[reference.kind]
        path = self._kind.place(role)
        if not isinstance(value_at(self._live, path), dict):
            text = "does not exist; set it in the service first, since its mere presence changes the service"
            raise InputError.single(str(reference), ".".join(path), text)
        held = (managed_fields.apply_entry(self._live, GPU_MANAGER) or {}).get("fieldsV1") or {}
        self._served = LiveService(self._live["spec"], held, role, path[1:])

    def put(self, wish: DeviceRequest, *, dry_run: bool) -> Written:
        """Make the role's pods ask for the devices. Raises InputError for what the kind cannot say, and for conflicts."""
        problems = tuple(self._kind.problems(wish, self._served))
        if problems:
            raise InputError([Complaint(str(self._reference), problems)])
        return self._apply(self._kind.put(wish, self._served), dry_run=dry_run)

    def clear(self, *, dry_run: bool) -> Written:
        """Withdraw what was set; the server's defaults and what others set stay."""
        if not self._served.held:
            return Written(False, {}, {})
        return self._apply(self._kind.taken_back(self._served), dry_run=dry_run)

    def _apply(self, spec: Json, *, dry_run: bool) -> Written:
        applied = managed_fields.project(self._live, self._served.held) if self._served.held else {}
        wanted = self._kind.of_others(applied.get("spec") or {}, self._served.role) | spec
        manifest = self._reference.to_manifest() | ({"spec": wanted} if wanted else {})
        after = predict(self._cluster, self._reference, manifest, force=self._force)
        changed = after["spec"] != self._live["spec"]
        if changed and not dry_run:
            write(self._cluster, manifest, force=self._force)
        return Written(changed, self._shown(self._live), self._shown(after))

    def _shown(self, service: Json) -> Json:
        return self._kind.shown(service.get("spec") or {}, self._served.role)
