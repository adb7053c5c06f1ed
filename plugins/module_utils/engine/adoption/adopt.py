# SPDX-License-Identifier: GPL-3.0-or-later
"""Taking over an object that its controller, or somebody's hand, made.

Who wrote the object so far hands its fields over to our apply: one patch makes their entries in `managedFields` ours, and the apply
that follows lets go of what we do not want. Else they would own each field beside us, and a field that we drop later would stay for
ever. What people changed by hand in an object of a set stays theirs. The idea is that of client-go's csaupgrade. Killed in
between, the next run finds an object to adopt, and adopts it.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...cluster.connection import Cluster
from ...cluster.errors import ClusterError, Conflict
from ...kube import field_sets, managed_fields
from ...kube.manifest import Json
from .. import METADATA_ONLY
from ..desired import PLACEHOLDER_UID, Desired
from ..plan import Change, Plan
from ..previous_managers import controller_reference, entries

#: How often the patch is tried again because the object changed in between, for example its status.
TRIES = 5


def take_over(cluster: Cluster, change: Change, wanted: Desired, plan: Plan) -> Json:
    """Make the fields of an object's predecessors ours. Returns it, still with their values.

    Raises ClusterError where it cannot be patched, or is not the object any more that was looked at.
    """
    if change.live is None:
        raise ValueError(f"{change.reference}: nothing to adopt")
    live: Json | None = change.live
    uid = change.live["metadata"]["uid"]
    if not entries(live):
        # The record of managers was wiped. The server begins another one with the next apply.
        live = cluster.apply(
            wanted.manifest(plan.owner_uid), manager=wanted.manager, force=True
        ).object
    for _attempt in range(TRIES):
        if live is None or live["metadata"]["uid"] != uid:
            raise ClusterError(
                f"{change.reference}: somebody removed it while it was adopted; run again"
            )
        handed = handed_over(live, wanted, plan)
        if handed is live:
            return live
        try:
            return cluster.patch(change.reference, _storing(handed), kind="json")
        except Conflict:
            kind = (change.reference.api_version, change.reference.kind)
            live = cluster.get(change.reference, metadata_only=kind in METADATA_ONLY)
    raise ClusterError(f"{change.reference}: it kept changing during {TRIES} attempts to adopt it")


def foresee(cluster: Cluster, live: Json, wanted: Desired, plan: Plan) -> Json:
    """Return an object as it would be once it is adopted, by two dry runs.

    The first shows what our fields do. What its predecessors have and we do not want is taken out of that, and the second shows
    what the server makes of the rest: it fills in defaults.
    """
    theirs = controller_reference(live, wanted.service)
    # Two controllers are refused: a reference to an earlier object of the service stands for the one that will replace it.
    uid = theirs["uid"] if theirs else plan.owner_uid or PLACEHOLDER_UID
    manifest = wanted.manifest(uid)
    after = cluster.apply(manifest, manager=wanted.manager, force=True, dry_run=True).object
    gone, kept = _parted(after, plan)
    stays = _fields(kept)
    surplus = field_sets.minus(_claimed(gone, wanted), stays)
    if surplus:
        left = field_sets.without(after, surplus, stays)
        after = cluster.patch(wanted.reference, _replacing(live, left), kind="json", dry_run=True)
    after["metadata"]["managedFields"] = kept
    return after


def handed_over(live: Json, wanted: Desired, plan: Plan) -> Json:
    """Return an object with its predecessors' fields in our entry; the very same where there is nothing to hand over.

    A reference to an earlier object of this service goes as well: the API takes one controller, and ours comes with the apply.
    """
    gone, kept = _parted(live, plan)
    references = live["metadata"].get("ownerReferences") or []
    theirs = controller_reference(live, wanted.service)
    others = [each for each in references if each != theirs or each["uid"] == plan.owner_uid]
    if not gone and others == references:
        return live
    ours = managed_fields.apply_entry(live, wanted.manager)
    fields = _claimed([*gone, *([ours] if ours else [])], wanted)
    managers = [each for each in kept if each != ours]
    if fields:
        version = wanted.reference.api_version
        managers.append(managed_fields.entry(wanted.manager, "Apply", version, fields))
    metadata = {**live["metadata"], "managedFields": managers}
    if references:
        metadata["ownerReferences"] = others
    return {**live, "metadata": metadata}


def _parted(live: Json, plan: Plan) -> tuple[list[Json], list[Json]]:
    """Return the entries of an object's predecessors, and all others."""
    gone: list[Json] = []
    kept: list[Json] = []
    for entry in entries(live):
        (gone if plan.wrote_before(entry, live) else kept).append(entry)
    return gone, kept


def _claimed(from_entries: Iterable[Json], wanted: Desired) -> Json:
    """Return the fields of entries that the apply may let go of.

    Not those of another apiVersion, which may be called otherwise in ours. Not what we do not claim, for example replicas: ours and
    then dropped, it would fall to its default; nobody's, it stays as it is.
    """
    ours = [each for each in from_entries if each["apiVersion"] == wanted.reference.api_version]
    unclaimed = field_sets.union(field_sets.of_path(path) for path in wanted.unclaimed)
    # A part that is not claimed goes with all that is in it.
    return field_sets.minus(managed_fields.without(_fields(ours), wanted.unclaimed), unclaimed)


def _fields(of_entries: Iterable[Json]) -> Json:
    return field_sets.union(entry.get("fieldsV1") or {} for entry in of_entries)


def _storing(handed: Json) -> list[Json]:
    """Return the JSON patch of who owns what, for this very object as it was read. Raises no conflict but a plain one (409)."""
    metadata = handed["metadata"]
    return [
        {"op": "replace", "path": f"/metadata/{name}", "value": metadata[name]}
        for name in ("uid", "resourceVersion", "managedFields", "ownerReferences")
        if name in metadata
    ]


def _replacing(before: Json, after: Json) -> list[Json]:
    """Return the JSON patch that leads from an object as it is to another state of it, its status apart.

    before: where only its metadata was read, only that is compared.
    """
    patch = [
        step
        for name in ("labels", "annotations", "ownerReferences", "finalizers")
        for step in _step(f"/metadata/{name}", before["metadata"], after["metadata"])
    ]
    if (after["apiVersion"], after["kind"]) in METADATA_ONLY:
        return patch
    body = (before.keys() | after.keys()) - {"apiVersion", "kind", "metadata", "status"}
    return patch + [step for name in sorted(body) for step in _step(f"/{name}", before, after)]


def _step(path: str, before: Json, after: Json) -> list[Json]:
    name = path.rpartition("/")[2]
    if before.get(name) == after.get(name):
        return []
    if name not in after:
        return [{"op": "remove", "path": path}]
    return [{"op": "add", "path": path, "value": after[name]}]
