# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes secrets out of objects, by their structure, before anything is formatted or returned."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from typing import Any

from ..kube.manifest import Json

#: Environment variables whose literal value is taken for a secret.
SECRET_NAME = re.compile(
    r"(?i)(password|passwd|token|secret|api_?key|access_?key|private_?key|credential)"
)
#: A kubectl annotation that repeats the whole object.
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

#: Equal values get equal masks within one run; the key makes them useless to guess with.
_RUN_KEY = secrets.token_bytes(16)


def mask(value: Any) -> str:
    """Return a text that shows whether a secret changed within this run, and nothing else."""
    return f"<masked {hmac.new(_RUN_KEY, str(value).encode(), hashlib.sha256).hexdigest()[:8]}>"


def redact(manifest: Json) -> Json:
    """Return a copy of an object with Secret data and secret environment values masked."""
    out: Json = _walk(manifest)
    if manifest.get("kind") == "Secret":
        for field in ("data", "stringData"):
            if isinstance(out.get(field), dict):
                out[field] = {key: mask(value) for key, value in out[field].items()}
    annotations = (out.get("metadata") or {}).get("annotations")
    if isinstance(annotations, dict) and LAST_APPLIED in annotations:
        annotations[LAST_APPLIED] = mask(annotations[LAST_APPLIED])
    return out


def _walk(value: Any) -> Any:
    if isinstance(value, dict):
        copy = {key: _walk(inner) for key, inner in value.items()}
        name = copy.get("name")
        if (
            isinstance(name, str)
            and isinstance(copy.get("value"), str)
            and SECRET_NAME.search(name)
        ):
            copy["value"] = mask(copy["value"])
        return copy
    if isinstance(value, list):
        return [_walk(inner) for inner in value]
    return value
