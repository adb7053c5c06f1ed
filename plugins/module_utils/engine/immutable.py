# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields that the API server never lets change: a difference means that the object has to be made anew, or not at all."""

from __future__ import annotations

from ..kube.canonical import canonical_json
from ..kube.manifest import Json, value_at

#: By kind: the paths that cannot change, and what making the object anew costs.
FIELDS: dict[str, tuple[tuple[str, ...], str]] = {
    "Deployment": (("spec", "selector"), "its pods end and start again"),
    "RoleBinding": (("roleRef",), "the rights are missing for a moment"),
    "ClusterRoleBinding": (("roleRef",), "the rights are missing for a moment"),
}


def immutable_difference(wanted: Json, live: Json) -> str | None:
    """Return how the live object differs in a field that cannot change, None where it does not."""
    if wanted["kind"] not in FIELDS:
        return None
    path, cost = FIELDS[wanted["kind"]]
    ours, theirs = value_at(wanted, path), value_at(live, path)
    if theirs is None or ours == theirs:
        return None
    name = ".".join(path)
    return (
        f"{name} cannot be changed: it is {canonical_json(theirs).decode()} and would have to be "
        f"{canonical_json(ours).decode()}; permit to make it anew with recreate: [{wanted['kind']}] ({cost})"
    )
