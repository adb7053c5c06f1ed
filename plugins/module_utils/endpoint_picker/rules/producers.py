# SPDX-License-Identifier: GPL-3.0-or-later
"""What factories of data producers and of flow-control policies refuse."""

from __future__ import annotations

from collections.abc import Iterator

from ..findings import Finding
from ..plugin_parameters import Declared, lookup
from ..releases import Generation, PickerRelease
from ..text.durations import parse_duration
from .metric_specs import metric_fault
from .values import NO_INTERVAL, above_zero, is_interval, is_number, value_fault

_G = Generation


def approximate_prefix_faults(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield what approx-prefix-cache-producer refuses; in 1.5 it takes over the parameters of prefix-cache-scorer."""
    size, tokens = plugin.get("blockSize"), plugin.get("blockSizeTokens")
    own = tokens if is_number(tokens) else 16
    if release.generation == _G.V1_5 and above_zero(size) and own <= 0:
        yield value_fault(
            plugin,
            "blockSize",
            "blockSize is deprecated and refused beside a blockSizeTokens that is not above 0",
            "delete blockSize and give blockSizeTokens",
        )
    elif plugin.get("autoTune") is False and own <= 0:
        yield value_fault(
            plugin,
            "blockSizeTokens",
            "it has to be above 0 while autoTune is off",
            "leave it out for the default 16",
        )


def session_id_faults(plugin: Declared, dummy: PickerRelease) -> Iterator[Finding]:
    """Yield that neither or both of header and cookie are named."""
    if bool(plugin.text("headerName").strip()) == bool(plugin.text("cookieName").strip()):
        yield value_fault(
            plugin,
            "headerName",
            "exactly one of headerName and cookieName is required",
            "give one of the two",
        )


def burst_prefix_faults(plugin: Declared, dummy: PickerRelease) -> Iterator[Finding]:
    """Yield limits of burst-prefix-cache-producer that mean nothing."""
    for key in ("maxPerReplica", "maxBatchSize"):
        number = plugin.get(key)
        if is_number(number) and number != -1 and number < 1:
            yield value_fault(
                plugin, key, "it is -1 (no limit) or at least 1", "make it -1 or more than 0"
            )
    match, block = plugin.get("maxPrefixTokensToMatch"), plugin.get("blockSizeTokens")
    if above_zero(match) and match < (block if is_number(block) else 64):
        yield value_fault(
            plugin,
            "maxPrefixTokensToMatch",
            "it is 0 or at least blockSizeTokens",
            "make it 0, or as large as a block",
        )


def tokenizer_map_faults(plugin: Declared, key: str, model: str) -> Iterator[Finding]:
    """Yield that a map of tokenizers, where there is one, does not have the model."""
    tokenizers = plugin.get(key)
    if isinstance(tokenizers, dict) and model not in tokenizers:
        yield value_fault(
            plugin, key, f"it has no tokenizer for {model}", "add the model, or delete the map"
        )


def token_producer_faults(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield what is wrong with the choice of a tokenizer backend."""
    model = plugin.text("modelName")
    if not release.has_own_picker:
        if not model:
            yield value_fault(plugin, "modelName", "a model name is required", "give modelName")
        else:
            yield from tokenizer_map_faults(plugin, "udsTokenizerConfig.modelTokenizerMap", model)
        return
    estimate = plugin.get("estimate") is not None
    socket = bool(lookup(plugin.get("udsTokenizerConfig"), "socketFile"))
    server = plugin.get("vllm") is not None or bool(model)
    if (estimate and (socket or server)) or (socket and server):
        yield value_fault(
            plugin,
            "udsTokenizerConfig" if socket else "estimate",
            "only one of estimate, vllm (or modelName alone) and udsTokenizerConfig may be set",
            "keep one; udsTokenizerConfig is deprecated and cannot be used in 0.9 and 0.10",
        )
    elif (socket or server) and not model:
        yield value_fault(plugin, "modelName", "a model name is required", "give modelName")
    for key in ("timeout", "mmTimeout"):
        text = plugin.text(f"vllm.{key}")
        if text and parse_duration(text) is None:
            yield value_fault(plugin, f"vllm.{key}", "it is no duration", "write one such as 5s")
    for key, modes in _ESTIMATE_MODES.items():
        if plugin.text(key) not in ("", *modes):
            yield value_fault(
                plugin, key, f"the mode is none of {', '.join(modes)}", "choose one of these"
            )


_ESTIMATE_MODES = {
    "estimate.image.mode": ("dynamic", "static"),
    "estimate.video.tokensPerFrame.mode": ("dynamic", "static"),
    "estimate.video.frames.mode": ("sampled", "strided"),
}


def priority_holdback_faults(plugin: Declared, dummy: PickerRelease) -> Iterator[Finding]:
    """Yield what is wrong with the ceilings of priority-holdback-policy."""
    low, high = plugin.get("minCeiling"), plugin.get("maxCeiling")
    if low is None:
        yield value_fault(plugin, "minCeiling", "it is required", "give it")
    elif is_number(low) and is_number(high) and low >= high:
        yield value_fault(plugin, "minCeiling", "it has to be below maxCeiling", "make it smaller")


def fairness_faults(plugin: Declared, dummy: PickerRelease) -> Iterator[Finding]:
    """Yield an interval at which program-aware-fairness cannot sweep."""
    seconds = plugin.get("evictionSweepSeconds")
    sweeps = plugin.get("evictionTtlSeconds") != 0
    if sweeps and is_number(seconds) and seconds > 0 and not is_interval(seconds):
        yield value_fault(plugin, "evictionSweepSeconds", "it is no interval", NO_INTERVAL)


def multicluster_metrics_faults(plugin: Declared, dummy: PickerRelease) -> Iterator[Finding]:
    """Yield specifications that name no metric."""
    for key in ("queueSizeMetric", "kvCacheUtilizationMetric"):
        fault = metric_fault(plugin.text(key))
        if fault:
            yield value_fault(plugin, key, fault, 'write a metric such as name{label="value"}')
