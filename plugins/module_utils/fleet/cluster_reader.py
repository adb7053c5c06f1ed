# SPDX-License-Identifier: GPL-3.0-or-later
"""What services see of a cluster: each object is read at most once, and kinds that many of them share in one list."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ..cluster.connection import Cluster
from ..cluster.errors import Forbidden, KindMissing
from ..engine import METADATA_ONLY
from ..kinds.kind import ServiceKind
from ..kube.labels import selector_text
from ..kube.manifest import Json
from ..kube.reader import GivenObjects, Lookup, NotLookedAt, Reader
from ..kube.reference import Reference
from .service import Service

Kind = tuple[str, str]


class ClusterReader:
    """Reads from a cluster and remembers, refusals too. Raises ApiError, for example Forbidden.

    known: objects that were read before. common: kinds that are listed as a whole when the first object of one is asked for; where
    that is not allowed, their objects are read one by one. compared: kinds of which `known` has all that a list may ask for.
    """

    complete = True

    def __init__(
        self,
        cluster: Cluster,
        known: Mapping[Reference, Json] | None = None,
        common: Collection[Kind] = (),
        compared: Collection[Kind] = (),
    ) -> None:
        self._cluster = cluster
        self._read: dict[Reference, Json | None] = dict(known or {})
        self._common = frozenset(common)
        self._compared = frozenset(compared)
        self._whole: dict[Kind, GivenObjects | None] = {}
        self._lists: dict[tuple[str, str, str, str], Sequence[Json]] = {}
        self._refused: dict[Reference, Forbidden] = {}
        self._sends = True

    def get(self, reference: Reference) -> Json | None:
        """Return the object, None where it or its kind is not there."""
        whole = self._whole_kind((reference.api_version, reference.kind))
        if whole is not None:
            return whole.get(reference)
        if self._is_absent_elsewhere(reference):
            return None
        if reference in self._refused:
            raise self._refused[reference]
        if reference not in self._read:
            if not self._sends:
                raise NotLookedAt(str(reference))
            try:
                self._read[reference] = self._cluster.get(reference)
            except KindMissing:
                self._read[reference] = None
            except Forbidden as error:
                self._refused[reference] = error
                raise
        return self._read[reference]

    def list(
        self, api_version: str, kind: str, namespace: str, labels: Mapping[str, str]
    ) -> Sequence[Json]:
        """Return the objects of a kind that carry all labels; none where the kind is not there."""
        whole = self._whole_kind((api_version, kind))
        if whole is None and (api_version, kind) in self._compared:
            whole = GivenObjects(live for live in self._read.values() if live is not None)
        if whole is not None:
            return whole.list(api_version, kind, namespace, labels)
        selector = selector_text(labels)
        key = (api_version, kind, namespace, selector)
        if key not in self._lists:
            self._lists[key] = self._list(api_version, kind, namespace, selector)
        return self._lists[key]

    def put(self, manifest: Json) -> None:
        """Answer with this object from now on, as if it were there."""
        self._read[Reference.of(manifest)] = manifest

    def forget(self, reference: Reference) -> None:
        """Read an object again when it is asked for next."""
        self._read.pop(reference, None)
        self._whole.pop((reference.api_version, reference.kind), None)

    def after(self, live: Mapping[Reference, Json], kinds: Collection[Kind]) -> ClusterReader:
        """Return a reader for the time after writes. live: what is there now. kinds: of those all that was read before is forgotten."""
        kept = {
            reference: found
            for reference, found in self._read.items()
            if found is not None and (reference.api_version, reference.kind) not in kinds
        }
        after = ClusterReader(self._cluster, kept | dict(live), self._common, self._compared)
        after._whole = {kind: whole for kind, whole in self._whole.items() if kind not in kinds}
        return after

    def remembered(self) -> ClusterReader:
        """Return a reader that knows what this one has read, and sends nothing. It raises NotLookedAt where it would have to."""
        quiet = ClusterReader(self._cluster, None, self._common, self._compared)
        quiet._read, quiet._refused = self._read, self._refused
        quiet._whole, quiet._lists = self._whole, self._lists
        quiet._sends = False
        return quiet

    def _whole_kind(self, kind: Kind) -> GivenObjects | None:
        if kind not in self._common:
            return None
        if kind not in self._whole:
            try:
                self._whole[kind] = GivenObjects(self._list(*kind, "", ""))
            except Forbidden:
                self._whole[kind] = None
        return self._whole[kind]

    def _is_absent_elsewhere(self, reference: Reference) -> bool:
        """Tell whether another version of its group has been listed without it: the versions of a group show the same objects."""
        group = reference.api_version.rpartition("/")[0]
        for (api_version, kind), whole in self._whole.items():
            if whole is not None and (api_version.rpartition("/")[0], kind) == (
                group,
                reference.kind,
            ):
                same = Reference(api_version, kind, reference.namespace, reference.name)
                return whole.get(same) is None
        return False

    def _list(self, api_version: str, kind: str, namespace: str, selector: str) -> Sequence[Json]:
        if not self._sends:
            raise NotLookedAt(kind)
        try:
            return self._cluster.list(
                api_version, kind, namespace=namespace, selector=selector
            ).items
        except KindMissing:
            return ()


def reader_of(
    cluster: Cluster, services: Iterable[Service], known: Mapping[Reference, Json]
) -> ClusterReader:
    """Return the reader of a run over services. known: their custom resources and what compile compares with, as far as they are ours."""
    kinds = {service.kind.key: service.kind for service in services}.values()
    return ClusterReader(
        cluster,
        {
            reference: live
            for reference, live in known.items()
            if (reference.api_version, reference.kind) not in METADATA_ONLY
        },
        common=[each for kind in kinds for each in kind.common_kinds],
        compared=[each for kind in kinds for each in kind.compared_kinds],
    )


class Surroundings:
    """What the status of a service is read from: its own objects as given, and those of others as they are.

    own: everything that a service may have of its own. others: where objects of others are looked for. looked_at: what was asked for
    of the kinds whose objects of others a wait has to follow.
    """

    def __init__(self, own: Lookup, others: Reader, kind: ServiceKind[Any, Any]) -> None:
        self.complete = others.complete
        self.looked_at: dict[Reference, None] = {}
        self._own = own
        self._others = others
        self._foreign = frozenset(kind.foreign_kinds)
        self._only_own = frozenset(kind.kinds) - self._foreign

    def get(self, reference: Reference) -> Json | None:
        """Return the object, None where it is not there."""
        found = self._own.get(reference)
        kind = (reference.api_version, reference.kind)
        if found is not None or kind in self._only_own:
            return found
        if kind in self._foreign:
            self.looked_at[reference] = None
        return self._others.get(reference)

    def list(
        self, api_version: str, kind: str, namespace: str, labels: Mapping[str, str]
    ) -> Sequence[Json]:
        """Return the objects of a kind that carry all labels."""
        return self._others.list(api_version, kind, namespace, labels)
