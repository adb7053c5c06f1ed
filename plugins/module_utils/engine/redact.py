# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes secrets out of objects, by their structure, before anything is formatted or returned."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from typing import Any

from ..kube.envelope import LAST_APPLIED
from ..kube.manifest import Json

#: Environment variables whose literal value is taken for a secret.
SECRET_NAME = re.compile(
    r"(?i)(password|passwd|token|secret|api_?key|access_?key|private_?key|credential)"
)
#: A command-line flag whose value is taken for a secret: `--api-key`, `--hf-token=…`, but not `--max-num-batched-tokens`.
SECRET_FLAG = re.compile(
    r"(?i)(--?(?:[\w-]*[-_])?(?:password|passwd|token|secret|api[-_]?key|access[-_]?key|private[-_]?key|credentials?))(=.*)?",
    re.DOTALL,
)

#: Equal values get equal masks within one run; the key makes them useless to guess with.
_RUN_KEY = secrets.token_bytes(16)


def mask(value: Any) -> str:
    """Return a text that shows whether a secret changed within this run, and nothing else."""
    return f"<masked {hmac.new(_RUN_KEY, str(value).encode(), hashlib.sha256).hexdigest()[:8]}>"


def redact(manifest: Json) -> Json:
    """Return a copy of an object with Secret data, secret environment values and secret flags masked."""
    out: Json = _walk(manifest)
    if manifest.get("kind") == "Secret":
        for field in ("data", "stringData"):
            if isinstance(out.get(field), dict):
                out[field] = {key: mask(value) for key, value in out[field].items()}
    if manifest.get("kind") == "ConfigMap" and isinstance(out.get("data"), dict):
        out["data"] = {key: _document(value) for key, value in out["data"].items()}
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
        return _flags([_walk(inner) for inner in value])
    return value


def _flags(arguments: list[Any]) -> list[Any]:
    """Mask the value of a secret flag, `--api-key=value` or the item after `--api-key`."""
    out: list[Any] = []
    follows = False
    for item in arguments:
        found = SECRET_FLAG.fullmatch(item) if isinstance(item, str) else None
        if found and found[2]:
            out.append(f"{found[1]}={mask(found[2][1:])}")
        else:
            out.append(mask(item) if follows and isinstance(item, str) else item)
        follows = found is not None and not found[2]
    return out


def _document(text: Any) -> Any:
    """Mask what is secret in a custom resource that a ConfigMap holds as text: our record of a service."""
    if not isinstance(text, str) or not text.startswith("{"):
        return text
    try:
        document = json.loads(text)
    except ValueError:
        return text
    shown = redact(document) if isinstance(document, dict) else document
    return text if shown == document else json.dumps(shown, ensure_ascii=False)
