# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices set on, and taken from, one container of a workload that somebody else made, by server-side apply of these fields alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..accelerators.build import Placement
from ..accelerators.demand import templates_of
from ..accelerators.vendors import VENDORS
from ..cluster.connection import Cluster
from ..cluster.errors import Conflict
from ..engine import GPU_MANAGER, OWNER_ANNOTATION
from ..kube import managed_fields
from ..kube.manifest import FieldPath, Json, value_at
from ..kube.pod_rules import is_extended
from ..kube.problem import InputError
from ..kube.reference import Reference

#: Kinds whose pod template can be changed, with the API version that is meant where none is given.
KINDS: Mapping[str, str] = {
    "Deployment": "apps/v1",
    "StatefulSet": "apps/v1",
    "LeaderWorkerSet": "leaderworkerset.x-k8s.io/v1",
}


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a workload: its pod template's fields before and after."""

    changed: bool
    before: Json
    after: Json


def reference_of(given: Mapping[str, Any], namespace: str | None) -> Reference:
    """Return the workload that a task names. Raises InputError."""
    kind, place = given["kind"], given.get("namespace") or namespace
    if kind not in KINDS:
        raise InputError.single(
            "workload",
            "kind",
            f'"{kind}" is not one of {", ".join(KINDS)}; of a service, set the service\'s own fields',
        )
    if not place:
        raise InputError.single(
            "workload", "namespace", "missing: name it here or in the option namespace"
        )
    return Reference(given.get("api_version") or KINDS[kind], kind, place, given["name"])


class Workload:
    """One live workload, and the container of it that gets the devices."""

    def __init__(
        self, cluster: Cluster, reference: Reference, container: str, *, force: bool
    ) -> None:
        """Read the workload. Raises InputError where it is not there, is ours to compile, or has no such container."""
        self._cluster = cluster
        self._reference = reference
        self._force = force
        live = cluster.get(reference)
        if live is None:
            raise InputError.single(str(reference), "", "is not there")
        self._live = live
        owner = (live["metadata"].get("annotations") or {}).get(OWNER_ANNOTATION)
        if owner:
            raise InputError.single(
                str(reference),
                "",
                f"is made from {owner}; set spec.accelerator and the role's parallelism there, or the next reconcile takes it back",
            )
        self._path, template = _template(live)
        self._spec: Json = template.get("spec") or {}
        self._container = _container(reference, self._spec, container)

    def put(self, placement: Placement, *, dry_run: bool) -> Written:
        """Make the container ask for the devices, and its pods go where they are. Raises InputError for conflicts."""
        container = {
            "name": self._container,
            "resources": placement.resources,
            **({"env": placement.env} if placement.env else {}),
        }
        live = list(self._spec.get("tolerations") or ())
        more = [each for each in placement.tolerations if each not in live]
        selector = {**(self._spec.get("nodeSelector") or {}), **placement.node_selector}
        spec = {
            "containers": [container],
            **self._whole("nodeSelector", selector),
            **self._whole("tolerations", [*live, *more]),
        }
        return self._apply(spec, dry_run=dry_run)

    def clear(self, *, dry_run: bool) -> Written:
        """Take back what was set. What others want of nodes stays."""
        if managed_fields.apply_entry(self._live, GPU_MANAGER) is None:
            return Written(False, {}, {})
        tainted = {*self._devices(self._spec), *(vendor.resource for vendor in VENDORS.values())}
        labels = {vendor.product_label for vendor in VENDORS.values()}
        selector = self._spec.get("nodeSelector") or {}
        kept = {
            "nodeSelector": {key: value for key, value in selector.items() if key not in labels},
            "tolerations": [
                each
                for each in self._spec.get("tolerations") or ()
                if each.get("key") not in tainted
            ],
        }
        held = {name: value for name, value in kept.items() if value and self._holds(name)}
        return self._apply(held, dry_run=dry_run)

    def _whole(self, name: str, wanted: Any) -> Json:
        """Return a field that is one value to the server: whoever applies it applies the whole, with what others want of it."""
        changes = wanted != (self._spec.get(name) or type(wanted)())
        return {name: wanted} if wanted and (changes or self._holds(name)) else {}

    def _apply(self, spec: Json, *, dry_run: bool) -> Written:
        """Ask the server what the fields come to; write where that is another spec than the one that is there."""
        manifest = self._reference.to_manifest()
        if spec:
            manifest |= _nested((*self._path, "spec"), spec)
        try:
            predicted = self._cluster.apply(
                manifest, manager=GPU_MANAGER, force=self._force, dry_run=True
            ).object
        except Conflict as error:
            fields = ", ".join(f"{each.field} ({each.manager})" for each in error.conflicts)
            raise InputError.single(
                str(self._reference),
                "",
                f"these fields belong to others: {fields}; take them out there, or set force_conflicts: true",
            ) from error
        after = value_at(predicted, (*self._path, "spec")) or {}
        self._refuse_mixture(after)
        changed = predicted["spec"] != self._live["spec"]
        if changed and not dry_run:
            self._cluster.apply(manifest, manager=GPU_MANAGER, force=self._force)
        return Written(changed, self._shown(self._spec), self._shown(after))

    def _refuse_mixture(self, spec: Json) -> None:
        devices = sorted(self._devices(spec))
        if len(devices) > 1:
            raise InputError.single(
                str(self._reference),
                f"container {self._container}",
                f"would ask for {' and '.join(devices)}; take out the one that is not meant",
            )

    def _devices(self, spec: Json) -> set[str]:
        limits = self._of_container(spec).get("resources", {}).get("limits") or {}
        return {name for name in limits if is_extended(name)}

    def _of_container(self, spec: Json) -> Json:
        named = (each for each in spec.get("containers") or () if each["name"] == self._container)
        return next(named, {})

    def _shown(self, spec: Json) -> Json:
        container = self._of_container(spec)
        shown = {name: spec[name] for name in ("nodeSelector", "tolerations") if spec.get(name)}
        fields = {name: container[name] for name in ("resources", "env") if container.get(name)}
        return {**shown, "containers": [{"name": self._container, **fields}]}

    def _holds(self, name: str) -> bool:
        """Return whether we have applied a field of the pod's spec."""
        entry = managed_fields.apply_entry(self._live, GPU_MANAGER) or {}
        fields: Any = entry.get("fieldsV1") or {}
        for step in (*self._path, "spec", name):
            fields = fields.get(f"f:{step}") if isinstance(fields, dict) else None
        return fields is not None


def _template(live: Json) -> tuple[FieldPath, Json]:
    """Return the pod template of the workers, or the only one."""
    return templates_of(live)[-1]


def _container(reference: Reference, spec: Json, wanted: str) -> str:
    names = [each["name"] for each in spec.get("containers") or ()]
    if wanted in names:
        return wanted
    if not wanted and len(names) == 1:
        return str(names[0])
    what = (
        f'there is no container "{wanted}"' if wanted else "there are several containers; name one"
    )
    raise InputError.single(str(reference), "container", f"{what}: {', '.join(names)}")


def _nested(path: FieldPath, value: Json) -> Json:
    for step in reversed(path):
        value = {step: value}
    return value
