# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster as a run will leave it: what the run is given takes the place of what is there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from .manifest import Json
from .reader import GivenObjects, Reader
from .reference import Reference


class PlannedObjects:
    """A reader. there: the cluster. planned: objects as they will be. goes: tells whether one of the cluster will not be there; None: all stay."""

    def __init__(
        self,
        there: Reader,
        planned: Iterable[Json],
        goes: Callable[[Json], bool] | None = None,
    ) -> None:
        self._there = there
        self._planned = GivenObjects(planned)
        self._goes = goes

    @property
    def complete(self) -> bool:
        """Whether an absent answer proves absence."""
        return self._there.complete

    def get(self, reference: Reference) -> Json | None:
        """Return the object that is planned, or else that of the cluster."""
        planned = self._planned.get(reference)
        if planned is not None:
            return planned
        live = self._there.get(reference)
        return None if live is not None and self._goes and self._goes(live) else live

    def list(
        self, api_version: str, kind: str, namespace: str, labels: Mapping[str, str]
    ) -> Sequence[Json]:
        """Return the objects of a kind that carry all labels, each as it is planned."""
        asked = (api_version, kind, namespace, labels)
        live = self._there.list(*asked)
        stays = [each for each in live if not self._goes(each)] if self._goes else live
        planned = self._planned.list(*asked)
        if not planned:
            return stays
        return list({Reference.of(each): each for each in (*stays, *planned)}.values())
