# SPDX-License-Identifier: GPL-3.0-or-later
"""What a loader does not notice, and the author of a configuration would want to know."""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.manifest import Json
from ..findings import Finding, warning
from ..plugin_parameters import Declared
from ..releases import Generation
from ..rules.handlers import DISAGGREGATING, deciders_of, profiles_of
from ..rules.sources import certificate_files
from ..rules.values import above_zero, is_number
from .choice import choice_findings
from .deprecations import deprecations
from .flow_control import BAND_LIMITS, size_of
from .loading import Loading
from .plain_values import plain_values
from .runtime_state import saturation_detector
from .unused import unused_plugins

_G = Generation

_HEADER_HANDLERS = frozenset({"prefill-header-handler", "disagg-headers-handler"})
_PASSING_ON = "passthrough-parser"
#: Plugins that look at what only a parser knows, with what that is.
_OF_REQUESTS = {
    **dict.fromkeys(
        (
            "approx-prefix-cache-producer",
            "context-length-aware",
            "precise-prefix-cache-producer",
            "precise-prefix-cache-scorer",
            "prefix-based-pd-decider",
            "prefix-cache-scorer",
            "token-producer",
            "tokenizer",
        ),
        "prompt",
    ),
    "lora-affinity-scorer": "model",
}


def advise(loading: Loading) -> None:
    """Add warnings about a configuration that has no faults in its plugins."""
    loading.report(deprecations(loading))
    loading.report(_raised_block_sizes(loading))
    loading.report(choice_findings(loading))
    loading.report(unused_plugins(loading))
    loading.report(_undercut_limits(loading))
    loading.report(_ignored_thresholds(loading))
    loading.report(_blind_parsers(loading))
    for plugin in loading.declared:
        loading.report(_handler(plugin, loading))
        loading.report(_services(plugin, loading))
        loading.report(_meanings(plugin, loading))
        loading.report(plain_values(plugin, loading))


def _blind_parsers(loading: Loading) -> Iterator[Finding]:
    """A parser that passes everything on knows neither prompt nor model, which some plugins look at."""
    handler = loading.config.get("requestHandler", {})
    named = [each.get("pluginRef", "") for each in handler.get("parsers", [])]
    old = loading.config.get("parser", {}).get("pluginRef", "")
    named = named or ([old] if old else [])
    types = [loading.instances.get(name, name) for name in named]
    if not types or any(each != _PASSING_ON for each in types):
        return
    for plugin in loading.declared:
        if plugin.type in _OF_REQUESTS:
            yield warning(
                "parser-without-prompt",
                plugin.path,
                plugin.name,
                f"{plugin.type} looks at the {_OF_REQUESTS[plugin.type]} of a request, and {_PASSING_ON} reads none: it does nothing",
                "use a parser that reads requests, for example openai-parser, or delete the plugin",
            )


def _handler(plugin: Declared, loading: Loading) -> Iterator[Finding]:
    """Yield what disaggregated serving lacks. The loader looks at none of it; requests fail or are not split."""
    if plugin.type not in DISAGGREGATING:
        return
    generation = loading.release.generation
    there = {profile.get("name") for profile in loading.config["schedulingProfiles"]}
    always_on = {"decode"} if generation >= _G.V0_6 else {"decode", "prefill"}
    on = always_on | deciders_of(plugin, generation).keys()
    for stage, name in profiles_of(plugin).items():
        if stage in on and name not in there:
            yield warning(
                "handler-profile-absent",
                plugin.path,
                name,
                f"{plugin.type} uses the profile {name} for {stage}, and there is none: requests fail, or skip the stage",
                f"add the profile {name}, or name another one in the handler's parameters",
            )
        elif stage not in on and name in there:
            yield warning(
                "handler-stage-off",
                plugin.path,
                name,
                f"there is a profile {name}, and no decider for it, so the stage {stage} is off",
                f"set deciders.{stage}, or delete the profile",
            )
    if generation < _G.V0_9 and _HEADER_HANDLERS.isdisjoint(loading.instances.values()):
        wanted = "prefill-header-handler" if generation < _G.V1_4 else "disagg-headers-handler"
        yield warning(
            "header-handler-absent",
            plugin.path,
            plugin.type,
            f"nothing tells the decode pod which prefill pod was chosen; {loading.release.target} needs {wanted} for it",
            f"declare {wanted}",
        )


def _services(plugin: Declared, loading: Loading) -> Iterator[Finding]:
    """Yield what has to run before the picker can start."""
    generation = loading.release.generation
    if plugin.type == "precise-prefix-cache-scorer" and _G.V1_3 <= generation < _G.V0_9:
        yield warning(
            "service-needed",
            plugin.path,
            plugin.name,
            "the picker waits for a tokenizer service on a Unix socket when it starts, and fails after about 10 s",
            "run the tokenizer next to the picker",
        )
    for key, file in certificate_files(plugin):
        yield warning(
            "service-needed",
            plugin.at(key),
            file,
            "the picker reads this file when it starts",
            "mount it into the picker's container",
        )
    redis = plugin.get("indexerConfig.kvBlockIndexConfig.redisConfig")
    if redis is not None:
        yield warning(
            "service-needed",
            plugin.at("indexerConfig.kvBlockIndexConfig.redisConfig"),
            redis,
            "the picker connects to Redis when it starts",
            "make sure that Redis answers at this address from the picker's pod",
        )


