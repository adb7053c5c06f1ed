# SPDX-License-Identifier: GPL-3.0-or-later
"""Giving an object back to its controller: in one patch our marks go, and our fields become the controller's. No value changes."""

from __future__ import annotations

from typing import Any

from ...cluster.connection import Cluster
from ...cluster.errors import ClusterError, Conflict
from ...kube import field_sets, managed_fields
from ...kube.manifest import Json
from ...kube.reference import Reference
from .. import FIELD_MANAGER, HANDOVER_MANAGER, METADATA_ONLY, PREFIX
from ..previous_managers import entries

#: How often the patch is tried again because the object changed in between, for example its status.
TRIES = 5


def give_back(
    cluster: Cluster, reference: Reference, live: Json, controller: str, *, dry_run: bool
) -> Json:
    """Return the object as the server answered. controller: the controller's field manager. Raises ClusterError."""
    uid = live["metadata"]["uid"]
    found: Json | None = live
    for _attempt in range(TRIES):
        if found is None or found["metadata"]["uid"] != uid:
            raise ClusterError(
                f"{reference}: somebody removed it while it was given back; run again"
            )
        try:
            return cluster.patch(reference, _patch(found, controller), kind="json", dry_run=dry_run)
        except Conflict:
            kind = (reference.api_version, reference.kind)
            found = cluster.get(reference, metadata_only=kind in METADATA_ONLY)
    raise ClusterError(f"{reference}: it kept changing during {TRIES} attempts to give it back")


def _patch(live: Json, controller: str) -> list[Json]:
    metadata = live["metadata"]
    values = {
        "uid": metadata["uid"],
        "resourceVersion": metadata["resourceVersion"],
        "managedFields": _managers(live, controller),
        "labels": _unmarked(metadata.get("labels")),
        "annotations": _unmarked(metadata.get("annotations")),
    }
    return [
        {"op": "replace", "path": f"/metadata/{name}", "value": value}
        for name, value in values.items()
        if name in metadata
    ]


def _unmarked(values: Json | None) -> Json:
    return {key: value for key, value in (values or {}).items() if not key.startswith(PREFIX)}


def _managers(live: Json, controller: str) -> list[Json]:
    """Return the managed fields with our entries added to the controller's, which writes by updates."""
    version = (managed_fields.apply_entry(live, FIELD_MANAGER) or {}).get("apiVersion", "")
    theirs = (controller, "Update", version)
    handed = [each for each in entries(live) if _is_ours(each) or _identity(each) == theirs]
    fields = field_sets.union(each.get("fieldsV1") or {} for each in handed)
    kept = [each for each in entries(live) if each not in handed]
    return [*kept, managed_fields.entry(*theirs, field_sets.minus(fields, _marks(live)))]


def _is_ours(entry: Json) -> bool:
    ours = (FIELD_MANAGER, HANDOVER_MANAGER)
    return entry.get("manager") in ours and not entry.get("subresource")


def _identity(entry: Json) -> tuple[Any, ...] | None:
    """Return what tells an entry from others; None for those of a status or a scale."""
    if entry.get("subresource"):
        return None
    return entry.get("manager"), entry.get("operation"), entry.get("apiVersion")


def _marks(live: Json) -> Json:
    return field_sets.union(
        field_sets.of_path(("metadata", name, key))
        for name in ("labels", "annotations")
        for key in live["metadata"].get(name) or {}
        if key.startswith(PREFIX)
    )
