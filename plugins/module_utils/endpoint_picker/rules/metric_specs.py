# SPDX-License-Identifier: GPL-3.0-or-later
"""How metrics extractors are told which metrics the engines have: `name{label="value"}` per engine."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..findings import Finding, refusal
from ..plugin_parameters import Declared, lookup
from ..releases import Generation, PickerRelease

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_PAIR = r"\s*[a-zA-Z_][a-zA-Z0-9_]*\s*=\s*(?:\"[^\"]*\"|[^\",}\s]+)\s*"
_SPEC = re.compile(rf"\s*{_NAME}\s*(?:\{{\s*(?:{_PAIR}(?:,{_PAIR})*)?\}})?\s*", re.ASCII)

_ENGINE_SPECS = (
    "queuedRequestsSpec",
    "runningRequestsSpec",
    "kvUsageSpec",
    "loraSpec",
    "cacheInfoSpec",
    "cacheBlockSizeSpec",
    "cacheNumBlocksSpec",
)
_FLAT_SPECS = (
    "queueRequestsSpec",
    "runningRequestsSpec",
    "kvUsageSpec",
    "loraSpec",
    "cacheInfoSpec",
)

#: Engines that a release knows without being told.
_KNOWN_BEFORE_0_9 = ("vllm", "sglang")
_KNOWN = ("vllm", "sglang", "trtllm-serve", "triton-tensorrt-llm", "triton")


def metric_fault(spec: object) -> str | None:
    """Return why a text is no specification of a metric, None if it is one or empty."""
    if not isinstance(spec, str) or not spec or _SPEC.fullmatch(spec):
        return None
    return f"{spec!r} is no metric specification"


def flat_faults(plugin: Declared, dummy: PickerRelease) -> Iterator[Finding]:
    """Yield wrong specifications of an extractor that knows one engine."""
    for key in _FLAT_SPECS:
        fault = metric_fault(plugin.get(key))
        if fault:
            yield refusal("parameter-value", plugin.at(key), plugin.get(key), fault, _FIX)


_FIX = 'write a metric such as vllm:num_requests_waiting or name{label="value"}'


def engine_faults(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield what is wrong with an extractor's list of engines."""
    names: list[str] = []
    for path, engine in plugin.items("engineConfigs"):
        name = lookup(engine, "name") or ""
        if not name or name == "default" or (name in names):
            yield refusal(
                "parameter-value",
                f"{path}.name",
                name,
                "an engine needs a name of its own, and `default` is reserved",
                "name the engine as its pods are labelled",
            )
        names.append(name)
        for key in _ENGINE_SPECS:
            fault = metric_fault(lookup(engine, key))
            if fault:
                yield refusal("parameter-value", f"{path}.{key}", lookup(engine, key), fault, _FIX)
        yield from _custom_faults(path, engine, release)
    known = _KNOWN if release.has_own_picker else _KNOWN_BEFORE_0_9
    default = plugin.text("defaultEngine")
    if default and default not in (*known, *names):
        yield refusal(
            "parameter-value",
            plugin.at("defaultEngine"),
            default,
            f"the default engine {default} is none of {', '.join(dict.fromkeys([*names, *known]))}",
            "name one of these, or add it to engineConfigs",
        )


def _custom_faults(path: str, engine: object, release: PickerRelease) -> Iterator[Finding]:
    keys: list[str] = []
    metrics = lookup(engine, "customMetrics") if release.generation >= Generation.V0_9 else None
    for index, metric in enumerate(metrics if isinstance(metrics, list) else []):
        key, spec = lookup(metric, "attributeKey"), lookup(metric, "metricSpec")
        if not key or not spec or key in keys or metric_fault(spec):
            yield refusal(
                "parameter-value",
                f"{path}.customMetrics[{index}]",
                metric,
                "a custom metric needs an attributeKey of its own and a metricSpec",
                _FIX,
            )
        keys.append(key)
