# SPDX-License-Identifier: GPL-3.0-or-later
"""InferenceService as the rest of the house sees it.

Source: KServe pkg/constants/constants.go, pkg/controller/v1beta1/inferenceservice/reconcilers/raw/raw_kube_reconciler.go@v0.17.0.
"""

from __future__ import annotations

from ..kind import ServiceKind
from ..kserve.installed_release import INSTALLATIONS
from ..release_line import ReleaseLine
from .canary_checks import CHECKS as CANARY_CHECKS
from .checks import CHECKS
from .child_kinds import READS
from .compile import CHILDREN
from .compile import compile as compile_service
from .conditions.types import ALL as CONDITION_TYPES
from .crd import PLURAL, crd
from .entrance import entrance
from .idle import IDLE
from .input_schemas import shapes
from .judged_objects import judged_objects
from .labels import SERVICE
from .normalise import load
from .observe import observe, reconcile_error
from .releases import BACKING
from .runtimes.choice import runtime_choices
from .schema import spec_schema
from .settings import Settings, make_settings
from .spec import API_VERSION, KIND, InferenceService
from .trained_model_checks import CHECKS as MODEL_CHECKS
from .view import view

INFERENCE_SERVICE: ServiceKind[InferenceService, Settings] = ServiceKind(
    api_version=API_VERSION,
    kind=KIND,
    plural=PLURAL,
    crd=crd,
    settings=make_settings,
    load=load,
    compile=compile_service,
    view=lambda basis, dummy, manifests: view(basis, manifests),
    own_checks=(*CHECKS, *MODEL_CHECKS, *CANARY_CHECKS),
    observe=observe,
    entrance=entrance,
    runtimes=runtime_choices,
    judged=judged_objects,
    reconcile_error=reconcile_error,
    children=CHILDREN,
    releases=ReleaseLine("kserve", BACKING, None, INSTALLATIONS, crd),
    reads=READS,
    looked_up=(("v1", "ServiceAccount"), ("v1", "Secret"), ("v1", "ConfigMap")),
    shapes=lambda dummy: shapes(),
    pod_labels={"matchExpressions": [{"key": SERVICE, "operator": "Exists"}]},
    finalizers=("inferenceservice.finalizers",),
    controller={"control-plane": "kserve-controller-manager"},
    field_manager="manager",
    schema=lambda dummy, settings: spec_schema(settings.release),
    condition_types=CONDITION_TYPES,
    pod_metadata={
        "labels": "write it in the labels of the component, for example spec.predictor.labels",
        "annotations": "write it in the annotations of the component, for example spec.predictor.annotations",
    },
    idle=IDLE,
    # KServe's pod webhook reads a logger from the service; a canary begins with the second version.
    unseen=r"spec\.[a-z]+\.(logger\..+|canaryTrafficPercent)",
)
