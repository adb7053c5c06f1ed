# SPDX-License-Identifier: GPL-3.0-or-later
"""What a service may not say, each mistake in its field; what is right is taken."""

from __future__ import annotations

from typing import Any

import pytest

from .build import MODEL, PREFIX, document, errors, problems

CONTAINER = {"name": "kserve-container", "image": "team/app:1"}
HELPER = {"name": "helper", "image": "team/helper:1"}
WORKERS = {"storageUri": "pvc://claim/model", "modelFormat": {"name": "huggingface"}}
NO_SCALING = {"autoscalerClass": "none"}


def predictor(**fields: Any) -> dict[str, Any]:
    return document(predictor=fields)


def keda(metric: dict[str, Any]) -> dict[str, Any]:
    return document(
        predictor={"autoScaling": {"metrics": [metric]}}, annotations={"autoscalerClass": "keda"}
    )


def annotated(key: str) -> str:
    return f'metadata.annotations["{PREFIX}{key}"]'


WRONG: list[tuple[dict[str, Any], str, str]] = [
    (document("Iris"), "metadata.name", "lower-case"),
    (document("i" * 64), "metadata.name", "64 characters"),
    (document("i" * 49), "metadata.name", "make the name 1 shorter"),
    (predictor(modle={}), "spec.predictor.modle", 'did you mean "model"?'),
    (predictor(model={**MODEL, "storgeUri": "x"}), "spec.predictor.model.storgeUri", "storageUri"),
    (predictor(model={"storageUri": "gs://m/s"}), "spec.predictor.model.modelFormat", "missing"),
    (predictor(sklearn={}, xgboost={}), "spec.predictor", "sklearn and xgboost are given"),
    (document(explainer={"minReplicas": 1}), "spec.explainer", "art or containers"),
    (document(transformer={"maxReplicas": 1}), "spec.transformer", "containers: none is given"),
    (
        predictor(model=MODEL, containers=[CONTAINER]),
        "spec.predictor",
        "model and containers are given",
    ),
    (
        predictor(containers=[{**HELPER, "name": "a"}, HELPER]),
        "spec.predictor.containers",
        "called kserve-container",
    ),
    (
        predictor(containers=[CONTAINER, CONTAINER]),
        "spec.predictor.containers",
        "is listed twice",
    ),
    (
        predictor(containers=[CONTAINER, {"image": "x"}]),
        "spec.predictor.containers[1].name",
        "missing",
    ),
    (predictor(minReplicas=3, maxReplicas=2), "spec.predictor.maxReplicas", "less than minRep"),
    (predictor(maxReplicas=-1), "spec.predictor.maxReplicas", "less than 0"),
    (predictor(containerConcurrency=-1), "spec.predictor.containerConcurrency", "less than 0"),
    (predictor(logger={"url": "http://x"}), "spec.predictor.logger.mode", "missing"),
    (
        predictor(logger={"mode": "all", "storage": {"path": "x"}}),
        "spec.predictor.logger.storage",
        "parameters and key missing",
    ),
    (
        predictor(storageUris=[{"uri": "s3://b/a"}]),
        "spec.predictor.storageUris",
        "either one storageUri or storageUris",
    ),
    (
        predictor(model={**MODEL, "storage": {"path": "a"}}),
        "spec.predictor.model.storage.path",
        "only one of them",
    ),
    (
        document(predictor={"workerSpec": {}}, annotations=NO_SCALING),
        "spec.predictor.model.storageUri",
        "only by pvc:// or oci://",
    ),
    (
        document(predictor={"model": WORKERS, "workerSpec": {}}),
        annotated("autoscalerClass"),
        "write none",
    ),
    (
        document(
            predictor={
                "model": WORKERS,
                "workerSpec": {"containers": [{"name": "a"}, {"name": "b"}]},
            },
            annotations=NO_SCALING,
        ),
        "spec.predictor.workerSpec.containers",
        "one container",
    ),
    (
        document(
            predictor={"model": WORKERS, "workerSpec": {}},
            annotations={**NO_SCALING, "gpu-resource-types": "nvidia.com/gpu"},
        ),
        annotated("gpu-resource-types"),
        "not a JSON list",
    ),
    (document(annotations={"autoscalerClass": "kpa"}), annotated("autoscalerClass"), "not one of"),
    (keda({"type": "External"}), "spec.predictor.autoScaling.metrics[0].external", "missing"),
    (
        keda(
            {
                "type": "PodMetric",
                "podmetric": {
                    "metric": {"backend": "opentelemetry", "query": "q"},
                    "target": {"type": "Utilization"},
                },
            }
        ),
        "spec.predictor.autoScaling.metrics[0].podmetric.target.value",
        "threshold",
    ),
    (
        keda(
            {
                "type": "Resource",
                "resource": {
                    "name": "cpu",
                    "target": {"type": "Utilization", "averageUtilization": 101},
                },
            }
        ),
        "spec.predictor.autoScaling.metrics[0].resource.target.averageUtilization",
        "1 to 100",
    ),
    (
        keda(
            {"type": "Resource", "resource": {"name": "cpu", "target": {"averageUtilization": 60}}}
        ),
        "spec.predictor.autoScaling.metrics[0].resource.target.type",
        "missing: one of Utilization, Value, AverageValue",
    ),
    (
        keda(
            {
                "type": "External",
                "external": {"metric": {"query": "q"}, "target": {"type": "Value", "value": "1"}},
            }
        ),
        "spec.predictor.autoScaling.metrics[0].external.metric.backend",
        "missing: one of prometheus, graphite",
    ),
    (
        keda(
            {
                "type": "PodMetric",
                "podmetric": {"metric": {"query": "q"}, "target": {"type": "Value", "value": "1"}},
            }
        ),
        "spec.predictor.autoScaling.metrics[0].podmetric.metric.backend",
        "missing: opentelemetry; KServe refuses",
    ),
    (
        predictor(containers=[{"name": 0, "image": "team/app:1"}]),
        "spec.predictor.containers[0].name",
        "0 is a number, not a string",
    ),
    (
        predictor(model=MODEL, containers=[HELPER, None]),
        "spec.predictor.containers[1]",
        "null is not a map",
    ),
    (
        predictor(model={**MODEL, "resources": {"limits": {"cpu": 1.5}}}),
        "spec.predictor.model.resources.limits.cpu",
        "1.5 is not a quantity",
    ),
    (
        predictor(model={**MODEL, "storageUri": "pvc://"}),
        "spec.predictor.model.storageUri",
        "names no claim",
    ),
    (
        predictor(model=MODEL, containers=[{"image": "team/helper:1"}]),
        "spec.predictor.containers[0].name",
        "missing",
    ),
    (
        document(
            predictor={"autoScaling": {"metrics": [{"type": "External"}]}},
            annotations={"autoscalerClass": "hpa"},
        ),
        "spec.predictor.autoScaling.metrics[0].type",
        "use the class keda",
    ),
]


