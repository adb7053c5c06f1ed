# SPDX-License-Identifier: GPL-3.0-or-later
"""Releases of a controller in their order, and facts that differ between them.

A fact is in the file that reads it, as a table by release: `KEYS: Since[Keys] = Since({V0_17: Keys(), V0_18: change(authority=True)})`,
read by `KEYS.at(release)`. So a new release is one more member, and one more row in each table that it changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Generic, Literal, TypeVar, cast

from .problem import Problem

F = TypeVar("F")
R = TypeVar("R", bound="ControllerRelease")

#: What users write where the release of each service is to be found by itself.
AUTO = "auto"

#: How far a release is reproduced: held against recordings of the real controller, from its source alone, or not at all.
Backing = Literal["proved", "unjudged", "refused"]


class ControllerRelease(IntEnum):
    """A release of a controller. A member is defined by what users write; of two members the later one is the greater.

    product: who is released. option: where users choose the release.
    """

    text: str

    def __new__(cls, text: str) -> ControllerRelease:
        """Return the next member."""
        member = int.__new__(cls, len(cls.__members__))
        member._value_ = len(cls.__members__)
        member.text = text
        return member

    def __str__(self) -> str:
        """Return the release as users write it."""
        return str(self.text)

    @property
    def product(self) -> str:
        """Whose releases these are."""
        raise NotImplementedError

    @property
    def option(self) -> str:
        """The option by which users choose one."""
        raise NotImplementedError


#: Where the release of a service comes from: the option, what made its objects, the controller of the cluster, the newest one that is proved
#: (for a new service that nothing says more of), or the default of a kind whose releases are not found.
Source = Literal["option", "objects", "controller", "newest", "default"]


@dataclass(frozen=True, slots=True)
class ChosenRelease:
    """Which release a service has, and why. reason: in words. problems: what its author has to know of the choice."""

    release: ControllerRelease
    source: Source
    reason: str
    problems: tuple[Problem, ...] = ()

    def to_dict(self) -> dict[str, str]:
        """Return what a result says of it."""
        return {"version": str(self.release), "source": self.source, "reason": self.reason}


def newest_proved(backing: Mapping[R, Backing]) -> R:
    """Return the newest release that is held against a real controller: what a new service gets that nothing says more of.

    Where none is, it is the newest one that is reproduced.
    """
    proved = [release for release, how in backing.items() if how == "proved"]
    return max(proved or [r for r, how in backing.items() if how != "refused"])


def nearest_reproduced(text: str, backing: Mapping[R, Backing]) -> R:
    """Return the newest reproduced release that is not later than one as in `0.21`, the oldest one where all are later."""
    reproduced = sorted(release for release, how in backing.items() if how != "refused")
    not_later = [release for release in reproduced if _numbers(str(release)) <= _numbers(text)]
    return (not_later or reproduced[:1])[-1]


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


@dataclass(frozen=True, slots=True)
class Change:
    """The fields that a release changes, of those of the release before it."""

    fields: Mapping[str, Any]


def change(**fields: Any) -> Change:
    """Return what a release changes in a table of facts."""
    return Change(fields)


class Since(Generic[F]):
    """Facts by release: those of the oldest one, then what later ones have in their place, or change of them.

    Raises ValueError for a table that does not begin with the oldest release, TypeError for a change of a field that is not there.
    """

    def __init__(self, table: Mapping[Any, F | Change]) -> None:
        first: ControllerRelease = next(iter(table))
        if first != 0:
            raise ValueError(f"the table begins with {first}, which is not the oldest release")
        facts: Any = None
        self.table = table
        self._facts: dict[ControllerRelease, F] = {}
        for release in type(first):
            said = table.get(release, facts)
            facts = replace(facts, **said.fields) if isinstance(said, Change) else said
            self._facts[release] = cast("F", facts)

    def at(self, release: ControllerRelease) -> F:
        """Return the facts of a release."""
        return self._facts[release]
