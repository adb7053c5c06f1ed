# SPDX-License-Identifier: GPL-3.0-or-later
"""Attaching the model to a pod spec, by the scheme of its address. Source: KServe v0.17.0; reference/kserve-llmisvc.md §3.7."""

from __future__ import annotations

from dataclasses import dataclass

from ....kube.manifest import Json
from ....kube.reader import Reader
from ...kserve.pod import mounted
from ...kserve.storage.initializer import CLAIM_VOLUME, MODEL_PATH, claim_parts
from ..pod import MAIN
from ..resolved import Resolved
from .errors import ArtifactError
from .modelcar import with_modelcar
from .storage_initializer import with_storage_initializer


@dataclass(frozen=True, slots=True)
class Account:
    """Whose credentials a pod uses. manifest: the live ServiceAccount; None for the namespace's `default`.

    A managed account has no credentials: `{}`.
    """

    manifest: Json | None = None


def with_model(pod: Json, resolved: Resolved, reader: Reader, account: Account) -> Json:
    """Return a pod spec that has the model. Raises ArtifactError."""
    uri = str(resolved.at("model", "uri") or "")
    scheme, separator, rest = uri.partition("://")
    if not separator:
        raise ArtifactError(
            f"invalid model URI: {uri}",
            "spec.model.uri",
            "begin it with hf://, s3://, pvc:// or oci://",
        )
    if resolved.at("storageInitializer", "enabled") is False:
        return pod
    match scheme:
        case "pvc":
            return _with_claim(pod, uri)
        case "oci":
            return with_modelcar(pod, rest, resolved.config.storage)
        case "hf" | "s3":
            return with_storage_initializer(pod, uri, resolved, reader, account.manifest)
    raise ArtifactError(
        f"unsupported schema in model URI: {uri}",
        "spec.model.uri",
        "KServe takes hf://, s3://, pvc:// and oci:// here",
    )


def _with_claim(pod: Json, uri: str) -> Json:
    claim, path = claim_parts(uri)
    source: Json = {"persistentVolumeClaim": {"claimName": claim}} if claim else {"emptyDir": {}}
    volume = {"name": CLAIM_VOLUME, **source}
    mount = {"name": CLAIM_VOLUME, "mountPath": MODEL_PATH, "readOnly": True}
    return mounted(pod, MAIN, volume, {**mount, "subPath": path} if path else mount)
