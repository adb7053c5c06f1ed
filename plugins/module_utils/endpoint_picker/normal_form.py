# SPDX-License-Identifier: GPL-3.0-or-later
"""What a configuration means: one hash for all ways to write the same, and what differs between two of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ..kube.manifest import Json
from .findings import Value

Kind = Literal["added", "removed", "weight", "parameters", "order", "setting"]

#: Sections that are compared entry by entry.
_BY_NAME = ("plugins", "schedulingProfiles")


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that another configuration does otherwise. kind: in which way; path: where."""

    kind: Kind
    path: str
    before: Value
    after: Value

    def as_json(self) -> Json:
        """Return the difference as a task returns it."""
        return {
            "change": self.kind,
            "path": self.path,
            "before": self.before,
            "after": self.after,
        }


def meaning_hash(config: Json) -> str:
    """Return the lower-case hex SHA-256 of a configuration in normal form.

    Keys are sorted, `2.0` and `2` are alike, lists keep their order: the order of plugins and of a profile can matter.
    """
    text = json.dumps(_canonical(config), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def differences(before: Json, after: Json) -> Iterator[Difference]:
    """Yield what differs between two configurations in normal form; nothing if both mean the same."""
    old, new = _canonical(before), _canonical(after)
    yield from _plugin_differences(old.get("plugins", []), new.get("plugins", []))
    yield from _profile_differences(
        old.get("schedulingProfiles", []), new.get("schedulingProfiles", [])
    )
    for key in sorted(old.keys() | new.keys()):
        if key not in _BY_NAME and key not in ("apiVersion", "kind"):
            yield from _setting_differences(old.get(key), new.get(key), key)


def _plugin_differences(old: list[Json], new: list[Json]) -> Iterator[Difference]:
    before = {plugin.get("name", ""): plugin for plugin in old}
    after = {plugin.get("name", ""): plugin for plugin in new}
    for name in sorted(before.keys() - after.keys()):
        yield Difference("removed", f"plugins.{name}", before[name], None)
    for name, plugin in after.items():
        path, known = f"plugins.{name}", before.get(name)
        if known is None:
            yield Difference("added", path, None, plugin)
        elif known.get("type") != plugin.get("type"):
            yield Difference("setting", f"{path}.type", known.get("type"), plugin.get("type"))
        elif known.get("parameters") != plugin.get("parameters"):
            yield Difference("parameters", path, known.get("parameters"), plugin.get("parameters"))


def _profile_differences(old: list[Json], new: list[Json]) -> Iterator[Difference]:
    before = {profile.get("name", ""): profile.get("plugins", []) for profile in old}
    after = {profile.get("name", ""): profile.get("plugins", []) for profile in new}
    for name in sorted(before.keys() - after.keys()):
        yield Difference("removed", f"schedulingProfiles.{name}", before[name], None)
    for name, references in after.items():
        path = f"schedulingProfiles.{name}"
        if name not in before:
            yield Difference("added", path, None, references)
        else:
            yield from _reference_differences(before[name], references, path)


def _reference_differences(old: list[Json], new: list[Json], path: str) -> Iterator[Difference]:
    before = {reference.get("pluginRef", ""): reference.get("weight") for reference in old}
    after = {reference.get("pluginRef", ""): reference.get("weight") for reference in new}
    for name in sorted(before.keys() - after.keys()):
        yield Difference("removed", f"{path}.{name}", before[name], None)
    for name, weight in after.items():
        if name not in before:
            yield Difference("added", f"{path}.{name}", None, weight)
        elif before[name] != weight:
            yield Difference("weight", f"{path}.{name}", before[name], weight)
    if before.keys() == after.keys() and list(before) != list(after):
        yield Difference("order", path, list(before), list(after))


def _setting_differences(old: Value, new: Value, path: str) -> Iterator[Difference]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _setting_differences(old.get(key), new.get(key), f"{path}.{key}")
    elif old != new:
        yield Difference("setting", path, old, new)


def _canonical(value: Value) -> Value:
    if isinstance(value, dict):
        return {key: _canonical(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
