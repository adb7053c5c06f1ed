# SPDX-License-Identifier: GPL-3.0-or-later
"""The reader of a run on a cluster: each object is read at most once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..cluster.connection import Cluster
from ..cluster.errors import KindMissing
from ..kube.labels import selector_text
from ..kube.manifest import Json
from ..kube.reference import Reference


class ClusterReader:
    """Reads from a cluster and remembers. Raises ApiError, for example Forbidden."""

    complete = True

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._read: dict[Reference, Json | None] = {}

    def get(self, reference: Reference) -> Json | None:
        """Return the object, None where it or its kind is not there."""
        if reference not in self._read:
            try:
                self._read[reference] = self._cluster.get(reference)
            except KindMissing:
                self._read[reference] = None
        return self._read[reference]

    def list(
        self, api_version: str, kind: str, namespace: str, labels: Mapping[str, str]
    ) -> Sequence[Json]:
        """Return the objects of a kind that carry all labels."""
        selector = selector_text(labels)
        return self._cluster.list(api_version, kind, namespace=namespace, selector=selector).items
