# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is lost between the two versions of the API. Source: KServe pkg/apis/serving/v1alpha1/llm_inference_service_conversion_test.go@v0.17.0."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from module_utils.kinds.llm_inference_service.conversion import (
    LORA_CRITICALITIES,
    MODEL_CRITICALITY,
    to_v1alpha1,
    to_v1alpha2,
)

from .build import document

OLD_POOL = {
    "selector": {"app": "chat"},
    "targetPortNumber": 8000,
    "extensionRef": {"name": "picker", "portNumber": 9002, "failureMode": "FailOpen"},
}
NEW_POOL = {
    "selector": {"matchLabels": {"app": "chat"}},
    "targetPorts": [{"number": 8000}],
    "endpointPickerRef": {"name": "picker", "port": {"number": 9002}, "failureMode": "FailOpen"},
}
ADAPTERS = [
    {"uri": "hf://a", "criticality": "Standard"},
    {"uri": "hf://b"},
    {"uri": "hf://c", "criticality": "Sheddable"},
]
KEDA = {"maxReplicas": 3, "wva": {"keda": {"pollingInterval": 5}}}


def old(annotations: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    made = document(version="v1alpha1", **spec)
    if annotations:
        made["metadata"]["annotations"] = annotations
    return made


CASES: list[tuple[str, dict[str, Any]]] = [
    ("criticality of a model survives", old(model={"uri": "hf://a", "criticality": "Critical"})),
    (
        "criticality of adapters survives",
        old(model={"uri": "hf://a", "lora": {"adapters": ADAPTERS}}),
    ),
    ("nothing to keep keeps nothing", old()),
    (
        "criticality of a config survives",
        {**old(model={"uri": "", "criticality": "Critical"}), "kind": "LLMInferenceServiceConfig"},
    ),
    (
        "annotations of the author survive",
        old({"team": "a"}, model={"uri": "hf://a", "criticality": "Critical"}),
    ),
    ("the spec of a pool survives", old(router={"scheduler": {"pool": {"spec": OLD_POOL}}})),
    ("the name of a pool survives", old(router={"scheduler": {"pool": {"ref": {"name": "a"}}}})),
    (
        "an inline picker configuration survives",
        old(router={"scheduler": {"config": {"inline": {"kind": "EndpointPickerConfig"}}}}),
    ),
    (
        "a reference to a picker configuration survives",
        old(router={"scheduler": {"config": {"ref": {"name": "a", "key": "b"}}}}),
    ),
    ("scaling by an HPA survives", old(scaling={"maxReplicas": 3, "wva": {"hpa": {}}})),
    ("scaling by KEDA survives", old(scaling=KEDA)),
    ("scaling of prefill alone survives", old(prefill={"scaling": KEDA})),
    (
        "different scaling of both roles survives",
        old(scaling={"maxReplicas": 3, "wva": {"hpa": {}}}, prefill={"scaling": KEDA}),
    ),
]


@pytest.mark.parametrize("given", [row[1] for row in CASES], ids=[row[0] for row in CASES])
def test_there_and_back_is_the_same(given: dict[str, Any]) -> None:
    before = copy.deepcopy(given)
    new = to_v1alpha2(given)
    assert new["apiVersion"] == "serving.kserve.io/v1alpha2"
    assert to_v1alpha1(new) == before
    assert to_v1alpha2(to_v1alpha1(new)) == new
    assert given == before


def test_criticality_goes_to_an_annotation() -> None:
    new = to_v1alpha2(CASES[0][1])
    assert new["metadata"]["annotations"] == {MODEL_CRITICALITY: "Critical"}
    assert new["spec"]["model"] == {"uri": "hf://a"}


def test_criticality_of_adapters_is_kept_by_number() -> None:
    new = to_v1alpha2(CASES[1][1])
    assert new["metadata"]["annotations"] == {
        LORA_CRITICALITIES: '{"0":"Standard","2":"Sheddable"}'
    }
    assert new["spec"]["model"]["lora"]["adapters"] == [{"uri": f"hf://{name}"} for name in "abc"]


def test_nothing_to_keep_makes_no_annotations() -> None:
    assert "annotations" not in to_v1alpha2(old())["metadata"]


def test_pool_takes_the_shape_of_its_group() -> None:
    new = to_v1alpha2(old(router={"scheduler": {"pool": {"spec": OLD_POOL}}}))
    assert new["spec"]["router"]["scheduler"]["pool"]["spec"] == NEW_POOL


def test_an_annotation_that_cannot_be_read_is_dropped() -> None:
    new = document()
    new["metadata"]["annotations"] = {LORA_CRITICALITIES: "{", "team": "a"}
    assert to_v1alpha1(new)["metadata"]["annotations"] == {"team": "a"}


@pytest.mark.parametrize("ports", [[], [{"number": 1}, {"number": 2}], [{}], {}])
def test_ports_that_v1alpha1_cannot_hold_are_refused(ports: Any) -> None:
    pool = {**NEW_POOL, "targetPorts": ports}
    with pytest.raises(ValueError, match=r"pool\.spec\.targetPorts: "):
        to_v1alpha1(document(router={"scheduler": {"pool": {"spec": pool}}}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "ModelService"}, 'kind: "ModelService" is neither'),
        ({"apiVersion": "serving.kserve.io/v1"}, 'apiVersion: "serving.kserve.io/v1" is neither'),
    ],
)
def test_another_kind_or_version_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        to_v1alpha2({**document(), **change})
