# SPDX-License-Identifier: GPL-3.0-or-later
"""Bringing the one model of a pod in. Source: KServe pkg/webhook/admission/pod/storage_initializer_injector.go, pkg/utils/storage.go@v0.17.0."""

from __future__ import annotations

import json
from collections.abc import Mapping

from .....kube.release import Since
from ....kserve.local_models import CLAIM_ANNOTATION, LABEL, URI_ANNOTATION, in_claim, storage_key
from ....kserve.releases import KServe
from ....kserve.storage.model_image import model_image
from ....kserve.storage.refused import StorageRefused
from ....kserve.storage.spec_secret import StorageSpec
from ..annotations import (
    SOURCE_URI,
    STORAGE_KEY,
    STORAGE_PARAMETERS,
    STORAGE_SPEC,
)
from ..containers import SERVER, readers
from ..storage.images import with_image
from ..storage.one_model import check_server, with_one_model
from .subject import Subject

#: Whether a cache's folder is named by what it holds, else by the cache.
_BY_KEY: Since[bool] = Since({KServe.V0_17: False, KServe.V0_18: True})


def with_model(subject: Subject) -> Subject:
    """Return a pod that fetches its model, or mounts the claim that holds it. Raises StorageRefused."""
    uri = subject.annotations.get(SOURCE_URI)
    if uri is None:
        return subject
    around = subject.around(_storage_spec(subject.annotations))
    return subject.having(with_one_model(subject.spec, _on_nodes(subject, uri), around))


def with_model_image(subject: Subject) -> Subject:
    """Return a pod that reads its model from an image, where that is switched on. Raises StorageRefused."""
    uri = subject.annotations.get(SOURCE_URI, "")
    image, mode = model_image(uri, subject.config.storage, subject.release)
    if not mode:
        return subject
    names = tuple(readers(subject.spec))
    check_server(names, named=SERVER)
    pod = subject.spec
    around = subject.around()
    for name in names:
        pod = with_image(pod, name, image, mode, around)
    return subject.having(pod)


def _on_nodes(subject: Subject, uri: str) -> str:
    """Return the address of a model, in the claim of its cache where one holds it. Raises StorageRefused."""
    cache = subject.labels.get(LABEL)
    if cache is None:
        return uri
    claim = subject.annotations.get(CLAIM_ANNOTATION)
    if claim is None:
        raise StorageRefused(
            f"Annotation {CLAIM_ANNOTATION} not found",
            "labels",
            f"the label {LABEL} is KServe's own: leave it out",
        )
    source = subject.annotations.get(URI_ANNOTATION, "")
    folder = storage_key(source) if _BY_KEY.at(subject.release) else cache
    return in_claim(uri, source, claim, folder)


def _storage_spec(annotations: Mapping[str, str]) -> StorageSpec | None:
    if annotations.get(STORAGE_SPEC) != "true":
        return None
    text = annotations.get(STORAGE_PARAMETERS)
    parameters = {} if text is None else json.loads(text)
    return StorageSpec(annotations.get(STORAGE_KEY, ""), parameters or {})
