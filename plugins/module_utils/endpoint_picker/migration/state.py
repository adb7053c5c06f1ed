# SPDX-License-Identifier: GPL-3.0-or-later
"""A configuration on its way to a later release: the document, what was changed, and what a person has to decide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ...kube.manifest import Json
from ..findings import Value
from ..releases import PickerRelease


@dataclass(slots=True)
class MigrationState:
    """changes: what was rewritten, in order. decisions: what cannot be known from the document alone."""

    document: Json
    source: PickerRelease
    target: PickerRelease
    changes: list[str] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)

    def changed(self, text: str) -> None:
        """Note a change."""
        self.changes.append(text)

    def decide(self, text: str) -> None:
        """Note something to decide, once."""
        if text not in self.decisions:
            self.decisions.append(text)

    @property
    def plugins(self) -> list[Json]:
        """The declared plugins."""
        plugins: list[Json] = self.document.setdefault("plugins", [])
        return plugins

    def of_type(self, *types: str) -> Iterator[tuple[Json, Json]]:
        """Yield the plugins of some types with their parameters, which may be changed."""
        for plugin in list(self.plugins):
            if plugin.get("type") in types:
                if not isinstance(plugin.get("parameters"), dict):
                    plugin["parameters"] = {}
                yield plugin, plugin["parameters"]

    def has_type(self, *types: str) -> bool:
        """Whether a plugin of one of these types is declared."""
        return any(plugin.get("type") in types for plugin in self.plugins)

    def declare(self, type_name: str, before: Json | None = None, **parameters: Value) -> None:
        """Declare a plugin, if wanted before another one."""
        plugin: Json = {"type": type_name}
        if parameters:
            plugin["parameters"] = parameters
        position = self.plugins.index(before) if before is not None else len(self.plugins)
        self.plugins.insert(position, plugin)

    def retype(self, old: str, new: str) -> None:
        """Give plugins of one type another, and follow with references to those that had no name of their own."""
        for plugin in self.plugins:
            if plugin.get("type") != old:
                continue
            plugin["type"] = new
            self.changed(f"plugin type {old} became {new}")
            if plugin.get("name", old) == old:
                plugin.pop("name", None)
                _rename(self.document, old, new)

    def remove(self, plugin: Json) -> None:
        """Remove a plugin with the references to it."""
        name = plugin.get("name") or plugin["type"]
        self.plugins.remove(plugin)
        for profile in self.document.get("schedulingProfiles", []):
            kept = [item for item in profile.get("plugins", []) if item.get("pluginRef") != name]
            profile["plugins"] = kept

    def drop_gate(self, gate: str) -> bool:
        """Remove a feature gate; return whether it was there."""
        gates = self.document.get("featureGates", [])
        if gate not in gates:
            return False
        gates[:] = [entry for entry in gates if entry != gate]
        if not gates:
            del self.document["featureGates"]
        self.changed(f"feature gate {gate} was dropped; {self.target.target} has none of that name")
        return True


def _rename(value: Value, old: str, new: str) -> None:
    """Follow references by name everywhere below a value."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "pluginRef" and item == old:
                value[key] = new
            else:
                _rename(item, old, new)
    elif isinstance(value, list):
        for item in value:
            _rename(item, old, new)
