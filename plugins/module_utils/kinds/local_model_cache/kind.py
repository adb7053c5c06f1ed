# SPDX-License-Identifier: GPL-3.0-or-later
"""LocalModelCache and LocalModelNamespaceCache as the rest of the house sees them.

Source: KServe pkg/controller/v1alpha1/localmodel/reconcilers/utils.go, cmd/localmodel/main.go@v0.20.0.
"""

from __future__ import annotations

import dataclasses
from functools import partial

from ...kube.definition import plural_of
from ..kind import ServiceKind
from ..kserve.installed_release import INSTALLATIONS
from ..kserve.local_models import API_VERSION, CACHE, NAMESPACE_CACHE
from ..release_line import ReleaseLine
from .checks import CHECKS
from .child_kinds import READS
from .compile import CHILDREN
from .compile import compile as compile_cache
from .crd import crd
from .entrance import entrance
from .input_schemas import shapes
from .normalise import load
from .observe import observe, reconcile_error, says_ready
from .releases import BACKING, NAMESPACE_BACKING
from .remaining_readers import WORKLOADS, still_used
from .schema import spec_at
from .settings import Settings, make_namespace_settings, make_settings
from .spec import LocalModelCache
from .view import view

LOCAL_MODEL_CACHE: ServiceKind[LocalModelCache, Settings] = ServiceKind(
    api_version=API_VERSION,
    kind=CACHE,
    plural=plural_of(CACHE),
    crd=partial(crd, CACHE),
    settings=make_settings,
    load=partial(load, CACHE),
    compile=compile_cache,
    view=lambda basis, dummy, manifests: view(basis, manifests),
    own_checks=CHECKS,
    observe=observe,
    entrance=entrance,
    reconcile_error=reconcile_error,
    children=CHILDREN,
    releases=ReleaseLine("kserve", BACKING, None, INSTALLATIONS),
    reads=READS,
    looked_up=WORKLOADS,
    shapes=lambda dummy: shapes(),
    pod_labels={
        "matchExpressions": [{"key": "batch.kubernetes.io/job-name", "operator": "Exists"}]
    },
    finalizers=("localmodel.kserve.io/finalizer",),
    controller={"control-plane": "kserve-localmodel-controller-manager"},
    field_manager="manager",
    schema=lambda dummy, settings: spec_at(settings.release),
    pod_metadata={
        "labels": "leave it out: the pods that fetch models have no labels of the cache",
        "annotations": "leave it out: the pods that fetch models have no annotations of the cache",
    },
    namespaced=False,
    reaches=True,
    says_ready=says_ready,
    used_by=still_used,
)

LOCAL_MODEL_NAMESPACE_CACHE: ServiceKind[LocalModelCache, Settings] = dataclasses.replace(
    LOCAL_MODEL_CACHE,
    kind=NAMESPACE_CACHE,
    plural=plural_of(NAMESPACE_CACHE),
    crd=partial(crd, NAMESPACE_CACHE),
    settings=make_namespace_settings,
    load=partial(load, NAMESPACE_CACHE),
    releases=ReleaseLine("kserve", NAMESPACE_BACKING, None, INSTALLATIONS),
    finalizers=("localmodelnamespacecache.kserve.io/finalizer",),
    namespaced=True,
)
