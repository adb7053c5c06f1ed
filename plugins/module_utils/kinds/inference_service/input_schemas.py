# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of others' objects that an InferenceService is made with, as far as they are read. Source: serving.kserve.io of KServe v0.17.0."""

from __future__ import annotations

from ...kube import gvk
from ...kube.core_schema import string_map
from ...kube.input_schemas import InputSchemas
from ...kube.pod_schema import CONTAINER
from ...kube.schema import Anything, Boolean, Integer, ListOf, Object, QuantityValue, Schema, Text
from ..kserve import local_models
from ..kserve.storage.containers import storage_container_schema
from .child_kinds import TRAINED_MODEL
from .pod_fields import WORKER_POD
from .runtimes.runtime import API_VERSION, CLUSTER, NAMESPACED

_TEXT, _FLAG = Text(), Boolean()
_POD: dict[str, Schema] = {
    **{
        name: WORKER_POD[name]
        for name in (
            *("nodeSelector", "affinity", "tolerations", "volumes", "imagePullSecrets"),
            "resourceClaims",
        )
    },
    "schedulerName": _TEXT,
    "containers": ListOf(items=CONTAINER),
    "labels": string_map(""),
    "annotations": string_map(""),
}
_FORMATS = ListOf(
    items=Object(
        fields={
            "name": _TEXT,
            "version": _TEXT,
            "autoSelect": _FLAG,
            "priority": Integer(minimum=1),
        },
        required=("name",),
    )
)
_WORKERS = Object(
    fields={
        **_POD,
        "pipelineParallelSize": Integer(bits=64),
        "tensorParallelSize": Integer(bits=64),
    }
)
_RUNTIME = Object(
    fields={
        **_POD,
        "supportedModelFormats": _FORMATS,
        "protocolVersions": ListOf(items=_TEXT),
        "multiModel": _FLAG,
        "disabled": _FLAG,
        "workerSpec": _WORKERS,
    }
)
_CACHE = Object(
    fields={"sourceModelUri": _TEXT, "nodeGroups": ListOf(items=_TEXT, min_items=1)},
    required=("nodeGroups", "sourceModelUri"),
)
_CACHES = (local_models.CACHE, local_models.NAMESPACE_CACHE)
_OPEN = Anything(type="object")
_MODEL = Object(
    fields={"storageUri": _TEXT, "framework": _TEXT, "memory": QuantityValue()},
    required=("storageUri", "framework", "memory"),
)
_TRAINED_MODEL = Object(
    fields={"inferenceService": _TEXT, "model": _MODEL}, required=("inferenceService", "model")
)


def shapes() -> InputSchemas:
    """Return the shapes by apiVersion and kind."""
    return {
        (API_VERSION, NAMESPACED): {"spec": _RUNTIME},
        (API_VERSION, CLUSTER): {"spec": _RUNTIME},
        **storage_container_schema(),
        **{(local_models.API_VERSION, kind): {"spec": _CACHE} for kind in _CACHES},
        (gvk.KSERVE_V1BETA1, "InferenceService"): {"status": _OPEN},
        (gvk.KSERVE_V1ALPHA1, TRAINED_MODEL): {"spec": _TRAINED_MODEL},
    }
