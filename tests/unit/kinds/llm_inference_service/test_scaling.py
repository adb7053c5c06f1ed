# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of scaling, by the CRD and once more when presets are merged.

Source: KServe pkg/controller/v1alpha2/llmisvc/validation_int_test.go, pkg/apis/serving/v1alpha2/llm_inference_service_validation_test.go@v0.17.0.
"""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.llm_inference_service.admission import scaling
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.settings import make_settings

from .build import document, messages, messages_of

KEDA = "spec.scaling.wva.keda"


def scaled(**fields: Any) -> dict[str, Any]:
    return {"scaling": {"maxReplicas": 4, "wva": {"hpa": {}}, **fields}}


def by_keda(**keda: Any) -> dict[str, Any]:
    return scaled(wva={"keda": keda}, minReplicas=2)


REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    (
        "replicas and scaling exclude each other",
        {"replicas": 1, **scaled()},
        "spec",
        "mutually exclusive",
    ),
    (
        "scaling needs a maximum",
        {"scaling": {"wva": {"hpa": {}}}},
        "spec.scaling",
        "maxReplicas is required",
    ),
    (
        "the minimum is at most the maximum",
        scaled(minReplicas=5),
        "spec.scaling",
        "cannot exceed",
    ),
    (
        "scaling needs its mechanism",
        {"scaling": {"maxReplicas": 4}},
        "spec.scaling",
        "wva is required",
    ),
    (
        "one actuator is chosen",
        scaled(wva={"hpa": {}, "keda": {}}),
        "spec.scaling.wva",
        "mutually exclusive",
    ),
    ("an actuator is needed", scaled(wva={}), "spec.scaling.wva", "either hpa or keda"),
    (
        "a cost is a plain number",
        scaled(wva={"hpa": {}, "variantCost": "1.2.3"}),
        "spec.scaling.wva.variantCost",
        "match",
    ),
    (
        "the metric formula is not the author's",
        by_keda(advanced={"scalingModifiers": {"target": "1"}}),
        KEDA,
        "scalingModifiers must",
    ),
    (
        "the name of the autoscaler is not the author's",
        by_keda(advanced={"horizontalPodAutoscalerConfig": {"name": "a"}}),
        KEDA,
        "horizontalPodAutoscalerConfig.name",
    ),
    (
        "Q38 KEDA's advanced settings cannot be used at all",
        by_keda(advanced={"restoreToOriginalReplicaCount": True}),
        KEDA,
        "leave it out",
    ),
    (
        "idle replicas need a minimum",
        scaled(wva={"keda": {"idleReplicaCount": 1}}),
        "spec.scaling",
        "is required when idle",
    ),
    (
        "idle replicas are fewer than the minimum",
        by_keda(idleReplicaCount=2),
        "spec.scaling",
        "must be less than minReplicas",
    ),
    (
        "scaling of prefill is judged with its own path",
        {"prefill": {"scaling": {"maxReplicas": 1}}},
        "spec.prefill.scaling",
        "wva is required",
    ),
    (
        "a cost in words is none",
        scaled(wva={"hpa": {}, "variantCost": "abc"}),
        "spec.scaling.wva.variantCost",
        "match",
    ),
    (
        "a negative cost is none",
        scaled(wva={"hpa": {}, "variantCost": "-1"}),
        "spec.scaling.wva.variantCost",
        "match",
    ),
    (
        "more idle replicas than the minimum are refused",
        by_keda(idleReplicaCount=3),
        "spec.scaling",
        "must be less than minReplicas",
    ),
    (
        "the time of activation is not the author's",
        by_keda(advanced={"scalingModifiers": {"activationTarget": "1"}}),
        KEDA,
        "scalingModifiers must",
    ),
    (
        "the type of the metric is not the author's",
        by_keda(advanced={"scalingModifiers": {"metricType": "Value"}}),
        KEDA,
        "scalingModifiers must",
    ),
]


@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2"])
@pytest.mark.parametrize(
    ("spec", "field", "message"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_scaling_is_refused(version: str, spec: dict[str, Any], field: str, message: str) -> None:
    found = messages(document(version=version, **spec))
    assert list(found) == [field]
    assert message in found[field]


def test_the_fewest_pods_are_one_where_a_release_says_so() -> None:
    """Before 0.18 nothing is said of it, so that the author has to."""
    given = document(scaling=scaled(wva={"keda": {"idleReplicaCount": 1}})["scaling"])
    for release, said in (("0.17", "is required when idle"), ("0.18", "must be less than")):
        assert said in messages_of(given, make_settings({}, {"kserve": release}))["spec.scaling"]
    plain = document(scaling={"maxReplicas": 3, "wva": {"hpa": {}}})
    for release, least in (("0.17", None), ("0.18", 1)):
        loaded = load(plain, make_settings({}, {"kserve": release})).service
        assert loaded is not None
        assert loaded.spec["scaling"].get("minReplicas") == least


def test_both_roles_are_judged() -> None:
    spec = {"prefill": {"scaling": {"maxReplicas": 1}}, "scaling": {"maxReplicas": 1}}
    assert set(messages(document(**spec))) == {"spec.scaling", "spec.prefill.scaling"}


ACCEPTED: list[tuple[str, dict[str, Any]]] = [
    ("scaling by an HPA is taken", scaled()),
    (
        "scaling by KEDA with idle replicas below the minimum is taken",
        by_keda(idleReplicaCount=1),
    ),
    ("a maximum alone is taken", scaled()),
    ("a whole cost is taken", scaled(wva={"hpa": {}, "variantCost": "10"})),
    ("a cost with decimals is taken", scaled(wva={"hpa": {}, "variantCost": "10.0"})),
    (
        "the behaviour of an HPA is taken",
        scaled(wva={"hpa": {"behavior": {"scaleDown": {"selectPolicy": "Min"}}}}),
    ),
    ("a first cooldown is taken", by_keda(initialCooldownPeriod=0)),
    ("a fallback of KEDA is taken", by_keda(fallback={"failureThreshold": 3, "replicas": 2})),
    ("scaling of prefill alone is taken", {"prefill": scaled()}),
    ("no scaling is taken", {}),
    ("prefill without scaling is taken", {"prefill": {}}),
]


@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2"])
@pytest.mark.parametrize("spec", [row[1] for row in ACCEPTED], ids=[row[0] for row in ACCEPTED])
def test_scaling_is_accepted(version: str, spec: dict[str, Any]) -> None:
    assert not messages(document(version=version, **spec))


MERGED: list[tuple[str, dict[str, Any], list[str]]] = [
    (
        "replicas and scaling exclude each other",
        {"replicas": 1, **scaled()},
        ["Invalid spec.scaling"],
    ),
    (
        "scaling needs a maximum",
        {"scaling": {"wva": {"hpa": {}}}},
        ["Required spec.scaling.maxReplicas"],
    ),
    (
        "the minimum is at most the maximum",
        scaled(minReplicas=5),
        ["Invalid spec.scaling.minReplicas"],
    ),
    (
        "scaling needs its mechanism",
        {"scaling": {"maxReplicas": 4}},
        ["Required spec.scaling.wva"],
    ),
    (
        "one actuator is chosen",
        scaled(wva={"hpa": {}, "keda": {}}),
        ["Invalid spec.scaling.wva"],
    ),
    ("an actuator is needed", scaled(wva={}), ["Required spec.scaling.wva"]),
    (
        "a cost is a plain number",
        scaled(wva={"hpa": {}, "variantCost": "-1"}),
        ["Invalid spec.scaling.wva.variantCost"],
    ),
    (
        "a replica count that is restored is taken from presets",
        by_keda(advanced={"restoreToOriginalReplicaCount": True}),
        [],
    ),
    (
        "two wrong settings of KEDA are two errors",
        by_keda(
            advanced={
                "scalingModifiers": {"metricType": "Value"},
                "horizontalPodAutoscalerConfig": {"name": "a"},
            }
        ),
        [
            f"Forbidden {KEDA}.advanced.scalingModifiers",
            f"Forbidden {KEDA}.advanced.horizontalPodAutoscalerConfig.name",
        ],
    ),
    (
        "idle replicas need a minimum",
        scaled(wva={"keda": {"idleReplicaCount": 1}}),
        ["Required spec.scaling.minReplicas"],
    ),
    (
        "idle replicas are fewer than the minimum",
        by_keda(idleReplicaCount=3),
        [f"Invalid {KEDA}.idleReplicaCount"],
    ),
    (
        "scaling of prefill is judged with its own path",
        {"prefill": {"scaling": {}}, "scaling": {"maxReplicas": 1}},
        [
            "Required spec.scaling.wva",
            "Required spec.prefill.scaling.maxReplicas",
            "Required spec.prefill.scaling.wva",
        ],
    ),
]


@pytest.mark.parametrize(
    ("spec", "found"), [row[1:] for row in MERGED], ids=[row[0] for row in MERGED]
)
def test_scaling_that_presets_bring_is_judged_too(spec: dict[str, Any], found: list[str]) -> None:
    assert [f"{error.kind} {error.field}" for error in scaling.errors(spec, KServe.V0_20)] == found
