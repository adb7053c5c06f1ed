# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports that somebody renumbered: server-side apply alone cannot put them right.

It tells ports apart by number, so ours would be added beside the changed one, and the API refuses two ports of one name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..kube import managed_fields
from ..kube.manifest import Json
from . import FIELD_MANAGER

#: Kinds whose ports are told apart by number and have to have different names.
KINDS = frozenset({"Service", "Deployment", "StatefulSet", "LeaderWorkerSet"})
NUMBERS = ("port", "containerPort")


def renumbered(wanted: Json, live: Json, manager: str = FIELD_MANAGER) -> list[Json]:
    """Return JSON patch operations that give live ports of our names our numbers back; none where nothing is in the way.

    A port that is still ours alone needs none: the apply takes the old number away.
    """
    if wanted["kind"] not in KINDS:
        return []
    entry = managed_fields.apply_entry(live, manager) or {}
    fields = managed_fields.members(entry.get("fieldsV1") or {}).get("spec", {})
    found = list(_walk(wanted.get("spec"), live.get("spec"), fields, "/spec"))
    if not found:
        return []
    version = live["metadata"]["resourceVersion"]
    return [{"op": "test", "path": "/metadata/resourceVersion", "value": version}, *found]


def _walk(wanted: Any, live: Any, fields: Json, path: str) -> Iterator[Json]:
    if isinstance(wanted, dict) and isinstance(live, dict):
        owned = managed_fields.members(fields)
        for key, value in wanted.items():
            step = key.replace("~", "~0").replace("/", "~1")
            yield from _walk(value, live.get(key), owned.get(key, {}), f"{path}/{step}")
    elif isinstance(wanted, list) and isinstance(live, list):
        named = {item["name"]: item for item in wanted if isinstance(item, dict) and "name" in item}
        for place, item in enumerate(live):
            ours = named.get(item.get("name")) if isinstance(item, dict) else None
            if ours is None:
                continue
            below = _below(fields, item)
            if _number(ours) == _number(item):
                yield from _walk(ours, item, below or {}, f"{path}/{place}")
            elif below is None:
                yield {"op": "replace", "path": f"{path}/{place}", "value": ours}


def _below(fields: Json, item: Json) -> Json | None:
    """Return what we own of a list's item, None where it is not ours."""
    for key, below in managed_fields.items(fields):
        if managed_fields.matches(key, item):
            return below
    return None


def _number(port: Json) -> tuple[Any, str] | None:
    for field in NUMBERS:
        if field in port:
            return port[field], str(port.get("protocol") or "TCP")
    return None
