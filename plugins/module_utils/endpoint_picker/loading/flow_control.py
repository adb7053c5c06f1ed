# SPDX-License-Identifier: GPL-3.0-or-later
"""The loader's steps over `flowControl`, the saturation detector, and the parsers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...kube.did_you_mean import nearest
from ...kube.manifest import Json
from ...kube.quantity import parse_quantity
from ..findings import Finding, Value, refusal, warning
from ..releases import Generation
from ..text.durations import parse_duration
from .loading import Loading

ORDERING = "fcfs-ordering-policy"
FAIRNESS = "global-strict-fairness-policy"
LIMIT = "static-usage-limit-policy"
DETECTOR = "utilization-detector"
DEFAULT_PARSERS = ("openai-parser", "anthropic-parser", "vllmhttp-parser")

#: What a band holds at most that says nothing itself: the first generation with this default, and the number of bytes or requests.
BAND_LIMITS = {"maxBytes": (Generation.V0_6, 10**9), "maxRequests": (Generation.V0_10, 5000)}

_BINARY_SUFFIXES = ("Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_G = Generation


def add_defaults(loading: Loading) -> None:
    """Add the policies of flow control, which are there even while it is off, and the thresholds of early detectors."""
    generation = loading.release.generation
    if generation == _G.V0_6:
        # It does not look whether they are declared.
        loading.inject(ORDERING)
        loading.inject(FAIRNESS)
    elif generation >= _G.V1_4:
        loading.inject_missing(ORDERING, FAIRNESS)
    if generation >= _G.V0_6:
        _number_bands(loading.config.get("flowControl", {}))
    if generation >= _G.V1_5:
        loading.inject_missing(LIMIT)
    if generation == _G.V1_2:
        _fill_thresholds(loading.config.setdefault("saturationDetector", {}))
    elif "saturationDetector" in loading.config and generation <= _G.V1_4:
        _drop_zero_thresholds(loading.config["saturationDetector"])


def _fill_thresholds(detector: Json) -> None:
    for key, default in (("queueDepthThreshold", 5), ("kvCacheUtilThreshold", 0.8)):
        if not detector.get(key):
            detector[key] = default
    if not parse_duration(detector.get("metricsStalenessThreshold", "0s")):
        detector["metricsStalenessThreshold"] = "200ms"


def _drop_zero_thresholds(detector: Json) -> None:
    """Zero stands for "not given"; only the duration is always shown."""
    for key in ("queueDepthThreshold", "kvCacheUtilThreshold"):
        if detector.get(key) == 0:
            del detector[key]
    detector.setdefault("metricsStalenessThreshold", "0s")


def _number_bands(section: Json) -> None:
    """A band without a priority has 0."""
    for key in ("defaultPriorityBand", "defaultNegativePriorityBand"):
        if key in section:
            section[key].setdefault("priority", 0)
    for band in section.get("priorityBands", []):
        band.setdefault("priority", 0)


def load_parsers(loading: Loading) -> None:
    """Choose and check the parsers."""
    if loading.release.generation == _G.V1_5:
        parser = loading.config.setdefault("parser", {"pluginRef": DEFAULT_PARSERS[0]})
        name = parser.get("pluginRef", "")
        if name not in loading.instances:
            loading.inject(DEFAULT_PARSERS[0])
        loading.report(_parser_faults(name, "parser.pluginRef", loading))
    elif loading.release.has_own_picker:
        handler = loading.config.setdefault("requestHandler", {})
        if not handler.get("parsers"):
            handler["parsers"] = [{"pluginRef": name} for name in DEFAULT_PARSERS]
        for index, parser in enumerate(handler["parsers"]):
            name = parser.get("pluginRef", "")
            if name not in loading.instances and name in loading.registry:
                loading.inject(name)
            path = f"requestHandler.parsers[{index}].pluginRef"
            loading.report(_parser_faults(name, path, loading))


def _parser_faults(name: str, path: str, loading: Loading) -> Iterator[Finding]:
    parsers = [key for key, plugin in loading.registry.items() if "parser" in plugin.points]
    known = ", ".join([*loading.all_of("parser")] or parsers)
    if name not in loading.instances:
        message = f"no plugin has the name {name!r}" if name else "the parser is not named"
        hint = nearest(name, [*parsers, *loading.instances]) if name else None
        fix = (
            f"did you mean {hint}?"
            if hint and hint != name
            else f"declare it below plugins; parsers here are {known}"
        )
        yield refusal("parser-undefined", path, name, message, fix)
    elif not loading.is_a(name, "parser"):
        yield refusal(
            "parser-wrong-type",
            path,
            name,
            f"{name} is a {loading.instances[name]}, no parser",
            f"name one of {known}",
        )


def load_detector(loading: Loading) -> None:
    """Choose and check the saturation detector (from 1.5)."""
    generation, config = loading.release.generation, loading.config
    if generation < _G.V1_5:
        return
    own = loading.release.has_own_picker
    holder = config.setdefault("flowControl", {}) if own else config
    detector = holder.setdefault("saturationDetector", {})
    name = detector.setdefault("pluginRef", DETECTOR)
    path = "flowControl.saturationDetector.pluginRef" if own else "saturationDetector.pluginRef"
    if name == DETECTOR:
        loading.inject_missing(DETECTOR)
    if name not in loading.plugin_names():
        loading.report(
            [
                refusal(
                    "detector-undefined",
                    path,
                    name,
                    f"no plugin has the name {name}",
                    "declare it below plugins; only utilization-detector is added automatically",
                )
            ]
        )
    elif not loading.is_a(name, "detector"):
        loading.report(
            [
                refusal(
                    "detector-wrong-type",
                    path,
                    name,
                    f"{name} is a {loading.instances.get(name)}, no saturation detector",
                    "name a utilization-detector or a concurrency-detector",
                )
            ]
        )


def load_flow_control(loading: Loading) -> None:
    """Check the section of flow control; while its gate is off only its shape matters."""
    if loading.release.generation < _G.V0_6:
        return
    section = loading.config.get("flowControl", {})
    if loading.gates.get("flowControl"):
        loading.report(_policy_faults(section, loading))
        loading.report(_band_faults(section, loading))
        return
    ignored = sorted(set(section) - {"saturationDetector"})
    if ignored:
        loading.report(
            [
                warning(
                    "flow-control-off",
                    "flowControl",
                    ", ".join(ignored),
                    "the feature gate flowControl is off, so these settings are ignored",
                    "add flowControl to featureGates, or delete the section",
                )
            ]
        )


def _policy_faults(section: Json, loading: Loading) -> Iterator[Finding]:
    if loading.release.generation >= _G.V1_4:
        for name, point in ((ORDERING, "ordering"), (FAIRNESS, "fairness")):
            yield from _reference_faults(name, point, "plugins", loading)
    if loading.release.generation >= _G.V1_5:
        name = section.get("usageLimitPolicyPluginRef", LIMIT)
        path = "flowControl.usageLimitPolicyPluginRef"
        yield from _reference_faults(name, "limit", path, loading)


_POLICIES = {
    "ordering": "an ordering policy",
    "fairness": "a fairness policy",
    "limit": "a usage-limit policy",
}


def _reference_faults(name: str, point: str, path: str, loading: Loading) -> Iterator[Finding]:
    what = _POLICIES[point]
    if name not in loading.instances:
        yield refusal(
            "policy-undefined",
            path,
            name,
            f"no plugin has the name {name}; only the default policies are there without being declared",
            f"declare {name} below plugins",
        )
    elif not loading.is_a(name, point):
        message = f"{name} is a {loading.instances[name]}, and has to be {what}"
        yield refusal(
            "policy-wrong-type", path, name, message, f"name {what}, and rename the plugin"
        )


def _ttl_faults(section: Json) -> Iterator[Finding]:
    ttl = section.get("defaultRequestTTL", "0s")
    if (parse_duration(ttl) or 0) < 0:
        yield refusal(
            "duration-negative",
            "flowControl.defaultRequestTTL",
            ttl,
            "the picker refuses a time to live below 0",
            "write 0s for no limit, or a time above 0",
        )


def _band_faults(section: Json, loading: Loading) -> Iterator[Finding]:
    yield from _ttl_faults(section)
    for key in ("maxBytes", "maxRequests"):
        yield from _size_faults(section, key, "flowControl")
    for key in ("defaultPriorityBand", "defaultNegativePriorityBand"):
        if key in section:
            yield from _one_band_faults(section[key], f"flowControl.{key}", loading)
    seen: set[int] = set()
    for index, band in enumerate(section.get("priorityBands", [])):
        path = f"flowControl.priorityBands[{index}]"
        yield from _one_band_faults(band, path, loading)
        priority = band.get("priority", 0)
        if priority in seen:
            yield refusal(
                "band-twice",
                f"{path}.priority",
                priority,
                f"two bands have the priority {priority}; a band without one has 0",
                "give each band its own priority",
            )
        seen.add(priority)


def _one_band_faults(band: Json, path: str, loading: Loading) -> Iterator[Finding]:
    for key in ("maxBytes", "maxRequests"):
        yield from _size_faults(band, key, path)
    for key, point in (("fairnessPolicyRef", "fairness"), ("orderingPolicyRef", "ordering")):
        if key in band:
            yield from _reference_faults(band[key], point, f"{path}.{key}", loading)


def _size_faults(section: Json, key: str, path: str) -> Iterator[Finding]:
    value = section.get(key)
    if value is not None and size_of(value) < 0:
        yield refusal(
            "size-negative",
            f"{path}.{key}",
            value,
            f"the picker reads this as {size_of(value)}, and refuses what is below 0",
            "write 0 for no limit, or a positive size below 2^63",
        )


def size_of(value: Value) -> int:
    """Return the whole number that the picker makes of a quantity: rounded away from zero, and in 64 bits."""
    if isinstance(value, int):
        return value
    quantity = parse_quantity(value)
    exact = math.floor(quantity) if quantity < 0 else math.ceil(quantity)
    if str(value).endswith(_BINARY_SUFFIXES):
        return min(exact, 2**63 - 1)
    return (exact + 2**63) % 2**64 - 2**63
