# SPDX-License-Identifier: GPL-3.0-or-later
"""Accounts, Roles and bindings of a service, which several children share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....kube import gvk
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ...rbac import binding_body
from ..resolved import Resolved


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
            gvk.RBAC,
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
            gvk.RBAC,
            "RoleBinding",
            name,
            resolved.namespace,
            labels,
            body=binding_body("Role", role, account=account, namespace=resolved.namespace),
        ),
    )
