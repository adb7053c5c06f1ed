# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that stand on the nodes already: which cache holds a predictor's model.

Source: KServe pkg/apis/serving/v1beta1/inference_service_defaults.go@v0.17.0.
"""

from __future__ import annotations

import dataclasses

from ...kube import gvk
from ...kube.manifest import Json
from ...kube.reader import Reader
from ..kserve.system_config import SystemConfig
from .implementations import storage_uri
from .spec import InferenceService

CACHE_VERSION, CACHE_KIND = gvk.KSERVE_V1ALPHA1, "LocalModelCache"

LABEL = "internal.serving.kserve.io/localmodel"
URI_ANNOTATION = "internal.serving.kserve.io/localmodel-sourceuri"
CLAIM_ANNOTATION = "internal.serving.kserve.io/localmodel-pvc-name"
_OFF = "serving.kserve.io/disable-localmodel"
_NODE_GROUP = "serving.kserve.io/nodegroup"


def with_local_model(
    service: InferenceService, config: SystemConfig, reader: Reader
) -> InferenceService:
    """Return a service with the cache of its model, or without one where there is none. Nothing changes where caches
    are not used or the model has no address."""
    if not config.local_model.enabled or _OFF in service.annotations:
        return service
    uri = storage_uri(service.spec["predictor"], "predictor")
    if uri is None:
        return service
    group = service.annotations.get(_NODE_GROUP)
    caches = sorted(
        reader.list(CACHE_VERSION, CACHE_KIND, "", {}), key=lambda cache: cache["metadata"]["name"]
    )
    found = next((cache for cache in caches if _holds(cache, uri, group)), None)
    labels = {key: value for key, value in service.labels.items() if key != LABEL}
    annotations = {
        key: value
        for key, value in service.annotations.items()
        if key not in (URI_ANNOTATION, CLAIM_ANNOTATION)
    }
    if found is not None:
        name = found["metadata"]["name"]
        labels[LABEL] = name
        annotations[URI_ANNOTATION] = found["spec"]["sourceModelUri"]
        annotations[CLAIM_ANNOTATION] = f"{name}-{group or found['spec']['nodeGroups'][0]}"
    return dataclasses.replace(service, labels=labels, annotations=annotations)


def _holds(cache: Json, uri: str, group: str | None) -> bool:
    """Return whether a cache has a model, or the folder in which it is, on the nodes of a group."""
    spec = cache.get("spec") or {}
    groups = spec.get("nodeGroups") or []
    if not groups or (group is not None and group not in groups):
        return False
    source = str(spec.get("sourceModelUri") or "").rstrip("/")
    return bool(source) and (uri.rstrip("/") == source or uri.startswith(f"{source}/"))
