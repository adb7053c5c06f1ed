# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What every test cluster offers, whether the lab started it or the user brought it."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from . import kubeconfig
from .client import Client, Manifest, wait_until
from .kubeconfig import Access


class Reachable(Protocol):
    """As much of a cluster as a client or a proxy needs."""

    @property
    def access(self) -> Access:
        """How the administrator reaches it."""


class Cluster(Reachable, Protocol):
    """A running cluster, seen by a test."""

    @property
    def kubeconfig(self) -> Path:
        """Its administrator's kubeconfig."""

    @property
    def client(self) -> Client:
        """The administrator's plain client."""

    @property
    def audit_log(self) -> Path | None:
        """The audit log, where the lab can read it."""

    def user_kubeconfig(
        self, user: str, groups: Sequence[str] = (), namespace: str = "default"
    ) -> Path:
        """A kubeconfig for a user known by a client certificate. Rights come from RoleBindings, see `grant`."""

    def service_account_kubeconfig(self, name: str, namespace: str, seconds: int = 3600) -> Path:
        """A kubeconfig for a ServiceAccount, which is made if need be, with a token that runs out."""


def service_account_access(cluster: Cluster, name: str, namespace: str, seconds: int) -> Access:
    """Make the ServiceAccount if need be, and ask for a token."""
    client = cluster.client
    account = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": name, "namespace": namespace},
    }
    client.apply(account)
    path = client.path("v1", "ServiceAccount", namespace, name) + "/token"
    request = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"expirationSeconds": seconds},
    }
    token = client.request("POST", path, body=request)["status"]["token"]
    return Access(cluster.access.server, cluster.access.authority, token=token)


def grant(
    cluster: Cluster,
    subject: str,
    rules: Sequence[Manifest],
    namespace: str = "",
) -> None:
    """Give a user (`ann`) or a ServiceAccount (`team-a/robot`) the rights of RBAC rules, in one namespace or in all.

    Returns when the API server knows of the last rule.
    """
    owner, dummy, account = subject.rpartition("/")
    who = (
        {"kind": "ServiceAccount", "namespace": owner, "name": account}
        if owner
        else {"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": subject}
    )
    prefix = "" if namespace else "Cluster"
    metadata = {
        "name": f"lab-{uuid.uuid4().hex[:10]}",
        **({"namespace": namespace} if namespace else {}),
    }
    common = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": metadata}
    role = {
        "apiGroup": "rbac.authorization.k8s.io",
        "kind": f"{prefix}Role",
        "name": metadata["name"],
    }
    cluster.client.apply({**common, "kind": f"{prefix}Role", "rules": list(rules)})
    cluster.client.apply(
        {**common, "kind": f"{prefix}RoleBinding", "roleRef": role, "subjects": [who]}
    )
    user = f"system:serviceaccount:{owner}:{account}" if owner else subject
    review = _review(user, rules[-1], namespace)

    def allowed() -> tuple[bool, Manifest]:
        path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
        answer: Manifest = cluster.client.request("POST", path, body=review)
        return bool(answer["status"].get("allowed")), answer["status"]

    wait_until(allowed, f"{subject} to have the rights")


def _review(user: str, rule: Manifest, namespace: str) -> Manifest:
    """Return the question whether a user may do the first thing that a rule allows."""
    resource, dummy, subresource = str(rule["resources"][0]).partition("/")
    what = {
        "namespace": namespace,
        "verb": rule["verbs"][0],
        "group": rule["apiGroups"][0],
        "resource": resource,
        "subresource": subresource,
        "name": (rule.get("resourceNames") or [""])[0],
    }
    groups = ["system:serviceaccounts"] if user.startswith("system:serviceaccount:") else []
    return {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": user, "groups": groups, "resourceAttributes": what},
    }


def write_kubeconfig(folder: Path, label: str, access: Access, namespace: str) -> Path:
    """Write a minted kubeconfig under a name of its own."""
    path = folder / f"{label.replace('/', '_').replace(':', '_')}-{uuid.uuid4().hex[:8]}.kubeconfig"
    return kubeconfig.write(path, access, context=label, namespace=namespace)
