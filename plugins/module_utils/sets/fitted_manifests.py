# SPDX-License-Identifier: GPL-3.0-or-later
"""The manifests of a set fitted to what is there: edits of people stay, and controllers start anew where they have to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..bundles.starting import marked_starts
from ..cluster.connection import Cluster
from ..engine.applyset.edits import Kept, with_edits
from ..engine.applyset.snapshot import Live
from ..kube.applyset import GroupKind
from ..kube.manifest import Json
from .release import SetRelease
from .result import named


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

    def notice(self, parent: Json | None) -> None:
        """Take over what a parent notes of its set."""
        self.release = self.release.noted(parent)

    def fit(self, manifests: Sequence[Json], live: Live) -> list[Json]:
        """Return the manifests as they are to be applied. Raises ClusterError."""
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
