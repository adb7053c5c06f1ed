# SPDX-License-Identifier: GPL-3.0-or-later
"""How the endpoint picker of a service learns its configuration: by arguments. Source: KServe pkg/controller/v1alpha2/llmisvc/scheduler.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from ....endpoint_picker.build import as_text
from ....kube.go_json import go_json
from ....kube.manifest import Json
from ....kube.release import Since, change
from ...kserve.releases import KServe
from ..artifacts.adapters import given_adapters
from ..resolved import Resolved
from .picker_rewrites import NEW_API, OLD_API

_TEXT_FLAG = "--config-text"
_FLAGS = frozenset(
    dashes + name
    for dashes in ("-", "--")
    for name in ("config-text", "configText", "config-file", "configFile")
)


#: The endpoint picker of the release's own presets, as a target of `endpoint_picker`.
PICKER_TARGET: Since[str] = Since(
    {
        KServe.V0_17: "llmd:0.4",
        KServe.V0_18: "llmd:0.7",
        KServe.V0_20: "llmd:0.9",
        KServe.V0_21: "llmd:0.10",
    }
)


#: The version of the API in which the release writes a configuration.
_API: Since[str] = Since({KServe.V0_17: OLD_API, KServe.V0_21: NEW_API})


@dataclass(frozen=True, slots=True)
class Disaggregation:
    """The plugins by which an endpoint picker sends prompts to pods of their own.

    headers: the plugin that passes the choice on. decider: the plugin that says which prompts, empty where the handler says it.
    handler, parameters: the plugin that runs both profiles.
    """

    headers: str
    decider: str
    handler: str
    parameters: Json = field(hash=False)


_ALWAYS = "always-disagg-pd-decider"
_DISAGGREGATION: Since[Disaggregation] = Since(
    {
        KServe.V0_17: Disaggregation(
            "prefill-header-handler", "", "pd-profile-handler", {"threshold": 0}
        ),
        KServe.V0_18: change(decider=_ALWAYS, parameters={"deciderPluginName": _ALWAYS}),
        KServe.V0_19: change(
            headers="disagg-headers-handler",
            handler="disagg-profile-handler",
            parameters={"deciders": {"prefill": _ALWAYS}},
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Weights:
    """Scorers with their weights, in the order of the profiles: of a service without prefill pods, and of both kinds of pods.

    adapters: weight of the pods that have the wanted adapter loaded, 0 where nobody asks.
    """

    alone: tuple[tuple[str, int], ...]
    prefill: tuple[tuple[str, int], ...]
    decode: tuple[tuple[str, int], ...]
    adapters: int = 0


_QUEUE, _CACHE, _PREFIX = "queue-scorer", "kv-cache-utilization-scorer", "prefix-cache-scorer"
_ACTIVE, _NO_HIT = "active-request-scorer", "no-hit-lru-scorer"
_BY_ADAPTER, _PICKER = "lora-affinity-scorer", "max-score-picker"
#: In the order in which they are declared.
_SCORERS = (_QUEUE, _CACHE, _ACTIVE, _PREFIX, _NO_HIT)
_CACHED_PREFIXES = ((_QUEUE, 2), (_PREFIX, 3))
_WEIGHTS: Since[Weights] = Since(
    {
        KServe.V0_17: Weights(_CACHED_PREFIXES, _CACHED_PREFIXES, _CACHED_PREFIXES),
        KServe.V0_20: Weights(
            alone=((_QUEUE, 2), (_CACHE, 2), (_PREFIX, 3), (_NO_HIT, 2)),
            prefill=((_PREFIX, 3), (_QUEUE, 2), (_CACHE, 2)),
            decode=((_ACTIVE, 2), (_PREFIX, 3)),
            adapters=4,
        ),
    }
)


def config_arguments(resolved: Resolved, given: list[str]) -> list[str]:
    """Return the arguments to append to those that the picker's container has.

    A configuration in the spec comes first, then one among the given arguments, then the release's own.
    """
    text = given_config(resolved)
    if text is not None:
        return [_TEXT_FLAG, text]
    if any(word in _FLAGS for word in given[:-1]):
        return []
    prefill = resolved.at("prefill") is not None
    adapters = bool(given_adapters(resolved.spec, resolved.settings.release))
    return [_TEXT_FLAG, _default_text(resolved.settings.release, prefill, adapters)]


def given_config(resolved: Resolved) -> str | None:
    """Return the configuration that is in the spec or in the ConfigMap that it names; None where neither has one."""
    inline = resolved.at("router", "scheduler", "config", "inline")
    return inline if inline is None or isinstance(inline, str) else go_json(inline, sort_keys=True)


@cache
def _default_text(release: KServe, prefill: bool, adapters: bool) -> str:
    disaggregation = _DISAGGREGATION.at(release) if prefill else None
    return default_config(
        _WEIGHTS.at(release), disaggregation, adapters=adapters, api=_API.at(release)
    )


def default_config(
    weights: Weights, prefill: Disaggregation | None, *, adapters: bool, api: str
) -> str:
    """Return the release's configuration as YAML. api: in which version of the API.

    prefill: how prompts get to pods of their own, None where there are none. adapters: whether the model has some.
    """
    used = dict([*weights.prefill, *weights.decode] if prefill else weights.alone)
    scorers = [*(_plugin(each) for each in _SCORERS if each in used), _plugin(_PICKER)]
    by_adapter = ((_BY_ADAPTER, weights.adapters),) if adapters and weights.adapters else ()
    if prefill:
        roles = [_plugin("prefill-filter"), _plugin("decode-filter")]
        deciders = [_plugin(prefill.decider)] if prefill.decider else []
        handler = {**_plugin(prefill.handler), "parameters": prefill.parameters}
        plugins = [_plugin(prefill.headers), *roles, *scorers, *deciders, handler]
        profiles = [
            _profile("prefill", (*by_adapter, *weights.prefill), "prefill-filter"),
            _profile("decode", (*by_adapter, *weights.decode), "decode-filter"),
        ]
    else:
        plugins = [_plugin("single-profile-handler"), *scorers]
        profiles = [_profile("default", (*by_adapter, *weights.alone))]
    document = {
        "apiVersion": api,
        "kind": "EndpointPickerConfig",
        "plugins": [*plugins, *(_plugin(name) for name, dummy in by_adapter)],
        "schedulingProfiles": profiles,
    }
    return "\n" + as_text(document)


def _plugin(kind: str) -> Json:
    return {"type": kind}


def _profile(name: str, scorers: Sequence[tuple[str, int]], *filters: str) -> Json:
    """Return a profile. scorers: each with its weight."""
    return {
        "name": name,
        "plugins": [
            *({"pluginRef": each} for each in filters),
            *({"pluginRef": each, "weight": weight} for each, weight in scorers),
            {"pluginRef": _PICKER},
        ],
    }
