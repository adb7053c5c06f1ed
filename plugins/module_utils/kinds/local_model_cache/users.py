# SPDX-License-Identifier: GPL-3.0-or-later
"""Which services use a cache: those that carry its label, and those whose model it holds by the rules of their own webhook.

A service that this collection runs does not carry the label, since no webhook writes into it.
Source: KServe pkg/controller/v1alpha1/localmodel/reconcilers/utils.go, pkg/webhook/admission/llminferenceservice/defaulter.go@v0.20.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...kube.manifest import Json, value_at
from ...kube.reader import Reader
from ...kube.reference import Reference
from ...kube.release import Since
from ..kserve.framework import model_of
from ..kserve.local_models import (
    GROUP_ANNOTATION,
    LABEL,
    NAMESPACE_LABEL,
    OFF_ANNOTATION,
    local_model,
)
from ..kserve.releases import KServe
from .child_kinds import INFERENCE_SERVICE, LLM_INFERENCE_SERVICE
from .spec import LocalModelCache

#: The kinds of services that use caches.
SERVICES: Since[tuple[tuple[str, str], ...]] = Since(
    {
        KServe.V0_17: (INFERENCE_SERVICE,),
        KServe.V0_19: (INFERENCE_SERVICE, LLM_INFERENCE_SERVICE),
    }
)
#: Where a container of the author's says what its model is.
_SERVER, _ADDRESS = "kserve-container", "STORAGE_URI"


class User(NamedTuple):
    """A service that uses a cache. group: of nodes, None for the cache's first."""

    service: Reference
    group: str | None


def users(
    cache: LocalModelCache, release: KServe, seen: Reader, *, looked_for: bool
) -> tuple[User, ...]:
    """Return the services that use a cache. looked_for: whether services look for their models in caches."""
    found = []
    for api_version, kind in SERVICES.at(release):
        for document in seen.list(api_version, kind, cache.namespace, {}):
            metadata = document["metadata"]
            if metadata.get("deletionTimestamp"):
                continue
            group = (metadata.get("annotations") or {}).get(GROUP_ANNOTATION)
            if _is_labelled(metadata, cache) or (
                looked_for and _holds(cache, document, group, release, seen)
            ):
                found.append(User(Reference.of(document), group))
    return tuple(sorted(found))


def _is_labelled(metadata: Json, cache: LocalModelCache) -> bool:
    labels = metadata.get("labels") or {}
    return (labels.get(LABEL), labels.get(NAMESPACE_LABEL, "")) == (cache.name, cache.namespace)


def _holds(
    cache: LocalModelCache, document: Json, group: str | None, release: KServe, seen: Reader
) -> bool:
    metadata = document["metadata"]
    uri = address_of(document)
    if not uri or OFF_ANNOTATION in (metadata.get("annotations") or {}):
        return False
    found = local_model(uri, group, metadata.get("namespace") or "", release, seen)
    return found is not None and (found.name, found.namespace) == (cache.name, cache.namespace)


def address_of(document: Json) -> str:
    """Return the address of a service's model, empty where it names none."""
    spec = document.get("spec") or {}
    if document["kind"] == LLM_INFERENCE_SERVICE[1]:
        return str(value_at(spec, ("model", "uri")) or "")
    predictor = spec.get("predictor") or {}
    dummy, model = model_of(predictor)
    if model is not None:
        return str(model.get("storageUri") or "")
    variables = (
        variable
        for container in predictor.get("containers") or ()
        if container.get("name") == _SERVER
        for variable in container.get("env") or ()
    )
    return next(
        (str(each.get("value") or "") for each in variables if each.get("name") == _ADDRESS), ""
    )


def named(live: Json) -> Iterator[Reference]:
    """Yield the services that the status of a cache names."""
    status = live.get("status") or {}
    for field, kind in (
        ("inferenceServices", INFERENCE_SERVICE),
        ("llmInferenceServices", LLM_INFERENCE_SERVICE),
    ):
        for each in status.get(field) or ():
            yield Reference(*kind, str(each.get("namespace") or ""), str(each.get("name") or ""))
