# SPDX-License-Identifier: GPL-3.0-or-later
"""A JSON patch, as webhooks answer with one, applied (RFC 6902: add, remove and replace)."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

Json = dict[str, Any]


def patched(document: Json, operations: Iterable[Json]) -> Json:
    """Return a document after the operations."""
    whole: Json = {"": copy.deepcopy(document)}
    for one in operations:
        parts = [part.replace("~1", "/").replace("~0", "~") for part in one["path"].split("/")]
        place: Any = whole
        for part in parts[:-1]:
            place = place[int(part)] if isinstance(place, list) else place[part]
        _apply(place, parts[-1], one)
    result: Json = whole[""]
    return result


def _apply(place: Any, key: str, operation: Json) -> None:
    what = operation["op"]
    if what not in ("add", "remove", "replace"):
        raise ValueError(f"webhooks of KServe do not {what}")
    if isinstance(place, list):
        number = len(place) if key == "-" else int(key)
        if what == "add":
            place.insert(number, operation["value"])
            return
        if what == "remove":
            del place[number]
            return
        place[number] = operation["value"]
    elif what == "remove":
        del place[key]
    else:
        place[key] = operation["value"]
