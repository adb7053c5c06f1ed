# SPDX-License-Identifier: GPL-3.0-or-later
"""The server of a service is told to load the TrainedModels that its memory holds, and the others are named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from module_utils.kinds.inference_service.compile import compile as compile_service
from module_utils.kinds.inference_service.input_schemas import shapes
from module_utils.kinds.inference_service.normalise import load
from module_utils.kinds.inference_service.resolved_service import resolved_service
from module_utils.kinds.inference_service.settings import Settings
from module_utils.kinds.inference_service.trained_model_status import answered
from module_utils.kube.input_schemas import input_problems
from module_utils.kube.manifest import Json
from module_utils.kube.reader import GivenObjects

from .build import config_map, document, runtime
from .test_advise import advice

ROOM = "serving.kserve.io/trainedmodel-allocated"


def trained(name: str, memory: str | int = "1Gi", service: str = "iris", **metadata: Any) -> Json:
    return {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "TrainedModel",
        "metadata": {"name": name, "namespace": "team-a", **metadata},
        "spec": {
            "inferenceService": service,
            "model": {"framework": "sklearn", "memory": memory, "storageUri": "gs://b/m"},
        },
    }


def several(limit: str | None = "2Gi", field: str = "model") -> Json:
    """Return a service whose models come from TrainedModels."""
    server: Json = {"modelFormat": {"name": "sklearn"}} if field == "model" else {}
    if limit:
        server["resources"] = {"limits": {"memory": limit}}
    return document(predictor={field: server})


def written(text: str) -> Json:
    """Return the ConfigMap of the service as it stands in the cluster."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "modelconfig-iris-0", "namespace": "team-a"},
        "data": {"models.json": text},
    }


def models_text(service: Json, *objects: Json) -> str:
    """Return the list of models that a service is made with."""
    typed = load(service, Settings()).service
    assert typed is not None
    reader = GivenObjects([config_map(), runtime(), *objects])
    (found,) = [
        child
        for child in compile_service(typed, Settings(), reader).children
        if child.manifest.name == "modelconfig-iris-0"
    ]
    assert not found.unclaimed
    text: str = found.manifest.body["data"]["models.json"]
    return text


def loaded(service: Json, *objects: Json) -> list[str]:
    return [each["modelName"] for each in json.loads(models_text(service, *objects))]


def told(service: Json, *objects: Json) -> dict[str, tuple[str, str]]:
    found = [each for each in advice(service, *objects) if each.rule.startswith("trained-model")]
    assert all(each.severity == "warning" for each in found)
    return {each.rule: (each.path, each.message) for each in found}


def test_models_are_written_as_go_writes_them() -> None:
    model = trained("b", "1024Mi")
    model["spec"]["model"]["storageUri"] = "https://b/m?x=1&y=2"
    assert models_text(several(), model, trained("a", 1073741824)) == (
        '[{"modelName":"a","modelSpec":{"storageUri":"gs://b/m","framework":"sklearn","memory":"1073741824"}},'
        '{"modelName":"b","modelSpec":{"storageUri":"https://b/m?x=1\\u0026y=2","framework":"sklearn","memory":"1Gi"}}]'
    )


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        (lambda entries: entries[::-1], True),
        (lambda entries: entries, True),
        (lambda entries: entries[:1], False),
        (lambda entries: [*entries, {"modelName": "gone", "modelSpec": {}}], False),
        (lambda dummy: {"a": 1}, False),
        (lambda dummy: [1], False),
    ],
)
def test_a_list_that_says_the_same_stays_as_it_is_written(change: Any, kept: bool) -> None:
    models = (trained("a"), trained("b"))
    before = json.dumps(change(json.loads(models_text(several(), *models))))
    after = models_text(several(), *models, written(before))
    assert (after == before) is kept
    assert after == before or after == models_text(several(), *models)


def test_a_list_that_cannot_be_read_is_written_anew() -> None:
    assert models_text(several(), written("{broken")) == "[]"


@pytest.mark.parametrize(
    ("service", "models", "fitting"),
    [
        (several("2Gi"), [trained("b"), trained("a")], ["a", "b"]),
        (several("2Gi"), [trained("a"), trained("b", "1025Mi")], ["a"]),
        (several("2Gi"), [trained("a", "3Gi"), trained("b")], ["b"]),
        (several("2Gi"), [trained("a", "2Gi", labels={"x": "y"}), trained("b")], ["a"]),
        (several("2Gi"), [trained("a", "2Gi"), trained("b", labels={ROOM: "iris"})], ["b"]),
        (several("2G"), [trained("a", 2_000_000_000)], ["a"]),
        (several(None), [trained("a", "1")], []),
        (several("1Gi", "sklearn"), [trained("a", "2Gi"), trained("b")], ["b"]),
    ],
)
def test_models_are_loaded_that_the_memory_of_the_predictor_holds(
    service: Json, models: list[Json], fitting: list[str]
) -> None:
    assert loaded(service, *models) == fitting


def test_a_new_model_takes_no_room_from_those_before_it() -> None:
    new = trained("a", creationTimestamp="2026-02-01T00:00:00Z")
    old = trained("b", creationTimestamp="2026-01-01T00:00:00Z")
    assert loaded(several("1Gi"), new, old) == ["b"]


