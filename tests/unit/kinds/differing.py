# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that differs between what two releases make of one input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from module_utils.kube.manifest import Json

#: What is not there.
ABSENT = object()


def differing(
    before: Mapping[tuple[str, str], Json], after: Mapping[tuple[str, str], Json]
) -> dict[str, tuple[Any, Any]]:
    """Return each field that differs: `Kind/name path` → what it is in both, None for what is not there.

    before, after: manifests by kind and name.
    """
    old, new = _fields(before), _fields(after)
    return {
        path: (old.get(path), new.get(path))
        for path in sorted({*old, *new})
        if old.get(path, ABSENT) != new.get(path, ABSENT)
    }


def _fields(found: Mapping[tuple[str, str], Json]) -> Json:
    return {
        path: value
        for (kind, name), manifest in found.items()
        for path, value in _leaves(manifest, f"{kind}/{name} ")
    }


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield every field with its path; items of a list are called by their name, where they have one."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if not path.endswith(" ") else path + key)
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        for number, item in enumerate(value):
            yield from _leaves(item, f"{path}[{item.get('name', number)}]")
    else:
        yield path, value
