# SPDX-License-Identifier: GPL-3.0-or-later
"""What a picker asks elsewhere, as KServe tells it from 0.21 on: tokens of the service's tokenizer, metrics by a plugin instead of flags.

Source: KServe pkg/controller/v1alpha2/llmisvc/scheduler.go at aaac4e294dae.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ....kube.manifest import Json
from ....kube.release import Since
from ...kserve.pod import changed, container_of
from ...kserve.releases import KServe
from ...kserve.storage.initializer import MODEL_PATH
from ..own_tokenizer import has_own_tokenizer, tokenizer_url
from ..pod import MAIN
from ..resolved import Resolved
from .picker_migrations import flags_refused, picker_version, unbuildable, without_flags
from .picker_rewrites import Change, has_configuration, plugins_of, rewritten, unwritable

#: Whether the release does so.
_WIRES: Since[bool] = Since({KServe.V0_17: False, KServe.V0_21: True})
#: The pickers from which on tokens come by a plugin, and metrics.
_TOKENS, _SOURCES = (0, 9, 0, 0), (0, 10, 0, 0)
_PRECISE, _PREFIX = "precise-prefix-cache-scorer", "prefix-cache-scorer"
_TOKEN_PRODUCER, _PREFIX_PRODUCER = "token-producer", "precise-prefix-cache-producer"
_SOURCE = "metrics-data-source"
#: Flags that pickers from 0.10 on refuse → the parameter of the plugin; none for the port, which is the pool's.
_FLAGS = {
    "model-server-metrics-scheme": "scheme",
    "model-server-metrics-path": "path",
    "model-server-metrics-https-insecure-skip-verify": "insecureSkipVerify",
    "model-server-metrics-port": "",
}
_SWITCH = "insecureSkipVerify"
#: What Go reads as true and as false.
_TRUE = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE = frozenset({"0", "f", "F", "false", "FALSE", "False"})


def wired(pod: Json, annotations: Json, resolved: Resolved) -> Json:
    """Return the picker's pod, for the picker that it says it is. Raises Unbuildable where flags cannot be brought over."""
    release = resolved.settings.release
    version = picker_version(annotations) if _WIRES.at(release) else ()
    changes: list[Change] = []
    if version >= _TOKENS and has_own_tokenizer(resolved.spec, release):
        url = tokenizer_url(resolved)
        changes += [partial(_split_precise, url), partial(_tell_producers, url)]
    if version >= _SOURCES:
        pod, flags = _without_flags(pod)
        main = container_of(pod, MAIN) or {}
        if flags and not has_configuration(main.get("args") or [], release):
            raise flags_refused(flags, "0.10", _SOURCE)
        parameters = _parameters(flags)
        if parameters:
            changes.append(partial(_add_source, parameters))
    if not changes:
        return pod
    return changed(
        pod,
        MAIN,
        lambda main: {**main, "args": rewritten(main.get("args") or [], release, changes)},
    )


def _without_flags(pod: Json) -> tuple[Json, dict[str, str]]:
    """Return a pod whose containers have none of the flags, and the values of those that say something."""
    found: dict[str, str] = {}
    containers = []
    for container in pod.get("containers") or ():
        said = dict(container)
        for field in ("command", "args"):
            kept, values = without_flags(container.get(field) or [], _FLAGS)
            if values:
                found |= values
                said[field] = kept
        containers.append(said)
    return {**pod, "containers": containers}, {
        flag: value for flag, value in found.items() if _FLAGS[flag]
    }


def _parameters(flags: dict[str, str]) -> Json:
    """Return the parameters of the plugin. A switch without a value is on. Raises Unbuildable for one that is no switch."""
    found: Json = {}
    for flag, value in flags.items():
        if _FLAGS[flag] != _SWITCH:
            found |= {_FLAGS[flag]: value} if value else {}
        elif value and value not in _TRUE | _FALSE:
            raise unbuildable(
                f'invalid value "{value}" for --{flag}',
                path="spec.router.scheduler.template.containers",
                advice="give true or false",
            )
        else:
            found[_SWITCH] = value not in _FALSE
    return found


def _add_source(parameters: Json, document: Json) -> None:
    """Say how metrics are read, unless the configuration does."""
    if any(plugin.get("type") == _SOURCE for plugin in plugins_of(document)):
        return
    plugins = document.setdefault("plugins", [])
    if not isinstance(plugins, list):
        raise unwritable("plugins is no list")
    plugins.append({"type": _SOURCE, "parameters": parameters})


def _producer(url: str) -> Json:
    parameters = {"modelName": f"{MODEL_PATH}/base", "vllm": {"url": url}}
    return {"type": _TOKEN_PRODUCER, "parameters": parameters}


def _tell_producers(url: str, document: Json) -> None:
    """Tell each plugin that asks for tokens where they are, unless the configuration does."""
    for plugin in plugins_of(document):
        if plugin.get("type") == _TOKEN_PRODUCER:
            wanted = _producer(url)["parameters"]
            given = plugin.get("parameters")
            said: Json = given if isinstance(given, dict) else {}
            server = said.get("vllm")
            known: Json = server if isinstance(server, dict) else {}
            plugin["parameters"] = {**wanted, **said, "vllm": {**wanted["vllm"], **known}}


def _split_precise(url: str, document: Json) -> None:
    """Put in place of the scorer that does all the three plugins that share its work; another scorer of prefixes goes."""
    plugins: Any = document.get("plugins")
    if not isinstance(plugins, list):
        return
    places = [place for place, each in enumerate(plugins) if _is_of(each, _PRECISE)]
    if not places:
        return
    producer: Json = {"type": _PREFIX_PRODUCER}
    parameters = _of_producer(plugins[places[0]].get("parameters"))
    if parameters:
        producer["parameters"] = parameters
    scorer = {"type": _PREFIX, "parameters": {"prefixMatchInfoProducerName": _PREFIX_PRODUCER}}
    left = [
        each
        for place, each in enumerate(plugins)
        if place != places[0] and not _is_of(each, _PREFIX)
    ]
    left[places[0] : places[0]] = [_producer(url), producer, scorer]
    document["plugins"] = left
    profiles = document.get("schedulingProfiles")
    for profile in profiles if isinstance(profiles, list) else ():
        if isinstance(profile, dict) and isinstance(profile.get("plugins"), list):
            profile["plugins"] = _renamed(profile["plugins"])


def _is_of(plugin: Any, kind: str) -> bool:
    return isinstance(plugin, dict) and plugin.get("type") == kind


def _renamed(references: list[Any]) -> list[Any]:
    """Return the references of a profile with the new scorer, once."""
    found: list[Any] = []
    seen = False
    for each in references:
        if isinstance(each, dict) and each.get("pluginRef") in (_PRECISE, _PREFIX):
            if not seen:
                found.append({**each, "pluginRef": _PREFIX})
            seen = True
        else:
            found.append(each)
    return found


def _of_producer(parameters: Any) -> Json:
    """Return the parameters of the former scorer as the producer has them: how tokens are grouped is apart, tokenizers go."""
    if not isinstance(parameters, dict):
        return {}
    indexer = parameters.get("indexerConfig")
    if not isinstance(indexer, dict):
        return parameters
    grouping = {key: indexer[key] for key in ("tokenProcessorConfig",) if key in indexer}
    gone = ("tokenizersPoolConfig", "tokenProcessorConfig")
    kept = {key: value for key, value in indexer.items() if key not in gone}
    others = {key: value for key, value in parameters.items() if key != "indexerConfig"}
    return {**grouping, **others, **({"indexerConfig": kept} if kept else {})}
