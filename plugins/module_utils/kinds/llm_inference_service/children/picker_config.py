# SPDX-License-Identifier: GPL-3.0-or-later
"""How the endpoint picker of a service learns its configuration: by arguments. Source: KServe pkg/controller/v1alpha2/llmisvc/scheduler.go@v0.17.0."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from ....endpoint_picker.build import as_text
from ....kube.go_json import go_json
from ....kube.manifest import Json
from ....kube.release import Since, change
from ...kserve.releases import KServe
from ..resolved import Resolved

_TEXT_FLAG = "--config-text"
_FLAGS = frozenset(
    dashes + name
    for dashes in ("-", "--")
    for name in ("config-text", "configText", "config-file", "configFile")
)


#: The endpoint picker of the release's own presets, as a target of `endpoint_picker`.
PICKER_TARGET: Since[str] = Since({KServe.V0_17: "llmd:0.4", KServe.V0_18: "llmd:0.7"})


@dataclass(frozen=True, slots=True)
class Disaggregation:
    """The plugins by which an endpoint picker sends prompts to pods of their own.

    headers: the plugin that passes the choice on. decider: the plugin that says which prompts, empty where the handler says it.
    handler, parameters: the plugin that runs both profiles.
    """

    headers: str
    decider: str
    handler: str
    parameters: Json = field(hash=False)


_ALWAYS = "always-disagg-pd-decider"
_DISAGGREGATION: Since[Disaggregation] = Since(
    {
        KServe.V0_17: Disaggregation(
            "prefill-header-handler", "", "pd-profile-handler", {"threshold": 0}
        ),
        KServe.V0_18: change(decider=_ALWAYS, parameters={"deciderPluginName": _ALWAYS}),
        KServe.V0_19: change(
            headers="disagg-headers-handler",
            handler="disagg-profile-handler",
            parameters={"deciders": {"prefill": _ALWAYS}},
        ),
    }
)


def config_arguments(resolved: Resolved, given: list[str]) -> list[str]:
    """Return the arguments to append to those that the picker's container has.

    A configuration in the spec comes first, then one among the given arguments, then the release's own.
    """
    text = given_config(resolved)
    if text is not None:
        return [_TEXT_FLAG, text]
    if any(word in _FLAGS for word in given[:-1]):
        return []
    prefill = resolved.at("prefill") is not None
    return [_TEXT_FLAG, _default_text(resolved.settings.release, prefill)]


def given_config(resolved: Resolved) -> str | None:
    """Return the configuration that stands in the spec or in the ConfigMap that it names; None where neither has one."""
    inline = resolved.at("router", "scheduler", "config", "inline")
    return inline if inline is None or isinstance(inline, str) else go_json(inline, sort_keys=True)


@cache
def _default_text(release: KServe, prefill: bool) -> str:
    return default_config(_DISAGGREGATION.at(release) if prefill else None)


def default_config(prefill: Disaggregation | None) -> str:
    """Return the release's configuration as YAML. prefill: how prompts get to pods of their own, None where there are none."""
    scorers = [_plugin("queue-scorer"), _plugin("prefix-cache-scorer"), _plugin("max-score-picker")]
    if prefill:
        roles = [_plugin("prefill-filter"), _plugin("decode-filter")]
        deciders = [_plugin(prefill.decider)] if prefill.decider else []
        handler = {**_plugin(prefill.handler), "parameters": prefill.parameters}
        plugins = [_plugin(prefill.headers), *roles, *scorers, *deciders, handler]
        profiles = [_profile("prefill", "prefill-filter"), _profile("decode", "decode-filter")]
    else:
        plugins = [_plugin("single-profile-handler"), *scorers]
        profiles = [_profile("default")]
    document = {
        "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
        "kind": "EndpointPickerConfig",
        "plugins": plugins,
        "schedulingProfiles": profiles,
    }
    return "\n" + as_text(document)


def _plugin(kind: str) -> Json:
    return {"type": kind}


def _profile(name: str, *filters: str) -> Json:
    """Return a profile that weighs cached prefixes more than queues."""
    return {
        "name": name,
        "plugins": [
            *({"pluginRef": each} for each in filters),
            {"pluginRef": "queue-scorer", "weight": 2},
            {"pluginRef": "prefix-cache-scorer", "weight": 3},
            {"pluginRef": "max-score-picker"},
        ],
    }
