# SPDX-License-Identifier: GPL-3.0-or-later
"""An object that another tool applied, with all that it holds: what the bundle does not want goes with the tool's fields.

Else the tool would own each field beside the set, and what a later release drops would stay for ever. What people changed by hand, with
`kubectl edit` for example, stays theirs. Source: client-go's csaupgrade has the idea.
"""

from __future__ import annotations

from ...cluster.connection import Cluster
from ...cluster.errors import ClusterError, Conflict
from ...kube import managed_fields
from ...kube.manifest import Json
from .. import FIELD_MANAGER, METADATA_ONLY
from ..adoption.adopt import TRIES, claimed, storing
from ..desired import Desired
from ..previous_managers import entries

#: Field managers of tools that apply whole manifests; those of sets begin like the last.
_APPLIERS = frozenset({"before-first-apply", "helm", "Helm", "kubectl-client-side-apply"})
_SETS = f"{FIELD_MANAGER}.applyset."


def inherit(cluster: Cluster, live: Json, wanted: Desired) -> Json:
    """Make the fields that other tools applied the set's. Returns the object as it then is. Raises ClusterError."""
    reference, uid = wanted.reference, live["metadata"]["uid"]
    found: Json | None = live
    for dummy in range(TRIES):
        if found is None or found["metadata"]["uid"] != uid:
            raise ClusterError(f"{reference}: somebody removed it while it was adopted; run again")
        handed = inherited(found, wanted)
        if handed is found:
            return found
        try:
            return cluster.patch(reference, storing(handed), kind="json")
        except Conflict:
            only = (reference.api_version, reference.kind) in METADATA_ONLY
            found = cluster.get(reference, metadata_only=only)
    raise ClusterError(f"{reference}: it kept changing during {TRIES} attempts to adopt it")


def inherited(live: Json, wanted: Desired) -> Json:
    """Return an object with the fields of other tools in the set's entry; the very same where no tool applied it."""
    gone = [entry for entry in entries(live) if _is_applier(entry, wanted.manager)]
    if not gone:
        return live
    ours = managed_fields.apply_entry(live, wanted.manager)
    kept = [entry for entry in entries(live) if entry not in gone and entry != ours]
    fields = claimed([*gone, *([ours] if ours else [])], wanted)
    if fields:
        version = wanted.reference.api_version
        kept.append(managed_fields.entry(wanted.manager, "Apply", version, fields))
    return {**live, "metadata": {**live["metadata"], "managedFields": kept}}


def _is_applier(entry: Json, own: str) -> bool:
    manager = str(entry.get("manager"))
    if entry.get("subresource") or manager == own:
        return False
    return manager in _APPLIERS or manager.startswith(_SETS)
