# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices set on, and taken from, one container of a workload that somebody else made: these fields, and no others.

A LeaderWorkerSet has two pod templates; the devices are set in each that has the container.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..accelerators.build import Placement
from ..accelerators.demand import templates_of
from ..accelerators.pod_fields import PodFields, placed
from ..checks.workloads import container_device_problems
from ..cluster.connection import Cluster
from ..engine import GPU_MANAGER, OWNER_ANNOTATION
from ..kinds.device_fields import DEVICE_FIELDS
from ..kinds.view import group_size
from ..kube import gvk, managed_fields
from ..kube.manifest import FieldPath, Json, put_at, value_at
from ..kube.problem import Complaint, InputError, Problem
from ..kube.reference import Reference
from ..kube.validation.resources import is_extended
from .partial_apply import Written, predict, there, write

#: Kinds whose pod template can be changed, with the API version that is meant where none is given.
KINDS: Mapping[str, str] = {
    "Deployment": gvk.APPS,
    "StatefulSet": gvk.APPS,
    "LeaderWorkerSet": gvk.LEADER_WORKER_SET,
}


class Workload:
    """One live workload, and the container of it that gets the devices."""

    def __init__(
        self, cluster: Cluster, reference: Reference, container: str, *, force: bool
    ) -> None:
        """Read the workload. Raises InputError where it is not there, is ours to compile, or has no such container."""
        self._cluster = cluster
        self._reference = reference
        self._force = force
        self._live = there(cluster, reference)
        _refuse_child(self._live, reference)
        held = (managed_fields.apply_entry(self._live, GPU_MANAGER) or {}).get("fieldsV1") or {}
        self._pods = [
            _PodSpec((*path, "spec"), template.get("spec") or {}, name, held)
            for path, template in templates_of(self._live)
            if (name := _container(template, container))
        ]
        if not self._pods:
            raise _no_container(reference, self._live, container)

    def put(self, placement: Placement, *, dry_run: bool) -> Written:
        """Make the container ask for the devices, and its pods go where they are. Raises InputError for conflicts."""
        return self._apply(
            [pod.with_devices(placement) for pod in self._pods], self._problems, dry_run=dry_run
        )

    def clear(self, *, dry_run: bool) -> Written:
        """Take back what was set. What others want of nodes stays."""
        if managed_fields.apply_entry(self._live, GPU_MANAGER) is None:
            return Written(False, {}, {})
        return self._apply(
            [pod.without_devices() for pod in self._pods], lambda dummy: [], dry_run=dry_run
        )

    def _apply(
        self, specs: list[Json], check: Callable[[Json], list[Problem]], *, dry_run: bool
    ) -> Written:
        """Ask the server what the fields come to; write where that is another spec than the one that is there."""
        manifest = self._reference.to_manifest()
        for pod, spec in zip(self._pods, specs, strict=True):
            if spec:
                put_at(manifest, pod.path, spec)
        after = predict(self._cluster, self._reference, manifest, force=self._force)
        problems = check(after)
        errors = tuple(problem for problem in problems if problem.severity == "error")
        if errors:
            raise InputError([Complaint(str(self._reference), errors)])
        changed = after["spec"] != self._live["spec"]
        if changed and not dry_run:
            write(self._cluster, manifest, force=self._force)
        return Written(changed, self._shown(self._live), self._shown(after), tuple(problems))

    def _problems(self, after: Json) -> list[Problem]:
        """Return what is wrong about the container as it would be."""
        found = []
        for pod in self._pods:
            container = pod.of_container(value_at(after, pod.path) or {})
            path = f"container {pod.container}"
            devices = sorted(devices_of(container))
            if len(devices) > 1:
                text = f"would ask for {' and '.join(devices)}; take out the one that is not meant"
                found.append(Problem(path, text, rule="mixed-devices"))
            else:
                found += container_device_problems(container, group_size(after), path)
        return list(dict.fromkeys(found))

    def _shown(self, workload: Json) -> Json:
        shown: Json = {}
        for pod in self._pods:
            put_at(shown, pod.path, pod.shown(value_at(workload, pod.path) or {}))
        return shown


class _PodSpec:
    """The spec of a pod template. path: where it is. held: the fields of the workload that we have applied."""

    def __init__(self, path: FieldPath, spec: Json, container: str, held: Json) -> None:
        self.path = path
        self.container = container
        self._spec = spec
        self._fields = PodFields(path, spec, held)

    def with_devices(self, placement: Placement) -> Json:
        """Return what is applied of the spec so that the container asks for the devices."""
        container = {
            "name": self.container,
            "resources": placement.resources,
            **({"env": placement.env} if placement.env else {}),
        }
        return {"containers": [container], **self._fields.with_devices(placement)}

    def without_devices(self) -> Json:
        """Return what is still applied of the spec when the devices are taken back."""
        return self._fields.without_devices(devices_of(self.of_container(self._spec)))

    def shown(self, spec: Json) -> Json:
        """Return the fields concerned of a version of the spec."""
        container = self.of_container(spec)
        fields = {name: container[name] for name in ("resources", "env") if container.get(name)}
        return {**placed(spec), "containers": [{"name": self.container, **fields}]}

    def of_container(self, spec: Json) -> Json:
        """Return the container in a version of the spec."""
        named = (each for each in spec.get("containers") or () if each["name"] == self.container)
        return next(named, {})


def devices_of(container: Json) -> set[str]:
    """Return the devices that a container asks for."""
    limits = (container.get("resources") or {}).get("limits") or {}
    return {name for name in limits if is_extended(name)}


def reference_of(given: Mapping[str, Any], namespace: str | None) -> Reference:
    """Return the workload or service that a task names. Raises InputError."""
    versions = {**KINDS, **{kind: each.api_version for kind, each in DEVICE_FIELDS.items()}}
    kind, place = given["kind"], given.get("namespace") or namespace
    if kind not in versions:
        raise InputError.single("workload", "kind", f'"{kind}" is not one of {", ".join(versions)}')
    if not place:
        raise InputError.single(
            "workload", "namespace", "missing: name it here or in the option namespace"
        )
    return Reference(given.get("api_version") or versions[kind], kind, place, given["name"])


def _refuse_child(live: Json, reference: Reference) -> None:
    """Raise InputError for a workload that a service of ours is compiled to, naming the fields of that service."""
    owner = (live["metadata"].get("annotations") or {}).get(OWNER_ANNOTATION)
    if not owner:
        return
    kind, dummy, name = owner.split("/")
    fields = DEVICE_FIELDS[kind].field_of(name, reference.name) if kind in DEVICE_FIELDS else ""
    way_out = f"set {fields} there" if fields else "which asks for no devices here"
    raise InputError.single(
        str(reference), "", f"is made from {owner}; {way_out}, or the next reconcile takes it back"
    )


def _names(template: Json) -> list[str]:
    return [each["name"] for each in value_at(template, ("spec", "containers")) or ()]


def _container(template: Json, wanted: str) -> str:
    """Return the container that is meant in a template, empty where there is none."""
    names = _names(template)
    if not wanted and len(names) == 1:
        return names[0]
    return wanted if wanted in names else ""


def _no_container(reference: Reference, live: Json, wanted: str) -> InputError:
    names = [name for dummy, template in templates_of(live) for name in _names(template)]
    what = (
        f'there is no container "{wanted}"' if wanted else "there are several containers; name one"
    )
    return InputError.single(
        str(reference), "container", f"{what}: {', '.join(dict.fromkeys(names))}"
    )
