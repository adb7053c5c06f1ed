# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorded sequences as data: what was done in each step, and what the operator wrote because of it.

What is done is told in operations that another program can repeat on a cluster, whoever reconciles there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml

from ansible_collections.modelops.inference.plugins.module_utils.kinds.model_service.kind import (
    MODEL_SERVICE,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference

from .recorded_services import RECORDINGS, read

Json = dict[str, Any]
Propagation = Literal["Background", "Foreground", "Orphan"]
PatchType = Literal["merge", "strategic"]

_API_VERSIONS = {kind: version for version, kind in MODEL_SERVICE.child_kinds} | {
    MODEL_SERVICE.kind: MODEL_SERVICE.api_version
}
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class ApplyService:
    """The user applies a ModelService, as `kubectl apply` does."""

    document: Json


@dataclass(frozen=True, slots=True)
class Create:
    """Somebody creates an object."""

    manifest: Json


@dataclass(frozen=True, slots=True)
class Patch:
    """Somebody patches a child, or the user the ModelService."""

    target: Reference
    patch: Json
    type: PatchType


@dataclass(frozen=True, slots=True)
class Delete:
    """Somebody deletes a child, or the user the ModelService."""

    target: Reference
    propagation: Propagation = "Background"


@dataclass(frozen=True, slots=True)
class DeploymentStatus:
    """The pods of a Deployment change.

    ready, replicas, updated: pods. None leaves the number open: it is one that the API takes beside `ready`.
    """

    target: Reference
    ready: int
    replicas: int | None = None
    updated: int | None = None
    conditions: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class StartControllers:
    """Controllers of Kubernetes run from here on. names: as kube-controller-manager takes them; `*` for all."""

    names: str


@dataclass(frozen=True, slots=True)
class StartOperator:
    """The operator starts, with the flags of a `settings.yaml`."""

    settings: Json


@dataclass(frozen=True, slots=True)
class StopOperator:
    """The operator stops."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing is done for some seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class SetCrd:
    """A CRD is installed or removed. name: `<plural>.<group>`."""

    name: str
    present: bool


Operation = (
    ApplyService
    | Create
    | Patch
    | Delete
    | DeploymentStatus
    | StartControllers
    | StartOperator
    | StopOperator
    | Wait
    | SetCrd
)


@dataclass(frozen=True, slots=True)
class Deleted:
    """What vanished in a step: removed by the operator, by the test, by the garbage collector."""

    by_operator: tuple[Reference, ...] = ()
    by_tester: tuple[Reference, ...] = ()
    by_others: tuple[Reference, ...] = ()

    def __iter__(self) -> Iterator[Reference]:
        return iter((*self.by_operator, *self.by_tester, *self.by_others))


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a sequence.

    settings: the flags with which the operator runs, as recorded. created, updated: what the operator sent, children only.
    live: the objects that somebody edited or made in this step or before, as they are after it. status: of each ModelService.
    """

    folder: Path
    description: str
    operations: tuple[Operation, ...]
    settings: Json
    created: tuple[Json, ...]
    updated: tuple[Json, ...]
    deleted: Deleted
    live: tuple[Json, ...]
    status: tuple[Json, ...] = field(default=())

    @property
    def number(self) -> int:
        """The position of the step, from 1."""
        return int(self.folder.name.removeprefix("step-"))


def sequences() -> dict[str, tuple[Step, ...]]:
    """Return the steps of every recorded sequence, by its name."""
    folders = sorted({action.parent.parent for action in RECORDINGS.glob("*/step-*/action.yaml")})
    return {folder.name: _steps(folder) for folder in folders}


@cache
def _steps(folder: Path) -> tuple[Step, ...]:
    steps = map(_step, folder.glob("step-*"))
    return tuple(sorted(steps, key=lambda step: step.number))


def _step(folder: Path) -> Step:
    action = read(folder / "action.yaml")
    deleted = _one(folder / "deleted.yaml") or {}
    status = _one(folder / "status.yaml") or []
    return Step(
        folder=folder,
        description=action["description"],
        operations=tuple(_operation(entry, folder) for entry in action["operations"]),
        settings=read(folder / "settings.yaml"),
        created=documents(folder / "created.yaml"),
        updated=documents(folder / "updated.yaml"),
        deleted=Deleted(
            *(
                tuple(_reference(entry) for entry in deleted.get(who, ()))
                for who in ("byOperator", "byTester", "byOthers")
            )
        ),
        live=documents(folder / "live.yaml"),
        status=tuple(status),
    )


def documents(path: Path) -> tuple[Json, ...]:
    """Return the documents of a recorded file; none where there is no file."""
    if not path.exists():
        return ()
    loaded = yaml.load_all(path.read_text(encoding="utf-8"), Loader=_LOADER)
    return tuple(document for document in loaded if document)


def _one(path: Path) -> Any:
    return read(path) if path.exists() else None


def _reference(entry: Mapping[str, Any]) -> Reference:
    version = entry.get("apiVersion") or _API_VERSIONS[entry["kind"]]
    return Reference(version, entry["kind"], entry.get("namespace", ""), entry["name"])


def _apply(entry: Json, folder: Path) -> ApplyService:
    document = read(folder / "input.yaml")
    meta = document["metadata"]
    assert entry["modelService"] == f"{meta['namespace']}/{meta['name']}", folder
    return ApplyService(document)


def _deployment_status(entry: Json, _folder: Path) -> DeploymentStatus:
    return DeploymentStatus(
        target=_reference(entry["target"]),
        ready=entry["ready"],
        replicas=entry.get("replicas"),
        updated=entry.get("updated"),
        conditions=tuple(entry.get("conditions", ())),
    )


_READERS: dict[str, Callable[[Json, Path], Operation]] = {
    "apply": _apply,
    "create": lambda entry, _: Create(entry["object"]),
    "patch": lambda entry, _: Patch(_reference(entry["target"]), entry["patch"], entry["type"]),
    "delete": lambda entry, _: Delete(
        _reference(entry["target"]), entry.get("propagation", "Background")
    ),
    "deployment-status": _deployment_status,
    "start-controllers": lambda entry, _: StartControllers(entry["controllers"]),
    "start-operator": lambda entry, _: StartOperator(entry["settings"]),
    "stop-operator": lambda _entry, _: StopOperator(),
    "wait": lambda entry, _: Wait(entry["seconds"]),
    "crd": lambda entry, _: SetCrd(entry["crd"], entry["state"] == "present"),
}


def _operation(entry: Json, folder: Path) -> Operation:
    return _READERS[entry["op"]](entry, folder)
