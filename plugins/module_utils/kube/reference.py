# SPDX-License-Identifier: GPL-3.0-or-later
"""How one Kubernetes object is named: enough to find it, nothing about what is in it."""

from __future__ import annotations

from typing import Any, NamedTuple


class Reference(NamedTuple):
    """One object. `namespace` is empty for cluster-scoped objects. A tuple, since it is looked up by the thousand."""

    api_version: str
    kind: str
    namespace: str
    name: str

    @classmethod
    def of(cls, manifest: dict[str, Any]) -> Reference:
        """Return the reference of a manifest."""
        meta = manifest.get("metadata") or {}
        return cls(
            manifest["apiVersion"],
            manifest["kind"],
            meta.get("namespace") or "",
            meta.get("name") or "",
        )

    def to_manifest(self) -> dict[str, Any]:
        """Return a manifest that names the object and says nothing more of it."""
        place = {"namespace": self.namespace} if self.namespace else {}
        metadata = {"name": self.name, **place}
        return {"apiVersion": self.api_version, "kind": self.kind, "metadata": metadata}

    @property
    def group(self) -> str:
        """The API group, empty for the core group."""
        return self.api_version.rpartition("/")[0]

    @property
    def full_name(self) -> str:
        """Its name behind its namespace, as people and options write it."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def __str__(self) -> str:
        return f"{self.kind} {self.full_name}"