def _meanings(plugin: Declared, loading: Loading) -> Iterator[Finding]:
    """Yield parameters that mean something else than they seem to."""
    generation = loading.release.generation
    if plugin.type == "prefix-based-pd-decider" and not plugin.get("nonCachedTokens"):
        zero = "always" if generation == _G.V0_6 else "never"
        yield warning(
            "decider-zero",
            plugin.at("nonCachedTokens"),
            plugin.get("nonCachedTokens"),
            f"0, the default, means {zero} in {loading.release.target}; llm-d 0.6 means always, later releases never",
            "write a number above 0, or use always-disagg-pd-decider",
        )
    if (
        plugin.type == "approx-prefix-cache-producer"
        and loading.release.has_own_picker
        and plugin.get("maxPrefixBlocksToMatch") is not None
        and plugin.get("maxPrefixTokensToMatch") is None
    ):
        yield warning(
            "limit-without-effect",
            plugin.at("maxPrefixBlocksToMatch"),
            plugin.get("maxPrefixBlocksToMatch"),
            "the default of maxPrefixTokensToMatch, 131072, takes precedence, so this limit has no effect",
            "set maxPrefixTokensToMatch, or set it to 0 to have blocks count",
        )


#: Approximate prefix caches count in blocks of this size in tokens, at least of the second one.
_BLOCK, _SMALLEST_BLOCK = 16, 64
_APPROXIMATE = frozenset(
    {"approx-prefix-cache-producer", "multicluster-approx-prefix-cache-producer"}
)


def _raised_block_sizes(loading: Loading) -> Iterator[Finding]:
    """Yield block sizes that llm-d's own picker raises: a warning where somebody asked for them."""
    if not loading.release.has_own_picker:
        return
    for plugin in loading.objects():
        if plugin.type not in _APPROXIMATE:
            continue
        old, new = plugin.get("blockSize"), plugin.get("blockSizeTokens")
        size = new if is_number(new) else _BLOCK
        if above_zero(old) and size == _BLOCK:
            size = old
        if 0 < size < _SMALLEST_BLOCK:
            asked = is_number(new) or above_zero(old)
            yield Finding(
                "block-size-raised",
                "warning" if asked else "info",
                plugin.at("blockSizeTokens") if plugin.path else "plugins",
                size,
                f"{plugin.name} counts in blocks of {_SMALLEST_BLOCK} tokens, not of {size}",
                f"write {_SMALLEST_BLOCK} or more to say what happens",
            )


def _undercut_limits(loading: Loading) -> Iterator[Finding]:
    """Yield limits of the whole queue that no band reaches, because a band without a limit of its own has a default one."""
    section = loading.config.get("flowControl", {})
    if not loading.gates.get("flowControl"):
        return
    for key, (since, default) in BAND_LIMITS.items():
        whole = size_of(section.get(key, 0))
        if loading.release.generation < since or whole <= default:
            continue
        for path, band in _bands(section):
            if not size_of(band.get(key, 0)):
                yield warning(
                    "limit-undercut",
                    path,
                    section[key],
                    f"a band without {key} takes {default}, so requests are turned away long before flowControl.{key}, {section[key]}, is reached",
                    f"set {key} on the band, or lower flowControl.{key}",
                )


def _ignored_thresholds(loading: Loading) -> Iterator[Finding]:
    """Yield thresholds of the saturation detector that mean nothing, for which the picker takes its defaults."""
    if loading.release.generation > _G.V1_4:
        return
    section = loading.config.get("saturationDetector", {})
    taken = saturation_detector(loading) or {}
    for key, name, wanted in _THRESHOLDS:
        value = section.get(key)
        if name in taken and is_number(value) and value != taken[name]:
            yield warning(
                "threshold-ignored",
                f"saturationDetector.{key}",
                value,
                f"{value} is no threshold, so the picker takes its default, {taken[name]}",
                f"write {wanted}",
            )


#: A threshold's key, its name in the picker that has started, and what is written there.
_THRESHOLDS = (
    (
        "kvCacheUtilThreshold",
        "KVCacheUtilThreshold",
        "a share between 0 and 1, for example 0.8",
    ),
    ("queueDepthThreshold", "QueueDepthThreshold", "a number above 0"),
)


def _bands(section: Json) -> Iterator[tuple[str, Json]]:
    """Yield the bands that are there: those of the list, and the one that all other priorities get."""
    yield "flowControl.defaultPriorityBand", section.get("defaultPriorityBand", {})
    for index, band in enumerate(section.get("priorityBands", [])):
        yield f"flowControl.priorityBands[{index}]", band
