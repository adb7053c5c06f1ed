# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles that load and do not choose as their author means are named; those that do are not."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.endpoint_picker.adapters import adapter_findings
from module_utils.endpoint_picker.check import check_document
from module_utils.endpoint_picker.pod_labels import pod_label_findings
from module_utils.endpoint_picker.releases import release_of
from module_utils.kube.manifest import Json

RULES = (
    "routing-random",
    "weight-negative",
    "scores-unused",
    "scorer-twins",
    "stage-unfiltered",
    "stage-filter",
    "threshold-ignored",
    "handler-in-profile",
)
MAX, RANDOM = {"pluginRef": "max-score-picker"}, {"pluginRef": "random-picker"}
QUEUE = {"pluginRef": "queue-scorer"}


def told(target: str, profiles: dict[str, list[Json]], *extra: Json, **sections: Any) -> list[Any]:
    """Return rule and place of what is found. extra: plugins beside those that profiles name by their type."""
    named = {each["pluginRef"] for plugins in profiles.values() for each in plugins}
    given = {each.get("name", each["type"]) for each in extra}
    document = {
        "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
        "kind": "EndpointPickerConfig",
        "plugins": [*extra, *({"type": each} for each in sorted(named - given))],
        "schedulingProfiles": [
            {"name": name, "plugins": plugins} for name, plugins in profiles.items()
        ],
        **sections,
    }
    report = check_document(document, release_of(target))
    assert report.verdict == "accept", report.findings
    return [(each.rule, each.path) for each in report.findings if each.rule in RULES]


@pytest.mark.parametrize("target", ["gaie:1.2", "llmd:0.6", "llmd:0.9"])
@pytest.mark.parametrize(
    ("plugins", "expected"),
    [
        ([{**QUEUE, "weight": 2}, MAX], []),
        ([QUEUE, MAX], []),
        ([{**QUEUE, "weight": 0}, MAX], [("routing-random", "schedulingProfiles[0]")]),
        (
            [
                {**QUEUE, "weight": 0},
                {"pluginRef": "kv-cache-utilization-scorer", "weight": 1},
                MAX,
            ],
            [],
        ),
        (
            [{**QUEUE, "weight": -2}, MAX],
            [("weight-negative", "schedulingProfiles[0].plugins[0].weight")],
        ),
        ([{**QUEUE, "weight": 2}, RANDOM], [("scores-unused", "schedulingProfiles[0].plugins[1]")]),
        ([RANDOM], []),
        ([MAX], [("routing-random", "schedulingProfiles[0]")]),
    ],
)
def test_a_choice_without_scores_is_told(
    target: str, plugins: list[Json], expected: list[tuple[str, str]]
) -> None:
    assert told(target, {"default": plugins}) == expected


@pytest.mark.parametrize(
    ("parameters", "twins"),
    [({}, True), ({"maxPrefixBlocksToMatch": 9}, False)],
)
def test_one_scorer_under_two_names_counts_twice(parameters: Json, *, twins: bool) -> None:
    one = {"type": "prefix-cache-scorer", "name": "one"}
    other = {"type": "prefix-cache-scorer", "name": "other", "parameters": parameters}
    plugins = [{"pluginRef": "one", "weight": 1}, {"pluginRef": "other", "weight": 1}, MAX]
    expected = [("scorer-twins", "schedulingProfiles[0].plugins[1]")] if twins else []
    assert told("llmd:0.6", {"default": plugins}, one, other) == expected


def _stage(*filters: str) -> list[Json]:
    return [*({"pluginRef": each} for each in filters), {**QUEUE, "weight": 1}, MAX]


@pytest.mark.parametrize(
    ("handler", "profiles", "expected"),
    [
        (
            {"type": "pd-profile-handler"},
            {"prefill": _stage("prefill-filter"), "decode": _stage("decode-filter")},
            [],
        ),
        (
            {"type": "pd-profile-handler"},
            {"prefill": _stage("decode-filter"), "decode": _stage("decode-filter")},
            [("stage-filter", "schedulingProfiles[0].plugins[0]")],
        ),
        (
            {"type": "pd-profile-handler"},
            {"prefill": _stage("prefill-filter"), "decode": _stage()},
            [("stage-unfiltered", "schedulingProfiles[1]")],
        ),
        (
            {"type": "pd-profile-handler", "parameters": {"prefillProfile": "first"}},
            {"first": _stage(), "decode": _stage("by-label-selector")},
            [("stage-unfiltered", "schedulingProfiles[0]")],
        ),
        (
            {"type": "data-parallel-profile-handler"},
            {"default": _stage()},
            [],
        ),
    ],
)
def test_a_stage_keeps_to_its_own_pods(
    handler: Json, profiles: dict[str, list[Json]], expected: list[tuple[str, str]]
) -> None:
    selector = {"type": "by-label-selector", "parameters": {"matchLabels": {"role": "decode"}}}
    extra = [handler, {"type": "prefill-header-handler"}, selector]
    assert told("llmd:0.5", profiles, *extra) == expected


