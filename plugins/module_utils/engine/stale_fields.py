# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields that we no longer want and that stay: server-side apply takes away only what nobody else holds.

What is left may not go together with what is new, and then the API server refuses the object.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..kube import managed_fields
from ..kube.managed_fields import Fields
from ..kube.manifest import Json
from . import FIELD_MANAGER
from .outcome import few_fields


def stale_fields(manifest: Json, live: Json, manager: str = FIELD_MANAGER) -> str:
    """Return which fields of ours an apply leaves behind and who holds them too, as text; empty where there are none."""
    entry = managed_fields.apply_entry(live, manager) or {}
    dropped = set(_dropped(managed_fields.tracked(manifest), entry.get("fieldsV1") or {}, ""))
    held: dict[str, set[str]] = {}
    for other in live["metadata"].get("managedFields") or []:
        if other.get("manager") != manager:
            theirs = dropped.intersection(managed_fields.leaves(other.get("fieldsV1") or {}))
            held.setdefault(str(other.get("manager")), set()).update(theirs)
    return "; ".join(
        f"{few_fields(sorted(paths))} stays, since {other} holds it too: let {other} give it up"
        for other, paths in held.items()
        if paths
    )


def _dropped(wanted: Any, fields: Fields, path: str) -> Iterator[str]:
    """Yield each leaf of ours that is no longer wanted."""
    if isinstance(wanted, dict):
        for name, below in managed_fields.members(fields).items():
            place = f"{path}.{name}" if path else name
            if name in wanted:
                yield from _dropped(wanted[name], below, place)
            else:
                yield from managed_fields.leaves(below, place)
    elif isinstance(wanted, list):
        for key, below in managed_fields.items(fields):
            label = ",".join(f"{name}={value}" for name, value in key.items())
            place = f"{path}[{label}]"
            same = [each for each in wanted if managed_fields.matches(key, each, defaulted=True)]
            if same:
                yield from _dropped(same[0], below, place)
            else:
                yield from managed_fields.leaves(below, place)
