# SPDX-License-Identifier: GPL-3.0-or-later
"""What the endpoint picker may do in the whole cluster: ask who reads its metrics, and whether they may."""

from __future__ import annotations

from ....kube import gvk
from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest
from ...rbac import binding_body, rule
from .. import labels, names
from ..settings import Settings
from ..spec import ModelService
from .picker import checks_tokens


def picker_cluster_role(service: ModelService, settings: Settings) -> Child | None:
    """Return the ClusterRole, or None where the picker checks no tokens.

    The last rule is for the reader: Prometheus comes with a token of the picker's own account.
    Source: model-operator internal/modelservice/{epp_rbac,epp_cluster_rbac}.go@v0.9.0-alpha.2.
    """
    if not checks_tokens(service, settings):
        return None
    return Child(
        stage=Stage.ACCESS,
        manifest=Manifest(
            api_version=gvk.RBAC,
            kind="ClusterRole",
            name=names.picker_cluster_role(service.name, service.namespace),
            labels=labels.picker(service.name, settings.operator_version),
            body={
                "rules": [
                    rule(["authentication.k8s.io"], ["tokenreviews"], ["create"]),
                    rule(["authorization.k8s.io"], ["subjectaccessreviews"], ["create"]),
                    {"nonResourceURLs": ["/metrics"], "verbs": ["get"]},
                ]
            },
        ),
    )


def picker_cluster_role_binding(service: ModelService, settings: Settings) -> Child | None:
    """Return the binding of the ClusterRole to the picker's ServiceAccount, or None where there is no ClusterRole."""
    if not checks_tokens(service, settings):
        return None
    name = names.picker_cluster_role(service.name, service.namespace)
    account = names.picker(service.name)
    return Child(
        stage=Stage.CONFIG,
        manifest=Manifest(
            api_version=gvk.RBAC,
            kind="ClusterRoleBinding",
            name=name,
            labels=labels.picker(service.name, settings.operator_version),
            body=binding_body("ClusterRole", name, account=account, namespace=service.namespace),
        ),
    )
