# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a controller that are in a ConfigMap of its bundle, each key a JSON text or a plain one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...kube.manifest import Json
from ...kube.problem import Problem


def set_config(
    manifests: Sequence[Json], wanted: Mapping[str, Mapping[str, Any]]
) -> Iterator[Problem]:
    """Merge values into ConfigMaps by name and key. A map is merged into the JSON that the key holds, and written back whole.

    Yields a problem for each ConfigMap that is not there, and for each key that holds no JSON map where a map is given.
    """
    maps = {each["metadata"]["name"]: each for each in manifests if each["kind"] == "ConfigMap"}
    for name, values in wanted.items():
        path = f"transform.config.{name}"
        if name not in maps:
            known = ", ".join(sorted(maps)) or "none"
            yield Problem(path, f"the bundle has no such ConfigMap; there are: {known}")
            continue
        if not isinstance(values, Mapping):
            yield Problem(path, f"{type(values).__name__} is not a map of keys")
            continue
        data = maps[name].setdefault("data", {})
        for key, value in values.items():
            yield from _set(data, key, value, f"{path}.{key}")


def _set(data: Json, key: str, value: Any, path: str) -> Iterator[Problem]:
    there = _parsed(data.get(key) or "{}")
    if isinstance(value, Mapping):
        if not isinstance(there, dict):
            text = "the bundle's text is no JSON map to merge into; give the whole text"
            yield Problem(path, text)
            return
        data[key] = json.dumps(_merged(there, value), indent=2)
        return
    if data.get(key) and isinstance(there, dict):
        given = _parsed(value) if isinstance(value, str) else value
        if not isinstance(given, dict):
            text = "the bundle has a JSON map here, and this is none; give a map, which is merged, or a JSON map as text"
            yield Problem(path, text)
            return
    data[key] = value if isinstance(value, str) else json.dumps(value)


def _parsed(text: str) -> Any:
    """Return what JSON says, None for what is no JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _merged(there: Json, value: Mapping[str, Any]) -> Json:
    merged = dict(there)
    for key, inner in value.items():
        below = merged.get(key)
        both = isinstance(inner, Mapping) and isinstance(below, dict)
        merged[key] = _merged(below or {}, inner) if both else inner
    return merged
