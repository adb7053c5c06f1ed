# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of Roles and of their bindings."""

from __future__ import annotations

from collections.abc import Sequence

from ....kube.manifest import Json

RBAC_GROUP = "rbac.authorization.k8s.io"


def rule(group: str, resources: Sequence[str], verbs: Sequence[str]) -> Json:
    """Return a rule on resources of one API group; the core group is the empty text."""
    return {"apiGroups": [group], "resources": list(resources), "verbs": list(verbs)}


def binding_body(kind: str, name: str, *, account: str, namespace: str) -> Json:
    """Return what stands in a binding of the named Role or ClusterRole to a ServiceAccount."""
    return {
        "roleRef": {"apiGroup": RBAC_GROUP, "kind": kind, "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
    }
