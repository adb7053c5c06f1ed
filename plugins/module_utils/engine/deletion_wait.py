# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that are deleted: nothing is applied onto them; they are waited for, and what holds them is named."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError, Conflict
from ..kube.manifest import Json
from ..kube.reference import Reference

#: How long a deleted object may take to vanish, and how often it is looked at, in seconds.
GONE_WITHIN_S, GONE_PAUSE_S = 60.0, 0.5
#: How often a delete is tried again because the object's status changed in between.
DELETE_TRIES = 5


def delete_listed(
    cluster: Cluster, reference: Reference, live: Json, *, dry_run: bool = False
) -> bool:
    """Delete the very object that was listed; False where somebody made it anew since, which is left alone. Raises ClusterError."""
    uid, version = uid_of(live), str(live["metadata"]["resourceVersion"])
    for dummy in range(DELETE_TRIES):
        try:
            cluster.delete(reference, uid=uid, resource_version=version, dry_run=dry_run)
        except Conflict:
            again = cluster.get(reference, metadata_only=True)
            # The API server refuses the precondition for good where somebody deletes it in the foreground already.
            if again is None or is_dying(again):
                return True
            if uid_of(again) != uid:
                return False
            version = str(again["metadata"]["resourceVersion"])
        else:
            return True
    raise ClusterError(f"{reference}: it kept changing during {DELETE_TRIES} attempts to delete it")


def wait_until_gone(cluster: Cluster, reference: Reference, uid: str) -> None:
    """Return once the object of this uid is gone. Raises ClusterError that names the finalizers which hold it."""
    timing = cluster.requests.timing
    end = timing.monotonic() + GONE_WITHIN_S
    while (live := cluster.get(reference, metadata_only=True)) and uid_of(live) == uid:
        if timing.monotonic() >= end:
            raise ClusterError(f"{reference}: {held(live)}; run again when it is gone")
        cluster.requests.pause(GONE_PAUSE_S)


def wait_for_all(
    cluster: Cluster, dying: Sequence[tuple[Reference, Json]]
) -> dict[Reference, ClusterError]:
    """Wait for several objects at once; return why, for those that are still there."""
    calls = [partial(wait_until_gone, cluster, name, uid_of(live)) for name, live in dying]
    stuck = {}
    for (reference, dummy), answer in zip(
        dying, cluster.parallel(calls, ClusterError), strict=True
    ):
        if isinstance(answer, ClusterError):
            stuck[reference] = answer
    return stuck


def is_dying(live: Json) -> bool:
    """Tell whether an object is being deleted."""
    return bool(live["metadata"].get("deletionTimestamp"))


def held(live: Json) -> str:
    """Return what keeps an object that is being deleted; finalizers are never taken away for their owners."""
    finalizers = live["metadata"].get("finalizers") or []
    names = ", ".join(f'"{name}"' for name in finalizers)
    who = f"finalizer{'s' if len(finalizers) > 1 else ''} {names}" if names else "the API server"
    return f"it is being deleted, and held by {who}"


def uid_of(live: Json | None) -> str:
    """Return the uid of an object, empty where there is none."""
    return str(live["metadata"].get("uid", "")) if live else ""
