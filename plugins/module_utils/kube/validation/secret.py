# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses of a Secret. No message repeats a value. Source: k8s.io/kubernetes v1.36.3, pkg/apis/core/validation."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

from ..manifest import Json
from ..problem import Problem

_KEY = re.compile(r"[-._a-zA-Z0-9]{1,253}")


def secret_problems(secret: Json) -> Iterator[Problem]:
    """Yield what is wrong with the entries of a Secret."""
    for part in ("data", "stringData"):
        entries = secret.get(part) or {}
        for key, value in entries.items():
            path = f"{part}.{key}"
            if not _KEY.fullmatch(str(key)):
                message = 'a key has letters, digits, "-", "_" and "."'
                yield Problem(path, message, rule="secret-entry")
            elif value is not None and not isinstance(value, str):
                yield Problem(path, "its value is no text; quote it", rule="secret-entry")
            elif part == "data" and not _is_base64(value):
                message = "its value is not base64; write plain text into stringData"
                yield Problem(path, message, rule="secret-entry")


def _is_base64(value: Any) -> bool:
    # Go passes over line breaks.
    text = str(value or "").replace("\n", "").replace("\r", "")
    try:
        b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True
