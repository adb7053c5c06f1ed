# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaving out what is empty, as the API's own Go types do when they are written as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .manifest import Json


def filled(fields: Mapping[str, Any]) -> Json:
    """Return the fields that say something: no None, no empty text, list or map. Zero and False stay.

    One level only, so a volume's `emptyDir: {}` and a pool's `group: ""` survive inside the values.
    """
    return {
        key: value
        for key, value in fields.items()
        if value is not None and value not in ("", [], {}, ())
    }
