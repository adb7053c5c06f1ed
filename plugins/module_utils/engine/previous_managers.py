# SPDX-License-Identifier: GPL-3.0-or-later
"""Who wrote an object before it was ours: its controller, known by what only a controller writes, and people's tools."""

from __future__ import annotations

from ..kube import managed_fields
from ..kube.manifest import Json, value_at
from ..kube.reference import Reference
from . import FIELD_MANAGER

#: Field managers of tools with which people write objects, of writes before managers were recorded, and of the server's sum of old ones.
TOOLS = frozenset(
    {
        "OpenAPI-Generator",
        "ancient-changes",
        "before-first-apply",
        "kubectl",
        "kubectl-client-side-apply",
        "kubectl-create",
        "kubectl-edit",
        "kubectl-patch",
        "kubectl-replace",
        "kubectl-set",
    }
)
#: Field managers of tools that apply whole manifests; those of sets begin like the last.
_APPLIERS = frozenset({"before-first-apply", "helm", "Helm", "kubectl-client-side-apply"})
_SETS = f"{FIELD_MANAGER}.applyset."


def entries(live: Json | None) -> list[Json]:
    """Return the managed fields of an object, entry by entry; none where it is not there."""
    return list(((live or {}).get("metadata") or {}).get("managedFields") or [])


def controller_reference(live: Json, service: Reference) -> Json | None:
    """Return the controller reference of an object where it names the service, of whatever uid."""
    for reference in live["metadata"].get("ownerReferences") or []:
        if reference.get("controller"):
            group = str(reference["apiVersion"]).rpartition("/")[0]
            names = (group, reference["kind"], reference["name"])
            return reference if names == (service.group, service.kind, service.name) else None
    return None


def controllers(parent: Json | None, service: Reference, live: Json | None = None) -> set[str]:
    """Return the field managers of a service's controller: who wrote the parent's status, or an object's reference to the service.

    A manager is named after its program, which each user may build under another name; so it is seen, not known.
    """
    found = {
        str(entry.get("manager"))
        for entry in entries(parent)
        if entry.get("subresource") == "status"
    }
    reference = controller_reference(live, service) if live else None
    if reference is not None:
        found |= {
            str(entry.get("manager"))
            for entry in entries(live)
            if _owns_reference(entry.get("fieldsV1") or {}, reference["uid"])
        }
    return found - {FIELD_MANAGER}


def _owns_reference(fields: Json, uid: str) -> bool:
    owned = value_at(fields, ("f:metadata", "f:ownerReferences")) or {}
    return any(key.get("uid") == uid for key, dummy in managed_fields.items(owned))


def wrote_before(entry: Json, live: Json, parent: Json | None, service: Reference) -> bool:
    """Tell whether an entry of an object is of a predecessor. What a status or a scale holds never is."""
    return not entry.get("subresource") and (
        entry.get("manager") in TOOLS | controllers(parent, service, live)
    )


def applied_before(entry: Json, own: str) -> bool:
    """Tell whether an entry of an object is of another tool that applied it whole. own: the manager of the set that takes it over."""
    manager = str(entry.get("manager"))
    if entry.get("subresource") or manager == own:
        return False
    return manager in _APPLIERS or manager.startswith(_SETS)


def held_by_controller(live: Json, parent: Json | None, service: Reference) -> bool:
    """Tell whether the service's controller owns fields of an object beside its status."""
    managers = controllers(parent, service)
    return any(
        entry.get("manager") in managers and not entry.get("subresource") for entry in entries(live)
    )
