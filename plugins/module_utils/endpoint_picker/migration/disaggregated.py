# SPDX-License-Identifier: GPL-3.0-or-later
"""Disaggregated serving across releases: from a threshold in the handler to deciders, and from one handler to another."""

from __future__ import annotations

from ...kube.manifest import Json
from ..plugin_parameters import Declared
from ..releases import Generation
from ..rules.handlers import deciders_of, profiles_of
from .state import MigrationState

_ALWAYS = "always-disagg-pd-decider"
_BY_PREFIX = "prefix-based-pd-decider"
_HEADER_HANDLERS = ("prefill-header-handler", "disagg-headers-handler")

_CHARACTERS_PER_TOKEN = 4


def to_decider(state: MigrationState) -> None:
    """0.6: a decider says when a prefill pod is used, in tokens; before, the handler did, in characters."""
    for plugin, parameters in state.of_type("pd-profile-handler"):
        given = parameters.pop("threshold", 0)
        threshold = given if isinstance(given, int) else 0
        parameters.pop("hashBlockSize", None)
        name = _BY_PREFIX if threshold > 0 else _ALWAYS
        if not state.has_type(name):
            tokens = {"nonCachedTokens": max(1, threshold // _CHARACTERS_PER_TOKEN)}
            state.declare(name, plugin, **(tokens if threshold > 0 else {}))
        parameters["deciderPluginName"] = name
        state.changed(
            f"pd-profile-handler: threshold {threshold} (characters) became the decider {name}"
        )
        if threshold > 0:
            state.decide(f"{_BY_PREFIX}: nonCachedTokens was estimated from characters; measure it")


def to_disaggregated_handler(state: MigrationState) -> None:
    """0.7: a new handler, and nonCachedTokens 0 means never instead of always. 0.11 no longer has the old one."""
    for plugin, parameters in state.of_type("pd-profile-handler"):
        handler = Declared("", "pd-profile-handler", "", parameters, given=True)
        # What decided in the source, or in 0.6, through which older sources come.
        written_for = max(state.source.generation, Generation.V0_6)
        dummy, decider = deciders_of(handler, written_for)["prefill"]
        profiles = profiles_of(handler)
        port = parameters.get("primaryPort")
        plugin["type"] = "disagg-profile-handler"
        if plugin.get("name") == "pd-profile-handler":
            del plugin["name"]
        plugin["parameters"] = {"profiles": profiles, "deciders": {"prefill": decider}}
        state.changed(
            "pd-profile-handler became disagg-profile-handler, with its profiles and its decider written out"
        )
        if port:
            state.decide(
                f"pd-profile-handler had primaryPort {port}, which the new handler has no place for"
            )
    if state.source.generation == Generation.V0_6:
        for plugin, parameters in state.of_type(_BY_PREFIX):
            _keep_always(plugin, parameters, state)


def _keep_always(plugin: Json, parameters: Json, state: MigrationState) -> None:
    if not parameters.get("nonCachedTokens"):
        plugin.setdefault("name", _BY_PREFIX)
        plugin["type"] = _ALWAYS
        plugin["parameters"] = {}
        state.changed(
            f"{_BY_PREFIX} with nonCachedTokens 0 became {_ALWAYS}: 0 meant always, and means never from 0.7"
        )


def without_header_handlers(state: MigrationState) -> None:
    """0.9: the handler writes the headers itself. 0.11 has nothing else that would."""
    if not state.has_type("disagg-profile-handler"):
        return
    for plugin, dummy in state.of_type(*_HEADER_HANDLERS):
        state.remove(plugin)
        state.changed(f"{plugin['type']} was removed; disagg-profile-handler does its work")
