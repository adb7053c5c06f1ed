# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a set is in the cluster: its parent, its members by one LIST for each kind, and what else bears a member's name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from ...cluster.connection import Cluster
from ...cluster.errors import Forbidden, KindMissing
from ...cluster.kinds import KindFacts
from ...kube.applyset import PART_OF_LABEL, GroupKind, MemberKey
from ...kube.manifest import Json
from ...kube.reference import Reference
from .. import METADATA_ONLY
from ..plan import existing
from ..snapshot import Kind


@dataclass(slots=True)
class Live:
    """members: the objects that carry the set's label. others: objects that bear the name of a wanted one, without the label."""

    members: dict[MemberKey, Json]
    others: dict[MemberKey, Json] = field(default_factory=dict)

    def get(self, key: MemberKey) -> Json | None:
        """Return a wanted object as it is there."""
        return self.members.get(key) or self.others.get(key)


def look(
    cluster: Cluster,
    set_id: str,
    kinds: Iterable[GroupKind],
    versions: Mapping[GroupKind, str],
    namespaces: Sequence[str],
) -> dict[MemberKey, Json]:
    """List the members of a set. versions: in which version a kind is wanted; else the server's choice.

    namespaces: of the members, for those who may not list in all. Kinds that are not served have no objects.
    Raises ApiError and what else a LIST raises.
    """
    asked = [_facts(cluster, kind, versions) for kind in sorted(set(kinds))]
    calls = [
        partial(_list, cluster, facts, f"{PART_OF_LABEL}={set_id}", namespaces)
        for facts in asked
        if facts is not None
    ]
    found: dict[MemberKey, Json] = {}
    for answer in cluster.parallel(calls):
        if isinstance(answer, KindMissing):
            continue
        if isinstance(answer, Exception):
            raise answer
        found |= answer
    return found


def named(cluster: Cluster, references: Sequence[Reference]) -> dict[MemberKey, Json]:
    """Return which of these objects exist, whole: for comparing, and to tell whose they are."""
    found = {}
    for reference, live in existing(cluster, references).items():
        if (reference.api_version, reference.kind) not in METADATA_ONLY:
            whole = cluster.get(reference)
            if whole is None:
                continue
            live = whole  # noqa: PLW2901
        found[MemberKey.of(reference)] = live
    return found


def _facts(
    cluster: Cluster, kind: GroupKind, versions: Mapping[GroupKind, str]
) -> KindFacts | None:
    wanted = versions.get(kind)
    if wanted is not None:
        try:
            return cluster.kind(wanted, kind.kind)
        except KindMissing:
            pass
    return cluster.preferred(kind.group, kind.kind)


def _list(
    cluster: Cluster, facts: KindFacts, selector: str, namespaces: Sequence[str]
) -> dict[MemberKey, Json]:
    kind: Kind = (facts.api_version, facts.kind)
    if not facts.namespaced:
        namespaces = ()
    items = listed(cluster, kind, selector, namespaces, metadata_only=kind in METADATA_ONLY)
    return {MemberKey.of(Reference.of(item)): item for item in items}


def listed(
    cluster: Cluster,
    kind: Kind,
    selector: str,
    namespaces: Iterable[str],
    *,
    metadata_only: bool = False,
) -> list[Json]:
    """Return the objects of a kind, by one LIST, or one for each namespace where no more is allowed. Raises ClusterError."""
    places = sorted(set(namespaces) - {""})
    try:
        return cluster.list(*kind, selector=selector, metadata_only=metadata_only).items
    except Forbidden:
        if not places:
            raise
    return [
        item
        for place in places
        for item in cluster.list(
            *kind, namespace=place, selector=selector, metadata_only=metadata_only
        ).items
    ]
