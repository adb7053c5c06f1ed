# SPDX-License-Identifier: GPL-3.0-or-later
"""The handlers of disaggregated serving: which profiles and deciders they use, and what their factory refuses."""

from __future__ import annotations

from collections.abc import Iterator

from ..findings import Finding, Value
from ..plugin_parameters import Declared
from ..releases import Generation, PickerRelease
from .values import value_fault

#: Handlers that send a request through several stages.
DISAGGREGATING = frozenset({"pd-profile-handler", "disagg-profile-handler"})
#: Deprecated parameters of disagg-profile-handler, with their places among the nested ones.
FLAT_DISAGG_KEYS = {
    "decodeProfile": "profiles.decode",
    "prefillProfile": "profiles.prefill",
    "encodeProfile": "profiles.encode",
    "deciderPluginName": "deciders.prefill",
    "prefillDeciderPluginName": "deciders.prefill",
    "encodeDeciderPluginName": "deciders.encode",
}


def disagg_faults(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield parameters of disagg-profile-handler that exclude each other."""
    nested = [key for key in ("profiles", "deciders") if _has_text(plugin.get(key))]
    flat = [key for key in FLAT_DISAGG_KEYS if _is_given(plugin, key)]
    if release.strict_parameters:
        nested = [key for key in ("profiles", "deciders") if _stands(plugin, key)]
        flat = [key for key in FLAT_DISAGG_KEYS if _stands(plugin, key)]
    if nested and flat:
        names = f"{', '.join(flat)} cannot be combined with {', '.join(nested)}"
        yield value_fault(
            plugin,
            flat[0],
            f"{names}: it takes either the deprecated flat parameters or profiles and deciders",
            f"delete {', '.join(flat)}; their places are profiles.* and deciders.*",
        )
    order = plugin.text("stageOrder").casefold().replace("-", "").replace("_", "")
    decider = deciders_of(plugin, release.generation).get("prefill")
    if order.startswith("prefill") and decider:
        yield value_fault(
            plugin,
            decider[0],
            "no prefill decider is allowed in the order prefill-first",
            "delete it, or the stage order",
        )


def _has_text(value: Value) -> bool:
    return isinstance(value, dict) and any(value.values())


def _is_given(plugin: Declared, key: str) -> bool:
    return plugin.get(key) not in (None, "")


def _stands(plugin: Declared, key: str) -> bool:
    return plugin.get(key) is not None or plugin.is_null(key)


def profiles_of(plugin: Declared) -> dict[str, str]:
    """Return the profile that a handler uses for each stage."""
    stages = ("decode", "prefill") + (
        ("encode",) if plugin.type == "disagg-profile-handler" else ()
    )
    return {
        stage: plugin.text(f"profiles.{stage}") or plugin.text(f"{stage}Profile") or stage
        for stage in stages
    }


def deciders_of(plugin: Declared, generation: Generation) -> dict[str, tuple[str, str]]:
    """Return the decider that a handler uses for each stage, after the parameter that names it.

    A stage that is not there is never used; before 0.6 the handler decides by itself.
    """
    if plugin.type == "pd-profile-handler" and generation >= Generation.V0_6:
        early = generation == Generation.V0_6
        default = "always-disagg-pd-decider" if early else "prefix-based-pd-decider"
        name = plugin.get("deciderPluginName")
        return {"prefill": ("deciderPluginName", name if isinstance(name, str) else default)}
    if plugin.type != "disagg-profile-handler":
        return {}
    named = {stage: _decider(plugin, f"deciders.{stage}") for stage in ("prefill", "encode")}
    return {stage: (f"deciders.{stage}", name) for stage, name in named.items() if name}


def _decider(plugin: Declared, nested: str) -> str:
    """Return a decider's name; of the deprecated flat parameters the more specific one wins."""
    keys = [key for key, place in FLAT_DISAGG_KEYS.items() if place == nested]
    names = (plugin.text(key) for key in (nested, *reversed(keys)))
    return next(filter(None, names), "")
