# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that are on the nodes already: which cache holds a predictor's model.

Source: KServe pkg/apis/serving/v1beta1/inference_service_defaults.go@v0.17.0, @v0.19.0.
"""

from __future__ import annotations

import dataclasses

from ...kube.reader import Reader
from ...kube.release import Since
from ..kserve.local_models import GROUP_ANNOTATION, OFF_ANNOTATION, local_model, without_marks
from ..kserve.releases import KServe
from ..kserve.system_config import SystemConfig
from .implementations import storage_uri
from .spec import InferenceService

#: Whether a service keeps what it carries of a cache while caches are not used.
_KEEPS_MARKS: Since[bool] = Since({KServe.V0_17: True, KServe.V0_18: False})


def with_local_model(
    service: InferenceService, config: SystemConfig, release: KServe, reader: Reader
) -> InferenceService:
    """Return a service with the cache of its model, or without one where there is none. Nothing changes where the model has
    no address."""
    used = config.local_model.enabled and OFF_ANNOTATION not in service.annotations
    uri = storage_uri(service.spec["predictor"], "predictor")
    if uri is None or (not used and _KEEPS_MARKS.at(release)):
        return service
    group = service.annotations.get(GROUP_ANNOTATION)
    found = local_model(uri, group, service.namespace, release, reader) if used else None
    labels, annotations = without_marks(service.labels), without_marks(service.annotations)
    if found is not None:
        labels |= found.labels
        annotations |= found.annotations
    return dataclasses.replace(service, labels=labels, annotations=annotations)
