# SPDX-License-Identifier: GPL-3.0-or-later
"""What later pickers drop is told with the release that drops it, and rewritten by a migration."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.endpoint_picker.check import check_document
from module_utils.endpoint_picker.images import release_of_image
from module_utils.endpoint_picker.later import dropped_later
from module_utils.endpoint_picker.migration.migrate import Migration, migrate
from module_utils.endpoint_picker.presets import preset
from module_utils.endpoint_picker.releases import release_of
from module_utils.kube.manifest import Json

NEWEST = "llmd:0.11"
ALWAYS = {"type": "always-disagg-pd-decider"}
HANDLER = "disagg-profile-handler"
PRECISE, PRODUCER = "precise-prefix-cache-scorer", "precise-prefix-cache-producer"


def config(*plugins: Json, **more: Any) -> Json:
    return {"plugins": list(plugins), **more}


def drops(document: Json, target: str) -> dict[str, str]:
    """Return the place of what is dropped, with the release that drops it."""
    found = dropped_later(document, release_of(target))
    return {finding.path: finding.message.split()[0] for finding in found}


@pytest.mark.parametrize(
    ("document", "target", "expected"),
    [
        (config({"type": "queue-scorer"}), "llmd:0.3", {}),
        (config({"type": "pd-profile-handler"}), "llmd:0.6", {"plugins[0].type": NEWEST}),
        (config({"type": "by-label"}), "llmd:0.10", {"plugins[0].type": NEWEST}),
        (
            config({"type": "predicted-latency-scorer"}),
            "gaie:1.4",
            {"plugins[0].type": "llmd:0.9"},
        ),
        (
            config({"type": "model-server-protocol-metrics"}),
            "llmd:0.5",
            {"plugins[0].type": "llmd:0.8"},
        ),
        (config(parser={"pluginRef": "openai-parser"}), "llmd:0.8", {"parser": NEWEST}),
        (config(data={"sources": []}), "gaie:1.4", {"data": "gaie:1.5"}),
        (
            config(featureGates=["flowControl", "dataLayer"]),
            "llmd:0.9",
            {"featureGates[1]": "llmd:0.10"},
        ),
        (
            config({"type": HANDLER, "parameters": {"prefillProfile": "p"}}),
            "llmd:0.8",
            {"plugins[0].parameters.prefillProfile": NEWEST},
        ),
        (
            config({"type": "prefix-cache-scorer", "parameters": {"blockSizeTokens": 16}}),
            "llmd:0.7",
            {"plugins[0].parameters.blockSizeTokens": "llmd:0.9"},
        ),
        (
            config({"type": "program-aware-fairness", "parameters": {"lasDecayFactor": 0.9}}),
            "llmd:0.10",
            {"plugins[0].parameters.lasDecayFactor": NEWEST},
        ),
        # What the release itself does not know is a mistake of today.
        (config({"type": "quick-scorer"}, parsers=[]), "llmd:0.8", {}),
        (config({"type": "pd-profile-handler"}), NEWEST, {}),
    ],
)
def test_what_is_dropped_is_told_with_the_first_release_without_it(
    document: Json, target: str, expected: dict[str, str]
) -> None:
    assert drops(document, target) == expected


def test_what_nobody_ran_is_told_as_announced() -> None:
    (finding,) = dropped_later(config({"type": "by-label"}), release_of("llmd:0.10"))
    assert "announced" in finding.message
    (finding,) = dropped_later(config(data={}), release_of("gaie:1.4"))
    assert "announced" not in finding.message


@pytest.mark.parametrize(
    ("kind", "target"), [("pd-profile-handler", "llmd:0.7"), ("tokenizer", "llmd:0.9")]
)
def test_a_deprecated_plugin_names_the_release_without_it(kind: str, target: str) -> None:
    findings = check_document(config({"type": kind}), release_of(target)).findings
    (finding,) = [each for each in findings if each.rule == "plugin-deprecated"]
    assert "llmd:0.11 no longer has it" in finding.message


@pytest.mark.parametrize(
    ("image", "target"),
    [
        ("ghcr.io/llm-d/llm-d-inference-scheduler:v0.7.1", "llmd:0.7"),
        ("mirror.example.com:5000/ghcr/llm-d/llm-d-router-endpoint-picker:v0.10.0", "llmd:0.10"),
        ("registry.k8s.io/gateway-api-inference-extension/epp:v1.5.0-rc.1", "gaie:1.5"),
        ("ghcr.io/llm-d/llm-d-router-endpoint-picker:0.9.0@sha256:" + "0" * 64, "llmd:0.9"),
        ("ghcr.io/llm-d/llm-d-router-endpoint-picker:latest", None),
        ("ghcr.io/llm-d/llm-d-router-endpoint-picker:v9.9.0", None),
        ("ghcr.io/llm-d/llm-d-routing-sidecar:v0.7.1", None),
        ("example.com/epp:v1.5.0", None),
        ("", None),
    ],
)
def test_the_tag_of_an_image_tells_the_release(image: str, target: str | None) -> None:
    found = release_of_image(image)
    assert (found.target if found else None) == target


def moved(document: Json, source: str = "llmd:0.10") -> Migration:
    """Migrate to 0.11, and see that nothing is left that it drops."""
    result = migrate(document, release_of(source), release_of(NEWEST))
    report = check_document(result.document, release_of(NEWEST))
    assert report.verdict == "accept", report.errors
    return result


def of_type(document: Json, kind: str) -> Json:
    (plugin,) = [plugin for plugin in document["plugins"] if plugin["type"] == kind]
    found: Json = plugin
    return found


def test_the_old_handler_becomes_the_new_one_with_the_decider_that_it_had() -> None:
    decider = {"type": "prefix-based-pd-decider", "parameters": {"nonCachedTokens": 16}}
    document = config(decider, {"type": "pd-profile-handler"}, {"type": "prefill-header-handler"})
    result = moved(document).document
    assert of_type(result, HANDLER)["parameters"] == {
        "profiles": {"decode": "decode", "prefill": "prefill"},
        "deciders": {"prefill": "prefix-based-pd-decider"},
    }
    assert [plugin["type"] for plugin in result["plugins"]] == [decider["type"], HANDLER]


def test_flat_parameters_find_their_places() -> None:
    flat = {"prefillProfile": "p", "deciderPluginName": ALWAYS["type"]}
    result = moved(config(ALWAYS, {"type": HANDLER, "parameters": flat}), "llmd:0.8").document
    assert of_type(result, HANDLER)["parameters"] == {
        "profiles": {"decode": "decode", "prefill": "p", "encode": "encode"},
        "deciders": {"prefill": ALWAYS["type"]},
    }


def test_old_places_of_parser_and_detector_are_left() -> None:
    document = config(
        {"type": "openai-parser"},
        {"type": "utilization-detector"},
        parser={"pluginRef": "openai-parser"},
        saturationDetector={"pluginRef": "utilization-detector"},
    )
    result = moved(document).document
    assert result["requestHandler"] == {"parsers": [{"pluginRef": "openai-parser"}]}
    assert result["flowControl"]["saturationDetector"] == {"pluginRef": "utilization-detector"}


@pytest.mark.parametrize(
    ("given", "expression"),
    [
        (
            {"validValues": ["fast"]},
            {"key": "tier", "operator": "In", "values": ["fast"]},
        ),
        ({"allowsNoLabel": True}, {"key": "tier", "operator": "DoesNotExist"}),
    ],
)
def test_a_label_becomes_a_selector(given: Json, expression: Json) -> None:
    document = config(
        {"type": "by-label", "parameters": {"label": "tier", **given}},
        schedulingProfiles=[{"name": "default", "plugins": [{"pluginRef": "by-label"}]}],
    )
    result = moved(document).document
    assert of_type(result, "label-selector-filter")["parameters"] == {
        "matchExpressions": [expression]
    }


def test_a_label_that_no_selector_says_is_a_decision() -> None:
    given = {"label": "tier", "validValues": ["fast"], "allowsNoLabel": True}
    document = config({"type": "by-label", "parameters": given})
    result = migrate(document, release_of("llmd:0.10"), release_of(NEWEST))
    assert any("no selector says" in text for text in result.decisions)


def test_the_precise_scorer_is_split_and_wired() -> None:
    pool = {"modelName": "acme/chat-8b", "uds": {"socketFile": "/run/tokenizer.sock"}}
    parameters = {
        "tokenProcessorConfig": {"blockSizeTokens": 64},
        "indexerConfig": {"tokenizersPoolConfig": pool},
    }
    document = config(
        {"type": PRECISE, "parameters": parameters},
        {"type": "max-score-picker"},
        schedulingProfiles=[{"name": "default", "plugins": [{"pluginRef": PRECISE, "weight": 3}]}],
    )
    result = moved(document)
    made = result.document
    assert of_type(made, PRODUCER)["parameters"] == {
        "tokenProcessorConfig": {"blockSizeTokens": 64},
        "indexerConfig": {},
    }
    assert of_type(made, "prefix-cache-scorer")["parameters"] == {
        "prefixMatchInfoProducerName": PRODUCER
    }
    assert of_type(made, "token-producer")["parameters"] == {"modelName": "acme/chat-8b"}
    assert made["dataLayer"]["sources"] == [
        {
            "pluginRef": "endpoint-notification-source",
            "extractors": [{"pluginRef": PRODUCER}],
        }
    ]
    assert made["schedulingProfiles"][0]["plugins"][0]["pluginRef"] == "prefix-cache-scorer"
    assert any("vllm.url" in text for text in result.decisions)


def test_a_scorer_beside_its_producer_reads_it() -> None:
    document = preset("precise-prefix", release_of("llmd:0.10"))
    document["plugins"].append({"name": "old", "type": PRECISE})
    result = moved(document).document
    scorers = [plugin for plugin in result["plugins"] if plugin["type"] == "prefix-cache-scorer"]
    assert [plugin["parameters"] for plugin in scorers] == [
        {"prefixMatchInfoProducerName": PRODUCER}
    ] * 2
    assert len(result["dataLayer"]["sources"]) == 2


def test_a_factor_and_a_combined_name_are_rewritten() -> None:
    fairness = {"type": "program-aware-fairness", "parameters": {"lasDecayFactor": 0.9}}
    result = moved(config(fairness))
    assert "parameters" not in of_type(result.document, "program-aware-fairness")
    assert any("lasHalfLifeSeconds" in text for text in result.decisions)
    scorer = {
        "type": "endpoint-attribute-scorer",
        "parameters": {
            "attributeKey": "GPUUtilization/dcgm-extractor",
            "algorithm": {"type": "linear_lower_is_better"},
        },
    }
    migrated = migrate(
        config(scorer), release_of("llmd:0.10"), release_of(NEWEST), experimental=True
    )
    parameters = of_type(migrated.document, "endpoint-attribute-scorer")["parameters"]
    assert parameters["attributeKey"] == "GPUUtilization"
    assert parameters["producer"] == "dcgm-extractor"
    assert migrated.decisions == []
    report = check_document(config(scorer), release_of(NEWEST), experimental=True)
    assert any("no longer holds its producer" in finding.message for finding in report.errors)


@pytest.mark.parametrize(
    ("document", "severity"),
    [
        (config({"type": "new-scorer"}), "warning"),
        (config({"type": "by-label"}), "error"),
        (config({"type": "max-score-picker", "parameters": {"new": 1}}), "warning"),
        (config({"type": HANDLER, "parameters": {"prefillProfile": "p"}}), "error"),
        (config(new={}), "warning"),
        (config(parser={"pluginRef": "openai-parser"}), "error"),
        (config(featureGates=["new"]), "warning"),
        (config(featureGates=["dataLayer"]), "error"),
    ],
)
def test_of_a_release_that_was_not_run_only_what_it_drops_is_an_error(
    document: Json, severity: str
) -> None:
    findings = check_document(document, release_of(NEWEST)).findings
    told = {each.severity for each in findings if each.rule.endswith("-unknown")}
    assert told == {severity}
    assert "release-unjudged" in {finding.rule for finding in findings}
