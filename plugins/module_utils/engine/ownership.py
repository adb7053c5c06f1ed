# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose an object is: looked at before anything is overwritten, pruned or deleted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from ..kube import managed_fields
from ..kube.applyset import part_of
from ..kube.manifest import Json
from ..kube.reference import Reference
from . import FIELD_MANAGER, FLEET_LABEL, OWNER_ANNOTATION
from .desired import owner_value
from .previous_managers import controller_reference

_RELEASE = "meta.helm.sh/release-name"
_RELEASE_NAMESPACE = "meta.helm.sh/release-namespace"
_MANAGED_BY = "app.kubernetes.io/managed-by"


class Owner(Enum):
    """Who an object belongs to, seen from one service or one set."""

    THIS = "this service or set"
    OTHER_SERVICE = "another service"
    OTHER_FLEET = "another fleet"
    OTHER_SET = "another set"
    HELM = "a Helm release"
    CONTROLLER = "the service's controller"
    OTHER_CONTROLLER = "another controller"
    STRANGER = "somebody else"


#: From whom `adopt` takes an object over.
_ADOPTABLE = frozenset({Owner.CONTROLLER, Owner.OTHER_SET, Owner.HELM, Owner.STRANGER})


@dataclass(frozen=True, slots=True)
class Ownership:
    """Who owns an object, and how to say so. advice: what to know once it was taken over."""

    owner: Owner
    text: str
    advice: str = ""

    @property
    def ours(self) -> bool:
        """Whether the service or set may change and delete the object."""
        return self.owner is Owner.THIS

    @property
    def adoptable(self) -> bool:
        """Whether it may be taken over where that is permitted."""
        return self.owner in _ADOPTABLE


def ownership(live: Json, service: Reference, fleet: str) -> Ownership:
    """Tell whose an object is, seen from a service.

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
    if controller := _controller(live):
        ours = controller_reference(live, service) is not None
        owner = Owner.CONTROLLER if ours else Owner.OTHER_CONTROLLER
        return Ownership(owner, f"it belongs to {controller} ({_writers(live)})")
    return Ownership(Owner.STRANGER, f"it is not ours ({_writers(live)})")


def set_ownership(live: Json, set_id: str, names: Mapping[str, str]) -> Ownership:
    """Tell whose an object is, seen from a set: its label decides. names: what the parents of other sets are called, by id."""
    metadata = live["metadata"]
    annotations = metadata.get("annotations") or {}
    if other := part_of(live):
        if other == set_id:
            return Ownership(Owner.THIS, "it belongs to this set")
        return Ownership(Owner.OTHER_SET, f"it belongs to the set {names.get(other, other)}")
    if release := annotations.get(_RELEASE):
        place = f"{annotations.get(_RELEASE_NAMESPACE) or 'default'}/{release}"
        advice = f"the Helm release {place} still lists it, and would delete it when it is uninstalled: remove that release's record first"
        return Ownership(Owner.HELM, f"it belongs to the Helm release {place}", advice)
    if owner := annotations.get(OWNER_ANNOTATION):
        return Ownership(Owner.OTHER_SERVICE, f"it belongs to {_service(owner)}")
    if controller := _controller(live):
        return Ownership(Owner.OTHER_CONTROLLER, f"it belongs to {controller}")
    managed_by = (metadata.get("labels") or {}).get(_MANAGED_BY)
    by = f"; managed by {managed_by}" if managed_by else ""
    return Ownership(Owner.STRANGER, f"it is not part of this set ({_writers(live)}{by})")


def _controller(live: Json) -> str:
    """Return kind and name of the controller that an object names, empty where it names none."""
    for reference in live["metadata"].get("ownerReferences") or []:
        if reference.get("controller"):
            return f"{reference['kind']} {reference['name']}"
    return ""


def _service(annotation: str) -> str:
    kind, _slash, name = annotation.partition("/")
    # A service of the whole cluster has no namespace before its name.
    return f"{kind} {name.removeprefix('/')}"


def _writers(live: Json) -> str:
    """Name who wrote the object, which is what a reader needs to find its owner."""
    names = dict.fromkeys(
        entry.get("manager") or "unknown" for entry in live["metadata"].get("managedFields") or []
    )
    return f"written by {', '.join(names)}" if names else "no field manager is recorded"
