# SPDX-License-Identifier: GPL-3.0-or-later
"""Where fit reads objects, page by page, and what it may not look at: noted with the right that is missing, never a failure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Protocol

from ..cluster.connection import Cluster
from ..cluster.errors import Forbidden, KindMissing
from ..cluster.kinds import facts
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reader import GivenObjects


class Source(Protocol):
    """Where objects are read: a cluster, or manifests that the user gives. complete: what is not found does not exist."""

    complete: bool

    def each(
        self, api_version: str, kind: str, namespace: str = "", name: str = ""
    ) -> Iterator[Json]:
        """Yield the objects of a kind; with a name that one alone. Raises Forbidden."""


class LiveObjects:
    """The objects of a cluster, of which one page at a time is held."""

    complete = True

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def each(
        self, api_version: str, kind: str, namespace: str = "", name: str = ""
    ) -> Iterator[Json]:
        """Yield the objects of a kind; none where the server does not know the kind."""
        fields = f"metadata.name={name}" if name else ""
        try:
            for page in self._cluster.pages(api_version, kind, namespace=namespace, fields=fields):
                yield from page.items
        except KindMissing:
            return


class GivenManifests:
    """Objects that the user gives."""

    complete = False

    def __init__(self, manifests: Sequence[Json]) -> None:
        self._objects = GivenObjects(manifests)

    def each(
        self, api_version: str, kind: str, namespace: str = "", name: str = ""
    ) -> Iterator[Json]:
        """Yield the given objects of a kind."""
        for found in self._objects.list(api_version, kind, namespace, {}):
            if name in ("", found["metadata"].get("name")):
                yield found


class Looking:
    """A source whose gaps are noted. notes: what may not be looked at, and what that means. hidden: kinds with their namespaces."""

    def __init__(self, source: Source) -> None:
        self.notes: list[Problem] = []
        self.complete = source.complete
        self.hidden: set[tuple[str, str]] = set()
        self._source = source

    def each(
        self, api_version: str, kind: str, namespace: str = "", *, unseen: str
    ) -> Iterator[Json]:
        """Yield the objects of a kind. unseen: what it means where they may not be listed. Raises Gone."""
        try:
            yield from self._source.each(api_version, kind, namespace)
        except Forbidden:
            if (kind, namespace) not in self.hidden:
                self.hidden.add((kind, namespace))
                text = f"{_right(api_version, kind, namespace)}: {unseen}"
                self.notes.append(Problem("", text, "warning", rule="fit-rights"))

    def one(self, api_version: str, kind: str, name: str, *, unseen: str) -> Json | None:
        """Return the object of a kind without namespaces, None where it is not there or not seen. unseen: as for `each`."""
        try:
            return next(iter(self._source.each(api_version, kind, name=name)), None)
        except Forbidden:
            self.hidden.add((kind, ""))
            text = f"{_right(api_version, kind, '')}: {unseen}"
            self.notes.append(Problem("", text, "warning", rule="fit-rights"))
            return None


def grows(source: Source) -> bool:
    """Return whether an autoscaler is seen that adds nodes to the cluster: Karpenter, or the one that reports in kube-system."""
    try:
        pools = source.each("karpenter.sh/v1", "NodePool")
        report = source.each("v1", "ConfigMap", "kube-system", "cluster-autoscaler-status")
        return any(True for dummy in chain(pools, report))
    except Forbidden:
        return False


def _right(api_version: str, kind: str, namespace: str) -> str:
    """Return which right is missing."""
    known = facts(api_version, kind)
    resource = known.resource if known else f"{kind.lower()}s.{api_version.rpartition('/')[0]}"
    where = f" in namespace {namespace}" if namespace else ""
    if not namespace and known is not None and known.namespaced:
        where = " in all namespaces"
    return f"the verb list on {resource}{where} is not allowed"
