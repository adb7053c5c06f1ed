# SPDX-License-Identifier: GPL-3.0-or-later
"""What a release still reads and calls deprecated in its log."""

from __future__ import annotations

from collections.abc import Iterator

from ..catalogue import dropped_by, plugins
from ..findings import Finding, info
from ..plugin_parameters import Declared
from ..releases import OLD_API_VERSION, Generation
from ..rules.handlers import FLAT_DISAGG_KEYS
from ..rules.parameters import parameters_of
from ..schema import fields_of
from .loading import Loading

_G = Generation

#: Types that go away, with the generation that deprecated them and what to use instead.
DEPRECATED = {
    "pd-profile-handler": (_G.V1_4, "disagg-profile-handler"),
    "data-parallel-profile-handler": (
        _G.V1_4,
        "several targetPorts of the pool (Istio from 1.28.1)",
    ),
    "prefill-header-handler": (_G.V0_9, "disagg-profile-handler, which writes the headers itself"),
    "disagg-headers-handler": (_G.V0_9, "disagg-profile-handler, which writes the headers itself"),
    "by-label": (_G.V0_9, "label-selector-filter, or a filter by role"),
    "by-label-selector": (_G.V0_9, "label-selector-filter"),
    "tokenizer": (_G.V0_9, "token-producer"),
    "precise-prefix-cache-scorer": (
        _G.V0_9,
        "precise-prefix-cache-producer and a prefix-cache-scorer that names it",
    ),
}

#: Parameters that go away: type, first generation that says so, keys with their places now (empty: without effect).
_PARAMETERS: tuple[tuple[str, Generation, dict[str, str]], ...] = (
    ("active-request-scorer", _G.V0_9, {"requestTimeout": ""}),
    ("approx-prefix-cache-producer", _G.V0_9, {"blockSize": "blockSizeTokens"}),
    ("disagg-profile-handler", _G.V1_4, FLAT_DISAGG_KEYS),
    ("pd-profile-handler", _G.V1_4, {"primaryPort": ""}),
    (
        "predicted-latency-producer",
        _G.V0_10,
        {"maxDecodeTokenSamplesForPrediction": "", "samplingMean": ""},
    ),
    ("token-producer", _G.V0_9, {"udsTokenizerConfig": "vllm"}),
    ("tokenizer", _G.V0_9, {"udsTokenizerConfig": "vllm"}),
)

#: Sections that moved in llm-d's own picker.
_SECTIONS = {
    "parser": "requestHandler.parsers",
    "saturationDetector": "flowControl.saturationDetector",
}


def deprecations(loading: Loading) -> Iterator[Finding]:
    """Yield everything deprecated that a configuration uses."""
    if loading.release.has_own_picker:
        yield from _sections(loading)
    for plugin in loading.declared:
        yield from _type(plugin, loading)
        yield from _form(plugin, loading)
        yield from _parameters(plugin, loading)


def _sections(loading: Loading) -> Iterator[Finding]:
    if loading.config.get("apiVersion") == OLD_API_VERSION:
        yield info(
            "api-version-deprecated",
            "apiVersion",
            OLD_API_VERSION,
            f"{loading.release.target} still reads this apiVersion, and says in its log that it is deprecated",
            f"write {loading.release.api_versions[0]}",
        )
    for old, new in _SECTIONS.items():
        if loading.given.get(old) is not None:
            yield info(
                "field-deprecated",
                old,
                None,
                f"{old} is deprecated; where {new} is set too, that one counts"
                + _end(max(each for each in Generation if old in fields_of(each))),
                f"move it to {new}",
            )


def _last_with(kind: str, key: str) -> Generation:
    return max(each for each in Generation if key in parameters_of(kind, each))


def _end(until: Generation) -> str:
    """Return which release no longer has what the releases until a generation have; nothing if all that are known have it."""
    later = dropped_by(until)
    return f"; {later.target} no longer has it" if later else ""


def _type(plugin: Declared, loading: Loading) -> Iterator[Finding]:
    since, successor = DEPRECATED.get(plugin.type, (None, ""))
    if since is not None and loading.release.generation >= since:
        yield info(
            "plugin-deprecated",
            f"{plugin.path}.type",
            plugin.type,
            f"{plugin.type} is deprecated in {loading.release.target}"
            + _end(plugins()[plugin.type].until),
            f"use {successor}",
        )


def _form(plugin: Declared, loading: Loading) -> Iterator[Finding]:
    """Before 0.9, parameters of disagg-profile-handler that name nothing are taken for the flat form."""
    early = not loading.release.strict_parameters
    nested = any(
        plugin.text(f"{group}.{stage}")
        for group in ("profiles", "deciders")
        for stage in ("decode", "prefill", "encode")
    )
    flat = any(plugin.text(key) for key in FLAT_DISAGG_KEYS)
    if plugin.type == "disagg-profile-handler" and early and plugin.given and not nested | flat:
        yield info(
            "parameter-deprecated",
            f"{plugin.path}.parameters",
            plugin.parameters,
            f"{loading.release.target} takes parameters without any name for the deprecated flat form",
            "name profiles or deciders, or delete the parameters",
        )


def _parameters(plugin: Declared, loading: Loading) -> Iterator[Finding]:
    for type_name, since, places in _PARAMETERS:
        if plugin.type != type_name or loading.release.generation < since:
            continue
        for key, place in places.items():
            value = plugin.get(key)
            # Where parameters are read strictly, flat ones choose the old form even if they are empty.
            chooses = loading.release.strict_parameters and places is FLAT_DISAGG_KEYS
            if value or (value is not None and chooses):
                yield info(
                    "parameter-deprecated",
                    plugin.at(key),
                    value,
                    f"{key} is deprecated in {loading.release.target}"
                    + ("" if place else " and has no effect")
                    + _end(_last_with(plugin.type, key)),
                    f"use {place}" if place else "delete it",
                )
