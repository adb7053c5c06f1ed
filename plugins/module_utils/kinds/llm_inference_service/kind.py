# SPDX-License-Identifier: GPL-3.0-or-later
"""LLMInferenceService as the rest of the house sees it. Source: KServe pkg/controller/v1alpha2/llmisvc/{workload,controller}.go@v0.17.0."""

from __future__ import annotations

from ..certificates import Certificates
from ..children import ObjectKind
from ..kind import ServiceKind
from ..kserve.installed_release import INSTALLATIONS
from ..kserve.storage.containers import API_VERSION as STORAGE_API_VERSION
from ..kserve.storage.containers import KIND as STORAGE_KIND
from ..kserve.storage.containers import storage_container_schema
from ..release_line import ReleaseLine
from . import labels
from .base_fields import unknown_field
from .certificate.renewal import wanted_certificate
from .checks import CHECKS
from .compile import CHILDREN
from .compile import compile as compile_service
from .conditions.condition_types import ALL as CONDITION_TYPES
from .crd import PLURAL, crd
from .entrance import entrance
from .idle import IDLE
from .normalise import load
from .observe import observe, reconcile_error
from .presets.engine_arguments import changed_by_presets
from .release_detection import made_as, other_release
from .releases import BACKING
from .replaced_lists import replaced
from .router.kinds import GATEWAY, GATEWAY_CLASS, OLD_POOL, POOL, ROUTE
from .router.routing_group import standing
from .schema import preset_schemas, spec_schema
from .settings import Settings, make_settings
from .spec import API_VERSION, CONFIG_KIND, KIND, LlmInferenceService
from .status_schema import status_fields
from .view import view

#: Accounts and their Secrets, configurations of pickers, Services of pools.
_NAMED = tuple(("v1", kind) for kind in ("ServiceAccount", "Secret", "ConfigMap", "Service"))
_CONFIG = ObjectKind(API_VERSION, CONFIG_KIND, common=True)
_STORAGE_CONTAINER = ObjectKind(STORAGE_API_VERSION, STORAGE_KIND, common=True)

LLM_INFERENCE_SERVICE: ServiceKind[LlmInferenceService, Settings] = ServiceKind(
    api_version=API_VERSION,
    kind=KIND,
    plural=PLURAL,
    crd=crd,
    settings=make_settings,
    load=load,
    compile=compile_service,
    view=lambda basis, dummy, manifests: view(basis, manifests),
    own_checks=(*CHECKS, replaced, unknown_field),
    observe=observe,
    entrance=entrance,
    reconcile_error=reconcile_error,
    children=CHILDREN,
    releases=ReleaseLine("kserve", BACKING, made_as, INSTALLATIONS, crd, status_fields),
    looked_up=(*_NAMED, ROUTE.pair, POOL.pair, OLD_POOL.pair),
    reads=(_CONFIG, _STORAGE_CONTAINER, GATEWAY, GATEWAY_CLASS),
    shapes=lambda settings: {
        **preset_schemas(settings.release),
        **storage_container_schema(),
    },
    other_release=other_release,
    changed_by_presets=changed_by_presets,
    standing=standing,
    certificates=Certificates({labels.PART_OF_LABEL: labels.PART_OF}, wanted_certificate),
    pod_labels={labels.PART_OF_LABEL: labels.PART_OF},
    # Guards the picker's ClusterRoleBinding, which no owner reference can.
    finalizers=("serving.kserve.io/llmisvc-finalizer",),
    controller={"control-plane": "llmisvc-controller-manager"},
    field_manager="manager",
    schema=lambda document, settings: spec_schema(
        str(document.get("apiVersion")).rpartition("/")[2], settings.release
    ),
    condition_types=CONDITION_TYPES,
    pod_metadata={
        "labels": "write it in spec.labels, which go to the pods",
        "annotations": "write it in spec.annotations, which go to the pods",
    },
    idle=IDLE,
    # The address has to be there, the status speaks of references once there are routes, and a weight counts as soon as others of its
    # group work.
    unseen=r"spec\.model\.uri|spec\.router\.(route\.http|gateway)\.(refs|spec\.parentRefs)\b.*|spec\.router\.route\.weight",
)
