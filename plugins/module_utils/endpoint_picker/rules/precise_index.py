# SPDX-License-Identifier: GPL-3.0-or-later
"""What the index of precise prefixes refuses: the place where it is kept, and how much of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..findings import Finding
from ..plugin_parameters import Declared
from ..releases import Generation, PickerRelease
from .values import is_number, value_fault

_G = Generation
_INDEX = "indexerConfig.kvBlockIndexConfig"
_MEMORY, _COSTS = "inMemoryConfig", "costAwareMemoryConfig"
_SERVERS = ("valkeyConfig", "redisConfig")

_SIZE = re.compile(r"([0-9.,]+)\s*(?:([kmgtpe])(i?)b?|b)?\s*", re.ASCII | re.IGNORECASE)
#: Sizes are held as signed numbers of 64 bits.
_TOO_LARGE = 2**63


def index_faults(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield what is wrong with the index that is used: of several places the first one counts.

    Source: llm-d-kv-cache pkg/kvcache/kvblock/index.go@v0.7.1.
    """
    place = _place(plugin, release)
    if place is None:
        yield value_fault(
            plugin,
            f"{_INDEX}.{_MEMORY}",
            "an index is needed, and no other place for it is configured",
            "delete it for the default",
        )
    elif place == _COSTS:
        key = f"{_INDEX}.{_COSTS}.size"
        if not 1 <= _bytes_of(plugin.text(key)) < _TOO_LARGE:
            yield value_fault(plugin, key, "it is no size above 0", "write one such as 2GiB")
    elif place == _MEMORY:
        size = plugin.get(f"{_INDEX}.{_MEMORY}.size")
        if is_number(size) and size <= 0:
            yield value_fault(
                plugin,
                f"{_INDEX}.{_MEMORY}.size",
                "it has to be above 0",
                "leave it out for the default",
            )
    else:
        yield from _server_address(plugin, f"{_INDEX}.{place}.address")


def _place(plugin: Declared, release: PickerRelease) -> str | None:
    """Return the key of the place that counts. Until 0.4 memory comes before all others, later it comes last."""
    others = [key for key in (_COSTS, *_SERVERS) if plugin.get(f"{_INDEX}.{key}") is not None]
    # Memory is the default: it is only gone where it was set to null.
    memory = [] if plugin.is_null(f"{_INDEX}.{_MEMORY}") else [_MEMORY]
    places = memory + others if release.generation < _G.V1_3 else others + memory
    return next(iter(places), None)


def _bytes_of(text: str) -> int:
    """Return a size such as 2GiB in bytes, -1 if it is none."""
    match = _SIZE.fullmatch(text)
    number = match[1].replace(",", "") if match else ""
    if not match or not re.fullmatch(r"[0-9]+\.?[0-9]*|\.[0-9]+", number):
        return -1
    power = "kmgtpe".index(match[2].lower()) + 1 if match[2] else 0
    return int(float(number) * (1024 if match[3] else 1000) ** power)


def _server_address(plugin: Declared, key: str) -> Iterator[Finding]:
    address = plugin.text(key)
    if not address or "127.0.0.1" in address or "localhost" in address:
        yield value_fault(
            plugin,
            key,
            "the picker connects to this server when it starts, and none runs inside its own pod",
            "name the Service of Redis or Valkey",
        )
