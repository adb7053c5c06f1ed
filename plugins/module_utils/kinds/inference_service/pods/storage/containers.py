# SPDX-License-Identifier: GPL-3.0-or-later
"""ClusterStorageContainers: who fetches models of which addresses.

Source: KServe pkg/controller/v1beta1/inferenceservice/components/component.go, pkg/webhook/admission/pod/storage_initializer_injector.go@v0.17.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .....kube import gvk
from .....kube.manifest import Json
from .....kube.reader import Reader
from .errors import StorageRefused

API_VERSION, KIND = gvk.KSERVE_V1ALPHA1, "ClusterStorageContainer"
_INIT_CONTAINER = "initContainer"
_SHIPPED = "default"
_SCHEME = re.compile(r"\w+?://", re.ASCII)
_AZURE_HOST = "blob.core.windows.net"
_AZURE = re.compile(r"https://(.+?).blob.core.windows.net/(.+)")
_SCHEMES = ("gs", "s3", "pvc", "file", "https", "http", "hdfs", "webhdfs", "oci", "hf")


def storage_container(uri: str, reader: Reader) -> Json | None:
    """Return the spec of the first container that takes an address, None where none does. Raises StorageRefused."""
    manifests = reader.list(API_VERSION, KIND, "", {})
    for manifest in sorted(manifests, key=lambda each: str(each["metadata"]["name"])):
        spec: Json = manifest.get("spec") or {}
        wrong_kind = (spec.get("workloadType") or _INIT_CONTAINER) != _INIT_CONTAINER
        if manifest.get("disabled") or wrong_kind:
            continue
        if _takes(spec.get("supportedUriFormats") or (), uri, manifest["metadata"]["name"]):
            return spec
    return None


def fetched_otherwise(uri: str, reader: Reader) -> bool:
    """Tell whether an address is taken by a container that is not the one which KServe ships."""
    return any(
        _takes(
            (manifest.get("spec") or {}).get("supportedUriFormats") or (),
            uri,
            manifest["metadata"]["name"],
        )
        for manifest in reader.list(API_VERSION, KIND, "", {})
        if manifest["metadata"]["name"] != _SHIPPED and not manifest.get("disabled")
    )


def check_uri(uri: str, reader: Reader) -> None:
    """Raise StorageRefused for an address that neither a storage container nor KServe's own knows."""
    if storage_container(uri, reader) is not None or not _SCHEME.search(uri):
        return
    if _AZURE.search(uri) if _AZURE_HOST in uri else uri.startswith(_prefixes()):
        return
    raise StorageRefused(
        f"StorageURI not supported: storageUri, must be one of: [{', '.join(_prefixes())}] or match "
        f"https://{{}}.blob.core.windows.net/{{}}/{{}} or be an absolute or relative local path. StorageUri [{uri}] is not supported",
        "storageUri",
        f"write one of these, or add a {KIND} that takes it",
    )


def _prefixes() -> tuple[str, ...]:
    return tuple(f"{scheme}://" for scheme in _SCHEMES)


def _takes(formats: Iterable[Json], uri: str, name: str) -> bool:
    for each in formats:
        prefix, pattern = each.get("prefix"), each.get("regex")
        if prefix:
            if uri.startswith(prefix):
                return True
        elif pattern:
            try:
                if re.search(pattern, uri):
                    return True
            except re.error as error:
                raise StorageRefused(
                    f"error checking storage container {name}: {error}",
                    "storageUri",
                    f'correct the pattern "{pattern}" in {KIND} {name}',
                ) from None
    return False
