# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of scaling, by the CRD and once more when presets are merged: reference/kserve-llmisvc.md §9.5, a row a case."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.admission import (
    scaling,
)

from .build import document, messages

KEDA = "spec.scaling.wva.keda"


def scaled(**fields: Any) -> dict[str, Any]:
    return {"scaling": {"maxReplicas": 4, "wva": {"hpa": {}}, **fields}}


def by_keda(**keda: Any) -> dict[str, Any]:
    return scaled(wva={"keda": keda}, minReplicas=2)


REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    (
        "V44 replicas and scaling exclude each other",
        {"replicas": 1, **scaled()},
        "spec",
        "mutually exclusive",
    ),
    (
        "V44 scaling needs a maximum",
        {"scaling": {"wva": {"hpa": {}}}},
        "spec.scaling",
        "maxReplicas is required",
    ),
    (
        "V44 the minimum is at most the maximum",
        scaled(minReplicas=5),
        "spec.scaling",
        "cannot exceed",
    ),
    (
        "V44 scaling needs its mechanism",
        {"scaling": {"maxReplicas": 4}},
        "spec.scaling",
        "wva is required",
    ),
    (
        "V44 one actuator is chosen",
        scaled(wva={"hpa": {}, "keda": {}}),
        "spec.scaling.wva",
        "mutually exclusive",
    ),
    ("V44 an actuator is needed", scaled(wva={}), "spec.scaling.wva", "either hpa or keda"),
    (
        "V44 a cost is a plain number",
        scaled(wva={"hpa": {}, "variantCost": "1.2.3"}),
        "spec.scaling.wva.variantCost",
        "match",
    ),
    (
        "V42 the metric formula is not the author's",
        by_keda(advanced={"scalingModifiers": {"target": "1"}}),
        KEDA,
        "scalingModifiers must",
    ),
    (
        "V43 the name of the autoscaler is not the author's",
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
        "V44 idle replicas need a minimum",
        scaled(wva={"keda": {"idleReplicaCount": 1}}),
        "spec.scaling",
        "is required when idle",
    ),
    (
        "V44 idle replicas are fewer than the minimum",
        by_keda(idleReplicaCount=2),
        "spec.scaling",
        "must be less than minReplicas",
    ),
    (
        "V45 scaling of prefill is judged with its own path",
        {"prefill": {"scaling": {"maxReplicas": 1}}},
        "spec.prefill.scaling",
        "wva is required",
    ),
    (
        "V44 a cost in words is none",
        scaled(wva={"hpa": {}, "variantCost": "abc"}),
        "spec.scaling.wva.variantCost",
        "match",
    ),
    (
        "V44 a negative cost is none",
        scaled(wva={"hpa": {}, "variantCost": "-1"}),
        "spec.scaling.wva.variantCost",
        "match",
    ),
    (
        "V44 more idle replicas than the minimum are refused",
        by_keda(idleReplicaCount=3),
        "spec.scaling",
        "must be less than minReplicas",
    ),
    (
        "V42 the time of activation is not the author's",
        by_keda(advanced={"scalingModifiers": {"activationTarget": "1"}}),
        KEDA,
        "scalingModifiers must",
    ),
    (
        "V42 the type of the metric is not the author's",
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


def test_v45_both_roles_are_judged() -> None:
    spec = {"prefill": {"scaling": {"maxReplicas": 1}}, "scaling": {"maxReplicas": 1}}
    assert set(messages(document(**spec))) == {"spec.scaling", "spec.prefill.scaling"}


ACCEPTED: list[tuple[str, dict[str, Any]]] = [
    ("V41 scaling by an HPA is taken", scaled()),
    (
        "V41 scaling by KEDA with idle replicas below the minimum is taken",
        by_keda(idleReplicaCount=1),
    ),
    ("V41 a maximum alone is taken", scaled()),
    ("V41 a whole cost is taken", scaled(wva={"hpa": {}, "variantCost": "10"})),
    ("V41 a cost with decimals is taken", scaled(wva={"hpa": {}, "variantCost": "10.0"})),
    (
        "V41 the behaviour of an HPA is taken",
        scaled(wva={"hpa": {"behavior": {"scaleDown": {"selectPolicy": "Min"}}}}),
    ),
    ("V41 a first cooldown is taken", by_keda(initialCooldownPeriod=0)),
    ("V41 a fallback of KEDA is taken", by_keda(fallback={"failureThreshold": 3, "replicas": 2})),
    ("V45 scaling of prefill alone is taken", {"prefill": scaled()}),
    ("V41 no scaling is taken", {}),
    ("V45 prefill without scaling is taken", {"prefill": {}}),
]


@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2"])
@pytest.mark.parametrize("spec", [row[1] for row in ACCEPTED], ids=[row[0] for row in ACCEPTED])
def test_scaling_is_accepted(version: str, spec: dict[str, Any]) -> None:
    assert not messages(document(version=version, **spec))


MERGED: list[tuple[str, dict[str, Any], list[str]]] = [
    (
        "V44 replicas and scaling exclude each other",
        {"replicas": 1, **scaled()},
        ["Invalid spec.scaling"],
    ),
    (
        "V44 scaling needs a maximum",
        {"scaling": {"wva": {"hpa": {}}}},
        ["Required spec.scaling.maxReplicas"],
    ),
    (
        "V44 the minimum is at most the maximum",
        scaled(minReplicas=5),
        ["Invalid spec.scaling.minReplicas"],
    ),
    (
        "V44 scaling needs its mechanism",
        {"scaling": {"maxReplicas": 4}},
        ["Required spec.scaling.wva"],
    ),
    (
        "V44 one actuator is chosen",
        scaled(wva={"hpa": {}, "keda": {}}),
        ["Invalid spec.scaling.wva"],
    ),
    ("V44 an actuator is needed", scaled(wva={}), ["Required spec.scaling.wva"]),
    (
        "V44 a cost is a plain number",
        scaled(wva={"hpa": {}, "variantCost": "-1"}),
        ["Invalid spec.scaling.wva.variantCost"],
    ),
    (
        "V41 a replica count that is restored is taken from presets",
        by_keda(advanced={"restoreToOriginalReplicaCount": True}),
        [],
    ),
    (
        "V43 two wrong settings of KEDA are two errors",
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
        "V44 idle replicas need a minimum",
        scaled(wva={"keda": {"idleReplicaCount": 1}}),
        ["Required spec.scaling.minReplicas"],
    ),
    (
        "V44 idle replicas are fewer than the minimum",
        by_keda(idleReplicaCount=3),
        [f"Invalid {KEDA}.idleReplicaCount"],
    ),
    (
        "V45 scaling of prefill is judged with its own path",
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
    assert [f"{error.kind} {error.field}" for error in scaling.errors(spec)] == found
