# SPDX-License-Identifier: GPL-3.0-or-later
"""Entries of a webhook configuration that are no longer wanted: with what others put into them, an apply would leave half of each."""

from __future__ import annotations

from ..kube.manifest import Json


def unwanted_entries(manifest: Json, live: Json) -> list[Json]:
    """Return JSON patch operations that take such entries out, the last one first; none for objects of other kinds."""
    if "webhooks" not in manifest:
        return []
    wanted = {each.get("name") for each in manifest["webhooks"] or []}
    operations: list[Json] = []
    for place, each in reversed(list(enumerate(live.get("webhooks") or []))):
        if each["name"] not in wanted:
            path = f"/webhooks/{place}"
            operations.append({"op": "test", "path": f"{path}/name", "value": each["name"]})
            operations.append({"op": "remove", "path": path})
    return operations
