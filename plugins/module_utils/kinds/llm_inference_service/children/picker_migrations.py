# SPDX-License-Identifier: GPL-3.0-or-later
"""Bringing arguments and configuration of an endpoint picker to what 0.7 and later read, as KServe does from 0.19 on.

Source: KServe pkg/controller/v1alpha2/llmisvc/scheduler.go@v0.19.0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable
from functools import partial
from typing import Any

from ....kube.manifest import Json
from ....kube.release import Since
from ...kserve.releases import KServe
from ..errors import Unbuildable
from ..resolved import Resolved
from .picker_rewrites import (
    NEW_API,
    OLD_API,
    Change,
    has_configuration,
    plugins_of,
    rewritten,
    unwritable,
)

#: Whether the release does so.
_MIGRATES: Since[bool] = Since({KServe.V0_17: False, KServe.V0_19: True})
#: Says on the picker's pods what they read.
VERSION_ANNOTATION = "app.kubernetes.io/version"
_FIRST = (0, 7, 0, 0)
_SEMVER = re.compile(r"(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?", re.ASCII)

_HEADERS, _HANDLER = "disagg-headers-handler", "disagg-profile-handler"
_ALWAYS, _BY_PREFIX = "always-disagg-pd-decider", "prefix-based-pd-decider"
#: Characters to a token, by KServe's own reckoning.
_CHARACTERS = 4
_METRICS, _RENAMED = "model-server-protocol-metrics", "core-metrics-extractor"
#: What says in a configuration which metrics servers have, as far as the release knows it.
_SAYS_METRICS: Since[frozenset[str]] = Since(
    {KServe.V0_17: frozenset({_METRICS}), KServe.V0_20: frozenset({_METRICS, _RENAMED})}
)
_PRECISE, _PREFIX, _PRODUCER = (
    "precise-prefix-cache-scorer",
    "prefix-cache-scorer",
    "prefixMatchInfoProducerName",
)
#: From which picker on a tokenizer beside it is of use to one plugin alone; None where it always stays.
_ALONE_WITHOUT: Since[tuple[int, ...] | None] = Since(
    {KServe.V0_17: None, KServe.V0_20: (0, 9, 0, 0)}
)
#: Flags that pickers from 0.7 on refuse → where their values go.
_METRIC_FLAGS = {
    "total-queued-requests-metric": "queuedRequestsSpec",
    "total-running-requests-metric": "runningRequestsSpec",
    "kv-cache-usage-percentage-metric": "kvUsageSpec",
    "lora-info-metric": "loraSpec",
    "cache-info-metric": "cacheInfoSpec",
}


def migrated(pod: Json, main: Json, annotations: Json, resolved: Resolved) -> Json:
    """Return the picker's container for the picker that its pods say they are; one before 0.7 stays as it is, and all with early releases.

    pod: all of it, of which any container may have flags. Raises Unbuildable where flags cannot be brought over.
    """
    release = resolved.settings.release
    if not _MIGRATES.at(release):
        return main
    if picker_version(annotations) < _FIRST:
        return main
    arguments: list[str] = main.get("args") or []
    if not has_configuration(arguments, release):
        _check_flags(pod, main)
        return main
    kept, values = without_flags(arguments, _METRIC_FLAGS)
    metrics = {_METRIC_FLAGS[flag]: value for flag, value in values.items()}
    changes: list[Change] = [*_STEPS]
    if metrics:
        changes.append(partial(_add_metrics, metrics, _SAYS_METRICS.at(release)))
    version = picker_version(annotations)
    changes += [step for since, step in _LATER.at(release) if version >= since]
    return {**main, "args": rewritten(kept, release, changes)}


def keeps_tokenizer(main: Json, annotations: Json, resolved: Resolved) -> bool:
    """Tell whether a tokenizer beside the picker stays: later pickers count tokens themselves but for one plugin.

    Each configuration among the arguments counts, whichever of them the picker reads, and one whose list of plugins is empty as well.
    """
    release = resolved.settings.release
    first = _ALONE_WITHOUT.at(release)
    if first is None or picker_version(annotations) < first:
        return True
    found: list[set[str]] = []
    rewritten(main.get("args") or [], release, [partial(_collect_types, found)])
    return all(_PRECISE in types for types in found)


def _collect_types(found: list[set[str]], document: Json) -> None:
    if isinstance(document.get("plugins"), list):
        found.append({str(plugin.get("type")) for plugin in plugins_of(document)})


def picker_version(annotations: Json) -> tuple[int, ...]:
    """Return which picker the annotations of its pods name. Raises Unbuildable for one that cannot be read."""
    return _version(annotations.get(VERSION_ANNOTATION) or "0.0.0")


def _version(text: str) -> tuple[int, ...]:
    found = _SEMVER.fullmatch(text)
    if found is None:
        raise unbuildable(
            f'failed to parse version "{text}"',
            path="spec.router.scheduler.annotations",
            advice=f"{VERSION_ANNOTATION} says which picker the pods run, for example 0.7.0",
        )
    numbers = tuple(int(part) for part in found.groups()[:3])
    # What comes before a release is older than it.
    return (*numbers, -1 if found[4] else 0)


def _check_flags(pod: Json, main: Json) -> None:
    containers = [main, *(one for one in pod.get("containers") or () if one is not main)]
    words = [word for one in containers for word in one.get("args") or ()]
    found = {_flag(word)[0] for word in words} & _METRIC_FLAGS.keys()
    if found:
        raise flags_refused(found, "0.7", _METRICS)


def flags_refused(flags: Iterable[str], since: str, plugin: str) -> Unbuildable:
    """Return the error of flags that cannot be brought over. since: the first picker that refuses them. plugin: what stands for them."""
    named = ", --".join(sorted(flags))
    return unbuildable(
        f"the picker has --{named}, which pickers from {since} on refuse, and no configuration among its arguments",
        path="spec.router.scheduler.template.containers",
        advice=f"take the flags out, or give the configuration as router.scheduler.config, with a plugin {plugin}",
    )


def unbuildable(message: str, *, path: str, advice: str) -> Unbuildable:
    """Return the error of a picker that cannot be brought to what it reads."""
    return Unbuildable(
        f"Failed to reconcile scheduler: {message}",
        condition="SchedulerWorkloadReady",
        reason="SchedulerReconcileError",
        path=path,
        advice=advice,
        rule="picker-migration",
    )


def _flag(word: str) -> tuple[str, str]:
    """Return the name and the value of a flag."""
    name, dummy, value = word.lstrip("-").partition("=")
    return name, value


def without_flags(arguments: list[str], flags: Container[str]) -> tuple[list[str], dict[str, str]]:
    """Return arguments without some flags, and the values of these."""
    kept: list[str] = []
    values: dict[str, str] = {}
    words = iter(enumerate(arguments))
    for place, word in words:
        name, value = _flag(word)
        if name not in flags:
            kept.append(word)
            continue
        following = arguments[place + 1 : place + 2]
        if not value and following and not following[0].startswith("-"):
            value = next(words)[1]
        values[name] = value
    return kept, values


def _rename(old: str, new: str, document: Json) -> None:
    """Give a plugin its new name, also where profiles refer to it."""
    for plugin in plugins_of(document):
        for field in ("type", "name"):
            if plugin.get(field) == old:
                plugin[field] = new
    profiles = document.get("schedulingProfiles")
    for profile in profiles if isinstance(profiles, list) else ():
        for reference in plugins_of(profile) if isinstance(profile, dict) else ():
            if reference.get("pluginRef") == old:
                reference["pluginRef"] = new


def _say_deciders(document: Json) -> None:
    """Say which prompts are read elsewhere by a plugin of its own, which has to come before the one that asks it."""
    wanted: list[Json] = []
    first: int | None = None
    plugins: Any = document.get("plugins")
    for place, plugin in enumerate(plugins if isinstance(plugins, list) else ()):
        if not isinstance(plugin, dict) or plugin.get("type") != _HANDLER:
            continue
        first = place if first is None else first
        parameters = plugin.get("parameters")
        if not isinstance(parameters, dict) or "deciders" in parameters:
            continue
        if "deciderPluginName" in parameters:
            parameters["deciders"] = {"prefill": parameters.pop("deciderPluginName")}
            parameters.pop("threshold", None)
        elif "threshold" in parameters:
            decider = _decider(parameters.pop("threshold"))
            parameters["deciders"] = {"prefill": decider["type"]}
            wanted.append(decider)
    for decider in wanted:
        if all(plugin.get("type") != decider["type"] for plugin in plugins_of(document)):
            plugins.insert(first, decider)
            first = (first or 0) + 1


def _decider(threshold: Any) -> Json:
    """Return the plugin for a number of new characters from which a prompt is read elsewhere."""
    if str(threshold) == "0":
        return {"type": _ALWAYS}
    try:
        tokens = max(1, math.ceil(float(threshold) / _CHARACTERS))
    except (TypeError, ValueError, OverflowError):
        tokens = 1
    return {"type": _BY_PREFIX, "parameters": {"nonCachedTokens": tokens}}


def _drop_hash_block_size(document: Json) -> None:
    for plugin in plugins_of(document):
        if isinstance(plugin.get("parameters"), dict):
            plugin["parameters"].pop("hashBlockSize", None)


def _add_metrics(values: Json, said_by: Container[str], document: Json) -> None:
    """Say which metrics servers have, as the flags did, unless a plugin of the configuration does."""
    if any(plugin.get("type") in said_by for plugin in plugins_of(document)):
        return
    parameters = {
        "engineLabelKey": "inference.networking.k8s.io/engine-type",
        "defaultEngine": "vllm",
        "engineConfigs": [{"name": "vllm", **values}],
    }
    plugins = document.setdefault("plugins", [])
    if not isinstance(plugins, list):
        raise unwritable("plugins is no list")
    plugins.append({"name": _METRICS, "type": _METRICS, "parameters": parameters})


_STEPS: tuple[Change, ...] = (
    partial(_rename, "prefill-header-handler", _HEADERS),
    partial(_rename, "pd-profile-handler", _HANDLER),
    _say_deciders,
    _drop_hash_block_size,
)


def _drop_prefix_parameters(document: Json) -> None:
    """Leave of the scorer of prefixes only who tells it of them; the rest is the producer's."""
    for plugin in plugins_of(document):
        parameters = plugin.get("parameters")
        if plugin.get("type") != _PREFIX or not isinstance(parameters, dict):
            continue
        kept = {key: value for key, value in parameters.items() if key == _PRODUCER}
        plugin["parameters"] = kept
        if not kept:
            del plugin["parameters"]


def _move_api(document: Json) -> None:
    if document.get("apiVersion") == OLD_API:
        document["apiVersion"] = NEW_API


_OF_0_20: tuple[tuple[tuple[int, ...], Change], ...] = (
    ((0, 8, 0, 0), partial(_rename, _METRICS, _RENAMED)),
    ((0, 9, 0, 0), _drop_prefix_parameters),
)
#: What later releases do beside that, each from a picker on, after metrics were added.
_LATER: Since[tuple[tuple[tuple[int, ...], Change], ...]] = Since(
    {
        KServe.V0_17: (),
        KServe.V0_20: _OF_0_20,
        KServe.V0_21: (*_OF_0_20, ((0, 9, 0, 0), _move_api)),
    }
)
