# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields that the API server never lets change: a difference means that the object has to be made anew, or not at all."""

from __future__ import annotations

from ..cluster.errors import Invalid
from ..kube.canonical import canonical_json
from ..kube.manifest import Json, value_at

#: Paths that cannot change, by kind: they are compared before any write.
FIELDS: dict[str, tuple[str, ...]] = {
    "Deployment": ("spec", "selector"),
    "RoleBinding": ("roleRef",),
    "ClusterRoleBinding": ("roleRef",),
}

#: The kinds of which an object may be made anew, and what that costs. What holds data, other objects or other kinds
#: (a PersistentVolumeClaim, a Namespace, a CustomResourceDefinition) is never among them.
COSTS: dict[str, str] = {
    "ClusterRoleBinding": "the rights are missing for a moment",
    "ConfigMap": "pods that start meanwhile wait for it",
    "Deployment": "its pods end and start again",
    "RoleBinding": "the rights are missing for a moment",
    "Secret": "pods that start meanwhile wait for it, and a token in it is another one",
    "Service": "it gets another address, and connections break",
}


def immutable_field(wanted: Json, live: Json) -> str | None:
    """Return how the live object differs in a field that cannot change, None where it does not."""
    kind = wanted["kind"]
    if kind not in FIELDS:
        return None
    path = FIELDS[kind]
    ours, theirs = value_at(wanted, path), value_at(live, path)
    if theirs is None or ours == theirs:
        return None
    return (
        f"{'.'.join(path)} cannot be changed: it is {canonical_json(theirs).decode()} and would have to be "
        f"{canonical_json(ours).decode()}"
    )


def refused_change(kind: str, error: Invalid) -> str:
    """Return what to do where the server refuses a change of an object that it would take if it were made anew."""
    fields = ", ".join(dict.fromkeys(cause.field for cause in error.details if cause.field))
    what = f"{fields} cannot be changed" if fields else "it cannot be changed so"
    return (
        f"{what} ({error.message}), but the API server would accept a new object; {made_anew(kind)}"
    )


def made_anew(kind: str) -> str:
    """Return how an object of a kind may be made anew, and what that costs."""
    if kind in COSTS:
        return f"to delete it and create it again, set recreate: [{kind}] ({COSTS[kind]})"
    return f"a {kind} is never deleted and created again by this collection: change it by hand"
