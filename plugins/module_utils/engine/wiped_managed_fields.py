# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of an object whose managed fields were wiped: which of them a new one would not have.

Where the intent changed meanwhile, some may be ours from before. Nothing tells them from what others set, so they are named, not
removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..kube.manifest import Json
from . import INTENT_ANNOTATION
from .desired import Desired
from .outcome import few_fields


def was_wiped(wanted: Desired, live: Json) -> bool:
    """Tell whether an object of ours lost its record and another intent was applied to it before."""
    metadata = live["metadata"]
    before = (metadata.get("annotations") or {}).get(INTENT_ANNOTATION)
    return not metadata.get("managedFields") and before not in (None, wanted.digest)


def unrecorded(live: Json, fresh: Json) -> str:
    """Return a warning that names what a new object would not have; empty where there is nothing. fresh: as a dry run makes it."""
    fields = [
        path
        for name in sorted(live.keys() - {"metadata", "status"})
        for path in _surplus(live[name], fresh.get(name), name)
    ]
    if not fields:
        return ""
    return (
        f"its managed fields were wiped, so nobody knows who owns these fields: {few_fields(fields)}; "
        "the intent does not contain them. Remove them by hand if nobody needs them"
    )


def _surplus(there: Any, fresh: Any, path: str) -> Iterator[str]:
    if isinstance(there, dict) and isinstance(fresh, dict):
        for name, value in there.items():
            yield from _surplus(value, fresh.get(name), f"{path}.{name}")
    elif isinstance(there, list) and isinstance(fresh, list):
        for place, value in enumerate(there):
            other = fresh[place] if place < len(fresh) else None
            yield from _surplus(value, other, f"{path}[{place}]")
    elif fresh is None:
        yield path
