# SPDX-License-Identifier: GPL-3.0-or-later
"""Which runtime serves a service, in words of no kind."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from ..kube.manifest import Json
from ..kube.reference import Reference


@dataclass(frozen=True, slots=True)
class Other:
    """A runtime that knows the model's format and does not serve it, and why."""

    kind: str
    name: str
    why: str


@dataclass(frozen=True, slots=True)
class RuntimeChoice:
    """kind, runtime: the one that serves; both empty where none does, and message says why. named: the author names it.

    canary: the name of the canary whose model it is, empty for that of the service itself.
    """

    kind: str
    runtime: str
    named: bool
    others: tuple[Other, ...]
    message: str = ""
    canary: str = ""

    def of(self, service: Reference) -> Json:
        """Return the entry of a result for a service."""
        place = {"namespace": service.namespace, "name": service.name}
        return {**place, **asdict(self), "others": [asdict(each) for each in self.others]}
