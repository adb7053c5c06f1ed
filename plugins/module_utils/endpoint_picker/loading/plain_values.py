# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters of a plugin that a picker takes without a word, and that do not do what they seem to.

Source: llm-d-inference-scheduler pkg/plugins/scorer/active_request.go and no_hit_lru.go, pkg/plugins/profile/pd_profile_handler.go@v0.5.0;
llm-d-kv-cache pkg/kvevents (addresses of ZMQ).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..findings import Finding, warning
from ..plugin_parameters import Declared
from ..releases import Generation
from ..text.durations import parse_duration
from .loading import Loading

_G = Generation
#: Where ZMQ listens or connects.
_ADDRESS = re.compile(r"tcp://[^/\s]+:([0-9]{1,5}|\*)|(ipc|inproc)://\S+", re.ASCII)
_PRECISE = ("precise-prefix-cache-scorer", "precise-prefix-cache-producer")
_TOKENS = (
    "indexerConfig.tokenizersPoolConfig.huggingFaceToken",
    "indexerConfig.tokenizersPoolConfig.hf.huggingFaceToken",
)
#: Plugins that ask a scorer of prefixes for what it found, by its name.
_ASKING = ("no-hit-lru-scorer", "pd-profile-handler")
_NAME = "prefixPluginName"
_PICKERS, _MOST = (
    ("max-score-picker", "random-picker", "weighted-random-picker"),
    "maxNumOfEndpoints",
)

#: Plugins that remember prefixes of requests in blocks, and their numbers of which none is 0 or less. The producers take 0 for no limit in tokens.
_REMEMBERING = (
    "approx-prefix-cache-producer",
    "multicluster-approx-prefix-cache-producer",
    "prefix-cache-scorer",
)
_NUMBERS = (
    "blockSize",
    "blockSizeTokens",
    "hashBlockSize",
    "lruCapacityPerServer",
    "maxPrefixBlocksToMatch",
)


def plain_values(plugin: Declared, loading: Loading) -> Iterator[Finding]:
    """Yield parameters of a plugin that are not read as they are meant."""
    yield from _time_limit(plugin, loading)
    yield from _asked_plugin(plugin, loading)
    yield from _endpoints(plugin)
    yield from _numbers_of_blocks(plugin)
    if plugin.type in _PRECISE:
        yield from _address(plugin)
        yield from _token(plugin)


def _time_limit(plugin: Declared, loading: Loading) -> Iterator[Finding]:
    value = plugin.text("requestTimeout")
    if plugin.type != "active-request-scorer" or not value or loading.release.has_own_picker:
        return
    if (parse_duration(value) or 0) <= 0:
        yield warning(
            "threshold-ignored",
            plugin.at("requestTimeout"),
            value,
            f"{value} is no time limit, so the picker takes its default, 2m",
            "write a duration above 0, for example 90s",
        )


def _asked_plugin(plugin: Declared, loading: Loading) -> Iterator[Finding]:
    name = plugin.text(_NAME)
    if plugin.type not in _ASKING or not name or loading.release.generation > _G.V1_4:
        return
    if name not in loading.instances:
        yield warning(
            "prefix-plugin-absent",
            plugin.at(_NAME),
            name,
            f"{plugin.type} asks {name} for the cached prefixes of a request, and no plugin is called so: every request counts as not cached",
            "name the prefix-cache-scorer as it is called in plugins",
        )


def _endpoints(plugin: Declared) -> Iterator[Finding]:
    """Yield a number of endpoints below 1, which each of the pickers replaces."""
    value = plugin.get(_MOST) if plugin.type in _PICKERS else None
    if isinstance(value, int) and not isinstance(value, bool) and value < 1:
        yield warning(
            "threshold-ignored",
            plugin.at(_MOST),
            value,
            f"{plugin.type} picks at least one endpoint, so in the place of {value} it takes its default, 1",
            "write 1 or more, or leave it out",
        )


def _numbers_of_blocks(plugin: Declared) -> Iterator[Finding]:
    """Yield sizes and numbers of blocks below 1: pickers put their default there, and old ones fail with the first request."""
    for key in _NUMBERS if plugin.type in _REMEMBERING else ():
        value = plugin.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value < 1:
            yield warning(
                "threshold-ignored",
                plugin.at(key),
                value,
                f"no prefix is remembered with {key} {value}, so the picker takes its default, or fails with the first request",
                "write 1 or more, or leave it out",
            )


def _address(plugin: Declared) -> Iterator[Finding]:
    key = "kvEventsConfig.zmqEndpoint"
    value = plugin.text(key)
    if value and _ADDRESS.fullmatch(value) is None:
        yield warning(
            "kv-events-address",
            plugin.at(key),
            value,
            f"{value} is no address of ZMQ, so the picker gets no reports of caches",
            "write tcp://*:5557, or tcp:// with a host and a port",
        )


def _token(plugin: Declared) -> Iterator[Finding]:
    for key in _TOKENS:
        if plugin.text(key):
            yield warning(
                "token-in-text",
                plugin.at(key),
                None,
                "a token is here in plain text, and everyone who may read the ConfigMap can read it",
                "leave it out, and give the picker's container HF_TOKEN from a Secret",
            )
