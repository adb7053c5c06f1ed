# SPDX-License-Identifier: GPL-3.0-or-later
"""What factories of precise prefixes refuse: tokens, blocks and the events of caches."""

from __future__ import annotations

from collections.abc import Iterator

from ..findings import Finding
from ..plugin_parameters import Declared
from ..releases import Generation, PickerRelease
from ..text.durations import parse_duration
from .precise_index import index_faults
from .producers import tokenizer_map_faults
from .values import is_number, value_fault

_G = Generation

_ENGINES = ("", "vllm", "sglang")
_POOL = "indexerConfig.tokenizersPoolConfig"


def precise_faults(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield what is wrong with precise prefixes.

    Source: llm-d-inference-scheduler pkg/plugins/scorer/precise_prefix_cache.go@v0.7.1.
    """
    nulls = list(_nulls(plugin, release))
    yield from nulls
    if nulls:
        return
    yield from _tokenizer(plugin, release)
    yield from _token_processor(plugin, release)
    yield from index_faults(plugin, release)
    yield from _backends(plugin)
    yield from _events(plugin, release)
    ttl = plugin.text("speculativeTTL")
    if plugin.get("speculativeIndexing") is True and ttl and parse_duration(ttl) is None:
        yield value_fault(plugin, "speculativeTTL", "it is no duration", "write one such as 2s")


def _nulls(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield sections that the picker uses without looking whether they are there."""
    needed = (
        ("indexerConfig", "kvEventsConfig") if release.generation >= _G.V1_3 else ("indexerConfig",)
    )
    for key in needed:
        if plugin.is_null(key):
            yield value_fault(plugin, key, "it may not be null", "delete it for the default")


def _tokenizer(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield why nothing would count tokens: in 0.5 to 0.8 the plugin does it by itself, later only where it is told to."""
    pool = plugin.get(_POOL)
    if plugin.type == "precise-prefix-cache-producer":
        if pool is not None:
            yield value_fault(
                plugin,
                _POOL,
                "it is not supported here",
                "delete it and declare a token-producer",
            )
        return
    if release.generation < _G.V1_3 or (release.has_own_picker and pool is None):
        return
    model = plugin.text(f"{_POOL}.modelName")
    if not model:
        yield value_fault(
            plugin,
            f"{_POOL}.modelName",
            f"{release.target} needs the name of the model here",
            "give modelName",
        )
        return
    yield from _tokenizer_backend(plugin, model, release)


def _tokenizer_backend(plugin: Declared, model: str, release: PickerRelease) -> Iterator[Finding]:
    """Yield that no backend is left, or that it does not know the model. Until 0.8 there is one by default."""
    default = not release.has_own_picker and not plugin.is_null(f"{_POOL}.uds")
    socket = plugin.get(f"{_POOL}.uds.socketFile")
    enabled = bool(socket) or (socket is None and default)
    if release.generation == _G.V1_3:
        hugging_face = plugin.get(f"{_POOL}.hf.enabled") is not False
        by_files = bool(plugin.get(f"{_POOL}.local.modelTokenizerMap"))
        enabled = bool(socket) or by_files or (hugging_face and not plugin.is_null(f"{_POOL}.hf"))
    if not enabled:
        yield value_fault(
            plugin,
            f"{_POOL}.uds.socketFile",
            f"{release.target} needs a tokenizer, and none is configured",
            "name the socket of the tokenizer",
        )
        return
    yield from tokenizer_map_faults(plugin, f"{_POOL}.uds.modelTokenizerMap", model)


def _token_processor(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield block sizes that the index cannot have.

    In 0.7 and 0.8 a section that is there has to name one. From 0.9 zero means "not given", and tokens win over the old key.
    """
    old, new = "tokenProcessorConfig.blockSize", "tokenProcessorConfig.blockSizeTokens"
    if release.generation < _G.V1_4 or plugin.get("tokenProcessorConfig") is None:
        return
    key, size = old, plugin.get(old) or 0
    if release.has_own_picker:
        key, size = next(
            ((key, plugin.get(key)) for key in (new, old) if plugin.get(key)), (new, 16)
        )
    if is_number(size) and size <= 0:
        yield value_fault(
            plugin,
            key,
            "a block has to have tokens",
            "write the block size of the model server",
        )


def _backends(plugin: Declared) -> Iterator[Finding]:
    backends = plugin.get("indexerConfig.kvCacheBackendConfigs")
    if isinstance(backends, list) and None in backends:
        yield value_fault(
            plugin,
            "indexerConfig.kvCacheBackendConfigs",
            "a backend may not be null",
            "give its name and weight, or delete it",
        )


def _events(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    engine = plugin.text("kvEventsConfig.engineType")
    if release.generation >= _G.V0_10 and engine not in _ENGINES:
        yield value_fault(
            plugin,
            "kvEventsConfig.engineType",
            "the engine is neither vllm nor sglang",
            "choose one",
        )
