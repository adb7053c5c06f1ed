# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose an object is that a set wants and that does not carry the set's label: looked at before anything is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from ...cluster.connection import Cluster
from ...kube.applyset import ID_LABEL, part_of
from ...kube.manifest import Json
from ...kube.reference import Reference
from .. import OWNER_ANNOTATION

_RELEASE = "meta.helm.sh/release-name"
_RELEASE_NAMESPACE = "meta.helm.sh/release-namespace"
_MANAGED_BY = "app.kubernetes.io/managed-by"
#: What may be the parent of a set of kubectl.
_PARENTS = (("v1", "ConfigMap"), ("v1", "Secret"))


@dataclass(frozen=True, slots=True)
class Holder:
    """Who has an object. adoptable: whether `adopt` may take it over. text: who that is. advice: what to know after taking over."""

    text: str
    adoptable: bool = True
    advice: str = ""


def holder_of(live: Json, names: Mapping[str, str]) -> Holder:
    """Return who has an object that is not the set's. names: ids of other sets with what their parents are called."""
    metadata = live["metadata"]
    annotations = metadata.get("annotations") or {}
    other = part_of(live)
    if other:
        return Holder(f"it belongs to the set {names.get(other, other)}")
    if release := annotations.get(_RELEASE):
        place = f"{annotations.get(_RELEASE_NAMESPACE) or 'default'}/{release}"
        advice = f"the Helm release {place} still lists it, and would delete it when it is uninstalled: remove that release's record first"
        return Holder(f"it belongs to the Helm release {place}", advice=advice)
    if owner := annotations.get(OWNER_ANNOTATION):
        return Holder(f"it belongs to the service {owner}", adoptable=False)
    for reference in metadata.get("ownerReferences") or []:
        if reference.get("controller"):
            text = f"it belongs to {reference['kind']} {reference['name']}"
            return Holder(text, adoptable=False)
    managed_by = (metadata.get("labels") or {}).get(_MANAGED_BY)
    by = f"; managed by {managed_by}" if managed_by else ""
    return Holder(f"it is not part of this set ({_writers(live)}{by})")


def refusal(reference: Reference, holder: Holder) -> str:
    """Return what to say about an object that may not be taken."""
    way_out = (
        "set adopt: true to take it over, or take it out of the set"
        if holder.adoptable
        else "take it out of the set, or remove it together with its owner"
    )
    return f"{reference} exists already and {holder.text}; {way_out}"


def names_of_sets(cluster: Cluster, ids: frozenset[str]) -> dict[str, str]:
    """Return how the parents of these sets are called, as far as they can be seen."""
    names: dict[str, str] = {}
    for set_id in sorted(ids):
        calls = [
            partial(cluster.list, *kind, selector=f"{ID_LABEL}={set_id}", metadata_only=True)
            for kind in _PARENTS
        ]
        for answer in cluster.parallel(calls):
            if isinstance(answer, Exception):
                continue
            for item in answer.items:
                names[set_id] = f"{Reference.of(item)} ({set_id})"
    return names


def _writers(live: Json) -> str:
    names = dict.fromkeys(
        entry.get("manager") or "unknown" for entry in live["metadata"].get("managedFields") or []
    )
    return f"written by {', '.join(names)}" if names else "no field manager is recorded"
