# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations of the endpoint picker: as structure, as the text that is mounted, and with the hash that rolls its pods.

Source of the two embedded ones: model-operator internal/modelservice/{epp_config,epp_configmap}.go@v0.9.0-alpha.2.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..kube.manifest import Json
from .loading.builtin import builtin_default
from .presets import plugin
from .releases import KIND, OLD_API_VERSION, releases
from .text.yaml_scalars import plain_scalar


@dataclass(frozen=True, slots=True)
class PickerConfig:
    """One configuration, ready to be stored.

    key: its name in the ConfigMap and below the mount. text: YAML. hash: lower-case hex SHA-256 over key and text.
    """

    key: str
    text: str
    hash: str


@cache
def picker_config(disaggregated: bool) -> PickerConfig:
    """Return the configuration that a ModelService embeds. disaggregated: the service has prefill pods."""
    key, document = (
        ("pd-config.yaml", disaggregated_config())
        if disaggregated
        else ("default-plugins.yaml", default_config())
    )
    text = as_text(document)
    return PickerConfig(key, text, config_hash({key: text}))


def default_config() -> Json:
    """Return the configuration that weighs queue, cache use and cached prefixes of all pods: what pickers use by default."""
    return builtin_default(releases()["gaie:1.4"])


def disaggregated_config() -> Json:
    """Return the configuration with a profile for prefill and one for decode.

    nonCachedTokens: a prompt with fewer new tokens is prefilled by the decode pod itself.
    """
    decider = "prefix-based-pd-decider"
    return {
        "apiVersion": OLD_API_VERSION,
        "kind": KIND,
        "featureGates": ["prepareDataPlugins"],
        "plugins": [
            plugin("prefill-header-handler"),
            plugin("prefix-cache-scorer", maxPrefixBlocksToMatch=256, lruCapacityPerServer=31250),
            plugin("queue-scorer"),
            plugin("prefill-filter"),
            plugin("decode-filter"),
            plugin("max-score-picker"),
            plugin(decider, nonCachedTokens=16),
            plugin("pd-profile-handler", primaryPort=0, deciderPluginName=decider),
        ],
        "schedulingProfiles": [_profile("prefill"), _profile("decode")],
    }


def _profile(role: str) -> Json:
    return {
        "name": role,
        "plugins": [
            {"pluginRef": f"{role}-filter"},
            {"pluginRef": "max-score-picker"},
            {"pluginRef": "prefix-cache-scorer", "weight": 2},
            {"pluginRef": "queue-scorer", "weight": 1},
        ],
    }


def as_text(document: Json) -> str:
    """Return a configuration as YAML: block style, keys in the order in which they are, lists not indented.

    What Go would not read as text is quoted: PyYAML does not know that a bare `y` is a boolean there, and `1e3` a number.
    """
    import yaml

    text: str = yaml.dump(document, Dumper=_dumper(), sort_keys=False)
    return text


def as_go_text(document: Json) -> str:
    """Return a configuration as Go's library writes one that it has read: as `as_text`, with sorted keys and its own quotes."""
    import yaml

    text: str = yaml.dump(document, Dumper=_dumper(quote='"', block="|"), sort_keys=True)
    return text


@cache
def _dumper(quote: str = "'", block: str | None = None) -> Any:
    """Return a writer. quote: around a text that would be read as something else. block: style of texts of several lines."""
    import yaml

    def represented(dumper: Any, text: str) -> Any:
        style = None if plain_scalar(text) == text else quote
        if block and "\n" in text:
            style = block
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)

    dumper: Any = type("GoDumper", (yaml.SafeDumper,), {})
    dumper.add_representer(str, represented)
    # A number that was read from JSON is a float that remembers its text.
    dumper.add_multi_representer(float, yaml.SafeDumper.represent_float)
    # The same object in two places is written twice, as Go does.
    dumper.ignore_aliases = lambda _self, _data: True
    return dumper


def config_hash(data: Mapping[str, str]) -> str:
    """Return the hash of a ConfigMap's data: SHA-256 over key and text of each entry, sorted by key, nothing between."""
    joined = "".join(key + data[key] for key in sorted(data, key=str.encode))
    return hashlib.sha256(joined.encode()).hexdigest()
