# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of Roles and of their bindings, which the children of several kinds hold."""

from __future__ import annotations

from collections.abc import Sequence

from ..kube import gvk
from ..kube.manifest import Json

READ = ("get", "list", "watch")


def rule(groups: Sequence[str], resources: Sequence[str], verbs: Sequence[str] = READ) -> Json:
    """Return a rule on resources of some API groups; the core group is the empty text."""
    return {"apiGroups": list(groups), "resources": list(resources), "verbs": list(verbs)}


def binding_body(kind: str, name: str, *, account: str, namespace: str) -> Json:
    """Return what is in a binding of the named Role or ClusterRole to a ServiceAccount."""
    return {
        "roleRef": {"apiGroup": gvk.RBAC_GROUP, "kind": kind, "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
    }
