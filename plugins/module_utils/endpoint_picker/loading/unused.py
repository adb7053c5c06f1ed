# SPDX-License-Identifier: GPL-3.0-or-later
"""Declared plugins that nothing uses, of every kind: who refers to a plugin depends on what it can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ...kube.did_you_mean import nearest
from ...kube.manifest import Json
from ..findings import Finding, warning
from ..plugin_parameters import Declared
from ..rules.handlers import deciders_of
from .data_flow import KINDS_READ, Key, Need, produced, readers
from .flow_control import FAIRNESS, LIMIT, ORDERING
from .loading import Loading

#: A name that differs in a letter or two was meant, and its plugin is not unused.
_LIKENESS = 0.85
_BANDS = ("defaultPriorityBand", "defaultNegativePriorityBand")


def unused_plugins(loading: Loading) -> Iterator[Finding]:
    """Yield the declared plugins that no part of the configuration refers to, though plugins of their kind need that."""
    named = {point: set(names(loading)) for point, names in _REFERENCES.items()}
    needs = (
        list(readers(loading.objects(), loading.release)) if loading.release.has_own_picker else []
    )
    used = {need.key for dummy, need in needs}
    declared = {plugin.name for plugin in loading.declared}
    undefined = {name for names in named.values() for name in names if name not in declared}
    misspelt = {nearest(name, declared, _LIKENESS) for name in undefined}
    for plugin in loading.declared:
        known = loading.registry.get(plugin.type)
        if known is None or plugin.name in misspelt:
            continue
        points = known.points & named.keys()
        data = set(_data(plugin, loading))
        if not points and not data:
            # It works by being declared.
            continue
        if data & used or any(plugin.name in named[point] for point in points):
            continue
        yield _unused(plugin, sorted(points), _passed_over(plugin, needs))


def _data(plugin: Declared, loading: Loading) -> Iterator[Key]:
    """Yield the data of a plugin that some type of plugin reads. Of earlier pickers nobody says who reads what."""
    if loading.release.has_own_picker:
        yield from (key for key in produced(plugin) if key[0] in KINDS_READ)


def _passed_over(
    plugin: Declared, needs: list[tuple[Declared, Need]]
) -> tuple[Declared, Need] | None:
    """Return who reads the data that a producer has, from another producer."""
    kinds = {kind for kind, dummy in produced(plugin)}
    found = ((reader, need) for reader, need in needs if need.kind in kinds and need.parameter)
    return next((each for each in found if each[0] is not plugin), None)


def _unused(
    plugin: Declared, points: list[str], passed_over: tuple[Declared, Need] | None
) -> Finding:
    if passed_over is not None:
        reader, need = passed_over
        place = reader.at(need.parameter) if reader.path else need.parameter
        message = f"nothing uses {plugin.name}: {reader.name} reads from {need.producer}"
        fix = f"set {place}: {plugin.name}, or delete {plugin.name}"
    elif points:
        places = " or ".join(_PLACES[point] for point in points)
        message = f"nothing refers to {plugin.name}; it does nothing"
        fix = f"name it in {places}, or delete it"
    else:
        message = f"no plugin reads what {plugin.name} produces; it does nothing"
        fix = "declare a plugin that reads it, or delete it"
    return warning("plugin-unused", plugin.path, plugin.name, message, fix)


def _in_profiles(loading: Loading) -> Iterator[str]:
    for profile in loading.config["schedulingProfiles"]:
        yield from _names(profile.get("plugins", []))


def _names(references: list[Json]) -> Iterator[str]:
    for reference in references:
        yield reference.get("pluginRef", "")


def _deciders(loading: Loading) -> Iterator[str]:
    for plugin in loading.objects():
        for dummy, name in deciders_of(plugin, loading.release.generation).values():
            yield name


def _detectors(loading: Loading) -> Iterator[str]:
    for holder in (loading.config, loading.config.get("flowControl", {})):
        yield holder.get("saturationDetector", {}).get("pluginRef", "")


def _parsers(loading: Loading) -> Iterator[str]:
    yield loading.config.get("parser", {}).get("pluginRef", "")
    yield from _names(loading.config.get("requestHandler", {}).get("parsers", []))


def _sources(loading: Loading) -> list[Json]:
    found = (loading.config.get(section) or {} for section in ("data", "dataLayer"))
    return [source for section in found for source in section.get("sources", [])]


def _extractors(loading: Loading) -> Iterator[str]:
    for source in _sources(loading):
        yield from _names(source.get("extractors", []))


def _discoveries(loading: Loading) -> Iterator[str]:
    yield loading.config.get("dataLayer", {}).get("discovery", {}).get("pluginRef", "")


def _limits(loading: Loading) -> Iterator[str]:
    if loading.gates.get("flowControl"):
        yield loading.config.get("flowControl", {}).get("usageLimitPolicyPluginRef", LIMIT)


def _policies(key: str, default: str) -> Callable[[Loading], Iterator[str]]:
    """Return what yields the policies of all bands; a band that names none has the default one."""

    def names(loading: Loading) -> Iterator[str]:
        if not loading.gates.get("flowControl"):
            return
        section = loading.config.get("flowControl", {})
        yield default
        for band in [
            *(section.get(name, {}) for name in _BANDS),
            *section.get("priorityBands", []),
        ]:
            yield band.get(key, default)

    return names


#: What a plugin can be → the names that the configuration uses for it.
_REFERENCES: Mapping[str, Callable[[Loading], Iterator[str]]] = {
    "filter": _in_profiles,
    "scorer": _in_profiles,
    "picker": _in_profiles,
    "decider": _deciders,
    "detector": _detectors,
    "parser": _parsers,
    "source": lambda loading: _names(_sources(loading)),
    "extractor": _extractors,
    "discovery": _discoveries,
    "limit": _limits,
    "ordering": _policies("orderingPolicyRef", ORDERING),
    "fairness": _policies("fairnessPolicyRef", FAIRNESS),
}

#: What a plugin can be → where it is named.
_PLACES: Mapping[str, str] = {
    "filter": "a profile",
    "scorer": "a profile",
    "picker": "a profile",
    "decider": "the parameters of a profile handler",
    "detector": "saturationDetector",
    "parser": "requestHandler.parsers (GAIE 1.5: parser)",
    "source": "the sources of the data layer",
    "extractor": "the extractors of a source",
    "discovery": "dataLayer.discovery",
    "limit": "flowControl.usageLimitPolicyPluginRef (with the feature gate flowControl)",
    "ordering": "a band's orderingPolicyRef (with the feature gate flowControl)",
    "fairness": "a band's fairnessPolicyRef (with the feature gate flowControl)",
}
