# SPDX-License-Identifier: GPL-3.0-or-later
"""One input under two releases of KServe, and everything that differs between the two results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.settings import (
    Settings,
    make_settings,
)

from .preset_world import children

Json = dict[str, Any]
#: What is not there.
ABSENT = object()

#: A model that no init container fetches.
CLAIM: Json = {"model": {"uri": "pvc://models/chat"}}


def settings(release: str) -> Settings:
    """Return the settings of a release."""
    return make_settings({}, {"kserve": release})


def differences(document: Json, *manifests: Json, old: str, new: str) -> dict[str, tuple[Any, Any]]:
    """Return each field that differs: `Kind/name path` → what it is under both releases, None for what is not there."""
    before, after = (
        _fields(children(document, *manifests, settings=settings(release)))
        for release in (old, new)
    )
    return {
        path: (before.get(path), after.get(path))
        for path in sorted({*before, *after})
        if before.get(path, ABSENT) != after.get(path, ABSENT)
    }


def _fields(found: dict[tuple[str, str], Json]) -> Json:
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
