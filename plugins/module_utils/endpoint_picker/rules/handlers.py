# SPDX-License-Identifier: GPL-3.0-or-later
"""What the factory of the handler for disaggregated serving refuses."""

from __future__ import annotations

from collections.abc import Iterator

from ..findings import Finding, Value
from ..given import Declared
from ..releases import Release
from .values import value_fault

#: Deprecated parameters of disagg-profile-handler, with their places among the nested ones.
FLAT_DISAGG_KEYS = {
    "decodeProfile": "profiles.decode",
    "prefillProfile": "profiles.prefill",
    "encodeProfile": "profiles.encode",
    "deciderPluginName": "deciders.prefill",
    "prefillDeciderPluginName": "deciders.prefill",
    "encodeDeciderPluginName": "deciders.encode",
}


def disagg_faults(plugin: Declared, release: Release) -> Iterator[Finding]:
    """Yield parameters of disagg-profile-handler that exclude each other."""
    nested = [key for key in ("profiles", "deciders") if _has_text(plugin.get(key))]
    if release.strict_parameters:
        nested = [key for key in ("profiles", "deciders", "stageOrder") if _is_given(plugin, key)]
    flat = [key for key in FLAT_DISAGG_KEYS if _is_given(plugin, key)]
    if nested and flat:
        names = f"{', '.join(flat)} cannot stand beside {', '.join(nested)}"
        yield value_fault(
            plugin,
            flat[0],
            f"{names}: it takes either the deprecated flat parameters or profiles and deciders",
            f"delete {', '.join(flat)}; their places are profiles.* and deciders.*",
        )
    order = plugin.text("stageOrder").casefold().replace("-", "").replace("_", "")
    if order.startswith("prefill") and plugin.text("deciders.prefill"):
        yield value_fault(
            plugin,
            "deciders.prefill",
            "no prefill decider is allowed in the order prefill-first",
            "delete it, or the stage order",
        )


def _has_text(value: Value) -> bool:
    return isinstance(value, dict) and any(value.values())


def _is_given(plugin: Declared, key: str) -> bool:
    return plugin.get(key) not in (None, "")