@pytest.mark.parametrize(
    ("service", "amounts", "path"),
    [
        (several("2Gi"), ["1Gi", "1Gi"], ""),
        (several("2Gi"), ["1Gi", "1025Mi"], "spec.predictor.model.resources.limits.memory"),
        (several("2G"), [2_000_000_000], ""),
        (several(None), ["1"], "spec.predictor.model.resources.limits.memory"),
        (several("1Gi", "sklearn"), ["2Gi"], "spec.predictor.sklearn.resources.limits.memory"),
    ],
)
def test_models_beyond_the_memory_of_the_predictor_are_named(
    service: Json, amounts: list[str | int], path: str
) -> None:
    models = [trained(f"m{number}", amount) for number, amount in enumerate(amounts)]
    found = told(service, *models)
    assert [each for each, dummy in found.values()] == ([path] if path else [])
    last = models[-1]["metadata"]["name"]
    assert all(f"these are not loaded: {last};" in text for dummy, text in found.values())


@pytest.mark.parametrize(
    ("ready", "memory", "no", "reason"),
    [
        ("True", "1Gi", set(), None),
        ("False", "1Gi", {"InferenceServiceReady", "Ready"}, "InferenceServiceNotReady"),
        ("True", "9Gi", {"MemoryResourceAvailable", "Ready"}, "MemoryResourceNotAvailable"),
        (
            "False",
            "9Gi",
            {"InferenceServiceReady", "MemoryResourceAvailable", "Ready"},
            "MemoryResourceNotAvailable",
        ),
    ],
)
def test_a_model_says_what_it_lacks(ready: str, memory: str, no: set[str], reason: Any) -> None:
    (model,) = statuses(several(), ready == "True", trained("a", memory))
    said = {each["type"]: each for each in model["conditions"]}
    assert list(said) == [
        "InferenceServiceReady",
        "IsMMSPredictor",
        "MemoryResourceAvailable",
        "Ready",
    ]
    assert {kind for kind, each in said.items() if each["status"] == "False"} == no
    assert said["Ready"].get("reason") == reason
    assert ("url" in model) == ("address" in model) == (not no)


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({}, "/v1/models/a:predict"),
        ({"protocolVersion": "v2"}, "/v2/models/a/infer"),
        ({"protocolVersion": "grpc-v2"}, ""),
    ],
)
def test_a_model_is_called_below_the_address_of_its_service(fields: Json, path: str) -> None:
    service = several()
    service["spec"]["predictor"]["model"] |= fields
    (model,) = statuses(service, True, trained("a"))
    assert model["url"] == f"http://iris.example.com{path}"
    assert model["address"] == {"url": f"http://iris.team-a.svc{path}"}


def statuses(service: Json, ready: bool, *models: Json) -> list[Json]:
    """Return the status that a service gives each of its models."""
    typed = load(service, Settings()).service
    assert typed is not None
    server = runtime()
    server["spec"]["protocolVersions"] = ["v1", "v2", "grpc-v2"]
    reader = GivenObjects([config_map(), server, *models])
    resolved = resolved_service(typed, Settings(), reader)
    status = {"url": "http://iris.example.com", "address": {"url": "http://iris.team-a.svc"}}
    return [each.status for each in answered(resolved, status, ready=ready)]


def test_models_of_other_services_and_such_that_go_are_not_counted() -> None:
    going = trained("going", "9Gi", deletionTimestamp="2026-01-01T00:00:00Z", finalizers=["x"])
    objects = (trained("theirs", "9Gi", "other"), going)
    assert told(several(), *objects) == {}
    assert loaded(several(), *objects) == []


def test_a_service_with_a_model_of_its_own_says_that_it_loads_no_others() -> None:
    path, text = told(document(), trained("a", "9Gi"), trained("b"))["trained-model-service"]
    assert path == "spec.predictor.model"
    assert "has a model of its own and loads no TrainedModels: a, b" in text
    assert told(document(), trained("a", "9Gi", "other")) == {}


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        ("storageUri", "pvc://a/b", "trained-model"),
        ("storageUri", "s3://a/b", ""),
        ("framework", "xgboost", "trained-model-service"),
        ("framework", "SKLEARN", ""),
    ],
)
@pytest.mark.parametrize("server", ["model", "sklearn"])
def test_a_model_that_the_server_does_not_take_is_told_with_its_service(
    server: str, field: str, value: str, rule: str
) -> None:
    model = trained("a")
    model["spec"]["model"][field] = value
    found = told(several(field=server), model)
    assert list(found) == ([rule] if rule else [])
    for path, text in found.values():
        assert path == f"spec.predictor.{server}"
        assert "TrainedModel a: " in text
        assert value in text


@pytest.mark.parametrize(
    ("field", "value", "path"),
    [
        ("inferenceService", 1, "spec.inferenceService"),
        ("model", {"framework": "sklearn", "memory": "1Gi"}, "spec.model.storageUri"),
        (
            "model",
            {"framework": "sklearn", "memory": "much", "storageUri": "gs://b/m"},
            "spec.model.memory",
        ),
    ],
)
def test_a_model_that_no_server_would_hold_is_told(field: str, value: Any, path: str) -> None:
    model = trained("a")
    model["spec"][field] = value
    (problem,) = input_problems(model, shapes())
    assert problem.path.endswith(path)
