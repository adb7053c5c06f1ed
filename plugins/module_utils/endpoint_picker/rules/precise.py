# SPDX-License-Identifier: GPL-3.0-or-later
"""What factories of the precise prefix index refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..findings import Finding
from ..plugin_parameters import Declared
from ..releases import Generation, PickerRelease
from ..text.durations import parse_duration
from .values import is_number, value_fault

_G = Generation


_ENGINES = ("", "vllm", "sglang")
_SIZE = re.compile(r"([0-9.,]+)\s*(?:[kmgtpe]i?b?|b)?\s*", re.ASCII | re.IGNORECASE)


def precise_faults(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield what is wrong with a precise prefix index (from 1.3)."""
    if release.generation < _G.V1_3:
        return
    model = plugin.get("indexerConfig.tokenizersPoolConfig.modelName")
    pool = plugin.get("indexerConfig.tokenizersPoolConfig")
    if plugin.type == "precise-prefix-cache-producer":
        if pool is not None:
            yield value_fault(
                plugin,
                "indexerConfig.tokenizersPoolConfig",
                "it is not supported here",
                "delete it and declare a token-producer",
            )
    elif not model and (not release.has_own_picker or pool is not None):
        yield value_fault(
            plugin,
            "indexerConfig.tokenizersPoolConfig.modelName",
            f"{release.target} needs the name of the model here",
            "give modelName",
        )
    yield from _token_processor(plugin, release)
    yield from _index(plugin, release)
    engine = plugin.get("kvEventsConfig.engineType")
    if release.generation == _G.V0_10 and isinstance(engine, str) and engine not in _ENGINES:
        yield value_fault(
            plugin,
            "kvEventsConfig.engineType",
            "the engine is neither vllm nor sglang",
            "choose one",
        )
    ttl = plugin.text("speculativeTTL")
    if plugin.get("speculativeIndexing") is True and ttl and parse_duration(ttl) is None:
        yield value_fault(plugin, "speculativeTTL", "it is no duration", "write one such as 2s")


def _token_processor(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield block sizes that the index cannot have. From 0.9 zero means "not given", and tokens win over the old key."""
    if release.generation < _G.V1_4:
        return
    old, new = "tokenProcessorConfig.blockSize", "tokenProcessorConfig.blockSizeTokens"
    sizes = {key: plugin.get(key) for key in (new, old) if is_number(plugin.get(key))}
    if release.has_own_picker:
        sizes = dict(list({key: size for key, size in sizes.items() if size}.items())[:1])
    for key, size in sizes.items():
        if size <= 0:
            yield value_fault(
                plugin,
                key,
                "a block has to have tokens",
                "write the block size of the model server",
            )


def _index(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield what is wrong with the index that is used: of several the first in this order."""
    index = "indexerConfig.kvBlockIndexConfig"
    if release.has_own_picker:
        for key in ("indexerConfig", "kvEventsConfig"):
            if plugin.is_null(key):
                yield value_fault(plugin, key, "it may not be null", "delete it for the default")
    if plugin.get(f"{index}.costAwareMemoryConfig") is not None:
        yield from _memory_size(plugin, f"{index}.costAwareMemoryConfig.size", release)
        return
    for server in ("valkeyConfig", "redisConfig"):
        if plugin.get(f"{index}.{server}") is not None:
            yield from _server_address(plugin, f"{index}.{server}.address")
            return
    size = plugin.get(f"{index}.inMemoryConfig.size")
    if release.has_own_picker and plugin.is_null(f"{index}.inMemoryConfig"):
        yield value_fault(
            plugin, f"{index}.inMemoryConfig", "an index is needed", "delete it for the default"
        )
    if release.has_own_picker and is_number(size) and size <= 0:
        yield value_fault(
            plugin,
            f"{index}.inMemoryConfig.size",
            "it has to be above 0",
            "leave it out for the default",
        )


def _memory_size(plugin: Declared, key: str, release: PickerRelease) -> Iterator[Finding]:
    size = plugin.text(key)
    if (size or release.has_own_picker) and not _is_size(size):
        yield value_fault(plugin, key, "it is no size", "write one such as 2GiB")


def _is_size(text: str) -> bool:
    match = _SIZE.fullmatch(text)
    number = match[1].replace(",", "") if match else ""
    return bool(re.fullmatch(r"[0-9]+\.?[0-9]*|\.[0-9]+", number))


def _server_address(plugin: Declared, key: str) -> Iterator[Finding]:
    address = plugin.text(key)
    if not address or "127.0.0.1" in address or "localhost" in address:
        yield value_fault(
            plugin,
            key,
            "the picker connects to this server when it starts, and none runs inside its own pod",
            "name the Service of Redis or Valkey",
        )
