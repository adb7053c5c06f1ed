# SPDX-License-Identifier: GPL-3.0-or-later
"""A few fields set on an object that somebody else made, by server-side apply with a manager of its own."""

from __future__ import annotations

from dataclasses import dataclass

from ..cluster.connection import Cluster
from ..cluster.errors import Conflict
from ..engine import FIELD_MANAGER, GPU_MANAGER
from ..kube.manifest import Json
from ..kube.problem import InputError, Problem
from ..kube.reference import Reference


@dataclass(frozen=True, slots=True)
class Written:
    """What became of an object: the fields concerned, before and after. warnings: what they do not go together with."""

    changed: bool
    before: Json
    after: Json
    warnings: tuple[Problem, ...] = ()


def there(cluster: Cluster, reference: Reference) -> Json:
    """Return the object. Raises InputError where it is not there."""
    live = cluster.get(reference)
    if live is None:
        raise InputError.single(str(reference), "", "does not exist")
    return live


def predict(cluster: Cluster, reference: Reference, manifest: Json, *, force: bool) -> Json:
    """Return what the object would be. force: take fields of others, but not those of our own services. Raises InputError."""
    try:
        return cluster.apply(manifest, manager=GPU_MANAGER, dry_run=True).object
    except Conflict as error:
        way_out = "take them out there, or set force_conflicts: true"
        ours = any(each.manager == FIELD_MANAGER for each in error.conflicts)
        if ours:
            way_out = "llmisvc_reconcile sets them from its services; change them there"
        if ours or not force:
            fields = ", ".join(f"{each.field} ({each.manager})" for each in error.conflicts)
            text = f"these fields belong to others: {fields}; {way_out}"
            raise InputError.single(str(reference), "", text) from error
    return cluster.apply(manifest, manager=GPU_MANAGER, force=True, dry_run=True).object


def write(cluster: Cluster, manifest: Json, *, force: bool) -> None:
    """Apply what was predicted."""
    cluster.apply(manifest, manager=GPU_MANAGER, force=force)
