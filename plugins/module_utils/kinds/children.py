# SPDX-License-Identifier: GPL-3.0-or-later
"""The children of a kind of service as data: what builds each, of which kind it is, and which releases make it.

What a run lists, follows and may do is worked out from that (`ServiceKind` in kind.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeAlias, TypeVar

from ..kube.manifest import Json, value_at
from ..kube.release import ControllerRelease

B_co = TypeVar("B_co", covariant=True)
"""What builds a child of a kind of service."""

#: apiVersion and kind.
Pair: TypeAlias = "tuple[str, str]"


@dataclass(frozen=True, slots=True)
class ObjectKind:
    """A kind of objects that services consist of or are read from, and what its objects are read for.

    observed: the status is read from them. compared: compile reads its own ones, live, so that they are listed before the others.
    answered: somebody else answers in their status, and a wait that sees an answer compiles again.
    foreign: the status is read from objects of others, too. common: of others, and many services read the same: one list for all.
    """

    api_version: str
    kind: str
    observed: bool = False
    compared: bool = False
    answered: bool = False
    foreign: bool = False
    common: bool = False

    @property
    def pair(self) -> Pair:
        """apiVersion and kind."""
        return self.api_version, self.kind


@dataclass(frozen=True, slots=True)
class Made(Generic[B_co]):
    """A child that a service may have. since, until: the first release that makes it, and the first that no longer does; None: no limit.

    asked_by: paths in a custom resource of which one has to be there for a service to have such a child, None where all may have it.
    What a release does not make may be left of another one, and is looked for where a service asks for it.
    """

    build: B_co
    of: ObjectKind
    since: ControllerRelease | None = None
    until: ControllerRelease | None = None
    asked_by: tuple[tuple[str, ...], ...] | None = None

    def is_made_at(self, release: ControllerRelease) -> bool:
        """Tell whether a release makes the child."""
        begun = self.since is None or release >= self.since
        return begun and (self.until is None or release < self.until)

    def is_asked_for(self, live: Json) -> bool:
        """Tell whether a live custom resource asks for the child."""
        if self.asked_by is None:
            return True
        return any(value_at(live, path) for path in self.asked_by)


class Children(Generic[B_co]):
    """The children of a kind of service, in the order in which its controller makes them."""

    def __init__(self, *made: Made[B_co]) -> None:
        self.made = made
        self._builders: dict[ControllerRelease, tuple[B_co, ...]] = {}

    def at(self, release: ControllerRelease) -> tuple[B_co, ...]:
        """Return what a release builds, in order."""
        if release not in self._builders:
            self._builders[release] = tuple(
                each.build for each in self.made if each.is_made_at(release)
            )
        return self._builders[release]

    @cached_property
    def kinds(self) -> tuple[ObjectKind, ...]:
        """The kinds of all children of all releases."""
        return tuple(dict.fromkeys(each.of for each in self.made))

    @cached_property
    def of_some(self) -> frozenset[str]:
        """The kinds of which only services that ask for them have children."""
        of_all = {each.of.kind for each in self.made if each.asked_by is None}
        return frozenset(each.of.kind for each in self.made) - of_all

    def kinds_at(
        self,
        release: ControllerRelease,
        live: Iterable[Json],
        noted: Collection[str] | None = None,
    ) -> tuple[Pair, ...]:
        """Return the kinds of which services have children, or may have some of another release.

        live: their custom resources as they are there. noted: of the kinds of only some services those that there may be, as far as the
        custom resources do not ask for them; None where that is not known.
        """
        services = list(live)

        def may_be_there(child: Made[B_co]) -> bool:
            if noted is not None and child.of.kind in self.of_some:
                there = child.of.kind in noted
            else:
                there = child.is_made_at(release)
            return there or any(map(child.is_asked_for, services))

        return tuple(dict.fromkeys(each.of.pair for each in filter(may_be_there, self.made)))


def pairs(kinds: Sequence[ObjectKind]) -> tuple[Pair, ...]:
    """Return apiVersion and kind of each, once."""
    return tuple(dict.fromkeys(kind.pair for kind in kinds))
