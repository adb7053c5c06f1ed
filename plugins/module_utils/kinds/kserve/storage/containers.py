# SPDX-License-Identifier: GPL-3.0-or-later
"""ClusterStorageContainers: who fetches models of which addresses.

Source: KServe pkg/controller/v1beta1/inferenceservice/components/component.go, pkg/webhook/admission/pod/storage_initializer_injector.go@v0.17.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....kube import gvk
from ....kube.input_schemas import InputSchemas
from ....kube.manifest import Json
from ....kube.pod_schema import CONTAINER
from ....kube.reader import Reader
from ....kube.schema import Boolean, ListOf, Object, Text

API_VERSION, KIND = gvk.KSERVE_V1ALPHA1, "ClusterStorageContainer"
INIT_CONTAINER = "initContainer"
#: The one that KServe's bundle brings, which takes every address that KServe knows.
_SHIPPED = "default"


def storage_container_schema() -> InputSchemas:
    """Return the shape of a ClusterStorageContainer, as far as it is read."""
    text, flag = Text(), Boolean()
    spec = Object(
        fields={
            "container": CONTAINER,
            "supportedUriFormats": ListOf(items=Object(fields={"prefix": text, "regex": text})),
            "workloadType": text,
            "supportsMultiModelDownload": flag,
        },
        required=("container",),
    )
    return {(API_VERSION, KIND): {"spec": spec, "disabled": flag}}


class BadPattern(Exception):
    """A container's pattern for addresses is no regular expression."""

    def __init__(self, name: str, pattern: str, error: re.error) -> None:
        super().__init__(str(error))
        self.name = name
        self.pattern = pattern


def storage_containers(reader: Reader) -> Iterator[Json]:
    """Yield those that init containers are made from, in the order in which KServe asks them."""
    manifests = reader.list(API_VERSION, KIND, "", {})
    for manifest in sorted(manifests, key=lambda each: str(each["metadata"]["name"])):
        spec: Json = manifest.get("spec") or {}
        wrong_kind = (spec.get("workloadType") or INIT_CONTAINER) != INIT_CONTAINER
        if not (manifest.get("disabled") or wrong_kind):
            yield manifest


def takes(manifest: Json, uri: str) -> bool:
    """Tell whether a storage container fetches from an address. Raises BadPattern."""
    for each in (manifest.get("spec") or {}).get("supportedUriFormats") or ():
        prefix, pattern = each.get("prefix"), each.get("regex")
        if prefix:
            if uri.startswith(prefix):
                return True
        elif pattern:
            try:
                if re.search(pattern, uri):
                    return True
            except re.error as error:
                raise BadPattern(manifest["metadata"]["name"], pattern, error) from None
    return False


def taken_by_another(uri: str, reader: Reader) -> str | None:
    """Return the name of a container that takes an address and is not the one which KServe ships, None for none. Raises BadPattern."""
    return next(
        (
            str(manifest["metadata"]["name"])
            for manifest in reader.list(API_VERSION, KIND, "", {})
            if manifest["metadata"]["name"] != _SHIPPED
            and not manifest.get("disabled")
            and takes(manifest, uri)
        ),
        None,
    )
