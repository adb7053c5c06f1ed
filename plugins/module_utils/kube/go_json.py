# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON as Go's encoding/json writes it: no spaces, and signs that matter in a page escaped. Source: Go 1.25, encoding/json."""

from __future__ import annotations

import json
from typing import Any

_ESCAPES = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def go_json(value: Any, *, sort_keys: bool = False) -> str:
    """Return a value as text. sort_keys: as for Go's maps; the keys of its structs keep their order."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=sort_keys)
    return text.translate(_ESCAPES)
