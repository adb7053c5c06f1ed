# SPDX-License-Identifier: GPL-3.0-or-later
"""What a Secret holds, as a cluster stores it or as its author wrote it."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error
from collections.abc import Mapping

from ...kube.manifest import Json


def secret_texts(secret: Json) -> Mapping[str, str]:
    """Return the entries of a Secret decoded. What is no base64 counts as empty: a cluster would not have taken it."""
    texts = {key: _decoded(value) for key, value in (secret.get("data") or {}).items()}
    texts.update(secret.get("stringData") or {})
    return texts


def _decoded(value: str) -> str:
    try:
        return b64decode(value).decode(errors="replace")
    except (Error, ValueError):
        return ""
