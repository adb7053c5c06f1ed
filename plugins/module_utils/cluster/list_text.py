# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of a LIST, read object by object: parsed at once, a page takes ten times its size while little of it is kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from ..kube.manifest import Json

_ITEMS = re.compile(r'"items"\s*:\s*\[')
_BETWEEN = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()


def read_list(body: bytes, keep: Callable[[Json], Json]) -> tuple[Json, list[Json]]:
    """Return a list without its items, and of each item what is kept of it. Raises JSONDecodeError or UnicodeDecodeError where it is
    no JSON object.
    """
    text = body.decode()
    found = _ITEMS.search(text)
    head = text[: found.start()] + '"items":[]' if found else ""
    if found is None or not _is_object(head + "}"):
        # There are none, or something before them has items of its own.
        whole = _parsed(text)
        return whole, [keep(item) for item in whole.pop("items", None) or ()]
    items, end = _read_items(text, found.end(), keep)
    return _parsed(head + text[end:]), items


def _read_items(text: str, at: int, keep: Callable[[Json], Json]) -> tuple[list[Json], int]:
    """Return what is kept of the items from a place on, and the place behind them."""
    items = []
    at = _after_blanks(text, at)
    while not text.startswith("]", at):
        item, at = _DECODER.raw_decode(text, at)
        items.append(keep(item))
        at = _after_blanks(text, at)
    return items, at + 1


def _after_blanks(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    return found.end() if found else at


def _is_object(text: str) -> bool:
    try:
        _parsed(text)
    except json.JSONDecodeError:
        return False
    return True


def _parsed(text: str) -> Json:
    parsed: Any = json.loads(text)
    if not isinstance(parsed, dict):
        raise json.JSONDecodeError("not an object", text, 0)
    return parsed
