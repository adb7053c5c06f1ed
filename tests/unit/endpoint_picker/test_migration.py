# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations migrate to later releases; what a document cannot tell is left to a person, and said."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.endpoint_picker.check import check_document
from module_utils.endpoint_picker.migration.migrate import Migration, migrate
from module_utils.endpoint_picker.presets import preset, preset_names
from module_utils.endpoint_picker.releases import (
    NEW_API_VERSION,
    OLD_API_VERSION,
    release_of,
    releases,
)
from module_utils.kube.problem import InputError


def moved(document: dict[str, Any], source: str, target: str) -> Migration:
    """Migrate a document and see that the target starts with it."""
    result = migrate(document, release_of(source), release_of(target))
    assert check_document(result.document, release_of(target)).verdict == "accept", result.decisions
    return result


def config(*plugins: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a configuration with a profile of everything that can stand in one."""
    references = [
        {"pluginRef": plugin["type"]}
        for plugin in plugins
        if plugin["type"].endswith(("scorer", "picker", "filter"))
    ]
    profiles = [{"name": "default", "plugins": references}]
    return {
        "apiVersion": OLD_API_VERSION,
        "plugins": list(plugins),
        "schedulingProfiles": profiles,
        **more,
    }


def parameters(document: dict[str, Any], type_name: str) -> Any:
    """Return the parameters of the only plugin of a type."""
    (plugin,) = [plugin for plugin in document["plugins"] if plugin["type"] == type_name]
    return plugin.get("parameters")


def test_every_preset_migrates_to_every_later_release_that_has_its_plugins() -> None:
    count = 0
    for name in preset_names():
        for source in releases().values():
            try:
                document = preset(name, source)
            except InputError:
                continue
            for target in releases().values():
                if target.family == source.family and target.generation > source.generation:
                    result = migrate(document, source, target)
                    assert check_document(result.document, target).verdict == "accept"
                    count += 1
    assert count > 100


def test_prefix_parameters_go_all_the_way() -> None:
    scorer = {
        "type": "prefix-cache-scorer",
        "parameters": {"hashBlockSize": 64, "maxPrefixBlocksToMatch": 100},
    }
    document = config(scorer, {"type": "max-score-picker"})
    assert parameters(moved(document, "gaie:1.0", "gaie:1.1").document, "prefix-cache-scorer") == {
        "blockSize": 64,
        "maxPrefixBlocksToMatch": 100,
    }
    result = moved(document, "gaie:1.0", "llmd:0.10")
    assert parameters(result.document, "prefix-cache-scorer") is None
    assert parameters(result.document, "approx-prefix-cache-producer") == {
        "blockSizeTokens": 16,
        "maxPrefixBlocksToMatch": 100,
        "maxPrefixTokensToMatch": 0,
    }
    assert any("block size of the model servers" in text for text in result.decisions)
    assert document["plugins"][0] == scorer, "the input is left alone"


def test_thresholds_become_a_declared_detector() -> None:
    document = config(
        {"type": "queue-scorer"},
        saturationDetector={"queueDepthThreshold": 3, "kvCacheUtilThreshold": 1.5},
    )
    result = moved(document, "gaie:1.3", "gaie:1.5")
    assert parameters(result.document, "utilization-detector") == {"queueDepthThreshold": 3}
    assert result.document["saturationDetector"] == {"pluginRef": "utilization-detector"}
    later = moved(document, "gaie:1.3", "llmd:0.9").document
    assert later["flowControl"] == {"saturationDetector": {"pluginRef": "utilization-detector"}}
    assert later["apiVersion"] == NEW_API_VERSION


@pytest.mark.parametrize(
    ("threshold", "decider", "given"),
    [
        (0, "always-disagg-pd-decider", None),
        (400, "prefix-based-pd-decider", {"nonCachedTokens": 100}),
    ],
)
def test_a_threshold_becomes_a_decider(threshold: int, decider: str, given: Any) -> None:
    document = preset("pd", release_of("llmd:0.5"))
    document["plugins"][-1]["parameters"] = {"threshold": threshold}
    middle = moved(document, "llmd:0.5", "llmd:0.6").document
    assert parameters(middle, decider) == given
    assert parameters(middle, "pd-profile-handler") == {"deciderPluginName": decider}
    result = moved(document, "llmd:0.5", "llmd:0.9").document
    assert parameters(result, "disagg-profile-handler")["deciders"] == {"prefill": decider}
    assert all("header" not in plugin["type"] for plugin in result["plugins"])


def test_zero_keeps_meaning_always_when_its_meaning_turns() -> None:
    document = preset("pd", release_of("llmd:0.6"))
    for plugin in document["plugins"]:
        if plugin["type"] == "prefix-based-pd-decider":
            plugin["parameters"] = {"nonCachedTokens": 0}
    result = moved(document, "llmd:0.6", "llmd:0.7")
    assert parameters(result.document, "always-disagg-pd-decider") is None
    assert any("means never from 0.7" in text for text in result.changes)


def test_the_data_layer_and_its_extractor_are_renamed_with_their_references() -> None:
    document = config(
        {"type": "queue-scorer"},
        {"type": "metrics-data-source"},
        {"type": "model-server-protocol-metrics", "parameters": {"queueRequestsSpec": "waiting"}},
        featureGates=["dataLayer", "prepareDataPlugins"],
        data={
            "sources": [
                {
                    "pluginRef": "metrics-data-source",
                    "extractors": [{"pluginRef": "model-server-protocol-metrics"}],
                }
            ]
        },
    )
    result = moved(document, "gaie:1.3", "gaie:1.5").document
    assert result["dataLayer"]["sources"][0]["extractors"] == [
        {"pluginRef": "core-metrics-extractor"}
    ]
    assert result["featureGates"] == ["dataLayer"]
    engines = parameters(result, "core-metrics-extractor")["engineConfigs"]
    assert engines == [{"name": "vllm", "queuedRequestsSpec": "waiting"}]
    assert "featureGates" not in moved(document, "gaie:1.3", "llmd:0.10").document


def test_parameters_that_were_ignored_are_dropped_and_those_that_counted_are_a_decision() -> None:
    picker = {"type": "max-score-picker", "parameters": {"maxNumOfEndpoints": 2, "seed": 7}}
    result = moved(config(picker), "llmd:0.8", "llmd:0.9")
    assert parameters(result.document, "max-score-picker") == {"maxNumOfEndpoints": 2}
    assert any("seed was dropped" in text for text in result.changes)
    assert not any("seed" in text for text in result.decisions)


def test_a_queue_keeps_waiting_without_a_limit() -> None:
    document = config({"type": "queue-scorer"}, featureGates=["flowControl"])
    result = moved(document, "llmd:0.9", "llmd:0.10").document
    assert result["flowControl"]["defaultRequestTTL"] == "0s"


def test_what_the_target_lacks_is_a_decision() -> None:
    document = config({"type": "session-affinity-scorer"}, {"type": "max-score-picker"})
    result = migrate(document, release_of("llmd:0.9"), release_of("llmd:0.10"))
    assert any("alpha plugin" in text for text in result.decisions)
    migrated = migrate(document, release_of("llmd:0.9"), release_of("llmd:0.10"), experimental=True)
    assert migrated.decisions == []


def test_no_way_leads_back() -> None:
    with pytest.raises(InputError, match="later releases only"):
        migrate(config(), release_of("llmd:0.9"), release_of("llmd:0.8"))


def test_what_the_source_cannot_read_is_not_migrated() -> None:
    with pytest.raises(InputError, match="dataLayer"):
        migrate({"dataLayer": {}}, release_of("gaie:1.4"), release_of("gaie:1.5"))
