# SPDX-License-Identifier: GPL-3.0-or-later
"""What a service sees that is made of other services: those of its own run as they will be, everything else as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..kube.manifest import Json
from ..kube.reader import Reader
from ..kube.reference import Reference

#: What the server alone says of a custom resource, and a document of a task never does.
_SERVERS = ("status",)


class BesideReader:
    """A reader that shows the custom resources of a run with the specs and the metadata that the run gives them.

    services: by name. Their status stays what the cluster says.
    """

    def __init__(self, reader: Reader, services: Mapping[Reference, Json]) -> None:
        self.complete = reader.complete
        self._reader = reader
        self._services = services

    def get(self, reference: Reference) -> Json | None:
        """Return the object, None where it is not there and will not be."""
        live = self._reader.get(reference)
        wanted = self._services.get(reference)
        if wanted is None:
            return live
        said = {part: live[part] for part in _SERVERS if part in live} if live else {}
        return {**wanted, **said}

    def list(
        self, api_version: str, kind: str, namespace: str, labels: Mapping[str, str]
    ) -> Sequence[Json]:
        """Return the objects of a kind that carry all labels, as they are."""
        return self._reader.list(api_version, kind, namespace, labels)
