# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe's own tests of its CRD and its webhooks refuse and accept: reference/kserve-llmisvc.md §9.5, a row a case."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.normalise import (
    load,
)
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.settings import (
    Settings,
)
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.validation import (
    config,
    routing,
    scaling,
    service,
)

from .build import document, messages

POD: dict[str, Any] = {"containers": []}
HTTP = "spec.router.route.http"
PARENT = {"name": "edge", "namespace": "net"}
KEDA = "spec.scaling.wva.keda"


def routed(http: dict[str, Any], gateway: dict[str, Any] | None = None) -> dict[str, Any]:
    router = {"route": {"http": http}, **({} if gateway is None else {"gateway": gateway})}
    return {"router": router}


def scheduled(**fields: Any) -> dict[str, Any]:
    return {"router": {"scheduler": fields}}


def scaled(**fields: Any) -> dict[str, Any]:
    return {"scaling": {"maxReplicas": 4, "wva": {"hpa": {}}, **fields}}


def by_keda(**keda: Any) -> dict[str, Any]:
    return scaled(wva={"keda": keda}, minReplicas=2)


REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    ("V1", routed({"refs": [{"name": "a"}], "spec": {}}), HTTP, "unsupported configuration"),
    ("V2", routed({"refs": [{"name": "a"}]}, {}), f"{HTTP}.refs", "with a managed gateway"),
    (
        "V5",
        routed({"spec": {"parentRefs": [PARENT]}}, {"refs": [{"name": "other"}]}),
        f"{HTTP}.spec",
        "conflict",
    ),
    (
        "V6",
        {"parallelism": {"pipeline": 2, "data": 4, "dataLocal": 2}},
        "spec.parallelism",
        "cannot set both",
    ),
    ("V7", {"parallelism": {"data": 4}}, "spec.parallelism.dataLocal", "dataLocal must be set"),
    ("V8", {"parallelism": {"dataLocal": 2}}, "spec.parallelism.data", "data must be set"),
    ("V9", {"worker": POD}, "spec.worker", "parallelism must be configured"),
    (
        "V10",
        {"prefill": {"parallelism": {"pipeline": 2, "data": 4, "dataLocal": 2}}},
        "spec.prefill.parallelism",
        "cannot set both",
    ),
    ("V11", {"prefill": {"worker": POD}}, "spec.prefill.worker", "must be configured"),
    ("V18", scheduled(config={}), "spec.router.scheduler.config", "either inline or ref"),
    (
        "V19",
        scheduled(config={"inline": {"a": 1}, "ref": {"name": "a", "key": "b"}}),
        "spec.router.scheduler.config",
        "both inline and ref",
    ),
    ("V20", scheduled(config={"inline": {}}), "spec.router.scheduler.config.inline", "invalid"),
    (
        "V21",
        scheduled(config={"ref": {"key": "b"}}),
        "spec.router.scheduler.config.ref.name",
        "name is empty",
    ),
    ("V25", scheduled(replicas=0), "spec.router.scheduler.replicas", "greater than zero"),
    ("V26", scheduled(replicas=-1), "spec.router.scheduler.replicas", "greater than zero"),
    ("V30", {"replicas": -1}, "spec.replicas", "below the minimum of 0"),
    ("V31", {"parallelism": {"tensor": -1}}, "spec.parallelism.tensor", "minimum of 1"),
    ("V32", {"parallelism": {"pipeline": -1}}, "spec.parallelism.pipeline", "minimum of 1"),
    ("V33", {"parallelism": {"data": -1, "dataLocal": 1}}, "spec.parallelism.data", "minimum"),
    ("V34", {"parallelism": {"data": 4, "dataLocal": 0}}, "spec.parallelism.dataLocal", "minimum"),
    ("V35", {"parallelism": {"dataRPCPort": 0}}, "spec.parallelism.dataRPCPort", "minimum of 1"),
    ("V36", {"parallelism": {"dataRPCPort": 99999}}, "spec.parallelism.dataRPCPort", "65535"),
    ("C1", {"replicas": 1, **scaled()}, "spec", "mutually exclusive"),
    ("C2", {"scaling": {"wva": {"hpa": {}}}}, "spec.scaling", "maxReplicas is required"),
    ("C3", scaled(minReplicas=5), "spec.scaling", "cannot exceed"),
    ("C4", {"scaling": {"maxReplicas": 4}}, "spec.scaling", "wva is required"),
    ("C5", scaled(wva={"hpa": {}, "keda": {}}), "spec.scaling.wva", "mutually exclusive"),
    ("C6", scaled(wva={}), "spec.scaling.wva", "either hpa or keda"),
    (
        "C7",
        scaled(wva={"hpa": {}, "variantCost": "1.2.3"}),
        "spec.scaling.wva.variantCost",
        "match",
    ),
    ("C8", by_keda(advanced={"scalingModifiers": {"target": "1"}}), KEDA, "scalingModifiers must"),
    (
        "C9",
        by_keda(advanced={"horizontalPodAutoscalerConfig": {"name": "a"}}),
        KEDA,
        "horizontalPodAutoscalerConfig.name",
    ),
    (
        "Q38",
        by_keda(advanced={"restoreToOriginalReplicaCount": True}),
        KEDA,
        "leave it out",
    ),
    ("C10", scaled(wva={"keda": {"idleReplicaCount": 1}}), "spec.scaling", "is required when idle"),
    ("C11", by_keda(idleReplicaCount=2), "spec.scaling", "must be less than minReplicas"),
    (
        "V45",
        {"prefill": {"scaling": {"maxReplicas": 1}}},
        "spec.prefill.scaling",
        "wva is required",
    ),
]


