# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of the children of an LLMInferenceService that no file of theirs has to itself, and what they are read for."""

from __future__ import annotations

from ...kube import gvk, leader_worker_set
from ..children import ObjectKind

CONFIG_MAP = ObjectKind("v1", "ConfigMap")
SECRET = ObjectKind("v1", "Secret")
SERVICE = ObjectKind("v1", "Service", compared=True)
SERVICE_ACCOUNT = ObjectKind("v1", "ServiceAccount")
ROLE = ObjectKind(gvk.RBAC, "Role")
ROLE_BINDING = ObjectKind(gvk.RBAC, "RoleBinding")
CLUSTER_ROLE_BINDING = ObjectKind(gvk.RBAC, "ClusterRoleBinding")
DEPLOYMENT = ObjectKind(gvk.APPS, "Deployment", observed=True)
RESOURCE_CLAIM_TEMPLATE = ObjectKind("resource.k8s.io/v1", "ResourceClaimTemplate")
GROUP = ObjectKind(leader_worker_set.API_VERSION, leader_worker_set.KIND, observed=True)
