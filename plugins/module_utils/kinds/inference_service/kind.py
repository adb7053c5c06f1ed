# SPDX-License-Identifier: GPL-3.0-or-later
"""InferenceService as the rest of the house sees it.

Source: KServe pkg/constants/constants.go, pkg/controller/v1beta1/inferenceservice/reconcilers/raw/raw_kube_reconciler.go@v0.17.0.
"""

from __future__ import annotations

from ...kube import gvk
from ..kind import ServiceKind
from .advise import advise
from .compile import compile as compile_service
from .conflicts import conflicts
from .crd import PLURAL, crd
from .input_schemas import shapes
from .knative import KNATIVE_API
from .labels import SERVICE
from .local_model import CACHE_KIND, CACHE_VERSION
from .normalise import load
from .observe import observe, reconcile_error
from .settings import Settings, make_settings
from .spec import API_VERSION, KIND, InferenceService

_CONFIG_MAP, _SERVICE = ("v1", "ConfigMap"), ("v1", "Service")
_DEPLOYMENT = (gvk.APPS, "Deployment")
_KNATIVE_SERVICE = (KNATIVE_API, "Service")
_GATEWAY = (gvk.GATEWAY, "Gateway")
_ROUTE = (gvk.GATEWAY, "HTTPRoute")

INFERENCE_SERVICE: ServiceKind[InferenceService, Settings] = ServiceKind(
    api_version=API_VERSION,
    kind=KIND,
    plural=PLURAL,
    crd=crd,
    settings=make_settings,
    load=load,
    compile=compile_service,
    advise=advise,
    conflicts=conflicts,
    observe=observe,
    reconcile_error=reconcile_error,
    child_kinds=(
        _CONFIG_MAP,
        _SERVICE,
        _DEPLOYMENT,
        (gvk.AUTOSCALING, "HorizontalPodAutoscaler"),
        (gvk.KEDA, "ScaledObject"),
        ("opentelemetry.io/v1beta1", "OpenTelemetryCollector"),
        ("networking.k8s.io/v1", "Ingress"),
        _ROUTE,
        _KNATIVE_SERVICE,
        (gvk.ISTIO, "VirtualService"),
    ),
    observed_kinds=(_DEPLOYMENT, _SERVICE, _ROUTE, _KNATIVE_SERVICE),
    compared_kinds=(_KNATIVE_SERVICE, _CONFIG_MAP),
    foreign_kinds=(_GATEWAY,),
    shapes=shapes,
    common_kinds=(
        (gvk.KSERVE_V1ALPHA1, "ServingRuntime"),
        (gvk.KSERVE_V1ALPHA1, "ClusterServingRuntime"),
        (gvk.KSERVE_V1ALPHA1, "ClusterStorageContainer"),
        (CACHE_VERSION, CACHE_KIND),
        _GATEWAY,
    ),
    pod_labels={"matchExpressions": [{"key": SERVICE, "operator": "Exists"}]},
    finalizers=("inferenceservice.finalizers",),
    controller={"control-plane": "kserve-controller-manager"},
    field_manager="manager",
)
