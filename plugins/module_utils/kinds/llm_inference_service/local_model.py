# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that are on the nodes already: which cache holds the model of a service.

Source: KServe pkg/webhook/admission/llminferenceservice/defaulter.go@v0.19.0.
"""

from __future__ import annotations

import dataclasses

from ...kube.manifest import value_at
from ...kube.reader import Reader
from ...kube.release import Since
from ..kserve.local_models import (
    CLAIM_ANNOTATION,
    GROUP_ANNOTATION,
    LABEL,
    OFF_ANNOTATION,
    URI_ANNOTATION,
    in_claim,
    local_model,
    storage_key,
    without_marks,
)
from ..kserve.releases import KServe
from .settings import Settings
from .spec import LlmInferenceService
from .system_config import SystemConfig

#: Whether caches are looked for. Before, labels of that name are anybody's.
READS_CACHES: Since[bool] = Since({KServe.V0_17: False, KServe.V0_19: True})


def with_local_model(
    service: LlmInferenceService, config: SystemConfig, settings: Settings, reader: Reader
) -> LlmInferenceService:
    """Return a service with the cache of its model, or without one where there is none."""
    if not READS_CACHES.at(settings.release):
        return service
    used = config.local_models and OFF_ANNOTATION not in service.annotations
    uri = str(value_at(service.spec, ("model", "uri")) or "")
    if used and not uri:
        return service
    group = service.annotations.get(GROUP_ANNOTATION)
    place = service.namespace
    found = local_model(uri, group, place, settings.release, reader) if used else None
    labels, annotations = without_marks(service.labels), without_marks(service.annotations)
    if found is not None:
        labels |= found.labels
        annotations |= found.annotations
    return dataclasses.replace(service, labels=labels, annotations=annotations)


def address(service: LlmInferenceService, uri: str, release: KServe) -> str:
    """Return where a service's model is read: in the claim of its cache where it has one, else where its author says.

    uri: as its author says. service: with the cache.
    """
    if not READS_CACHES.at(release) or LABEL not in service.labels:
        return uri
    source = service.annotations.get(URI_ANNOTATION, "")
    claim = service.annotations.get(CLAIM_ANNOTATION, "")
    return in_claim(uri, source, claim, storage_key(source))
