# SPDX-License-Identifier: GPL-3.0-or-later
"""Attaching the model to a pod spec, by the scheme of its address. Source: KServe pkg/controller/v1alpha2/llmisvc/workload_storage.go@v0.17.0."""

from __future__ import annotations

from dataclasses import dataclass

from ....kube.manifest import Json
from ....kube.reader import Reader
from ....kube.release import Since
from ...kserve.pod import mounted
from ...kserve.releases import KServe
from ...kserve.storage.initializer import CLAIM_VOLUME, MODEL_PATH, claim_parts
from ..local_model import address
from ..resolved import Resolved
from .adapters import adapters_of, with_adapters
from .errors import ArtifactError
from .modelcar import with_model_image
from .place import SERVER, Place
from .storage_initializer import with_several_fetched, with_storage_initializer, without_given

#: What people copy from the address line of a browser.
_HUB = "https://huggingface.co/"
#: Whether an address may ask for an image as a volume.
_IMAGES_AS_VOLUMES: Since[bool] = Since({KServe.V0_17: False, KServe.V0_20: True})


@dataclass(frozen=True, slots=True)
class Account:
    """Whose credentials a pod uses. manifest: the live ServiceAccount, or a managed one as it is meant to be; None for the
    namespace's `default`.
    """

    manifest: Json | None = None


def with_model(
    pod: Json, resolved: Resolved, reader: Reader, account: Account, place: Place = SERVER
) -> Json:
    """Return a pod spec that has the model. Raises ArtifactError."""
    uri = str(resolved.at("model", "uri") or "")
    scheme, separator, rest = uri.partition("://")
    if not separator:
        raise ArtifactError(
            f"invalid model URI: {uri}",
            "spec.model.uri",
            "begin it with hf://, s3://, pvc:// or oci://"
            if uri
            else "say where the model is: hf://, s3://, pvc:// or oci://",
        )
    if resolved.at("storageInitializer", "enabled") is False:
        return pod
    release = resolved.settings.release
    uri = address(resolved.service, uri, release)
    scheme, dummy, rest = uri.partition("://")
    # Only the server runs adapters; others read of the model what they need.
    adapters = adapters_of(resolved.spec, release) if place == SERVER else []
    fetched = [(each.uri, each.path) for each in adapters if each.is_fetched]
    match scheme:
        case "pvc":
            pod = _with_claim(pod, uri, place)
        case "oci":
            pod = with_model_image(pod, rest, resolved, place)
        case "oci+native" if _IMAGES_AS_VOLUMES.at(release):
            pod = with_model_image(pod, rest, resolved, place, native=True)
        case "hf" | "s3" if fetched:
            fetched.insert(0, (uri, MODEL_PATH))
        case "hf" | "s3":
            pod = with_storage_initializer(pod, uri, resolved, reader, account.manifest, place)
        case _:
            raise ArtifactError(
                f"unsupported schema in model URI: {uri}",
                "spec.model.uri",
                _instead(uri),
            )
    if not fetched and scheme in ("pvc", "oci"):
        # Beside `oci+native://` the author's container stays, as in no other case.
        pod = without_given(pod, release)
    if fetched:
        pod = with_several_fetched(pod, fetched, resolved, reader, account.manifest, place)
    return with_adapters(pod, resolved, adapters)


def _instead(uri: str) -> str:
    """Return what to write for an address that a release does not take."""
    if uri.startswith(_HUB):
        return f"write hf://{'/'.join(uri.removeprefix(_HUB).split('/')[:2])}"
    if uri.startswith("oci+native://"):
        return f"KServe takes oci+native:// from {KServe.V0_20} on; write oci://"
    return "KServe takes hf://, s3://, pvc:// and oci:// here"


def _with_claim(pod: Json, uri: str, place: Place) -> Json:
    claim, path = claim_parts(uri)
    source: Json = {"persistentVolumeClaim": {"claimName": claim}} if claim else {"emptyDir": {}}
    volume = {"name": CLAIM_VOLUME, **source}
    mount = {"name": CLAIM_VOLUME, "mountPath": place.path, "readOnly": True}
    return mounted(pod, place.container, volume, {**mount, "subPath": path} if path else mount)
