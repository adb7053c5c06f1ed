# SPDX-License-Identifier: GPL-3.0-or-later
"""Rights as roles and bindings, in two groups: what a run asks for, and what its user only has to hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..cluster.kinds import facts
from ..kube import gvk
from ..kube.manifest import Json

Kind = tuple[str, str]
#: Kind, subresource and verbs.
Right = tuple[Kind, str, tuple[str, ...]]
LIST, WATCH = ("list",), ("list", "watch")
WRITE = ("create", "delete", "get", "patch")
_GROUP = "inference.modelops.io/rights"


def rules_of(needs: Iterable[Right], plurals: Mapping[Kind, str] | None = None) -> list[Json]:
    """Return the needs as rules, one for each group and set of verbs. plurals: of kinds that the needs' author knows better."""
    verbs: dict[tuple[str, str], set[str]] = {}
    for (api_version, kind), subresource, wanted in needs:
        plural = (plurals or {}).get((api_version, kind)) or _plural(api_version, kind)
        resource = f"{plural}/{subresource}" if subresource else plural
        verbs.setdefault((api_version.rpartition("/")[0], resource), set()).update(wanted)
    grouped: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (group, resource), asked in verbs.items():
        grouped.setdefault((group, tuple(sorted(asked))), []).append(resource)
    return [
        {"apiGroups": [group], "resources": sorted(resources), "verbs": list(asked)}
        for (group, asked), resources in sorted(grouped.items())
    ]


def _plural(api_version: str, kind: str) -> str:
    """Return the resource of a kind; where it is not known, as Kubernetes itself guesses it."""
    known = facts(api_version, kind)
    if known is not None:
        return known.plural
    lower = kind.lower()
    if lower.endswith("s"):
        return f"{lower}es"
    return f"{lower[:-1]}ies" if lower.endswith("y") else f"{lower}s"


def granted(manifests: Iterable[Json], kind: str) -> list[Json]:
    """Return the rules of the roles among these manifests, each once."""
    rules: list[Json] = []
    for each in manifests:
        if each["kind"] == kind:
            rules += [rule for rule in each.get("rules") or [] if rule not in rules]
    return rules


def both(
    name: str, subject: Json, namespace: str, used: list[Json], held: list[Json]
) -> list[Json]:
    """Return a role with its binding for each group that is not empty."""
    groups = (("used", name, used), ("held", f"{name}-grants", held))
    return [
        each
        for group, called, rules in groups
        if rules
        for each in _role(called, namespace, group, rules, subject)
    ]


def bound(name: str, namespace: str, kind: str, role: str, subject: Json) -> Json:
    """Return a binding to a role that is there already, in the group of what only has to be held."""
    metadata: Json = {"name": name, "labels": {_GROUP: "held"}}
    if namespace:
        metadata["namespace"] = namespace
    return {
        "apiVersion": gvk.RBAC,
        "kind": f"{'' if namespace else 'Cluster'}RoleBinding",
        "metadata": metadata,
        "roleRef": {"apiGroup": gvk.RBAC_GROUP, "kind": kind, "name": role},
        "subjects": [subject],
    }


def _role(name: str, namespace: str, group: str, rules: list[Json], subject: Json) -> list[Json]:
    prefix = "" if namespace else "Cluster"
    metadata: Json = {"name": name, "labels": {_GROUP: group}}
    if namespace:
        metadata["namespace"] = namespace
    reference = {"apiGroup": gvk.RBAC_GROUP, "kind": f"{prefix}Role", "name": name}
    return [
        {"apiVersion": gvk.RBAC, "kind": f"{prefix}Role", "metadata": metadata, "rules": rules},
        {
            "apiVersion": gvk.RBAC,
            "kind": f"{prefix}RoleBinding",
            "metadata": metadata,
            "roleRef": reference,
            "subjects": [subject],
        },
    ]
