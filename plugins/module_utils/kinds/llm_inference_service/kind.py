# SPDX-License-Identifier: GPL-3.0-or-later
"""LLMInferenceService as the rest of the house sees it. Source: KServe pkg/controller/v1alpha2/llmisvc/{workload,controller}.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Iterable

from ...kube import gvk
from ...kube.manifest import Json
from ..certificates import Certificates
from ..kind import ServiceKind
from . import labels
from .advise import advise
from .certificate.renewal import wanted_certificate
from .children.autoscalers import (
    HPA,
    HPA_API,
    KEDA_API,
    SCALED_OBJECT,
    VARIANT,
    VARIANT_API,
)
from .compile import compile as compile_service
from .conditions.workloads import DEPLOYMENT, GROUP
from .conflicts import conflicts
from .crd import PLURAL, crd
from .normalise import load
from .observe import observe, reconcile_error
from .presets.engine_arguments import changed_by_presets
from .release_detection import other_release
from .router.kinds import GATEWAY_API, OLD_POOL_API, POOL_API
from .schema import preset_schemas
from .settings import Settings, make_settings
from .spec import API_VERSION, CONFIG_KIND, KIND, LlmInferenceService

_GATEWAY, _GATEWAY_CLASS = (GATEWAY_API, "Gateway"), (GATEWAY_API, "GatewayClass")
_ROUTE = (GATEWAY_API, "HTTPRoute")
_POOL, _OLD_POOL = (POOL_API, "InferencePool"), (OLD_POOL_API, "InferencePool")
_AUTOSCALERS = ((VARIANT_API, VARIANT), (KEDA_API, SCALED_OBJECT), (HPA_API, HPA))


def _unused_kinds(settings: Settings, live: Iterable[Json]) -> tuple[tuple[str, str], ...]:
    """Return the kinds of autoscalers where no release made any. A service that asks for some may have them from a later release."""
    if settings.release.makes_autoscalers or any(map(_asks_for_scaling, live)):
        return ()
    return _AUTOSCALERS


def _asks_for_scaling(live: Json) -> bool:
    spec = live.get("spec") or {}
    return bool(spec.get("scaling") or (spec.get("prefill") or {}).get("scaling"))


LLM_INFERENCE_SERVICE: ServiceKind[LlmInferenceService, Settings] = ServiceKind(
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
        ("v1", "ServiceAccount"),
        ("v1", "ConfigMap"),
        ("v1", "Secret"),
        ("v1", "Service"),
        DEPLOYMENT,
        GROUP,
        *_AUTOSCALERS,
        (gvk.RBAC, "Role"),
        (gvk.RBAC, "RoleBinding"),
        (gvk.RBAC, "ClusterRoleBinding"),
        _POOL,
        _OLD_POOL,
        _ROUTE,
    ),
    observed_kinds=(
        DEPLOYMENT,
        GROUP,
        (KEDA_API, SCALED_OBJECT),
        (HPA_API, HPA),
        _POOL,
        _OLD_POOL,
        _ROUTE,
    ),
    compared_kinds=(("v1", "Service"), _ROUTE),
    answered_kinds=(_ROUTE,),
    foreign_kinds=(_GATEWAY, _ROUTE, _POOL),
    unused_kinds=_unused_kinds,
    shapes=preset_schemas,
    other_release=other_release,
    changed_by_presets=changed_by_presets,
    common_kinds=((API_VERSION, CONFIG_KIND), _GATEWAY, _GATEWAY_CLASS),
    certificates=Certificates({labels.PART_OF_LABEL: labels.PART_OF}, wanted_certificate),
    pod_labels={labels.PART_OF_LABEL: labels.PART_OF},
    # Guards the picker's ClusterRoleBinding, which no owner reference can.
    finalizers=("serving.kserve.io/llmisvc-finalizer",),
    controller={"control-plane": "llmisvc-controller-manager"},
    field_manager="manager",
)
