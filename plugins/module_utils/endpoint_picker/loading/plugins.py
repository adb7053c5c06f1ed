# SPDX-License-Identifier: GPL-3.0-or-later
"""The loader's step over `plugins`: types, names, parameters, and the plugins that other plugins name."""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.did_you_mean import nearest
from ..catalogue import plugins, targets_with
from ..findings import Finding, refusal, unknown
from ..plugin_parameters import Declared
from ..releases import Generation, PickerRelease
from ..rules.bounds import bound_faults
from ..rules.handlers import deciders_of
from ..rules.parameters import parameter_faults
from ..rules.plugin import plugin_faults
from ..rules.producers import approximate_prefix_faults
from .deprecations import DEPRECATED
from .loading import Loading
from .precise_scorer import PRECISE_SCORER, precise_scorer_faults

_G = Generation
#: Each registers metrics of fixed names when it is created; the second time the picker ends with a panic.
_ONCE = {_G.V0_9: frozenset({"program-aware-fairness"})}
_APPROXIMATE = "approx-prefix-cache-producer"


def load_plugins(loading: Loading) -> None:
    """Create the declared plugins: fill in names, report what is wrong with them, and remember their types."""
    given = loading.given.get("plugins") or []
    for index, entry in enumerate(loading.config.get("plugins", [])):
        entry.setdefault("name", entry.get("type", ""))
        plugin = Declared(
            name=entry["name"],
            type=entry.get("type", ""),
            path=f"plugins[{index}]",
            # What the decoder of parameters sees holds the nulls that the normal form does not have.
            parameters=given[index].get("parameters") if "parameters" in entry else None,
            given="parameters" in entry,
        )
        loading.report(_faults(plugin, loading))
        loading.declared.append(plugin)
        loading.instances.setdefault(plugin.name, plugin.type)
    if loading.release.generation == _G.V1_5:
        _add_prefix_producer(loading)


def _faults(plugin: Declared, loading: Loading) -> Iterator[Finding]:
    if not plugin.type:
        yield refusal(
            "plugin-without-type",
            plugin.path,
            plugin.name,
            "a plugin needs a type",
            "name its type",
        )
        return
    if plugin.name in loading.instances:
        yield refusal(
            "plugin-name-twice",
            f"{plugin.path}.name",
            plugin.name,
            f"two plugins have the name {plugin.name}; without a name of its own a plugin has that of its type",
            "give one of them another name",
        )
    if plugin.type not in loading.registry:
        yield _unknown_type(plugin, loading)
        return
    if (
        plugin.type in _ONCE.get(loading.release.generation, ())
        and plugin.type in loading.instances.values()
    ):
        yield refusal(
            "plugin-once",
            plugin.path,
            plugin.name,
            f"{loading.release.target} ends with a panic when {plugin.type} is created a second time",
            "declare it once, and refer to it wherever you need it",
        )
    if plugin.type == PRECISE_SCORER and loading.release.has_own_picker:
        yield from precise_scorer_faults(plugin, loading)
        return
    faults = list(plugin_faults(plugin, loading.release))
    yield from faults
    if not any(fault.rule == "parameter-kind" for fault in faults):
        yield from _decider_faults(plugin, loading)
        yield from _prefix_plugin_faults(plugin, loading)


def _unknown_type(plugin: Declared, loading: Loading) -> Finding:
    path, target = f"{plugin.path}.type", loading.release.target
    having = targets_with(plugin.type)
    if having or plugin.type in _SUCCESSORS:
        there = f"it exists in {', '.join(having)}" if having else "it went with GAIE 1.0"
        message = f"{target} has no plugin of type {plugin.type}; {there}"
        fix = _successor(plugin.type, loading.release)
        return refusal("plugin-type-unknown", path, plugin.type, message, fix)
    hint = nearest(plugin.type, loading.registry)
    fix = f"did you mean {hint}?" if hint else f"choose one of {', '.join(loading.registry)}"
    message = f"{target} has no plugin of type {plugin.type!r}"
    sure = loading.release.judged
    return unknown("plugin-type-unknown", path, plugin.type, message, fix, sure=sure)


