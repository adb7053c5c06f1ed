# SPDX-License-Identifier: GPL-3.0-or-later
"""`gathered`: what a set holds, how its members do, and where they are not as the manifests want them. Nothing is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..cluster.connection import Cluster
from ..engine.applyset.members import ApplySet, member, scaled_workloads
from ..engine.applyset.ownership import holder_of
from ..engine.applyset.snapshot import Live, look, named
from ..engine.applyset.waiting import lacks
from ..engine.noop_proof import doubt
from ..kube.apply_order import SetStage, set_stage
from ..kube.applyset import GroupKind, MemberKey, group_kinds_of, namespaces_of
from ..kube.manifest import Json
from ..kube.reference import Reference
from .fitted_manifests import FittedManifests
from .release import noted_version
from .result import named as shown


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a set holds, and what the result says of it."""

    members: dict[MemberKey, Json]
    result: Json


def gather(
    cluster: Cluster, applyset: ApplySet, manifests: Sequence[Json], fitting: FittedManifests
) -> Gathered:
    """Look at a set. Without manifests drift is not judged. Raises ClusterError."""
    parent = cluster.get(applyset.parent)
    fitting.notice(parent)
    references = [Reference.of(manifest) for manifest in manifests]
    versions = {GroupKind.of(reference): reference.api_version for reference in references}
    kinds = set(versions) | group_kinds_of(parent)
    namespaces = sorted({applyset.parent.namespace, *namespaces_of(parent)})
    members = look(cluster, applyset.id, kinds, versions, namespaces)
    unseen = [reference for reference in references if MemberKey.of(reference) not in members]
    live = Live(members, named(cluster, unseen))
    manifests = fitting.fit(manifests, live)
    result: Json = {
        "exists": parent is not None,
        "version": noted_version(parent),
        "members": [
            shown(Reference.of(there), ready=not lacks(there), lacks=lacks(there))
            for there in live.members.values()
        ],
        "drift": _drift(applyset, manifests, live),
        "edits": fitting.told,
    }
    return Gathered(members, result)


def _drift(applyset: ApplySet, manifests: Sequence[Json], live: Live) -> list[Json]:
    if not manifests:
        return []
    scaled = scaled_workloads(manifests)
    found = []
    wanted = set()
    for manifest in manifests:
        reference = Reference.of(manifest)
        key = MemberKey.of(reference)
        wanted.add(key)
        there = live.get(key)
        namespace = set_stage(reference) is SetStage.NAMESPACE
        shared = namespace and key in live.others
        if there is None:
            found.append(shown(reference, what="it is not there"))
        elif key in live.others and not shared:
            found.append(shown(reference, what=holder_of(there, {}).text))
        elif why := doubt(
            member(applyset, manifest, scaled=scaled, shared=shared).desired, there, ""
        ):
            found.append(shown(reference, what=why))
    found += [
        shown(Reference.of(there), what="the manifests do not hold it")
        for key, there in live.members.items()
        if key not in wanted
    ]
    return found
