# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a fleet is in the cluster: one LIST per kind, whatever the number of services."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError, Forbidden, KindMissing
from ..cluster.kinds import facts
from ..kube.manifest import Json
from ..kube.reference import Reference
from . import FLEET_LABEL, METADATA_ONLY, OWNER_ANNOTATION
from .streaming_proof import Prover

#: (apiVersion, kind)
Kind = tuple[str, str]
#: From this many objects of one kind and namespace on, one list is less than a read of each.
LIST_FROM = 4
#: What is kept of an object.
Keep = Callable[[Json], Json]


@dataclass(slots=True)
class Snapshot:
    """The live objects of one fleet.

    missing: kinds that the API server does not serve, with what it says about each. unseen: kinds that we may not list and need not.
    proved: objects that an apply would not change; little of them is kept. kinds: those that were asked for.
    """

    objects: dict[Reference, Json]
    missing: dict[Kind, KindMissing] = field(default_factory=dict)
    unseen: dict[Kind, Forbidden] = field(default_factory=dict)
    proved: set[Reference] = field(default_factory=set)
    kinds: frozenset[Kind] = frozenset()
    _by_owner: dict[str, list[Reference]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for reference, live in self.objects.items():
            owner = (live["metadata"].get("annotations") or {}).get(OWNER_ANNOTATION, "")
            self._by_owner.setdefault(owner, []).append(reference)

    def get(self, reference: Reference) -> Json | None:
        """Return the live object, None where the fleet has none of that name."""
        return self.objects.get(reference)

    def owned_by(self, owner: str) -> Mapping[Reference, Json]:
        """Return the objects that carry this owner annotation."""
        return {reference: self.objects[reference] for reference in self._by_owner.get(owner, [])}

    def __or__(self, other: Snapshot) -> Snapshot:
        """Return both; they are of different kinds."""
        return Snapshot(
            self.objects | other.objects,
            self.missing | other.missing,
            self.unseen | other.unseen,
            self.proved | other.proved,
            self.kinds | other.kinds,
        )

    @property
    def owners(self) -> Iterable[str]:
        """The owner annotations that were seen."""
        return self._by_owner.keys()


def take_snapshot(
    cluster: Cluster,
    kinds: Iterable[Kind],
    fleet: str,
    namespaces: Sequence[str],
    prover: Prover | None = None,
    left_only: Collection[Kind] = (),
) -> Snapshot:
    """List the fleet's objects of these kinds. fleet: empty for all. namespaces: where to look; empty for everywhere.

    prover: sees each object as it comes and says what is kept of it. left_only: kinds of which there may only be something left over, so
    that who may not list them is not stopped.

    One namespace is listed by itself, which needs no rights beyond it; several are listed cluster-wide at once, or one by one
    where that is forbidden. A cluster-scoped kind that may not be listed is unseen: whether that matters depends on what the
    services want. Raises ApiError for any other failure.
    """
    wanted = list(dict.fromkeys(kinds))
    snapshot: dict[Reference, Json] = {}
    missing: dict[Kind, KindMissing] = {}
    unseen: dict[Kind, Forbidden] = {}
    keep = prover.keep if prover else _all
    calls = [partial(_list_kind, cluster, kind, fleet, namespaces, keep) for kind in wanted]
    for kind, answer in zip(wanted, cluster.parallel(calls, KindMissing, Forbidden), strict=True):
        if isinstance(answer, KindMissing):
            missing[kind] = answer
        elif isinstance(answer, Forbidden) and (kind in left_only or _cluster_scoped(kind)):
            unseen[kind] = answer
        elif isinstance(answer, ClusterError):
            raise answer
        else:
            snapshot.update(answer)
    proved = prover.proved if prover else set()
    return Snapshot(snapshot, missing, unseen, proved, frozenset(wanted))


def _all(live: Json) -> Json:
    return live


def _list_kind(
    cluster: Cluster, kind: Kind, fleet: str, namespaces: Sequence[str], keep: Keep
) -> dict[Reference, Json]:
    selector = f"{FLEET_LABEL}={fleet}" if fleet else FLEET_LABEL
    if len(namespaces) == 1 and not _cluster_scoped(kind):
        items = _list(cluster, kind, namespaces[0], selector, keep)
    else:
        within = () if _cluster_scoped(kind) else namespaces
        items = list_all(cluster, kind, selector, within, keep)
    return {Reference.of(item): item for item in items}


def list_all(
    cluster: Cluster,
    kind: Kind,
    selector: str,
    namespaces: Sequence[str] = (),
    keep: Keep | None = None,
) -> list[Json]:
    """Return the objects of a kind by one LIST, or one for each namespace where no more is allowed. Raises ClusterError."""
    try:
        return _list(cluster, kind, "", selector, keep)
    except Forbidden:
        if not namespaces:
            raise
    return [
        item for namespace in namespaces for item in _list(cluster, kind, namespace, selector, keep)
    ]


def _cluster_scoped(kind: Kind) -> bool:
    known = facts(*kind)
    return known is not None and not known.namespaced


def _list(
    cluster: Cluster, kind: Kind, namespace: str, selector: str, keep: Keep | None
) -> list[Json]:
    only = kind in METADATA_ONLY
    found = cluster.list(
        *kind, namespace=namespace, selector=selector, metadata_only=only, keep=keep
    )
    return found.items


def existing(cluster: Cluster, references: Sequence[Reference]) -> dict[Reference, Json]:
    """Return which of these objects exist, by metadata-only reads: by name, or per kind and namespace, whichever is less."""
    groups: dict[tuple[Kind, str], list[Reference]] = {}
    for reference in references:
        groups.setdefault(
            ((reference.api_version, reference.kind), reference.namespace), []
        ).append(reference)
    calls: list[Callable[[], dict[Reference, Json]]] = []
    for (kind, namespace), members in groups.items():
        if len(members) < LIST_FROM:
            calls += [partial(_read, cluster, reference) for reference in members]
        else:
            calls.append(partial(_read_all, cluster, kind, namespace))
    found: dict[Reference, Json] = {}
    for answer in cluster.parallel(calls, KindMissing):
        if not isinstance(answer, KindMissing):
            found |= answer
    return {reference: found[reference] for reference in references if reference in found}


def _read(cluster: Cluster, reference: Reference) -> dict[Reference, Json]:
    live = cluster.get(reference, metadata_only=True)
    return {} if live is None else {reference: live}


def _read_all(cluster: Cluster, kind: Kind, namespace: str) -> dict[Reference, Json]:
    listing = cluster.list(*kind, namespace=namespace, metadata_only=True)
    return {Reference.of(item): item for item in listing.items}
