# SPDX-License-Identifier: GPL-3.0-or-later
"""The releases of a kind's controller: how far each is reproduced, and how one is recognised in a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..kube.manifest import Json
from ..kube.reference import Reference
from ..kube.release import Backing, ControllerRelease


@dataclass(frozen=True, slots=True)
class MadeAs:
    """By which release the shape of objects says that they were made. seen: the sign, empty where there is none.

    contradiction: two signs that exclude each other, empty where there are none.
    """

    release: ControllerRelease
    seen: str
    contradiction: str = ""


@dataclass(frozen=True, slots=True)
class Installed:
    """A release that something in the cluster names. version: `0.19`, also of one that nobody here knows. seen: where it says so."""

    version: str
    seen: str


#: What says by which release something was installed, None where it says nothing.
Installation: TypeAlias = "Callable[[Json], Installed | None]"


@dataclass(frozen=True, slots=True)
class Installations:
    """Where a cluster says which release of a controller it has: in the controller's Deployment, its CRD, a ConfigMap.

    config_map: the latter's name, by the settings of a task.
    """

    deployment: Installation
    crd: Installation
    config: Installation
    config_map: Callable[[Mapping[str, Any]], Reference]


@dataclass(frozen=True)
class ReleaseLine:
    """option: the name of the releases below the option `releases`. backing: how far each is reproduced.

    made_as: the release of live objects that do not name it; the oldest one that fits.
    crd, status_fields: the CRD of a release, and the paths of what its status holds; None where all releases have the same.
    installed: None where a task has to say which release it wants, and `auto` is none.
    """

    option: str
    backing: Mapping[Any, Backing]
    made_as: Callable[[Sequence[Json]], MadeAs] | None = None
    installed: Installations | None = None
    crd: Callable[[Any], Json] | None = None
    status_fields: Callable[[Any], frozenset[str]] | None = None

    @property
    def reproduced(self) -> list[ControllerRelease]:
        """All releases that a service may have."""
        return [release for release, how in self.backing.items() if how != "refused"]

    def that_fit(self, declared: frozenset[str]) -> Mapping[Any, Backing]:
        """Return the releases that write nothing into a status but what a CRD declares; the oldest one is always among them."""
        return {
            release: how
            for release, how in self.backing.items()
            if self.later_status(release) <= declared
        }

    def later_status(self, release: Any) -> frozenset[str]:
        """Return the paths of what a release writes into a status and the oldest one does not."""
        if self.status_fields is None:
            return frozenset()
        return self.status_fields(release) - self.status_fields(min(self.backing))

    def named(self, text: str) -> ControllerRelease | None:
        """Return the release with a name as in `0.19`, None where it is not reproduced."""
        return next(
            (each for each in self.reproduced if str(each) == text),
            None,
        )
