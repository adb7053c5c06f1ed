# SPDX-License-Identifier: GPL-3.0-or-later
"""`gathered`: what a set holds, how its members do, and where they are not as the manifests want them. Nothing is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..cluster.connection import Cluster
from ..engine.applyset.members import ApplySet
from ..engine.applyset.readiness import lacks
from ..engine.noop_proof import doubt
from ..engine.ownership import set_ownership
from ..kube.applyset import MemberKey
from ..kube.manifest import Json
from ..kube.reference import Reference
from .fitted_manifests import Fitted, FittedManifests
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
    fitted = fitting.look(applyset, parent, manifests)
    members = fitted.live.members
    result: Json = {
        "exists": parent is not None,
        "version": noted_version(parent),
        "members": [
            shown(Reference.of(there), ready=not lacks(there), lacks=lacks(there))
            for there in members.values()
        ],
        "drift": list(_drift(applyset, fitted)) if manifests else [],
        "edits": fitting.told,
    }
    return Gathered(members, result)


def _drift(applyset: ApplySet, fitted: Fitted) -> Iterator[Json]:
    live = fitted.live
    for wanted in fitted.members:
        key = MemberKey.of(wanted.reference)
        there = live.get(key)
        if there is None:
            what: str | None = "it does not exist"
        elif key in live.members or wanted.shared:
            what = doubt(wanted, there, "")
        else:
            what = set_ownership(there, applyset.id, {}).text
        if what:
            yield shown(wanted.reference, what=what)
    keys = {MemberKey.of(wanted.reference) for wanted in fitted.members}
    for key, there in live.members.items():
        if key not in keys:
            yield shown(Reference.of(there), what="the manifests do not hold it")
