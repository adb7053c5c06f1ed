# SPDX-License-Identifier: GPL-3.0-or-later
"""From one ModelService to everything it wants to exist."""

from __future__ import annotations

from typing import Protocol

from ...kube import gvk
from ...kube.intent import Child, Intent, present
from ...kube.reader import Reader
from ..children import Children, Made, ObjectKind
from ..peers import NOBODY, Peers
from .children.decode_deployment import decode_deployment
from .children.destination_rule import destination_rule
from .children.http_route import http_route
from .children.inference_pool import inference_pool
from .children.picker_cluster_role import picker_cluster_role, picker_cluster_role_binding
from .children.picker_config import picker_config
from .children.picker_deployment import picker_deployment
from .children.picker_role import picker_role, picker_role_binding
from .children.picker_secret import picker_secret
from .children.picker_service import picker_service
from .children.picker_service_account import picker_service_account
from .children.pod_monitor import decode_pod_monitor, prefill_pod_monitor
from .children.prefill_deployment import prefill_deployment
from .children.service_monitor import service_monitor
from .settings import Settings
from .spec import ModelService


class Builder(Protocol):
    """Makes a child, or none where the service has none of it."""

    def __call__(self, service: ModelService, settings: Settings, /) -> Child | None:
        """Return the child."""


_RBAC, _MONITORING = gvk.RBAC, gvk.MONITORING
_DEPLOYMENT = ObjectKind(gvk.APPS, "Deployment", observed=True)
_POOL = ObjectKind(gvk.POOL, "InferencePool", observed=True)
_ROUTE = ObjectKind(gvk.GATEWAY, "HTTPRoute", observed=True)
_POD_MONITOR = ObjectKind(_MONITORING, "PodMonitor")

#: Every child that a service can have, in the order in which the operator makes them.
CHILDREN: Children[Builder] = Children(
    Made(decode_deployment, _DEPLOYMENT),
    Made(prefill_deployment, _DEPLOYMENT),
    Made(picker_service_account, ObjectKind("v1", "ServiceAccount")),
    Made(picker_config, ObjectKind("v1", "ConfigMap")),
    Made(picker_deployment, _DEPLOYMENT),
    Made(picker_service, ObjectKind("v1", "Service")),
    Made(picker_secret, ObjectKind("v1", "Secret")),
    Made(picker_role, ObjectKind(_RBAC, "Role")),
    Made(picker_role_binding, ObjectKind(_RBAC, "RoleBinding")),
    Made(picker_cluster_role, ObjectKind(_RBAC, "ClusterRole")),
    Made(picker_cluster_role_binding, ObjectKind(_RBAC, "ClusterRoleBinding")),
    Made(inference_pool, _POOL),
    Made(http_route, _ROUTE),
    Made(destination_rule, ObjectKind(gvk.ISTIO, "DestinationRule")),
    Made(decode_pod_monitor, _POD_MONITOR),
    Made(prefill_pod_monitor, _POD_MONITOR),
    Made(service_monitor, ObjectKind(_MONITORING, "ServiceMonitor")),
)


def compile(  # noqa: A001
    service: ModelService,
    settings: Settings,
    reader: Reader,  # noqa: ARG001
    peers: Peers = NOBODY,  # noqa: ARG001
) -> Intent:
    """Return the service's intent.

    reader: not asked, since no child of a ModelService depends on what is in the cluster; other kinds need it.
    """
    children = present(build(service, settings) for build in CHILDREN.at(settings.release))
    return Intent(parent=service.document, children=children, basis=service)
