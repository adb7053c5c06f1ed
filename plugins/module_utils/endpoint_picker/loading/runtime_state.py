# SPDX-License-Identifier: GPL-3.0-or-later
"""What a picker holds when it has started, beyond its configuration: plugin objects, saturation detector, flow control.

Names of the fields are those of the picker's own structures, so that they can be compared with its log.
"""

from __future__ import annotations

from fractions import Fraction

from ...kube.manifest import Json
from ..releases import Generation
from ..text.durations import canonical_duration, format_duration, parse_duration
from .flow_control import BAND_LIMITS, FAIRNESS, ORDERING, size_of
from .loading import Loading

_G = Generation

#: Types whose objects report another type, or none, and the generations in which they do. `{name}` is the object's name.
_REPORTED = {
    "decode-filter": (_G.V1_0, _G.V0_11, "by-label"),
    "destination-endpoint-served-verifier": (_G.V1_0, _G.V0_11, ""),
    "encode-filter": (_G.V1_0, _G.V0_11, "by-label"),
    "prefill-filter": (_G.V1_0, _G.V0_11, "by-label"),
    "prefill-header-handler": (_G.V1_4, _G.V0_11, "disagg-headers-handler"),
    "prefix-based-pd-decider": (_G.V0_6, _G.V0_6, ""),
    "static-usage-limit-policy": (_G.V1_5, _G.V0_11, "{name}-type"),
    "tokenizer": (_G.V0_9, _G.V0_11, "token-producer"),
}

#: Policies that need a queue which can be sorted.
_SORTED = frozenset({"edf-ordering-policy", "slo-deadline-ordering-policy"})

#: How long a picker waits for a metric to show an eviction: what the detector sees at once, or with the next scrape
#: (flags refresh-metrics-interval 50 ms and metrics-staleness-threshold 2 s, and 250 ms for the engine).
_GRACE = {True: "10ms", False: "2.3s"}


def reported_types(loading: Loading) -> dict[str, str]:
    """Return name → type of each plugin object, as the object itself reports it."""
    return {name: _reported(name, loading) for name in loading.instances}


def _reported(name: str, loading: Loading) -> str:
    kind = loading.instances.get(name, "")
    since, until, reported = _REPORTED.get(kind, (_G.V1_0, _G.V0_11, kind))
    is_other = since <= loading.release.generation <= until
    return reported.replace("{name}", name) if is_other else kind


def saturation_detector(loading: Loading) -> Json | None:
    """Return the detector in use: thresholds until 1.4, a plugin object later. None for releases without one."""
    generation, config = loading.release.generation, loading.config
    if generation < _G.V1_2:
        return None
    if generation <= _G.V1_4:
        return _thresholds(config.get("saturationDetector", {}))
    own = loading.release.has_own_picker
    name = (config["flowControl"] if own else config)["saturationDetector"]["pluginRef"]
    return {"name": name, "type": _reported(name, loading)}


def _thresholds(section: Json) -> Json:
    """Values that mean nothing fall back to the defaults."""
    queue = section.get("queueDepthThreshold", 0)
    cache = section.get("kvCacheUtilThreshold", 0)
    staleness = parse_duration(section.get("metricsStalenessThreshold", "0s")) or Fraction()
    return {
        "KVCacheUtilThreshold": cache if 0 < cache < 1 else 0.8,
        "MetricsStalenessThreshold": format_duration(staleness) if staleness > 0 else "200ms",
        "QueueDepthThreshold": queue if queue > 0 else 5,
    }


def flow_control_controller(loading: Loading) -> Json | None:
    """Return the settings of the flow controller, None while flow control is off."""
    generation = loading.release.generation
    if not _is_on(loading):
        return None
    section = loading.config.get("flowControl", {})
    default = "1m0s" if generation >= _G.V0_10 else "0s"
    settings: Json = {
        "DefaultRequestTTL": canonical_duration(section.get("defaultRequestTTL", default)),
        "EnqueueChannelBufferSize": 100,
        "ExpiryCleanupInterval": "1s",
    }
    if generation <= _G.V1_5:
        settings["ProcessorReconciliationInterval"] = "5s"
    if generation >= _G.V0_10:
        evicts = bool(section.get("enableEviction"))
        settings |= {
            "EnableEviction": evicts,
            "EvictionConfirmationGrace": _grace(loading) if evicts else "500ms",
            "EvictionConfirmationTimeout": "10s",
            "MaxRevocationsPerDecision": 2,
        }
    return settings


def _grace(loading: Loading) -> str:
    detector = saturation_detector(loading) or {}
    return _GRACE[detector.get("type") == "concurrency-detector"]


def flow_control_registry(loading: Loading) -> Json | None:
    """Return the priority bands with all defaults, None while flow control is off."""
    generation = loading.release.generation
    if not _is_on(loading):
        return None
    section = loading.config.get("flowControl", {})
    own = loading.release.has_own_picker
    default = section.get("defaultPriorityBand", {})
    bands = {band["priority"]: band for band in section.get("priorityBands", [])}
    if own:
        bands.setdefault(0, default)
    registry: Json = {
        "DefaultPriorityBand": _band(
            default, default.get("priority", 0) if own else 0, loading, name="Dynamic-Default"
        ),
        "FlowGCTimeout": "5m0s",
        "MaxBytes": size_of(section.get("maxBytes", 0)),
        "PriorityBandGCTimeout": "10m0s",
        "PriorityBands": {
            str(priority): _band(band, priority, loading) for priority, band in bands.items()
        },
    }
    if "defaultNegativePriorityBand" in section:
        negative = section["defaultNegativePriorityBand"]
        registry["DefaultNegativePriorityBand"] = _band(negative, negative["priority"], loading)
    if generation <= _G.V1_5:
        registry["InitialShardCount"] = 1
    if generation >= _G.V1_5:
        registry["MaxRequests"] = size_of(section.get("maxRequests", 0))
    return registry


def _band(band: Json, priority: int, loading: Loading, *, name: str = "") -> Json:
    generation = loading.release.generation
    ordering = band.get("orderingPolicyRef", ORDERING)
    result: Json = {
        "FairnessPolicy": band.get("fairnessPolicyRef", FAIRNESS),
        "MaxBytes": size_of(band.get("maxBytes", 0)) or BAND_LIMITS["maxBytes"][1],
        "OrderingPolicy": ordering,
        "Priority": priority,
    }
    if generation >= _G.V1_5:
        since, limit = BAND_LIMITS["maxRequests"]
        default = limit if generation >= since else 0
        result["MaxRequests"] = size_of(band.get("maxRequests", 0)) or default
    if generation <= _G.V1_4:
        result["PriorityName"] = name or f"priority-{priority}"
    if generation <= _G.V0_9:
        is_sorted = loading.instances.get(ordering) in _SORTED
        result["Queue"] = "MaxMinHeap" if is_sorted else "ListQueue"
    return result


def _is_on(loading: Loading) -> bool:
    return loading.release.generation >= _G.V0_6 and bool(loading.gates.get("flowControl"))