@pytest.mark.parametrize(("given", "path", "said"), WRONG)
def test_a_mistake_is_told_in_its_field(given: dict[str, Any], path: str, said: str) -> None:
    found = errors(given)
    assert path in found
    assert said in found[path]


def test_all_mistakes_of_a_service_are_told_at_once() -> None:
    given = document(
        "a.b", predictor={"minReplicas": -1, "logger": {}, "odd": 1}, annotations={"stop": "x"}
    )
    assert set(errors(given)) == {
        "metadata.name",
        "spec.predictor.minReplicas",
        "spec.predictor.logger.mode",
        "spec.predictor.odd",
    }


RIGHT: list[dict[str, Any]] = [
    document("i" * 48),
    predictor(sklearn={"storageUri": "s3://b/m"}),
    predictor(model=MODEL, containers=[HELPER]),
    predictor(containers=[{"image": "team/app:1"}]),
    predictor(containers=[HELPER, CONTAINER]),
    predictor(minReplicas=2, maxReplicas=0),
    predictor(deploymentStrategy={"type": "Recreate"}),
    document(annotations={"autoscalerClass": "external"}, predictor={"scaleMetric": "rps"}),
    document(explainer={"art": {"type": "SquareAttack"}}),
    document(
        predictor={
            "model": {**WORKERS, "resources": {"limits": {"npu.example/card": "1"}}},
            "workerSpec": {},
        },
        annotations={**NO_SCALING, "gpu-resource-types": '["npu.example/card"]'},
    ),
]


@pytest.mark.parametrize("given", RIGHT)
def test_what_kserve_takes_is_taken_without_a_word(given: dict[str, Any]) -> None:
    assert problems(given) == []


def test_a_device_is_a_gpu_where_the_configuration_says_so() -> None:
    model = {**WORKERS, "resources": {"limits": {"npu.example/card": "1"}}}
    given = document(predictor={"model": model, "workerSpec": {}}, annotations=NO_SCALING)
    assert "npu.example/card" in errors(given)["spec.predictor.model.resources"]
    known = {"customGPUResourceTypeList": ["npu.example/card"]}
    assert errors(given, multiNode=known) == {}


def test_what_autoscalers_understand_depends_on_the_default_mode() -> None:
    given = predictor(deploymentStrategy={"type": "Recreate"}, scaleMetric="cpu")
    assert errors(given) == {}
    assert set(errors(given, deploy={"defaultDeploymentMode": "Knative"})) == {
        "spec.predictor.deploymentStrategy",
        "spec.predictor.scaleMetric",
    }


def test_a_model_beside_a_framework_is_overwritten_and_that_is_said() -> None:
    (problem,) = problems(predictor(model=MODEL, sklearn={"storageUri": "s3://b/m"}))
    assert (problem.path, problem.severity) == ("spec.predictor.model", "warning")


def test_a_model_that_is_overwritten_is_not_looked_at() -> None:
    model = {**MODEL, "name": "own", "env": [{"name": "PYTHONPATH", "value": "/x"}]}
    (problem,) = problems(predictor(model=model, sklearn={"storageUri": "s3://b/m"}))
    assert (problem.path, problem.severity) == ("spec.predictor.model", "warning")


def test_a_list_of_gpus_that_nobody_reads_is_warned_about() -> None:
    (problem,) = problems(document(annotations={"gpu-resource-types": "{}"}))
    assert (problem.path, problem.severity) == (annotated("gpu-resource-types"), "warning")


def test_a_configured_rollout_that_the_api_refuses_is_told() -> None:
    deploy = {
        "defaultDeploymentMode": "Standard",
        "deploymentRolloutStrategy": {"defaultRollout": {"maxSurge": "1", "maxUnavailable": "10%"}},
    }
    assert (
        'maxSurge: "1" is not a percentage'
        in errors(document(), deploy=deploy)["spec.predictor.deploymentStrategy"]
    )
    own = predictor(deploymentStrategy={"type": "Recreate"})
    assert errors(own, deploy=deploy) == {}
