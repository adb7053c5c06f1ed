# SPDX-License-Identifier: GPL-3.0-or-later
"""How the endpoint picker of a service learns its configuration: by arguments. Source: reference/kserve-llmisvc.md §4."""

from __future__ import annotations

from functools import cache

from ....endpoint_picker.build import as_text
from ....kube.go_json import go_json
from ....kube.manifest import Json
from ..resolved import Resolved

_TEXT_FLAG = "--config-text"
_FLAGS = frozenset(
    dashes + name
    for dashes in ("-", "--")
    for name in ("config-text", "configText", "config-file", "configFile")
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
    return [_TEXT_FLAG, default_config(prefill)]


def given_config(resolved: Resolved) -> str | None:
    """Return the configuration that stands in the spec or in the ConfigMap that it names; None where neither has one."""
    inline = resolved.at("router", "scheduler", "config", "inline")
    return inline if inline is None or isinstance(inline, str) else go_json(inline, sort_keys=True)


@cache
def default_config(prefill: bool) -> str:
    """Return the release's configuration as YAML. prefill: the service has pods for prompts alone."""
    scorers = [_plugin("queue-scorer"), _plugin("prefix-cache-scorer"), _plugin("max-score-picker")]
    if prefill:
        roles = [_plugin("prefill-filter"), _plugin("decode-filter")]
        handler = {**_plugin("pd-profile-handler"), "parameters": {"threshold": 0}}
        plugins = [_plugin("prefill-header-handler"), *roles, *scorers, handler]
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
