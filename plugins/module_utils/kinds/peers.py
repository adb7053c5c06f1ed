# SPDX-License-Identifier: GPL-3.0-or-later
"""The services that one task gives, as they see each other: the children of some depend on what others are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ..kube.manifest import Json
from ..kube.planned_objects import PlannedObjects
from ..kube.reader import Reader
from ..kube.reference import Reference

S = TypeVar("S")
"""The typed services of a kind."""
#: What services have in common, None for one that has nothing of the kind.
Trait = Callable[[S], "Hashable | None"]


def _stays(_live: Json) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class _Going:
    """Tells whether a live object goes with a run."""

    kinds: frozenset[str]
    leaves: Callable[[Json], bool]

    def __call__(self, live: Json) -> bool:
        return live["kind"] in self.kinds and self.leaves(live)


class Peers:
    """The typed services of a task.

    leaves: tells whether a live custom resource that the task does not give goes with this run.
    unserved: apiVersion and kind of those that the cluster does not serve, so that nobody has a status there.
    """

    def __init__(
        self,
        services: Iterable[Any] = (),
        leaves: Callable[[Json], bool] | None = None,
        unserved: Collection[tuple[str, str]] = (),
    ) -> None:
        self.leaves = leaves or _stays
        self.unserved = unserved
        self._services = tuple(services)
        self._named: dict[Reference, Any] | None = None
        self._of_kind: dict[str, list[Any]] | None = None
        self._found: dict[tuple[type, Trait[Any]], dict[Hashable, list[Any]]] = {}

    def __contains__(self, reference: Reference) -> bool:
        """Tell whether the task gives a service."""
        return self.named(reference) is not None

    def named(self, reference: Reference) -> Any:
        """Return the service of a name, None where the task gives none."""
        if self._named is None:
            self._named = {each.reference: each for each in self._services}
        return self._named.get(reference)

    def of_kind(self, kind: str) -> Sequence[Any]:
        """Return the services of a kind, in the order of the task."""
        if self._of_kind is None:
            self._of_kind = {}
            for service in self._services:
                self._of_kind.setdefault(service.reference.kind, []).append(service)
        return self._of_kind.get(kind, ())

    def planned(self, there: Reader, *kinds: str) -> Reader:
        """Return a reader that finds services of some kinds as the task gives them, and none of them that goes with the run.

        The very same reader where the task gives none and nothing goes. there: the cluster.
        """
        given = [each.document for kind in kinds for each in self.of_kind(kind)]
        goes = None if self.leaves is _stays else _Going(frozenset(kinds), self.leaves)
        return PlannedObjects(there, given, goes) if given or goes else there

    def sharing(self, kind: type[S], trait: Trait[S], value: Hashable) -> Sequence[S]:
        """Return the services of a kind that have a trait in common, in the order of the task. Each trait is asked for once."""
        if (kind, trait) not in self._found:
            found: dict[Hashable, list[Any]] = {}
            for service in self._services:
                if isinstance(service, kind) and (common := trait(service)) is not None:
                    found.setdefault(common, []).append(service)
            self._found[kind, trait] = found
        return self._found[kind, trait].get(value, [])


#: For a service that is compiled by itself.
NOBODY = Peers()
