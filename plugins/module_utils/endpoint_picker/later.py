# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a configuration later pickers no longer have, so that it is rewritten before their image comes."""

from __future__ import annotations

from collections.abc import Iterator

from ..kube.manifest import Json
from .catalogue import plugins, registry
from .findings import Finding, Value, info
from .releases import PickerRelease, releases
from .rules.parameters import parameter_faults
from .strict_decoding import decoding_faults

#: What a finding is about, by its rule.
_LOST = {"field-unknown": "field", "parameter-unknown": "parameter"}


def dropped_later(document: Json, release: PickerRelease) -> list[Finding]:
    """Return what a configuration uses in its release and a later one does not start with, once for each place."""
    found: dict[str, Finding] = {}
    lost_already = {finding.path for finding in _lost(document, release)}
    for later in sorted(releases().values(), key=lambda each: each.generation):
        if release.comes_before(later):
            for finding in _lost(document, later):
                if finding.path not in lost_already:
                    found.setdefault(finding.path, _told(finding, release, later))
    return list(found.values())


def _lost(document: Json, release: PickerRelease) -> Iterator[Finding]:
    """Yield what stops a release because it has no such thing."""
    for fault in decoding_faults(document, release):
        if fault.rule in _LOST:
            yield fault
    for index, gate in enumerate(_list(document, "featureGates")):
        name = str(gate).partition("=")[0]
        if name not in release.gates:
            yield info("gate-unknown", f"featureGates[{index}]", name, "feature gate", "")
    for index, plugin in enumerate(_list(document, "plugins")):
        kind = plugin.get("type") if isinstance(plugin, dict) else None
        path = f"plugins[{index}]"
        if not isinstance(kind, str) or kind not in plugins():
            continue
        if kind not in registry(release.target):
            yield info("plugin-type-unknown", f"{path}.type", kind, "plugin of type", "")
            continue
        for fault in parameter_faults(
            plugin.get("parameters"), kind, f"{path}.parameters", release
        ):
            if fault.rule in _LOST and fault.verdict == "reject":
                yield fault


def _list(document: Json, key: str) -> list[Value]:
    value = document.get(key)
    return value if isinstance(value, list) else []


def _told(finding: Finding, release: PickerRelease, later: PickerRelease) -> Finding:
    what = _LOST.get(finding.rule) or finding.message
    source = "" if later.judged else ", as its project announced"
    return info(
        "dropped-later",
        finding.path,
        finding.value,
        f"{later.target} has no {what} {finding.value} any more, and does not start with it{source}",
        f"before the image is {later.target}, rewrite the configuration: migrate_from {release.target}, target {later.target}",
    )
