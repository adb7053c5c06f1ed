# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster as a run will leave it: what the run is given takes the place of what is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .manifest import Json
from .reader import GivenObjects, Reader
from .reference import Reference


class PlannedObjects:
    """A reader. there: the cluster. planned: objects as they will be."""

    def __init__(self, there: Reader, planned: Iterable[Json]) -> None:
        self._there = there
        self._planned = GivenObjects(planned)

    @property
    def complete(self) -> bool:
        """Whether an absent answer proves absence."""
        return self._there.complete

    def get(self, reference: Reference) -> Json | None:
        """Return the object that is planned, or else that of the cluster."""
        return self._planned.get(reference) or self._there.get(reference)

    def list(
        self, api_version: str, kind: str, namespace: str, labels: Mapping[str, str]
    ) -> Sequence[Json]:
        """Return the objects of a kind that carry all labels, each as it is planned."""
        asked = (api_version, kind, namespace, labels)
        both = (*self._there.list(*asked), *self._planned.list(*asked))
        return list({Reference.of(each): each for each in both}.values())
