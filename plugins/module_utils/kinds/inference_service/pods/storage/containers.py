# SPDX-License-Identifier: GPL-3.0-or-later
"""ClusterStorageContainers: who fetches models of which addresses.

Source: KServe pkg/controller/v1beta1/inferenceservice/components/component.go, pkg/webhook/admission/pod/storage_initializer_injector.go@v0.17.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from .....kube.manifest import Json
from .....kube.reader import Reader
from .....kube.reference import Reference
from .....kube.release import Since
from ....kserve.releases import KServe
from ....kserve.storage.containers import (
    API_VERSION,
    INIT_CONTAINER,
    KIND,
    BadPattern,
    storage_containers,
    taken_by_another,
    takes,
)
from ....kserve.storage.refused import StorageRefused

_SCHEME = re.compile(r"\w+?://", re.ASCII)
_AZURE_HOST = "blob.core.windows.net"
_AZURE = re.compile(r"https://(.+?).blob.core.windows.net/(.+)")
_PLAIN = ("gs", "s3", "pvc", "file", "https", "http", "hdfs", "webhdfs", "oci")
_SCHEMES: Since[tuple[str, ...]] = Since(
    {
        KServe.V0_17: (*_PLAIN, "hf"),
        KServe.V0_20: (*_PLAIN, "oci+native", "hf"),
        KServe.V0_21: (*_PLAIN, "oci+native", "oci+fetch", "hf"),
    }
)


def storage_container(uri: str, reader: Reader, name: str = "") -> Json | None:
    """Return the spec of the first container that takes an address, None where none does. Raises StorageRefused.

    name: of the only one that is wanted, which then has to take it.
    """
    if name:
        return _named(name, uri, reader)
    with _told_as_refusal():
        for manifest in storage_containers(reader):
            if takes(manifest, uri):
                spec: Json = manifest["spec"]
                return spec
    return None


def _named(name: str, uri: str, reader: Reader) -> Json:
    """Return the spec of the container that a service names."""
    found = reader.get(Reference(API_VERSION, KIND, "", name))
    called = f'{KIND} "{name}"'
    if found is None:
        raise _unfit(f"{called} not found", "create it, or name another one")
    spec: Json = found.get("spec") or {}
    if found.get("disabled"):
        raise _unfit(f"{called} is disabled", "name another one")
    kind = spec.get("workloadType") or INIT_CONTAINER
    if kind != INIT_CONTAINER:
        raise _unfit(
            f'{called} has workloadType "{kind}"; explicit selection requires "{INIT_CONTAINER}"',
            "name another one",
        )
    with _told_as_refusal():
        if not takes(found, uri):
            raise _unfit(
                f'{called} does not support storageUri "{uri}"',
                "add the address to its supportedUriFormats, or name another one",
            )
    return spec


def _unfit(message: str, advice: str) -> StorageRefused:
    return StorageRefused(message, "storageContainerName", advice)


def fetched_otherwise(uri: str, reader: Reader) -> bool:
    """Tell whether an address is taken by a container that is not the one which KServe ships. Raises StorageRefused."""
    with _told_as_refusal():
        return taken_by_another(uri, reader) is not None


def check_uri(uri: str, reader: Reader, release: KServe) -> None:
    """Raise StorageRefused for an address that neither a storage container nor KServe's own knows."""
    if storage_container(uri, reader) is not None or not _SCHEME.search(uri):
        return
    known = tuple(f"{scheme}://" for scheme in _SCHEMES.at(release))
    if _AZURE.search(uri) if _AZURE_HOST in uri else uri.startswith(known):
        return
    raise StorageRefused(
        f"StorageURI not supported: storageUri, must be one of: [{', '.join(known)}] or match "
        f"https://{{}}.blob.core.windows.net/{{}}/{{}} or be an absolute or relative local path. StorageUri [{uri}] is not supported",
        "storageUri",
        f"write one of these, or add a {KIND} that takes it",
    )


@contextmanager
def _told_as_refusal() -> Iterator[None]:
    """Tell of a pattern that cannot be read as KServe's webhook does."""
    try:
        yield
    except BadPattern as error:
        raise StorageRefused(
            f"error checking storage container {error.name}: {error}",
            "storageUri",
            f'correct the pattern "{error.pattern}" in {KIND} {error.name}',
        ) from None
