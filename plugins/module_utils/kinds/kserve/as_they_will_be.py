# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cluster holds, with the services and caches of the same task as this run will leave them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ...kube.manifest import Json
from ...kube.reader import Reader
from ...kube.reference import Reference
from ..peers import Peers
from .local_models import CACHE, NAMESPACE_CACHE


class AsTheyWillBe:
    """A reader that lists what the task gives beside what is there. kinds: of which it does, all where it is None."""

    def __init__(self, reader: Reader, peers: Peers, kinds: Collection[str] | None = None) -> None:
        self._reader = reader
        self._peers = peers
        self._kinds = kinds

    @property
    def complete(self) -> bool:
        """Whether an absent answer proves absence."""
        return self._reader.complete

    def get(self, reference: Reference) -> Json | None:
        """Return an object as it is, None where it is not there."""
        return self._reader.get(reference)

    def list(
        self, api_version: str, kind: str, namespace: str, labels: Mapping[str, str]
    ) -> Sequence[Json]:
        """Return the objects of a kind that carry all labels, those of the task as they will be."""
        live = self._reader.list(api_version, kind, namespace, labels)
        peers = self._peers.of_kind(kind) if self._kinds is None or kind in self._kinds else ()
        if not peers:
            return live
        found = {Reference.of(each): each for each in live}
        for peer in peers:
            if namespace in ("", peer.namespace) and labels.items() <= peer.labels.items():
                found[peer.reference] = peer.document
        return list(found.values())


def with_caches(reader: Reader, peers: Peers) -> Reader:
    """Return a reader that sees the caches of the task, too; the very same one where the task has none."""
    kinds = (CACHE, NAMESPACE_CACHE)
    return AsTheyWillBe(reader, peers, kinds) if any(map(peers.of_kind, kinds)) else reader
