# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of ours that another manager took: who did, and whether it was so at the last apply already."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..kube import managed_fields
from ..kube.canonical import canonical_json
from ..kube.manifest import Json
from . import FIELD_MANAGER, HANDOVER_MANAGER, PREFIX, TAKEN_BACK_ANNOTATION
from .outcome import few_fields

#: So many fields of a manager are remembered; it is enough that one of them comes again.
REMEMBERED = 20

#: Field manager → the fields that it took.
Takers = Mapping[str, list[str]]


def takers(manifest: Json, live: Json, manager: str = FIELD_MANAGER) -> Takers:
    """Return who holds fields that we are about to apply, as `manager`, and do not hold."""
    entry = managed_fields.apply_entry(live, manager) or {}
    ours = set(managed_fields.leaves(entry.get("fieldsV1") or {}))
    found: dict[str, list[str]] = {}
    for other in live["metadata"].get("managedFields") or []:
        taker = str(other.get("manager"))
        if taker in (manager, HANDOVER_MANAGER) or other.get("subresource"):
            continue
        wanted = _shared(managed_fields.tracked(manifest), other.get("fieldsV1") or {}, "")
        if paths := sorted(path for path in wanted if path not in ours and PREFIX not in path):
            found[taker] = sorted({*found.get(taker, []), *paths})
    return found


def remember(manifest: Json, taken: Takers) -> None:
    """Write into a manifest from whom its apply takes fields back. The next apply that takes none back drops it."""
    if taken:
        text = canonical_json({name: paths[:REMEMBERED] for name, paths in taken.items()})
        manifest["metadata"]["annotations"][TAKEN_BACK_ANNOTATION] = text.decode()


def two_owners(live: Json, taken: Takers) -> str:
    """Return a warning where the same manager took the same field before the last apply, too; else an empty text."""
    before = _remembered(live)
    again = {
        manager: sorted(set(paths) & set(before.get(manager, [])))
        for manager, paths in taken.items()
    }
    return "; ".join(
        f"{manager} has taken {few_fields(paths)} a second time in a row: two owners undo each other's writes; "
        f"stop one of them, or set force_conflicts: false to see who it is without taking it back"
        for manager, paths in again.items()
        if paths
    )


def _remembered(live: Json) -> Takers:
    text = (live["metadata"].get("annotations") or {}).get(TAKEN_BACK_ANNOTATION)
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _shared(value: Any, fields: Json, path: str) -> Iterator[str]:
    """Yield the leaves of the fields that the value has as well, as `managed_fields.leaves` writes them."""
    below = {step: inner for step, inner in fields.items() if step != "."}
    if not below:
        yield path
    elif isinstance(value, dict):
        for name, inner in managed_fields.members(below).items():
            if name in value:
                yield from _shared(value[name], inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for key, inner in managed_fields.items(below):
            for item in value:
                if managed_fields.matches(key, item, defaulted=True):
                    label = ",".join(f"{name}={text}" for name, text in key.items())
                    yield from _shared(item, inner, f"{path}[{label}]")
