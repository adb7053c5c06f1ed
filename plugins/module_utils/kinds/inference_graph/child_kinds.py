# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of what an InferenceGraph consists of and is read from, and what their objects are read for."""

from __future__ import annotations

from ...kube import gvk
from ..children import ObjectKind
from ..kserve.knative.names import KNATIVE_API

DEPLOYMENT = ObjectKind(gvk.APPS, "Deployment", observed=True)
SERVICE = ObjectKind("v1", "Service")
KNATIVE_SERVICE = ObjectKind(KNATIVE_API, "Service", observed=True)
HPA = ObjectKind(gvk.AUTOSCALING, "HorizontalPodAutoscaler")

#: What others keep.
READS = (
    ObjectKind(gvk.KSERVE_V1BETA1, "InferenceService", common=True),
    ObjectKind(gvk.KSERVE_V1ALPHA1, "ServingRuntime", common=True),
    ObjectKind(gvk.KSERVE_V1ALPHA1, "ClusterServingRuntime", common=True),
)
