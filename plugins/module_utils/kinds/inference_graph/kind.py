# SPDX-License-Identifier: GPL-3.0-or-later
"""InferenceGraph as the rest of the house sees it.

Source: KServe pkg/constants/constants.go, pkg/controller/v1alpha1/inferencegraph/controller.go@v0.17.0.
"""

from __future__ import annotations

from ..kind import ServiceKind
from ..kserve.installed_release import INSTALLATIONS
from ..release_line import ReleaseLine
from .checks import CHECKS
from .child_kinds import READS
from .compile import CHILDREN
from .compile import compile as compile_graph
from .crd import PLURAL, crd
from .entrance import entrance
from .input_schemas import shapes
from .labels import GRAPH
from .normalise import load
from .observe import CONDITION_TYPES, observe, reconcile_error
from .releases import BACKING
from .resolve import leads_to
from .schema import SPEC
from .settings import Settings, make_settings
from .spec import API_VERSION, KIND, InferenceGraph
from .view import view

INFERENCE_GRAPH: ServiceKind[InferenceGraph, Settings] = ServiceKind(
    api_version=API_VERSION,
    kind=KIND,
    plural=PLURAL,
    crd=crd,
    settings=make_settings,
    load=load,
    compile=compile_graph,
    view=lambda basis, dummy, manifests: view(basis, manifests),
    own_checks=CHECKS,
    observe=observe,
    entrance=entrance,
    reconcile_error=reconcile_error,
    children=CHILDREN,
    releases=ReleaseLine("kserve", BACKING, None, INSTALLATIONS),
    reads=READS,
    shapes=lambda dummy: shapes(),
    pod_labels={"matchExpressions": [{"key": GRAPH, "operator": "Exists"}]},
    finalizers=(),
    controller={"control-plane": "kserve-controller-manager"},
    field_manager="manager",
    schema=lambda *dummy: SPEC,
    condition_types=CONDITION_TYPES,
    leads_to=leads_to,
    pod_metadata={
        "labels": "leave it out: the router's pods have the labels of the graph",
        "annotations": "leave it out: the router's pods have the annotations of the graph",
    },
)
