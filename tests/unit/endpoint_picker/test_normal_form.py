# SPDX-License-Identifier: GPL-3.0-or-later
"""One meaning has one hash, and differences are named by what they do."""

from __future__ import annotations

from typing import Any

from module_utils.endpoint_picker.check import check_text
from module_utils.endpoint_picker.normal_form import differences, meaning_hash
from module_utils.endpoint_picker.releases import release_of

SHORT = """
plugins: [{type: queue-scorer}, {type: lora-affinity-scorer}]
schedulingProfiles:
- name: default
  plugins: [{pluginRef: queue-scorer}, {pluginRef: lora-affinity-scorer, weight: 2}]
"""
LONG = """
# the same, written out
kind: EndpointPickerConfig
plugins:
- {type: queue-scorer, name: queue-scorer}
- {type: lora-affinity-scorer}
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: queue-scorer, weight: 1.0}
  - {pluginRef: lora-affinity-scorer, weight: 2.0}
  - {pluginRef: max-score-picker}
"""

#: Of the text {"a":["ü"],"b":2}.
HASH = "839ed86199fad41b72182a966b8e1fba1158777eda3d7df8283df527d0504945"


def normal(text: str) -> dict[str, Any]:
    """Return what llm-d 0.9 makes of a text."""
    return {**check_text(text, release_of("llmd:0.9")).config, "kind": "EndpointPickerConfig"}


def test_two_ways_to_write_the_same_have_one_hash_and_no_differences() -> None:
    assert normal(SHORT) == normal(LONG)
    assert meaning_hash(normal(SHORT)) == meaning_hash(normal(LONG))
    assert list(differences(normal(SHORT), normal(LONG))) == []


def test_the_hash_is_stable() -> None:
    """It stands on pod templates: another one for the same meaning would restart every picker."""
    assert meaning_hash({"b": 2.0, "a": ["ü"]}) == HASH


def test_each_kind_of_difference_has_its_name() -> None:
    other = SHORT.replace("weight: 2", "weight: 3").replace(
        "{type: queue-scorer}",
        "{type: queue-scorer}, {type: random-picker, parameters: {maxNumOfEndpoints: 2}}",
    )
    found = {(item.kind, item.path) for item in differences(normal(SHORT), normal(other))}
    assert ("weight", "schedulingProfiles.default.lora-affinity-scorer") in found
    assert ("added", "plugins.random-picker") in found
    assert ("removed", "plugins.max-score-picker") in found
    more = other.replace("maxNumOfEndpoints: 2", "maxNumOfEndpoints: 3")
    (item,) = differences(normal(other), normal(more))
    assert (item.kind, item.path) == ("parameters", "plugins.random-picker")
    assert item.as_json()["after"] == {"maxNumOfEndpoints": 3}


def test_the_order_of_a_profile_is_a_difference() -> None:
    turned = SHORT.replace(
        "[{pluginRef: queue-scorer}, {pluginRef: lora-affinity-scorer, weight: 2}]",
        "[{pluginRef: lora-affinity-scorer, weight: 2}, {pluginRef: queue-scorer}]",
    )
    (item,) = differences(normal(SHORT), normal(turned))
    assert item.kind == "order"


def test_settings_are_compared_to_their_depth() -> None:
    old = {"flowControl": {"maxBytes": "1Gi", "defaultRequestTTL": "1s"}}
    new = {
        "flowControl": {"maxBytes": "2Gi", "defaultRequestTTL": "1s"},
        "featureGates": ["flowControl"],
    }
    assert [(item.kind, item.path) for item in differences(old, new)] == [
        ("setting", "featureGates"),
        ("setting", "flowControl.maxBytes"),
    ]