@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2"])
@pytest.mark.parametrize(
    ("spec", "field", "message"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_refused(version: str, spec: dict[str, Any], field: str, message: str) -> None:
    found = messages(document(version=version, **spec))
    if version == "v1alpha1" and field == f"{HTTP}.spec":
        message = "cannot be used with custom gateway refs"
    assert list(found) == [field]
    assert message in found[field]


ACCEPTED: list[tuple[str, dict[str, Any]]] = [
    ("V3", routed({"spec": {"hostnames": ["a.example.com"]}}, {"refs": [PARENT]})),
    ("V12", {"parallelism": {"pipeline": 2}, "worker": POD}),
    ("V13", {"parallelism": {"data": 4, "dataLocal": 2}, "worker": POD}),
    ("V14", {"prefill": {"parallelism": {"pipeline": 2}, "worker": POD}}),
    ("V17", {}),
    ("V22", scheduled(config={"inline": {"kind": "EndpointPickerConfig"}})),
    ("V23", scheduled(config={"ref": {"name": "a", "key": "b"}})),
    ("V24", scheduled()),
    ("V27", scheduled(replicas=2)),
    ("V28", scheduled(replicas=1)),
    ("V41 hpa", scaled()),
    ("V41 keda", by_keda(idleReplicaCount=1)),
    ("V41 only maxReplicas", scaled()),
    ("V41 cost 10", scaled(wva={"hpa": {}, "variantCost": "10"})),
    ("V41 cost 10.0", scaled(wva={"hpa": {}, "variantCost": "10.0"})),
    (
        "V41 behaviour",
        scaled(wva={"hpa": {"behavior": {"scaleDown": {"selectPolicy": "Min"}}}}),
    ),
    ("V41 cooldown", by_keda(initialCooldownPeriod=0)),
    ("V41 fallback", by_keda(fallback={"failureThreshold": 3, "replicas": 2})),
    ("V45 prefill", {"prefill": scaled()}),
]


@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2"])
@pytest.mark.parametrize("spec", [row[1] for row in ACCEPTED], ids=[row[0] for row in ACCEPTED])
def test_accepted(version: str, spec: dict[str, Any]) -> None:
    assert not messages(document(version=version, **spec))


def test_v4_equal_parents_and_gateways_are_warned_of() -> None:
    spec = routed({"spec": {"parentRefs": [PARENT]}}, {"refs": [PARENT]})
    assert not messages(document(**spec))
    assert "can be omitted" in next(iter(messages(document(**spec), "warning").values()))
    assert messages(document(version="v1alpha1", **spec))


def parallel(data: int, local: int) -> dict[str, Any]:
    return {"parallelism": {"data": data, "dataLocal": local}}


@pytest.mark.parametrize(
    ("old", "new", "fields"),
    [
        (parallel(1, 8), parallel(8, 1), ["spec.parallelism"]),
        ({"prefill": parallel(1, 8)}, {"prefill": parallel(9, 1)}, ["spec.prefill.parallelism"]),
        ({}, {"prefill": parallel(8, 1)}, []),
        (parallel(4, 2), {"parallelism": {"pipeline": 2}}, []),
        ({}, {"parallelism": {"tensor": 8}}, []),
    ],
    ids=["V15", "V16", "prefill is new", "same size", "no size"],
)
def test_the_size_of_a_group_stays(
    old: dict[str, Any], new: dict[str, Any], fields: list[str]
) -> None:
    assert [error.field for error in service.update_errors(old, new)] == fields


@pytest.mark.parametrize(
    ("parents", "gateways", "same"),
    [
        ([("a", "n")], [("a", "n")], True),
        ([("a", "n")], [("b", "n")], False),
        ([("a", "n")], [("a", "m")], False),
        ([("a", None)], [("a", "")], True),
        ([("a", None)], [("a", "n")], False),
        ([("a", "n"), ("b", "n")], [("a", "n")], False),
        ([("a", "n"), ("b", "n")], [("a", "n"), ("b", "n")], True),
        ([("a", "n"), ("b", "n")], [("b", "n"), ("a", "n")], True),
        ([("a", "n"), ("b", "n")], [("a", "n"), ("b", "m")], False),
    ],
)
def test_v40_order_of_gateways_does_not_matter(
    parents: list[tuple[str, str | None]], gateways: list[tuple[str, str | None]], same: bool
) -> None:
    def named(pairs: list[tuple[str, str | None]]) -> list[dict[str, Any]]:
        return [{"name": name, "namespace": place} for name, place in pairs]

    spec = routed({"spec": {"parentRefs": named(parents)}}, {"refs": named(gateways)})
    assert routing.redundant_parents(spec, "v1alpha2") is same
    assert bool(list(routing.errors(spec, "v1alpha2"))) is not same


MERGED: list[tuple[str, dict[str, Any], list[str]]] = [
    ("C1", {"replicas": 1, **scaled()}, ["Invalid spec.scaling"]),
    ("C2", {"scaling": {"wva": {"hpa": {}}}}, ["Required spec.scaling.maxReplicas"]),
    ("C3", scaled(minReplicas=5), ["Invalid spec.scaling.minReplicas"]),
    ("C4", {"scaling": {"maxReplicas": 4}}, ["Required spec.scaling.wva"]),
    ("C5", scaled(wva={"hpa": {}, "keda": {}}), ["Invalid spec.scaling.wva"]),
    ("C6", scaled(wva={}), ["Required spec.scaling.wva"]),
    ("C7", scaled(wva={"hpa": {}, "variantCost": "-1"}), ["Invalid spec.scaling.wva.variantCost"]),
    ("V41", by_keda(advanced={"restoreToOriginalReplicaCount": True}), []),
    (
        "V43",
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
        "C10",
        scaled(wva={"keda": {"idleReplicaCount": 1}}),
        ["Required spec.scaling.minReplicas"],
    ),
    ("C11", by_keda(idleReplicaCount=3), [f"Invalid {KEDA}.idleReplicaCount"]),
    (
        "V45",
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


def test_a_refusal_reads_like_the_api_server_s() -> None:
    spec = {"parallelism": {"dataLocal": 2, "pipeline": 2, "data": 4}, **scheduled(replicas=0)}
    assert service.merged_refusal("chat", spec) == (
        'LLMInferenceService.serving.kserve.io "chat" is invalid: [spec.parallelism: Invalid value: '
        '{"pipeline":2,"data":4,"dataLocal":2}: cannot set both pipeline parallelism and data parallelism '
        "(data or dataLocal) simultaneously, spec.router.scheduler.replicas: Invalid value: 0: "
        "scheduler replicas must be greater than zero]"
    )
    assert service.merged_refusal("chat", {}) is None


@pytest.mark.parametrize(
    ("row", "spec", "fields"),
    [
        ("W3", {"baseRefs": [{"name": "a"}]}, ["spec.baseRefs"]),
        ("W4", scheduled(replicas=0), ["spec.router.scheduler.replicas"]),
        ("W5", scheduled(replicas=-1), ["spec.router.scheduler.replicas"]),
        ("W6", scheduled(replicas=2), []),
        ("W7", scheduled(replicas=1), []),
        ("W8", scheduled(), []),
    ],
)
def test_a_config_is_judged_by_fewer_rules(
    row: str, spec: dict[str, Any], fields: list[str]
) -> None:
    assert [error.field for error in config.create_errors(spec)] == fields, row


@pytest.mark.parametrize(
    ("name", "severity", "message"),
    [
        ("v1.2-model", "error", 'has a "."'),
        ("a" * 64, "error", "at most 63"),
        ("Chat", "error", 'it holds "C"'),
        ("7b-chat", "warning", "begins with a digit"),
    ],
)
def test_a_name_is_what_every_child_can_have(name: str, severity: str, message: str) -> None:
    assert message in messages(document(name=name), severity)["metadata.name"]


def test_all_mistakes_are_found_at_once() -> None:
    given = document(
        replicas=1,
        parallelism={"data": 2},
        router={"scheduler": {"replicas": 0}},
        temlate=POD,
        **scaled(),
    )
    assert set(messages(given)) == {
        "spec",
        "spec.temlate",
        "spec.parallelism.dataLocal",
        "spec.router.scheduler.replicas",
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
    max_leaves=6,
)
ROUTER = st.fixed_dictionaries(
    {},
    optional={
        "route": JSON
        | st.fixed_dictionaries(
            {
                "http": JSON
                | st.fixed_dictionaries(
                    {},
                    optional={
                        "refs": JSON,
                        "spec": JSON
                        | st.fixed_dictionaries(
                            {
                                "rules": JSON
                                | st.lists(
                                    st.fixed_dictionaries(
                                        {},
                                        optional={
                                            "matches": JSON,
                                            "filters": JSON,
                                            "backendRefs": JSON,
                                        },
                                    ),
                                    max_size=2,
                                )
                            }
                        ),
                    },
                )
            }
        ),
        "gateway": JSON,
        "scheduler": JSON
        | st.fixed_dictionaries({}, optional={"pool": JSON, "config": JSON, "replicas": JSON}),
    },
)
SPECS = JSON | st.fixed_dictionaries(
    {},
    optional={
        "model": JSON,
        "router": JSON | ROUTER,
        "scaling": JSON,
        "parallelism": JSON,
        "prefill": JSON,
        "worker": JSON,
        "template": JSON,
        "baseRefs": JSON,
    },
)


@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2"])
@given(spec=SPECS)
def test_any_input_gives_a_service_or_problems(version: str, spec: Any) -> None:
    loaded = load({**document(version=version), "spec": spec}, Settings())
    assert loaded.service is not None or loaded.problems