#: Types that were replaced, with what does their work now.
_SUCCESSORS = {
    "model-server-protocol-metrics": "core-metrics-extractor (from 1.5)",
    "core-metrics-extractor": "model-server-protocol-metrics (until 1.4)",
    "model-server-protocol-models": "models-data-extractor (from llm-d 0.9)",
    # Of GAIE 0.5, which many guides were written for.
    "kv-cache-scorer": "kv-cache-utilization-scorer",
    "least-kv-cache-filter": "kv-cache-utilization-scorer",
    "least-queue-filter": "queue-scorer",
    "low-queue-filter": "queue-scorer",
    "lora-affinity-filter": "lora-affinity-scorer",
    "decision-tree-filter": "a profile with scorers",
    "predicted-latency-scorer": "predicted-latency-producer and latency-scorer (from llm-d 0.9)",
}


def _successor(type_name: str, release: PickerRelease) -> str:
    other = _SUCCESSORS.get(type_name)
    if type_name in DEPRECATED and plugins()[type_name].until < release.generation:
        dummy, other = DEPRECATED[type_name]
    return f"use {other}" if other else "do without it, or choose a release that has it"


def _decider_faults(plugin: Declared, loading: Loading) -> Iterator[Finding]:
    """Yield references to deciders that are not there; before 0.10 a decider has to come before its handler."""
    for key, name in deciders_of(plugin, loading.release.generation).values():
        entries = loading.config["plugins"]
        known = {
            entry.get("name") or entry.get("type", ""): entry.get("type", "") for entry in entries
        }
        earlier = name in loading.instances
        if name in known and not earlier and loading.release.generation < _G.V0_10:
            yield refusal(
                "plugin-order",
                plugin.path,
                name,
                f"{plugin.type} needs {name}, which is declared after it; {loading.release.target} creates plugins in order",
                f"move {name} before {plugin.name}",
            )
        elif name not in known:
            yield refusal(
                "plugin-needed",
                plugin.at(key),
                name,
                f"{plugin.type} needs the decider {name}, which is not declared",
                f"declare {name} before {plugin.name}",
            )
        elif (
            known[name] in loading.registry
            and "decider" not in loading.registry[known[name]].points
        ):
            yield refusal(
                "plugin-needed",
                plugin.at(key),
                name,
                f"{plugin.type} needs a decider, and {name} is a {known[name]}",
                "name a decider, such as prefix-based-pd-decider",
            )


def _prefix_plugin_faults(plugin: Declared, loading: Loading) -> Iterator[Finding]:
    """Yield the plugin of prefixes that pd-profile-handler names in 0.10 and is not there: it no longer uses it, and still waits for it."""
    if plugin.type != "pd-profile-handler" or loading.release.generation != _G.V0_10:
        return
    key = "prefixPluginName" if plugin.text("prefixPluginName") else "prefixPluginType"
    name = plugin.text(key)
    known = {entry.get("name") or entry.get("type", "") for entry in loading.config["plugins"]}
    if name and (name not in known or name == plugin.name):
        yield refusal(
            "plugin-needed",
            plugin.at(key),
            name,
            f"{plugin.type} waits for the plugin {name}, which is not declared",
            f"delete {key}, which has no effect any more",
        )


def _add_prefix_producer(loading: Loading) -> None:
    """In 1.5 the last prefix-cache-scorer brings its producer along, with its own parameters."""
    scorers = [plugin for plugin in loading.declared if plugin.type == "prefix-cache-scorer"]
    if not scorers or _APPROXIMATE in loading.instances.values():
        return
    scorer = scorers[-1]
    path = f"{scorer.path}.parameters"
    faults = list(parameter_faults(scorer.parameters, _APPROXIMATE, path, loading.release))
    loading.report(faults)
    if not any(fault.verdict == "reject" for fault in faults):
        producer = Declared(
            _APPROXIMATE, _APPROXIMATE, scorer.path, scorer.parameters, scorer.given
        )
        loading.report(bound_faults(producer, loading.release))
        loading.report(approximate_prefix_faults(producer, loading.release))
    loading.instances[_APPROXIMATE] = _APPROXIMATE
