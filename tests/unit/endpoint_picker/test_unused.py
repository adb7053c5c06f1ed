# SPDX-License-Identifier: GPL-3.0-or-later
"""A declared plugin that nothing uses is named, whatever it could be; one that is used in any way is not."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.endpoint_picker.check import (
    check_document,
)
from ansible_collections.modelops.inference.plugins.module_utils.endpoint_picker.releases import (
    release_of,
)

from .test_check import config

_QUEUE: tuple[dict[str, Any], ...] = ({"type": "queue-scorer"}, {"type": "max-score-picker"})
_PREFIX = {"type": "prefix-cache-scorer"}
_PRECISE = {"type": "precise-prefix-cache-producer"}
_FLOW: dict[str, Any] = {"featureGates": ["flowControl"]}

#: Target, the plugin, other plugins, other sections, and a part of the finding's fix ("": the plugin is used).
TABLE: tuple[tuple[str, dict[str, Any], tuple[dict[str, Any], ...], dict[str, Any], str], ...] = (
    ("gaie:1.0", {"type": "header-based-testing-filter"}, _QUEUE, {}, "a profile"),
    ("llmd:0.10", _PRECISE, (*_QUEUE, _PREFIX), {}, "prefixMatchInfoProducerName"),
    (
        "llmd:0.9",
        _PRECISE,
        (*_QUEUE, {**_PREFIX, "parameters": {"prefixMatchInfoProducerName": _PRECISE["type"]}}),
        {},
        "",
    ),
    ("llmd:0.10", _PRECISE, _QUEUE, {}, "a plugin that reads it"),
    ("llmd:0.10", {"type": "approx-prefix-cache-producer"}, (*_QUEUE, _PREFIX), {}, ""),
    ("llmd:0.10", {"type": "token-producer"}, _QUEUE, {}, "a plugin that reads it"),
    ("llmd:0.10", {"type": "session-id-producer"}, _QUEUE, {}, ""),
    ("llmd:0.10", {"type": "vllmgrpc-parser"}, _QUEUE, {}, "parsers"),
    (
        "llmd:0.10",
        {"type": "vllmgrpc-parser"},
        _QUEUE,
        {"requestHandler": {"parsers": [{"pluginRef": "vllmgrpc-parser"}]}},
        "",
    ),
    ("gaie:1.5", {"type": "concurrency-detector"}, _QUEUE, {}, "saturationDetector"),
    (
        "gaie:1.5",
        {"type": "concurrency-detector"},
        _QUEUE,
        {"saturationDetector": {"pluginRef": "concurrency-detector"}},
        "",
    ),
    ("llmd:0.10", {"type": "models-data-source"}, _QUEUE, {}, "the sources"),
    ("llmd:0.10", {"type": "models-data-extractor"}, _QUEUE, {}, "extractors of a source"),
    (
        "llmd:0.10",
        {"type": "models-data-extractor"},
        (*_QUEUE, {"type": "models-data-source"}),
        {
            "dataLayer": {
                "sources": [
                    {
                        "pluginRef": "models-data-source",
                        "extractors": [{"pluginRef": "models-data-extractor"}],
                    }
                ]
            }
        },
        "",
    ),
    ("llmd:0.10", {"type": "round-robin-fairness-policy"}, _QUEUE, _FLOW, "fairnessPolicyRef"),
    ("llmd:0.10", {"type": "edf-ordering-policy"}, _QUEUE, {}, "orderingPolicyRef"),
    (
        "llmd:0.10",
        {"type": "edf-ordering-policy"},
        _QUEUE,
        {
            **_FLOW,
            "flowControl": {"defaultPriorityBand": {"orderingPolicyRef": "edf-ordering-policy"}},
        },
        "",
    ),
    ("llmd:0.10", {"type": "fcfs-ordering-policy"}, _QUEUE, _FLOW, ""),
    ("llmd:0.8", {"type": "always-disagg-pd-decider"}, _QUEUE, {}, "profile handler"),
    ("llmd:0.9", {"type": "probabilistic-admitter"}, _QUEUE, {}, ""),
)


@pytest.mark.parametrize(("target", "plugin", "others", "sections", "fix"), TABLE)
def test_a_plugin_that_nothing_uses_is_named_with_the_place_where_it_would_be(
    target: str,
    plugin: dict[str, Any],
    others: tuple[dict[str, Any], ...],
    sections: dict[str, Any],
    fix: str,
) -> None:
    document = config(*others, **sections)
    document["plugins"].insert(0, plugin)
    report = check_document(document, release_of(target), experimental=True)
    found = [each for each in report.findings if each.rule == "plugin-unused"]
    assert [(each.path, each.value) for each in found] == [("plugins[0]", plugin["type"])] * bool(
        fix
    )
    assert all(fix in each.fix for each in found)


@pytest.mark.parametrize(
    ("target", "flow", "places"),
    [
        ("llmd:0.10", {"maxRequests": 20000}, ["flowControl.defaultPriorityBand"]),
        ("llmd:0.9", {"maxRequests": 20000}, []),
        ("llmd:0.10", {"maxRequests": 5000}, []),
        ("llmd:0.10", {"maxRequests": 9000, "defaultPriorityBand": {"maxRequests": 9000}}, []),
        (
            "llmd:0.9",
            {"maxBytes": "4Gi", "priorityBands": [{"priority": 1}, {"maxBytes": "4Gi"}]},
            ["flowControl.defaultPriorityBand", "flowControl.priorityBands[0]"],
        ),
    ],
)
def test_a_limit_that_the_default_of_a_band_undercuts_is_named(
    target: str, flow: dict[str, Any], places: list[str]
) -> None:
    document = config(*_QUEUE, featureGates=["flowControl"], flowControl=flow)
    report = check_document(document, release_of(target))
    assert [each.path for each in report.findings if each.rule == "limit-undercut"] == places


def test_plugin_whose_name_is_misspelt_where_it_is_used_is_told_once() -> None:
    document = config({"type": "queue-scorer"})
    document["schedulingProfiles"] = [
        {"name": "default", "plugins": [{"pluginRef": "queue-scorre"}]}
    ]
    report = check_document(document, release_of("llmd:0.8"), experimental=True)
    rules = {(each.rule, each.path) for each in report.findings if each.severity != "info"}
    assert ("reference-undefined", "schedulingProfiles[0].plugins[0].pluginRef") in rules
    assert "plugin-unused" not in {rule for rule, dummy in rules}
