# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that are encrypted where they are stored: who fetches them decrypts them with a key that a broker gives.

Source: KServe pkg/validation/confidential.go, pkg/utils/confidential.go@v0.20.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...kube.manifest import Json
from ...kube.schema import Boolean, Object, Text
from .pod import with_value
from .releases import KServe

_KEY = re.compile(r"kbs:///[a-zA-Z0-9_.-]+/[a-zA-Z0-9_.-]+/[a-zA-Z0-9_.-]+")
#: How the webhook says what the name of a key looks like.
KEY_FORM = "must be in the format kbs:///<repo>/<type>/<tag>"
#: Addresses that nobody fetches, with the webhook's reason.
_NOT_FETCHED = {
    "oci": "confidential has no effect with OCI URIs; OCI image decryption is handled by the container runtime via runtimeClassName",
    "pvc": "confidential has no effect with PVC URIs; the storage-initializer is not injected for PVC volumes",
}

CONFIDENTIAL = Object(
    description="The model is encrypted; the init container that fetches it decrypts it.",
    fields={
        "enabled": Boolean(description="Whether it is encrypted."),
        "resourceId": Text(
            description="The key at the key broker, as `kbs:///<repo>/<type>/<tag>`.",
            keep_empty=True,
        ),
    },
    required=("enabled",),
    since=KServe.V0_20,
)


def key_is_wrong(confidential: Json | None) -> bool:
    """Tell whether a key is named in a form that no broker has."""
    key = asked_key(confidential)
    return bool(key) and not _KEY.fullmatch(key or "")


def asked_key(confidential: Json | None) -> str | None:
    """Return the key that an encrypted model needs, empty where none is named; None for a model that is not encrypted."""
    if not confidential or not confidential.get("enabled"):
        return None
    return str(confidential.get("resourceId") or "")


def without_effect(confidential: Json | None, uri: str) -> Iterator[str]:
    """Yield why nothing is decrypted."""
    if asked_key(confidential) is not None:
        scheme, separator, dummy = uri.partition("://")
        yield from filter(None, [_NOT_FETCHED.get(scheme, "") if separator else ""])


def with_key(container: Json, key: str | None) -> Json:
    """Return the container that fetches a model, told to decrypt it. key: as `asked_key` returns it."""
    if key is None:
        return container
    container = with_value(container, "CONFIDENTIAL_ENABLED", "true")
    return with_value(container, "CONFIDENTIAL_RESOURCE_ID", key) if key else container
