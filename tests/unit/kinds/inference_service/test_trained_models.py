# SPDX-License-Identifier: GPL-3.0-or-later
"""TrainedModels that the server of a service never loads are named, with the reason."""

from __future__ import annotations

import json
from typing import Any

import pytest

from module_utils.kube.manifest import Json

from .build import document
from .test_advise import advice


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


def listed(*names: str, text: str | None = None) -> Json:
    entries = [{"modelName": name, "modelSpec": {}} for name in names]
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "modelconfig-iris-0", "namespace": "team-a"},
        "data": {"models.json": json.dumps(entries) if text is None else text},
    }


def told(service: Json, *objects: Json) -> dict[str, tuple[str, str]]:
    rules = ("trained-models", "trained-models-memory")
    found = [each for each in advice(service, *objects) if each.rule in rules]
    assert all(each.severity == "warning" for each in found)
    return {each.rule: (each.path, each.message) for each in found}


@pytest.mark.parametrize(
    ("config", "missing"),
    [
        (listed("a", "b"), ""),
        (listed("a"), "TrainedModels b,"),
        (listed(), "TrainedModels a, b,"),
        (listed(text="{broken"), "TrainedModels a, b,"),
        (listed(text='{"a": 1}'), "TrainedModels a, b,"),
        (None, "TrainedModels a, b,"),
    ],
)
def test_models_that_the_config_map_does_not_list_are_named(
    config: Json | None, missing: str
) -> None:
    found = told(several(), trained("a"), trained("b"), *([config] if config else []))
    if not missing:
        assert found == {}
        return
    path, message = found["trained-models"]
    assert path == "spec.predictor"
    assert missing in message
    assert "team-a/modelconfig-iris-0" in message


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
    config = listed(*(each["metadata"]["name"] for each in models))
    found = told(service, config, *models)
    assert [each for each, dummy in found.values()] == ([path] if path else [])
    assert all("of memory, and the predictor's limit is" in text for dummy, text in found.values())


def test_models_of_other_services_and_such_that_go_are_not_counted() -> None:
    going = trained("going", "9Gi", deletionTimestamp="2026-01-01T00:00:00Z", finalizers=["x"])
    assert told(several(), trained("theirs", "9Gi", "other"), going) == {}


def test_a_service_with_a_model_of_its_own_is_not_asked_about() -> None:
    assert told(document(), trained("a", "9Gi")) == {}
