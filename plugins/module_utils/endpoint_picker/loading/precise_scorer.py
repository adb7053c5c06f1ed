# SPDX-License-Identifier: GPL-3.0-or-later
"""The deprecated scorer of precise prefixes, which leaves its work to a declared producer that was created before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..findings import Finding, refusal, warning
from ..plugin_parameters import Declared
from ..releases import Generation
from ..rules.plugin import plugin_faults
from .loading import Loading

PRECISE_SCORER = "precise-prefix-cache-scorer"
_PRODUCER = "precise-prefix-cache-producer"


def precise_scorer_faults(plugin: Declared, loading: Loading) -> Iterator[Finding]:
    """Yield what is wrong with the scorer in llm-d's own picker.

    Beside one producer its own parameters are not read; beside several it does not know which to take. Until 0.9 plugins
    are created in their order, from 0.10 on in an order that changes at each start.
    """
    producers = _producers(loading)
    if not producers:
        yield from plugin_faults(plugin, loading.release)
        return
    if plugin.given:
        yield warning(
            "parameters-ignored",
            f"{plugin.path}.parameters",
            plugin.parameters,
            f"{plugin.type} leaves its work to {producers[0]} and does not read its own parameters",
            f"delete them, and use a prefix-cache-scorer that names {producers[0]}",
        )
    ordered = loading.release.generation < Generation.V0_10
    faults = [_ambiguous(plugin, producers)] if len(producers) > 1 else []
    if not ordered:
        faults += [
            fault for fault in plugin_faults(plugin, loading.release) if fault.verdict != "accept"
        ]
    yield from (fault if ordered else _by_chance(fault) for fault in faults)


def _producers(loading: Loading) -> list[str]:
    """Return the names of the producers that may be there before the scorer."""
    if loading.release.generation < Generation.V0_10:
        return [name for name, kind in loading.instances.items() if kind == _PRODUCER]
    return [
        entry.get("name") or _PRODUCER
        for entry in loading.config["plugins"]
        if entry.get("type") == _PRODUCER
    ]


def _ambiguous(plugin: Declared, producers: list[str]) -> Finding:
    return refusal(
        "plugin-needed",
        plugin.path,
        plugin.name,
        f"{plugin.type} cannot choose between {' and '.join(producers)}",
        "use a prefix-cache-scorer that names one of them",
    )


def _by_chance(fault: Finding) -> Finding:
    message = f"{fault.message}; whether this counts depends on the order in which plugins are created, which changes at each start"
    return replace(fault, message=message, verdict="unstable")
