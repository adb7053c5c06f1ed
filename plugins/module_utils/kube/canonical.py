# SPDX-License-Identifier: GPL-3.0-or-later
"""The one text form of a manifest, and its hash: equal objects give equal bytes on every Python and every machine."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical_json(value: Any) -> bytes:
    """Return UTF-8 JSON with sorted keys and no spaces. Raises ValueError for NaN and infinities, which JSON lacks."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def digest(data: bytes) -> str:
    """Return the lower-case hex SHA-256 of canonical bytes."""
    return hashlib.sha256(data).hexdigest()
