# SPDX-License-Identifier: GPL-3.0-or-later
"""ModelService as the rest of the house sees it."""

from __future__ import annotations

from ..kind import ServiceKind
from ..release_line import ReleaseLine
from . import labels
from .compile import CHILDREN
from .compile import compile as compile_service
from .crd import PLURAL, crd
from .entrance import entrance
from .idle import IDLE
from .normalise import load
from .observe import CONDITION_TYPES, observe, reconcile_error
from .releases import BACKING
from .schema import spec_schema
from .settings import Settings, make_settings
from .spec import API_VERSION, KIND, ModelService
from .view import view

MODEL_SERVICE: ServiceKind[ModelService, Settings] = ServiceKind(
    api_version=API_VERSION,
    kind=KIND,
    plural=PLURAL,
    crd=crd,
    settings=make_settings,
    load=load,
    compile=compile_service,
    view=view,
    observe=observe,
    entrance=entrance,
    reconcile_error=reconcile_error,
    children=CHILDREN,
    releases=ReleaseLine("model_operator", BACKING),
    pod_labels={
        "app.kubernetes.io/part-of": labels.PART_OF,
        "app.kubernetes.io/managed-by": labels.MANAGED_BY,
    },
    # Guards the picker's cluster-scoped roles; only model-operator takes it away.
    finalizers=("model.otterscale.io/epp-cluster-rbac",),
    controller={"control-plane": "controller-manager", "app.kubernetes.io/name": "model-operator"},
    field_manager="manager",
    schema=lambda dummy, settings: spec_schema(settings.release),
    condition_types=CONDITION_TYPES,
    pod_metadata={
        "labels": "leave it out: model-operator gives pods no other labels than its own",
        "annotations": "write it in spec.decode.annotations, and in spec.prefill.annotations",
    },
    idle=IDLE,
)
