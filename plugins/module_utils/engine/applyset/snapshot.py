# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a set is in the cluster: its parent, its members by one LIST for each kind, and what else bears a member's name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from ...cluster.connection import Cluster
from ...cluster.errors import KindMissing
from ...cluster.kinds import KindFacts
from ...kube.applyset import (
    ID_LABEL,
    PART_OF_LABEL,
    GroupKind,
    MemberKey,
    group_kinds_of,
    namespaces_of,
    part_of,
)
from ...kube.manifest import Json
from ...kube.reference import Reference
from .. import METADATA_ONLY
from ..snapshot import existing, list_all
from .members import ApplySet

#: What may be the parent of a set of kubectl.
_PARENTS = (("v1", "ConfigMap"), ("v1", "Secret"))


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
    applyset: ApplySet,
    parent: Json | None,
    wanted: Sequence[Reference],
    more: Iterable[GroupKind] = (),
) -> Live:
    """List the members of a set: the kinds that its parent names, those that are wanted, and `more`.

    A kind is asked for in the version in which it is wanted, else in that of the server's choice; one that is not served has no objects.
    Raises ApiError and what else a LIST raises.
    """
    versions = {GroupKind.of(reference): reference.api_version for reference in wanted}
    namespaces = {each.namespace for each in wanted} | namespaces_of(parent)
    places = sorted({applyset.parent.namespace, *namespaces} - {""})
    asked = [
        facts
        for kind in sorted({*versions, *more, *group_kinds_of(parent)})
        if (facts := _facts(cluster, kind, versions)) is not None
    ]
    selector = f"{PART_OF_LABEL}={applyset.id}"
    calls = [
        partial(
            list_all,
            cluster,
            (facts.api_version, facts.kind),
            selector,
            places if facts.namespaced else (),
        )
        for facts in asked
    ]
    found: dict[MemberKey, Json] = {}
    for answer in cluster.parallel(calls, KindMissing):
        if not isinstance(answer, KindMissing):
            found |= {MemberKey.of(Reference.of(item)): item for item in answer}
    return Live(found)


def look_up_others(cluster: Cluster, live: Live, wanted: Sequence[Reference]) -> None:
    """Note which wanted objects are there without the label, whole: for comparing, and to tell whose they are."""
    unseen = [reference for reference in wanted if MemberKey.of(reference) not in live.members]
    for reference, there in existing(cluster, unseen).items():
        only = (reference.api_version, reference.kind) in METADATA_ONLY
        whole = there if only else cluster.get(reference)
        if whole is not None:
            live.others[MemberKey.of(reference)] = whole


def names_of_others(cluster: Cluster, live: Live) -> dict[str, str]:
    """Return what the parents of the other sets are called that have wanted objects, by id, as far as they can be seen."""
    names: dict[str, str] = {}
    for set_id in sorted({part_of(there) for there in live.others.values()} - {""}):
        calls = [
            partial(cluster.list, *kind, selector=f"{ID_LABEL}={set_id}", metadata_only=True)
            for kind in _PARENTS
        ]
        for answer in cluster.parallel(calls, Exception):
            if not isinstance(answer, Exception):
                for item in answer.items:
                    names[set_id] = f"{Reference.of(item)} ({set_id})"
    return names


def _facts(
    cluster: Cluster, kind: GroupKind, versions: Mapping[GroupKind, str]
) -> KindFacts | None:
    if kind in versions:
        try:
            return cluster.kind(versions[kind], kind.kind)
        except KindMissing:
            pass
    return cluster.preferred(kind.group, kind.kind)
