# SPDX-License-Identifier: GPL-3.0-or-later
"""Ready configurations for common ways of serving, written for each release that can run them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ..kube.manifest import Json
from ..kube.problem import InputError
from .findings import Value
from .loading.builtin import DEFAULT_SCORERS, metrics_wiring
from .releases import KIND, Generation, PickerRelease

_G = Generation
_PICKER = "max-score-picker"
_SINGLE = "single-profile-handler"
_DECIDER = "prefix-based-pd-decider"

#: Prompts with fewer tokens that are not in the cache are prefilled by the decode pod itself.
_NON_CACHED_TOKENS = 16


def plugin(type_name: str, **parameters: Value) -> Json:
    """Return an entry of `plugins`."""
    return {"type": type_name, **({"parameters": parameters} if parameters else {})}


def profile(
    name: str, scorers: Mapping[str, float], before: Iterable[str] = (), picker: str = _PICKER
) -> Json:
    """Return a profile: what filters, then scorers with their weights, then the picker."""
    weighed = [{"pluginRef": scorer, "weight": weight} for scorer, weight in scorers.items()]
    filters = [{"pluginRef": name_} for name_ in before]
    return {"name": name, "plugins": [*filters, *weighed, {"pluginRef": picker}]}


def preset(name: str, release: PickerRelease) -> Json:
    """Return a configuration by its name. Raises InputError for other names and for releases that cannot run it."""
    found = _PRESETS.get(name)
    if found is None:
        known = ", ".join(_PRESETS)
        raise InputError.single(
            "epp_config", "preset", f"{name!r} is not a preset; known are {known}"
        )
    since, only_llmd, build = found
    if release.generation < since or (only_llmd and release.family != "llmd"):
        family = "llm-d" if only_llmd else "the picker"
        raise InputError.single(
            "epp_config",
            "preset",
            f"{name} needs a later release of {family} than {release.target}",
        )
    body = build(release)
    return {"apiVersion": release.api_versions[0], "kind": KIND, **body}


def preset_names() -> list[str]:
    """Return the names of all presets."""
    return list(_PRESETS)


def _default(dummy: PickerRelease) -> Json:
    return {
        "plugins": [plugin(name) for name in (*DEFAULT_SCORERS, _PICKER, _SINGLE)],
        "schedulingProfiles": [profile("default", DEFAULT_SCORERS)],
    }


def _random(dummy: PickerRelease) -> Json:
    return {
        "plugins": [plugin("random-picker"), plugin(_SINGLE)],
        "schedulingProfiles": [profile("default", {}, picker="random-picker")],
    }


def _load(release: PickerRelease) -> Json:
    body: Json = {
        "plugins": [plugin(name) for name in ("active-request-scorer", _PICKER, _SINGLE)],
        "schedulingProfiles": [profile("default", {"active-request-scorer": 1})],
    }
    if release.generation >= _G.V1_5:
        body["plugins"].append(plugin("passthrough-parser"))
        reference = {"pluginRef": "passthrough-parser"}
        if release.has_own_picker:
            body["requestHandler"] = {"parsers": [reference]}
        else:
            body["parser"] = reference
    return body


def _disaggregated(release: PickerRelease) -> Json:
    scorers = {"prefix-cache-scorer": 2, "queue-scorer": 1}
    roles = ("prefill", "decode")
    plugins = [plugin(f"{role}-filter") for role in roles]
    plugins += [plugin(name) for name in (*scorers, _PICKER)]
    return {
        "plugins": [*plugins, *_splitting(release)],
        "schedulingProfiles": [profile(role, scorers, (f"{role}-filter",)) for role in roles],
    }


def _splitting(release: PickerRelease) -> list[Json]:
    """Return the plugins that decide about prefill pods and tell the decode pods."""
    generation = release.generation
    header = [
        plugin("prefill-header-handler" if generation < _G.V1_4 else "disagg-headers-handler")
    ]
    if generation < _G.V0_6:
        return [*header, plugin("pd-profile-handler", threshold=4 * _NON_CACHED_TOKENS)]
    decider = plugin(_DECIDER, nonCachedTokens=_NON_CACHED_TOKENS)
    if generation < _G.V1_4:
        return [*header, decider, plugin("pd-profile-handler", deciderPluginName=_DECIDER)]
    handler = plugin("disagg-profile-handler", deciders={"prefill": _DECIDER})
    return [decider, handler] if release.has_own_picker else [*header, decider, handler]


def _encode_disaggregated(release: PickerRelease) -> Json:
    body = _disaggregated(release)
    handler = body["plugins"][-1]
    encode = "always-disagg-multimodal-decider"
    handler["parameters"]["deciders"]["encode"] = encode
    body["plugins"][-1:] = [plugin("encode-filter"), plugin(encode), handler]
    body["schedulingProfiles"].insert(0, profile("encode", {"queue-scorer": 1}, ("encode-filter",)))
    return body


def _precise(dummy: PickerRelease) -> Json:
    producer, source = "precise-prefix-cache-producer", "endpoint-notification-source"
    scorers = {"prefix-cache-scorer": 2, "kv-cache-utilization-scorer": 1, "queue-scorer": 1}
    return {
        "plugins": [
            plugin("token-producer"),
            plugin(source),
            plugin(producer),
            plugin("prefix-cache-scorer", prefixMatchInfoProducerName=producer),
            *(
                plugin(name)
                for name in ("kv-cache-utilization-scorer", "queue-scorer", _PICKER, _SINGLE)
            ),
            plugin("metrics-data-source"),
            plugin("core-metrics-extractor"),
        ],
        "dataLayer": {
            "sources": [
                {"pluginRef": source, "extractors": [{"pluginRef": producer}]},
                metrics_wiring(),
            ]
        },
        "schedulingProfiles": [profile("default", scorers)],
    }


def _latency(dummy: PickerRelease) -> Json:
    strict, loose = "prefix-affinity-strict", "prefix-affinity-loose"
    affinity = "prefix-cache-affinity-filter"
    filters = (strict, "slo-headroom-tier-filter", loose)
    picker = "weighted-random-picker"
    return {
        "plugins": [
            plugin("predicted-latency-producer"),
            {"name": strict, **plugin(affinity, affinityThreshold=0.99)},
            plugin("slo-headroom-tier-filter"),
            {"name": loose, **plugin(affinity, affinityThreshold=0.8)},
            *(plugin(name) for name in ("latency-scorer", picker, "latency-slo-admitter", _SINGLE)),
        ],
        "schedulingProfiles": [profile("default", {"latency-scorer": 1}, filters, picker)],
    }


def _data_parallel(dummy: PickerRelease) -> Json:
    return {
        "plugins": [
            plugin(name)
            for name in (
                "decode-filter",
                "prefix-cache-scorer",
                _PICKER,
                "data-parallel-profile-handler",
            )
        ],
        "schedulingProfiles": [profile("default", {"prefix-cache-scorer": 2}, ("decode-filter",))],
    }


#: Name → first generation that can run it, whether only llm-d can, and its body.
_PRESETS: Mapping[str, tuple[Generation, bool, Callable[[PickerRelease], Json]]] = {
    "default": (_G.V1_0, False, _default),
    "random": (_G.V1_0, False, _random),
    "load": (_G.V1_0, True, _load),
    "pd": (_G.V1_0, True, _disaggregated),
    "e-p-d": (_G.V1_4, True, _encode_disaggregated),
    "precise-prefix": (_G.V0_9, True, _precise),
    "latency": (_G.V1_5, False, _latency),
    "data-parallel": (_G.V1_2, True, _data_parallel),
}


def overridden(document: Json, overrides: Json) -> Json:
    """Return a configuration with some of it replaced.

    Maps are merged. Entries of lists that have a name, a type or a pluginRef are merged with the entry that has the same;
    other lists are replaced.
    """
    result = dict(document)
    for key, value in overrides.items():
        known = result.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            result[key] = overridden(known, value)
        elif (
            isinstance(known, list)
            and isinstance(value, list)
            and all(map(_identity, [*known, *value]))
        ):
            result[key] = _merged(known, value)
        else:
            result[key] = value
    return result


def _merged(known: list[Json], entries: list[Json]) -> list[Json]:
    result = {_identity(entry): entry for entry in known}
    for entry in entries:
        name = _identity(entry)
        result[name] = overridden(result[name], entry) if name in result else entry
    return list(result.values())


def _identity(entry: Value) -> str:
    if not isinstance(entry, dict):
        return ""
    return str(entry.get("pluginRef") or entry.get("name") or entry.get("type") or "")
