# SPDX-License-Identifier: GPL-3.0-or-later
"""What factories of scorers refuse."""

from __future__ import annotations

from collections.abc import Iterator

from ..findings import Finding, refusal
from ..plugin_parameters import Declared, lookup
from ..releases import Generation, PickerRelease
from .values import NO_INTERVAL, above_zero, is_interval, is_number, value_fault

_G = Generation


def context_length_faults(plugin: Declared, dummy: PickerRelease) -> Iterator[Finding]:
    """Yield an empty label."""
    if plugin.get("label") == "":
        yield value_fault(
            plugin, "label", "the label may not be empty", "leave it out for the default"
        )


def prefix_cache_faults(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield what prefix-cache-scorer refuses in the releases that look at its block sizes."""
    size, tokens = plugin.get("blockSize"), plugin.get("blockSizeTokens")
    if release.generation in (_G.V0_6, _G.V1_4):
        if above_zero(size) and not above_zero(tokens):
            yield value_fault(
                plugin,
                "blockSize",
                f"{release.target} refuses blockSize (characters) without blockSizeTokens",
                "give blockSizeTokens, roughly a quarter of the characters",
            )
    elif release.generation >= _G.V0_10:
        scale = plugin.get("matchLengthScaleTokens")
        if above_zero(plugin.get("matchLengthWeight")) and is_number(scale) and scale <= 0:
            yield value_fault(
                plugin,
                "matchLengthScaleTokens",
                "it has to be above 0 while matchLengthWeight is",
                "leave it out for the default 8192",
            )


def session_affinity_faults(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield what is wrong with the strategy of session affinity (from 0.10)."""
    if release.generation < _G.V0_10:
        return
    strategy = plugin.get("strategy")
    if strategy not in (None, "encoded_endpoint_header", "session_id"):
        yield value_fault(
            plugin,
            "strategy",
            "the strategy is neither encoded_endpoint_header nor session_id",
            "choose one of the two",
        )
    if strategy != "session_id":
        return
    for path, source in plugin.items("sessionIdConfig.sources"):
        if bool(lookup(source, "header")) == bool(lookup(source, "attribute")):
            yield refusal(
                "parameter-value",
                path,
                source,
                f"{plugin.type}: a source has either a header or an attribute",
                "give one of the two",
            )
    for key in ("evictionTtlSeconds", "evictionSweepSeconds"):
        seconds = plugin.get(f"sessionIdConfig.{key}")
        if is_number(seconds) and seconds < 0:
            yield value_fault(
                plugin, f"sessionIdConfig.{key}", "it has to be above 0", "make it > 0"
            )
    sweep = plugin.get("sessionIdConfig.evictionSweepSeconds")
    if is_number(sweep) and sweep > 0 and not is_interval(sweep):
        yield value_fault(
            plugin, "sessionIdConfig.evictionSweepSeconds", "it is no interval", NO_INTERVAL
        )


def combined_name_faults(plugin: Declared, key: str, release: PickerRelease) -> Iterator[Finding]:
    """Yield a name of an attribute that holds that of its producer, which 0.11 wants in a parameter of its own."""
    name = plugin.text(key)
    if release.generation >= _G.V0_11 and "/" in name and plugin.get("producer") is None:
        yield value_fault(
            plugin,
            key,
            "the name of an attribute no longer holds its producer",
            "write what follows the last slash as `producer`",
        )


def endpoint_scorer_faults(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield what is wrong with the attribute of endpoint-attribute-scorer, and how it is normalised."""
    yield from combined_name_faults(plugin, "attributeKey", release)
    fixed = plugin.get("algorithm.normalization.fixedRange")
    if fixed is None:
        return
    if plugin.get("algorithm.normalization.adaptiveRange") is not None:
        yield value_fault(
            plugin,
            "algorithm.normalization",
            "fixedRange and adaptiveRange exclude each other",
            "delete one of the two",
        )
    low, high = lookup(fixed, "min") or 0, lookup(fixed, "max") or 0
    if is_number(low) and is_number(high) and low >= high:
        yield value_fault(
            plugin,
            "algorithm.normalization.fixedRange",
            "min has to be below max",
            "correct the range",
        )
