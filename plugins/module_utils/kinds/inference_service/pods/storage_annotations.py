# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a component's one model is, as its pods get it. Source: KServe pkg/controller/v1beta1/inferenceservice/components/component.go@v0.17.0."""

from __future__ import annotations

from ....kube.manifest import Json
from ....kube.reader import Reader
from ....kube.schema_faults import show
from ...kserve.releases import KServe
from ...kserve.storage.address import without_quotes
from ...kserve.storage.refused import StorageRefused
from ..errors import Unbuildable
from ..implementations import storage_uri
from ..names import Role
from .annotations import SOURCE_URI, Texts
from .storage.containers import check_uri


def with_source(
    annotations: Texts, component: Json, role: Role, reader: Reader, release: KServe
) -> Texts:
    """Return annotations that name the model. Raises Unbuildable."""
    uri = storage_uri(component, role)
    if uri is None:
        return annotations
    if role == "predictor" and SOURCE_URI in annotations:
        raise Unbuildable(
            "must provide only one of storageUri and storage.path",
            path="spec.predictor.model.storage.path",
            advice="leave one of them out",
            rule="storage",
        )
    try:
        check_uri(uri, reader, release)
    except StorageRefused as error:
        bare = without_quotes(uri)
        raise Unbuildable(
            error.message,
            role=role,
            path=_path_of(component, role),
            told=f"{show(uri)} is no address that KServe fetches models from ({error.message})",
            advice=f"the quotes are part of the text: write {bare}" if bare else error.advice,
            rule="storage-uri",
        ) from None
    return {**annotations, SOURCE_URI: uri}


def _path_of(component: Json, role: Role) -> str:
    for field in ("model", "art"):
        if component.get(field) is not None:
            return f"spec.{role}.{field}.storageUri"
    return f"spec.{role}.containers"
