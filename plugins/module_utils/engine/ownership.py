# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose an object is: looked at before anything is overwritten, pruned or deleted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ..kube import managed_fields
from ..kube.manifest import Json
from ..kube.reference import Reference
from . import FIELD_MANAGER, FLEET_LABEL, OWNER_ANNOTATION
from .desired import owner_value
from .previous_managers import controller_reference


class Owner(Enum):
    """Who an object belongs to, seen from one service."""

    THIS = "this service"
    OTHER_SERVICE = "another service"
    OTHER_FLEET = "another fleet"
    CONTROLLER = "the service's controller"
    OTHER_CONTROLLER = "another controller"
    STRANGER = "somebody else"


@dataclass(frozen=True, slots=True)
class Ownership:
    """Who owns an object, and how to say so."""

    owner: Owner
    text: str

    @property
    def ours(self) -> bool:
        """Whether the service may change and delete the object."""
        return self.owner is Owner.THIS


def ownership(live: Json, service: Reference, fleet: str) -> Ownership:
    """Tell whose an object is.

    Our owner annotation decides, with the fleet label where it is there: a label that somebody took away is drift, not a change of
    owner. Without the annotation the object is a controller's (it has a controller reference) or a stranger's.
    """
    metadata = live["metadata"]
    annotation = (metadata.get("annotations") or {}).get(OWNER_ANNOTATION)
    label = (metadata.get("labels") or {}).get(FLEET_LABEL)
    # Without any record of managers (wiped, restored from a backup) the annotation has to do; a copy that somebody made has one.
    unrecorded = not metadata.get("managedFields")
    if annotation and (unrecorded or managed_fields.apply_entry(live, FIELD_MANAGER) is not None):
        if label not in (None, fleet):
            return Ownership(Owner.OTHER_FLEET, f"it belongs to fleet {label} ({annotation})")
        if annotation != owner_value(service):
            return Ownership(Owner.OTHER_SERVICE, f"it belongs to {_service(annotation)}")
        return Ownership(Owner.THIS, f"it belongs to {service}")
    for reference in metadata.get("ownerReferences") or []:
        if reference.get("controller"):
            ours = controller_reference(live, service) is not None
            return Ownership(
                Owner.CONTROLLER if ours else Owner.OTHER_CONTROLLER,
                f"it belongs to {reference['kind']} {reference['name']} ({_managers(live)})",
            )
    return Ownership(Owner.STRANGER, f"it is not ours ({_managers(live)})")


def _service(annotation: str) -> str:
    kind, _slash, name = annotation.partition("/")
    return f"{kind} {name}"


def _managers(live: Json) -> str:
    """Name who wrote the object, which is what a reader needs to find its owner."""
    names = dict.fromkeys(
        entry.get("manager") or "unknown" for entry in live["metadata"].get("managedFields") or []
    )
    return f"written by {', '.join(names)}" if names else "no field manager is recorded"
