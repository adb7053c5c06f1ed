# SPDX-License-Identifier: GPL-3.0-or-later
"""Services of one kind beside each other: which of them share something, whatever their kind is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Protocol, TypeVar

from ..kube.problem import Problem

#: A service's position, and what is wrong with it.
Found = tuple[int, Problem]


class Named(Protocol):
    """A service as far as its name goes."""

    @property
    def name(self) -> str:
        """The name of the custom resource."""

    @property
    def namespace(self) -> str:
        """Its namespace."""


S = TypeVar("S", bound=Named)


def groups(services: Sequence[S], key: Callable[[S], Hashable | None]) -> Iterator[list[int]]:
    """Yield the positions of services with one key, where there are several. Those without a key are left out."""
    found: dict[Hashable, list[int]] = defaultdict(list)
    for number, service in enumerate(services):
        value = key(service)
        if value is not None:
            found[value].append(number)
    yield from (group for group in found.values() if len(group) > 1)


def given_twice(services: Sequence[Named]) -> Iterator[Found]:
    """Yield a problem for each service that stands in the list once more."""
    for group in groups(services, lambda service: (service.namespace, service.name)):
        for number in group[1:]:
            message = (
                f'"{services[number].name}" stands in the list more than once; keep one of them'
            )
            yield number, Problem("metadata.name", message, rule="service-twice")


def same_cluster_object(
    services: Sequence[S], key: Callable[[S], str | None], kind: str
) -> Iterator[Found]:
    """Yield a problem for services of several namespaces that become one cluster-scoped object. key: its name, None where there is none."""
    for group in groups(services, key):
        if len({services[number].namespace for number in group}) > 1:
            places = sorted(
                {f"{services[number].namespace}/{services[number].name}" for number in group}
            )
            message = becomes_one(places, f'{kind} "{key(services[group[0]])}"')
            yield from (
                (number, Problem("metadata.name", message, rule="cluster-role-collision"))
                for number in group
            )


def becomes_one(called: Sequence[str], what: str) -> str:
    """Return that several services would become one object, and the way out."""
    every = "both" if len(called) == 2 else "all"
    names = " and ".join(f'"{name}"' for name in called)
    return f"{names} {every} become {what}; rename one of them"
