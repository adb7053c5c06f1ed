# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings name the place, the value and the way out; the verdicts themselves are held to recordings."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.endpoint_picker.catalogue import plugins, targets_with
from module_utils.endpoint_picker.check import check_document, check_text
from module_utils.endpoint_picker.releases import release_of, releases
from module_utils.kube.problem import InputError

OLD = "inference.networking.x-k8s.io/v1alpha1"


def config(*plugins_: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a configuration with these plugins, and one profile with all scorers and pickers in their order."""
    references = [
        {"pluginRef": plugin.get("name", plugin["type"])}
        for plugin in plugins_
        if plugin["type"].endswith(("scorer", "picker"))
    ]
    profiles = [{"name": "default", "plugins": references}]
    return {"apiVersion": OLD, "plugins": list(plugins_), "schedulingProfiles": profiles, **more}


def found(document: Any, target: str, rule: str) -> Any:
    """Return the only finding of a rule."""
    findings = check_document(document, release_of(target)).findings
    (finding,) = [finding for finding in findings if finding.rule == rule]
    return finding


def test_a_misspelt_type_is_answered_with_the_nearest_one() -> None:
    finding = found(config({"type": "queue-scorrer"}), "gaie:1.5", "plugin-type-unknown")
    assert (finding.severity, finding.verdict) == ("error", "reject")
    assert finding.path == "plugins[0].type"
    assert finding.value == "queue-scorrer"
    assert finding.fix == "did you mean queue-scorer?"


def test_a_type_of_another_release_is_answered_with_the_releases_that_have_it() -> None:
    finding = found(config({"type": "token-producer"}), "llmd:0.8", "plugin-type-unknown")
    assert "llmd:0.9, llmd:0.10" in finding.message


@pytest.mark.parametrize(("target", "refused"), [("llmd:0.9", True), ("llmd:0.10", False)])
def test_a_plugin_that_panics_the_second_time_stands_once(target: str, refused: bool) -> None:
    fairness = {"type": "program-aware-fairness"}
    document = config(fairness, {**fairness, "name": "another"})
    findings = check_document(document, release_of(target)).findings
    assert [each.path for each in findings if each.rule == "plugin-once"] == [
        "plugins[1]"
    ] * refused


@pytest.mark.parametrize(("target", "severity"), [("llmd:0.8", "warning"), ("llmd:0.9", "error")])
def test_unknown_parameters_are_ignored_before_0_9_and_fatal_from_then_on(
    target: str, severity: str
) -> None:
    picker = {"type": "max-score-picker", "parameters": {"maxNumOfEndpoint": 2}}
    finding = found(config(picker), target, "parameter-unknown")
    assert finding.severity == severity
    assert finding.path == "plugins[0].parameters.maxNumOfEndpoint"
    assert finding.fix == "did you mean maxNumOfEndpoints?"


def test_a_fractional_weight_names_the_release_that_takes_it() -> None:
    document = config({"type": "queue-scorer"}, {"type": "max-score-picker"})
    document["schedulingProfiles"][0]["plugins"][0]["weight"] = 1.5
    finding = found(document, "llmd:0.5", "weight-whole")
    assert finding.path == "schedulingProfiles[0].plugins[0].weight"
    assert "1.4 (llm-d 0.6)" in finding.message
    assert check_document(document, release_of("llmd:0.6")).verdict == "accept"


def test_a_gamble_says_why_it_is_one() -> None:
    document = config({"type": "queue-scorer"}, {"type": "max-score-picker"})
    del document["schedulingProfiles"]
    report = check_document(document, release_of("gaie:1.1"))
    assert report.verdict == "unstable"
    (error,) = report.errors
    assert "crashes at random" in error.message


def test_two_profiles_with_the_single_handler_are_an_error_even_where_the_release_starts() -> None:
    document = config({"type": "single-profile-handler"}, {"type": "max-score-picker"})
    document["schedulingProfiles"].append(
        {"name": "other", "plugins": [{"pluginRef": "max-score-picker"}]}
    )
    report = check_document(document, release_of("gaie:1.0"))
    assert report.verdict == "accept"
    assert [error.rule for error in report.errors] == ["handler-single"]


def test_every_fault_is_reported_at_once() -> None:
    document = config(
        {"type": "max-score-picker", "parameters": {"maxNumOfEndpoints": "two"}},
        {"type": "queue-scorer"},
        featureGates=["turbo"],
    )
    document["schedulingProfiles"][0]["plugins"].append({"pluginRef": "nobody"})
    rules = {error.rule for error in check_document(document, release_of("gaie:1.5")).errors}
    assert rules >= {"parameter-kind", "gate-unknown", "reference-undefined"}


def test_findings_stand_in_the_order_of_their_weight() -> None:
    document = config({"type": "queue-scorer"}, featureGates=["turbo"])
    severities = [
        finding.severity for finding in check_document(document, release_of("gaie:1.5")).findings
    ]
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
    assert len(set(severities)) == 3


def test_no_secret_sized_value_is_repeated_in_full() -> None:
    finding = found({"plugins": [{"type": "x" * 500}]}, "gaie:1.5", "plugin-type-unknown")
    assert len(finding.as_json()["value"]) < 200


def test_the_built_in_default_is_used_for_no_bytes_only() -> None:
    assert "queue-scorer" in check_text("", release_of("gaie:1.4")).instances
    assert "queue-scorer" not in check_text("\n", release_of("gaie:1.4")).instances
    assert "queue-scorer" not in check_text("", release_of("gaie:1.3")).instances


def test_a_structure_and_its_text_are_checked_alike() -> None:
    document = config({"type": "queue-scorer"})
    text = "plugins: [{type: queue-scorer}]\nschedulingProfiles: [{name: default, plugins: [{pluginRef: queue-scorer}]}]"
    one, other = (
        check_document(document, release_of("gaie:1.5")),
        check_text(text, release_of("gaie:1.5")),
    )
    assert one.instances == other.instances
    assert [finding.rule for finding in one.findings] == [
        finding.rule for finding in other.findings
    ]


@pytest.mark.parametrize("document", ["text", 5, ["a"], True])
def test_what_is_no_map_is_no_configuration(document: Any) -> None:
    assert found(document, "gaie:1.5", "document-not-a-map").severity == "error"


@pytest.mark.parametrize("target", ["gaie:0.9", "", "llmd:1.0", "0.10"])
def test_an_unknown_release_is_answered_with_the_known_ones(target: str) -> None:
    with pytest.raises(InputError) as caught:
        release_of(target)
    assert all(known in str(caught.value) for known in releases())


def test_a_release_without_a_picker_says_where_the_picker_went() -> None:
    with pytest.raises(InputError, match=r"reads no configuration.*llm-d image"):
        release_of("gaie:1.6")


@pytest.mark.parametrize("target", ["gaie:1.5", "llmd:0.10", "llmd:0.11"])
def test_an_api_version_that_no_release_reads_yet_is_named_as_such(target: str) -> None:
    finding = found({"apiVersion": "llm-d.ai/v1"}, target, "api-version")
    assert finding.verdict == "reject"
    assert "after llm-d 0.11" in finding.message
    assert release_of(target).api_versions[0] in finding.fix


@pytest.mark.parametrize("field", ["discovery", "crossReplica"])
@pytest.mark.parametrize("value", [False, 0, "", [], "file"])
def test_a_map_of_a_release_that_was_not_run_is_a_map(field: str, value: Any) -> None:
    finding = found({"plugins": [], "dataLayer": {field: value}}, "llmd:0.11", "field-kind")
    assert finding.verdict == "reject"
    assert finding.path == f"dataLayer.{field}"
    assert "a map" in finding.message


def test_llmd_has_what_its_base_has() -> None:
    only_announced = {name for name in plugins() if targets_with(name) == ["llmd:0.11"]}
    assert len(plugins().keys() - only_announced) == 99
    assert targets_with("model-server-protocol-metrics") == [
        "gaie:1.3",
        "gaie:1.4",
        "llmd:0.5",
        "llmd:0.6",
        "llmd:0.7",
    ]


@pytest.mark.parametrize(
    ("target", "section", "verdict"),
    [
        ("gaie:1.4", {"defaultRequestTTL": "-1s"}, "reject"),
        ("llmd:0.10", {"defaultRequestTTL": "-1s"}, "reject"),
        ("llmd:0.10", {"defaultRequestTTL": "0s"}, "accept"),
    ],
)
def test_a_time_to_live_below_zero_is_refused(
    target: str, section: dict[str, Any], verdict: str
) -> None:
    document = {"flowControl": section, "featureGates": ["flowControl"]}
    assert check_document(document, release_of(target)).verdict == verdict
    assert check_document({"flowControl": section}, release_of(target)).verdict == "accept"


def test_durations_switches_and_empty_lists_of_the_normal_form_are_as_the_release_writes_them() -> (
    None
):
    section = {"defaultRequestTTL": "90s", "enableEviction": False, "priorityBands": []}
    config = check_document({"flowControl": section}, release_of("llmd:0.10")).config
    assert config["flowControl"] == {
        "defaultRequestTTL": "1m30s",
        "saturationDetector": {"pluginRef": "utilization-detector"},
    }


def test_an_unknown_parameter_stops_a_strict_release_even_without_a_value() -> None:
    picker = {"type": "max-score-picker", "parameters": {"surplus": None}}
    assert check_document(config(picker), release_of("llmd:0.9")).verdict == "reject"
    assert check_document(config(picker), release_of("llmd:0.8")).verdict == "accept"


@pytest.mark.parametrize(
    ("target", "parameters", "verdict"),
    [
        ("llmd:0.9", {"bad": 1}, "accept"),
        ("llmd:0.10", {"bad": 1}, "unstable"),
        ("llmd:0.10", {}, "accept"),
    ],
)
def test_the_old_precise_scorer_leaves_its_work_to_a_declared_producer(
    target: str, parameters: dict[str, Any], verdict: str
) -> None:
    producer = {"type": "precise-prefix-cache-producer"}
    scorer = {"type": "precise-prefix-cache-scorer", "parameters": parameters}
    report = check_document(config(producer, scorer), release_of(target))
    assert report.verdict == verdict
    assert check_document(config({**scorer}), release_of(target)).verdict == (
        "reject" if parameters else "accept"
    )


def test_two_sources_for_one_kind_of_object_are_refused() -> None:
    kind = {"version": "v1", "kind": "Pod"}
    sources = [
        {"name": name, "type": "k8s-notification-source", "parameters": kind} for name in "ab"
    ]
    wired = {"sources": [{"pluginRef": source["name"]} for source in sources]}
    found(config(*sources, dataLayer=wired), "gaie:1.5", "source-twice")


def test_a_producer_that_is_added_by_itself_brings_its_source_along() -> None:
    document = config({"type": "active-request-scorer"}, dataLayer={"injectDefaults": False})
    assert check_document(document, release_of("llmd:0.9")).verdict == "accept"
    alone = config({"type": "queue-scorer"}, dataLayer={"injectDefaults": False})
    found(alone, "llmd:0.9", "data-layer-without-source")
