# SPDX-License-Identifier: GPL-3.0-or-later
"""A configuration while a release loads it: what it has become so far, and what was found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ...kube.manifest import Json
from ..catalogue import Plugin, registry
from ..findings import Finding
from ..plugin_parameters import Declared
from ..releases import PickerRelease


@dataclass(slots=True)
class Loading:
    """config: the document with all defaults so far. given: the document as it was given, with its nulls. instances: name → type of every plugin object.

    shaky: whether the order of a profile, or which picker it took, changes from start to start.
    """

    release: PickerRelease
    config: Json
    given: Json = field(default_factory=dict)
    declared: list[Declared] = field(default_factory=list)
    instances: dict[str, str] = field(default_factory=dict)
    gates: dict[str, bool] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    shaky: bool = False

    @property
    def registry(self) -> Mapping[str, Plugin]:
        """The plugin types that the release knows."""
        return registry(self.release.target)

    def report(self, findings: Iterable[Finding]) -> None:
        """Add findings."""
        self.findings.extend(findings)

    def is_a(self, name: str, *points: str) -> bool:
        """Whether the plugin object of a name can be used as one of these."""
        plugin = self.registry.get(self.instances.get(name, ""))
        return plugin is not None and not plugin.points.isdisjoint(points)

    def all_of(self, point: str) -> list[str]:
        """Return the names of plugin objects that can be used as this, in their order."""
        return [name for name in self.instances if self.is_a(name, point)]

    def inject(self, type_name: str) -> None:
        """Add a default plugin under the name of its type, which replaces an object that has taken the name."""
        self.instances[type_name] = type_name
        self.config.setdefault("plugins", []).append({"name": type_name, "type": type_name})

    def inject_missing(self, *type_names: str) -> None:
        """Add default plugins whose name is free."""
        for type_name in type_names:
            if type_name not in self.instances:
                self.inject(type_name)

    def plugin_names(self) -> set[str]:
        """Return the names that references may use."""
        return {plugin["name"] for plugin in self.config.get("plugins", [])}

    def objects(self) -> list[Declared]:
        """Return the plugin objects as they are: declared ones, except where a default has taken their name."""
        declared = {plugin.name: plugin for plugin in self.declared}
        objects = []
        for name, type_name in self.instances.items():
            plugin = declared.get(name)
            if plugin is None or plugin.type != type_name:
                plugin = Declared(name, type_name, "", None, given=False)
            objects.append(plugin)
        return objects
