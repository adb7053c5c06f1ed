# SPDX-License-Identifier: GPL-3.0-or-later
"""API groups and versions that several rooms speak of, each written once."""

from __future__ import annotations

APPS = "apps/v1"
AUTOSCALING = "autoscaling/v2"
RBAC_GROUP = "rbac.authorization.k8s.io"
RBAC = f"{RBAC_GROUP}/v1"
GATEWAY_GROUP = "gateway.networking.k8s.io"
GATEWAY = f"{GATEWAY_GROUP}/v1"
#: InferencePools, in the group of the Gateway API's working group and in the one before it.
POOL_GROUP = "inference.networking.k8s.io"
POOL = f"{POOL_GROUP}/v1"
OLD_POOL_GROUP = "inference.networking.x-k8s.io"
OLD_POOL = f"{OLD_POOL_GROUP}/v1alpha2"
LEADER_WORKER_SET = "leaderworkerset.x-k8s.io/v1"
MONITORING = "monitoring.coreos.com/v1"
ISTIO = "networking.istio.io/v1beta1"
KEDA = "keda.sh/v1alpha1"
KSERVE_V1ALPHA1 = "serving.kserve.io/v1alpha1"
KSERVE_V1BETA1 = "serving.kserve.io/v1beta1"
