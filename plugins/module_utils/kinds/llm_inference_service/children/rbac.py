# SPDX-License-Identifier: GPL-3.0-or-later
"""Accounts, Roles and bindings that several children share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ..resolved import Resolved

GROUP = "rbac.authorization.k8s.io"
READ = ("get", "list", "watch")


def account(
    resolved: Resolved, name: str, labels: Mapping[str, str], credentials: Json | None = None
) -> Child:
    """Return a ServiceAccount. credentials: what it has of another account, see `accounts.credentials`."""
    given = dict(credentials or {})
    annotations = given.pop("annotations", {})
    return Child(
        stage=Stage.ACCESS,
        manifest=Manifest(
            "v1", "ServiceAccount", name, resolved.namespace, labels, annotations, body=given
        ),
    )


def role(resolved: Resolved, name: str, labels: Mapping[str, str], rules: Sequence[Json]) -> Child:
    """Return a Role."""
    return Child(
        stage=Stage.ACCESS,
        manifest=Manifest(
            f"{GROUP}/v1",
            "Role",
            name,
            resolved.namespace,
            labels,
            body={"rules": list(rules)},
        ),
    )


def role_binding(
    resolved: Resolved, name: str, labels: Mapping[str, str], *, role: str, account: str
) -> Child:
    """Return the binding of a Role to an account of the service's namespace."""
    return Child(
        stage=Stage.CONFIG,
        manifest=Manifest(
            f"{GROUP}/v1",
            "RoleBinding",
            name,
            resolved.namespace,
            labels,
            body=binding("Role", role, account, resolved.namespace),
        ),
    )


def binding(kind: str, role: str, account: str, namespace: str) -> Json:
    """Return what stands in a binding."""
    return {
        "roleRef": {"apiGroup": GROUP, "kind": kind, "name": role},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
    }


def rule(groups: Sequence[str], resources: Sequence[str], verbs: Sequence[str] = READ) -> Json:
    """Return a rule; the core group is the empty text."""
    return {"apiGroups": list(groups), "resources": list(resources), "verbs": list(verbs)}