@pytest.mark.parametrize(
    ("target", "section", "expected"),
    [
        ("gaie:1.2", {"kvCacheUtilThreshold": 80}, ["saturationDetector.kvCacheUtilThreshold"]),
        ("gaie:1.3", {"queueDepthThreshold": -1}, ["saturationDetector.queueDepthThreshold"]),
        ("gaie:1.3", {"kvCacheUtilThreshold": 0.9, "queueDepthThreshold": 9}, []),
    ],
)
def test_thresholds_that_the_picker_does_not_take_are_told(
    target: str, section: Json, expected: list[str]
) -> None:
    found = told(target, {"default": [QUEUE, MAX]}, saturationDetector=section)
    assert found == [("threshold-ignored", path) for path in expected]


def _workload(labels: dict[str, str], *args: str) -> Json:
    pod = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "vllm", "args": ["serve", "m", *args]}]},
    }
    return {"kind": "Deployment", "metadata": {"name": "chat"}, "spec": {"template": pod}}


def _report(plugin: Json) -> Any:
    document = {
        "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
        "kind": "EndpointPickerConfig",
        "plugins": [plugin, {"type": "queue-scorer"}, {"type": "max-score-picker"}],
        "schedulingProfiles": [
            {"name": "default", "plugins": [{"pluginRef": plugin["type"]}, QUEUE, MAX]}
        ],
    }
    return check_document(document, release_of("llmd:0.6"))


@pytest.mark.parametrize(
    ("kind", "parameters", "labels", "passes"),
    [
        ("by-label", {"label": "gpu", "validValues": ["h100"]}, {"gpu": "h100"}, True),
        ("by-label", {"label": "gpu", "validValues": ["h100"]}, {"gpu": "a100"}, False),
        ("by-label", {"label": "gpu", "validValues": ["h100"]}, {}, False),
        ("by-label", {"label": "gpu", "allowsNoLabel": True}, {}, True),
        ("by-label-selector", {"matchLabels": {"gpu": "h100"}}, {}, False),
        ("by-label-selector", {"matchLabels": {"gpu": "h100"}}, {"gpu": "h100"}, True),
        ("by-label-selector", {"matchLabels": {"apps.kubernetes.io/pod-index": "0"}}, {}, True),
    ],
)
def test_a_filter_by_label_lets_somebody_through(
    kind: str, parameters: Json, labels: dict[str, str], *, passes: bool
) -> None:
    report = _report({"type": kind, "parameters": parameters})
    found = [each.rule for each in pod_label_findings([_workload(labels)], report)]
    assert found == ([] if passes else ["filter-without-pods"])
    assert list(pod_label_findings([], report)) == []


@pytest.mark.parametrize(("args", "told_of"), [((), True), (("--enable-lora",), False)])
def test_a_scorer_of_adapters_needs_engines_that_serve_some(
    args: tuple[str, ...], *, told_of: bool
) -> None:
    report = _report({"type": "lora-affinity-scorer"})
    found = [each.rule for each in adapter_findings([_workload({}, *args)], report)]
    assert found == (["adapters-off"] if told_of else [])


@pytest.mark.parametrize("picker", ["max-score-picker", "random-picker", "weighted-random-picker"])
@pytest.mark.parametrize(("number", "wrong"), [(0, True), (-1, True), (1, False), (3, False)])
def test_a_number_of_endpoints_below_one_is_told(picker: str, number: int, *, wrong: bool) -> None:
    plugin = {"type": picker, "parameters": {"maxNumOfEndpoints": number}}
    found = told("gaie:1.5", {"default": [QUEUE, {"pluginRef": picker}]}, plugin)
    path = "plugins[0].parameters.maxNumOfEndpoints"
    assert (("threshold-ignored", path) in found) is wrong


@pytest.mark.parametrize("target", ["gaie:1.0", "gaie:1.5", "llmd:0.10"])
def test_a_profile_handler_inside_a_profile_is_told(target: str) -> None:
    handler = {"pluginRef": "single-profile-handler"}
    found = told(target, {"default": [handler, QUEUE, MAX]})
    assert ("handler-in-profile", "schedulingProfiles[0].plugins[0]") in found
    sound = told(target, {"default": [QUEUE, MAX]}, {"type": "single-profile-handler"})
    assert "handler-in-profile" not in [rule for rule, dummy in sound]
