# SPDX-License-Identifier: GPL-3.0-or-later
"""The only window that a service has to a cluster: what is there already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from .manifest import Json
from .reference import Reference


class NotAllowed(Exception):
    """Who runs us may not read this object."""


class NotLookedAt(Exception):
    """A run that is about to end had no reason to read this object."""


class Lookup(Protocol):
    """Finds objects by name: a reader, or a mapping by reference."""

    def get(self, reference: Reference, /) -> Json | None:
        """Return the object, or None where it is not there."""


class Reader(Protocol):
    """Reads objects by name or by labels. Answers from given manifests, or from one cached read per object and run."""

    @property
    def complete(self) -> bool:
        """True where an absent answer proves absence (a cluster), False where it only was not given (`rendered`)."""

    def get(self, reference: Reference) -> Json | None:
        """Return the object, or None where it is not there."""

    def list(
        self, api_version: str, kind: str, namespace: str, labels: Mapping[str, str]
    ) -> Sequence[Json]:
        """Return the objects of a kind that carry all labels; an empty namespace means all namespaces."""


class GivenObjects:
    """A reader over manifests that the caller gives (`cluster_objects`); it proves nothing absent."""

    complete = False

    def __init__(self, manifests: Iterable[Json] = ()) -> None:
        self._objects = {Reference.of(manifest): manifest for manifest in manifests}

    def get(self, reference: Reference) -> Json | None:
        """Return the given object of that name."""
        return self._objects.get(reference)

    def list(
        self, api_version: str, kind: str, namespace: str, labels: Mapping[str, str]
    ) -> Sequence[Json]:
        """Return the given objects of that kind that carry all labels."""
        return [
            manifest
            for reference, manifest in self._objects.items()
            if (reference.api_version, reference.kind) == (api_version, kind)
            and namespace in ("", reference.namespace)
            and labels.items() <= (manifest["metadata"].get("labels") or {}).items()
        ]
