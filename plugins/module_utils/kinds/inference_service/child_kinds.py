# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of what an InferenceService consists of and is read from, and what their objects are read for."""

from __future__ import annotations

from ...kube import gvk
from ...kube.condition import GATEWAY_GROUP
from ..children import ObjectKind
from ..kserve.knative.names import KNATIVE_API
from ..kserve.local_models import API_VERSION, CACHE, NAMESPACE_CACHE

CONFIG_MAP = ObjectKind("v1", "ConfigMap", compared=True)
SERVICE = ObjectKind("v1", "Service", observed=True)
#: A canary gets requests, and its predictor gives pods up, once its own Deployment has some.
DEPLOYMENT = ObjectKind(gvk.APPS, "Deployment", observed=True, compared=True, answered=True)
HPA = ObjectKind(gvk.AUTOSCALING, "HorizontalPodAutoscaler")
SCALED_OBJECT = ObjectKind(gvk.KEDA, "ScaledObject")
COLLECTOR = ObjectKind("opentelemetry.io/v1beta1", "OpenTelemetryCollector")
INGRESS = ObjectKind("networking.k8s.io/v1", "Ingress")
ROUTE = ObjectKind(f"{GATEWAY_GROUP}/v1", "HTTPRoute", observed=True)
KNATIVE_SERVICE = ObjectKind(KNATIVE_API, "Service", observed=True, compared=True)
VIRTUAL_SERVICE = ObjectKind(gvk.ISTIO, "VirtualService")

TRAINED_MODEL = "TrainedModel"
#: What others keep.
READS = (
    ObjectKind(gvk.KSERVE_V1ALPHA1, "ServingRuntime", common=True),
    ObjectKind(gvk.KSERVE_V1ALPHA1, "ClusterServingRuntime", common=True),
    ObjectKind(gvk.KSERVE_V1ALPHA1, "ClusterStorageContainer", common=True),
    ObjectKind(gvk.KSERVE_V1ALPHA1, TRAINED_MODEL, common=True),
    ObjectKind(API_VERSION, CACHE, common=True),
    ObjectKind(API_VERSION, NAMESPACE_CACHE, common=True),
    ObjectKind(f"{GATEWAY_GROUP}/v1", "Gateway", foreign=True, common=True),
)
