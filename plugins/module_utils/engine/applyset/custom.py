# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of kinds that CRDs define: whether there are any, and moving them to another stored version."""

from __future__ import annotations

from functools import partial

from ...cluster.connection import Cluster
from ...cluster.errors import ClusterError, KindMissing
from ...kube.crds import Definition, definition, dropped_versions
from ...kube.manifest import Json
from ...kube.reference import Reference
from .authority import stops_converting


def needs_preparing(wanted: Json, live: Json) -> bool:
    """Tell whether the server refuses a change of a CRD, a dry run too, until a run has prepared it."""
    return bool(dropped_versions(wanted, live)) or stops_converting(wanted, live)


def objects_of(cluster: Cluster, crd: Json) -> list[Json]:
    """Return the objects of a CRD, metadata only, in the version that they are kept in: that needs no conversion.

    Raises ClusterError.
    """
    kind = definition(crd)
    if kind is None or not kind.versions:
        return []
    version = kind.storage if kind.storage in kind.versions else kind.versions[0]
    try:
        return cluster.list(kind.api_version(version), kind.kind.kind, metadata_only=True).items
    except KindMissing:
        return []


def move_stored(cluster: Cluster, wanted: Json, live: Json) -> int:
    """Move the objects of a CRD out of the versions that the wanted one drops; return how many were written anew.

    Objects are kept in the version that was the storage version when each was written last. So the new storage version is set on the
    CRD that is there, every object is written once without a change, and then the CRD forgets the others.
    Source: Kubernetes documentation, versions of CustomResourceDefinitions. Raises ClusterError.
    """
    kind = definition(wanted)
    if kind is None or not dropped_versions(wanted, live):
        return 0
    crd = Reference.of(live)
    versions = [
        {**version, "storage": version["name"] == kind.storage}
        for version in live["spec"]["versions"]
    ]
    if versions != live["spec"]["versions"]:
        cluster.patch(crd, {"spec": {"versions": versions}}, kind="merge")
    moved = _write_anew(cluster, kind)
    cluster.patch(
        crd, {"status": {"storedVersions": [kind.storage]}}, kind="merge", subresource="status"
    )
    return moved


def _write_anew(cluster: Cluster, kind: Definition) -> int:
    api_version = kind.api_version(kind.storage)
    objects = cluster.list(api_version, kind.kind.kind, metadata_only=True).items
    calls = [partial(_touch, cluster, Reference.of(item)) for item in objects]
    return len(cluster.parallel(calls))


def _touch(cluster: Cluster, reference: Reference) -> None:
    """Write an object without a change: the server stores it anew where it was kept in another version."""
    try:
        cluster.patch(reference, {}, kind="merge")
    except ClusterError:
        if cluster.get(reference, metadata_only=True) is not None:
            raise
