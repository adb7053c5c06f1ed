# SPDX-License-Identifier: GPL-3.0-or-later
"""What factories of the precise prefix index refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..findings import Finding
from ..given import Declared, lookup
from ..releases import Generation, Release
from ..text.durations import parse_duration
from .values import is_number, value_fault

_G = Generation


_ENGINES = ("", "vllm", "sglang")
_SIZE = re.compile(r"\s*[0-9]*\.?[0-9]+\s*([kmgtpe]i?b?|b)?\s*", re.ASCII | re.IGNORECASE)


def precise_faults(plugin: Declared, release: Release) -> Iterator[Finding]:
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
    yield from _index(plugin)
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


def _token_processor(plugin: Declared, release: Release) -> Iterator[Finding]:
    """Yield block sizes that the index cannot have."""
    if release.generation < _G.V1_4:
        return
    for key in ("tokenProcessorConfig.blockSize", "tokenProcessorConfig.blockSizeTokens"):
        size = plugin.get(key)
        if is_number(size) and (size < 0 or (size == 0 and not release.has_own_picker)):
            yield value_fault(
                plugin,
                key,
                "a block has to have tokens",
                "write the block size of the model server",
            )


def _index(plugin: Declared) -> Iterator[Finding]:
    index = "indexerConfig.kvBlockIndexConfig"
    size = plugin.get(f"{index}.costAwareMemoryConfig.size")
    if isinstance(size, str) and size and not _SIZE.fullmatch(size):
        yield value_fault(
            plugin, f"{index}.costAwareMemoryConfig.size", "it is no size", "write one such as 2GiB"
        )
    address = str(lookup(plugin.get(f"{index}.redisConfig"), "address") or "")
    if "127.0.0.1" in address or "localhost" in address:
        yield value_fault(
            plugin,
            f"{index}.redisConfig.address",
            "the picker connects to Redis when it starts, and none runs inside its own pod",
            "name the Service of Redis",
        )
