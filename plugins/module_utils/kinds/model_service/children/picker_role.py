# SPDX-License-Identifier: GPL-3.0-or-later
"""What the endpoint picker may do in the service's namespace."""

from __future__ import annotations

from ....kube import gvk
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ...rbac import binding_body, rule
from .. import labels, names
from ..settings import Settings
from ..spec import ModelService
from .picker import is_replicated

_READ = ("get", "watch", "list")


def picker_role(service: ModelService, settings: Settings) -> Child:
    """Return the picker's Role: it reads pods and pools; several pickers also elect a leader.

    Source: model-operator internal/modelservice/{epp_rbac,epp_cluster_rbac}.go@v0.9.0-alpha.2.
    """
    return Child(
        stage=Stage.ACCESS,
        manifest=Manifest(
            api_version=gvk.RBAC,
            kind="Role",
            name=names.picker(service.name),
            namespace=service.namespace,
            labels=labels.picker(service.name, settings.operator_version),
            body={"rules": _rules(service)},
        ),
    )


def picker_role_binding(service: ModelService, settings: Settings) -> Child:
    """Return the binding of the picker's Role to its ServiceAccount."""
    name = names.picker(service.name)
    return Child(
        stage=Stage.CONFIG,
        manifest=Manifest(
            api_version=gvk.RBAC,
            kind="RoleBinding",
            name=name,
            namespace=service.namespace,
            labels=labels.picker(service.name, settings.operator_version),
            body=binding_body("Role", name, account=name, namespace=service.namespace),
        ),
    )


def _rules(service: ModelService) -> list[Json]:
    rules = [
        rule([""], ["pods"], _READ),
        rule([gvk.OLD_POOL_GROUP], ["inferenceobjectives", "inferencemodelrewrites"], _READ),
        rule([gvk.POOL_GROUP], ["inferencepools"], _READ),
    ]
    if is_replicated(service):
        every = ("get", "list", "watch", "create", "update", "patch", "delete")
        rules += [
            rule(["coordination.k8s.io"], ["leases"], every),
            rule([""], ["events"], ("create", "patch")),
        ]
    return rules
