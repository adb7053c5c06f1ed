# SPDX-License-Identifier: GPL-3.0-or-later
"""What a service wants to exist: its parent object and its children, each with the stage in which it is applied."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from .manifest import FieldPath, Json, Manifest
from .reference import Reference


class Stage(IntEnum):
    """The order in which children are applied; they are deleted in reverse.

    A token Secret that is sent beside its ServiceAccount is deleted by the token controller, and a RoleBinding before its
    Role is refused for a non-admin: hence accounts and roles come before configuration and bindings.
    """

    NAMESPACE = 0
    PARENT = 1
    ACCESS = 2
    CONFIG = 3
    SERVICE = 4
    CERTIFICATE = 5
    WORKLOAD = 6
    ROUTING = 7


@dataclass(frozen=True, slots=True)
class Child:
    """One object that a service wants.

    unclaimed: fields that are sent on create and never again, because something else may own them (an autoscaler's replicas).
    replaces: objects of the service that cannot exist beside it and are removed before it comes (the autoscaler of another kind).
    shared: the same for several services, of which the first keeps it.
    """

    stage: Stage
    manifest: Manifest
    unclaimed: tuple[FieldPath, ...] = ()
    replaces: tuple[Reference, ...] = ()
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Intent:
    """One service compiled: the custom resource as it is applied, and everything it wants to exist.

    nothing: that it wants no child at all is meant so, and no fault of whoever rendered it.
    basis: what the children were made of, for whoever looks at the service later; its kind alone knows what that is.
    peers: other services of its kind whose status decided.
    of_generation: that children name the generation of the custom resource, which an update of it raises.
    """

    parent: Json
    children: tuple[Child, ...]
    basis: Any = None
    nothing: bool = False
    of_generation: bool = False
    peers: tuple[Reference, ...] = ()

    @property
    def reference(self) -> Reference:
        """The name of the service."""
        return Reference.of(self.parent)


def present(children: Iterable[Child | None]) -> tuple[Child, ...]:
    """Return the children that exist; a builder answers None where its child is not wanted."""
    return tuple(child for child in children if child is not None)
