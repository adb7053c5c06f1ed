# SPDX-License-Identifier: GPL-3.0-or-later
"""The manifests of a set fitted to what is there: edits of people stay, and controllers start anew where they have to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..bundles.starting import marked_starts
from ..cluster.connection import Cluster
from ..engine.applyset.edits import Kept, with_edits
from ..engine.applyset.members import ApplySet, member, scaled_workloads
from ..engine.applyset.snapshot import Live, look, look_up_others
from ..engine.desired import Desired
from ..kube.apply_order import SetStage, set_stage
from ..kube.applyset import GroupKind, MemberKey, part_of
from ..kube.manifest import Json
from ..kube.reference import Reference
from .release import SetRelease
from .result import named


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is there of a set, its manifests fitted to that, and its members as they are applied."""

    live: Live
    manifests: Sequence[Json]
    members: Sequence[Desired]


@dataclass(slots=True)
class FittedManifests:
    """edited: ConfigMaps in which edits stay; None for those of the component. said: values that the task asks for, by ConfigMap and key.

    kept: the edits found last.
    """

    cluster: Cluster
    release: SetRelease
    edited: Sequence[str] | None
    said: Mapping[str, Mapping[str, Any]]
    kept: Sequence[Kept] = ()

    @classmethod
    def of(cls, cluster: Cluster, params: Mapping[str, Any]) -> FittedManifests:
        """Return the fitting of a task."""
        said = (params["transform"] or {}).get("config") or {}
        return cls(cluster, SetRelease.of(params), params["keep_edits"], said)

    def look(self, applyset: ApplySet, parent: Json | None, manifests: Sequence[Json]) -> Fitted:
        """Look at a set, and fit its manifests to it. parent: notes what the set is. Raises ClusterError."""
        self.release = self.release.noted(parent)
        references = [Reference.of(manifest) for manifest in manifests]
        live = look(self.cluster, applyset, parent, references)
        look_up_others(self.cluster, live, references)
        fitted = self._fit(manifests, live)
        scaled = scaled_workloads(fitted)
        members = [
            member(applyset, each, scaled=scaled, shared=_is_shared(each, live)) for each in fitted
        ]
        return Fitted(live, fitted, members)

    def _fit(self, manifests: Sequence[Json], live: Live) -> list[Json]:
        edited = self.release.edited if self.edited is None else self.edited
        fitted, self.kept = with_edits(manifests, live, edited, self.said)
        starts = self.release.component.starts if self.release.component else ()
        return marked_starts(fitted, starts, self._is_served) if starts else fitted

    @property
    def told(self) -> list[Json]:
        """The edits that stay, as results show them."""
        return [
            named(each.reference, path=each.edit.where, clash=each.edit.clash) for each in self.kept
        ]

    def _is_served(self, kind: GroupKind) -> bool:
        return self.cluster.has(kind.group, kind.kind)


def _is_shared(manifest: Json, live: Live) -> bool:
    """Tell whether a namespace was there before the set, so that it is not removed with it."""
    reference = Reference.of(manifest)
    there = live.others.get(MemberKey.of(reference))
    return set_stage(reference) is SetStage.NAMESPACE and there is not None and not part_of(there)
