# SPDX-License-Identifier: GPL-3.0-or-later
"""TrainedModels of a set are judged as KServe's webhook judges them, and by the service that they name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from module_utils.kinds.inference_service.judged_objects import judged_objects
from module_utils.kinds.inference_service.settings import Settings
from module_utils.kinds.kserve.releases import KServe
from module_utils.kube.manifest import Json
from module_utils.kube.planned_objects import PlannedObjects
from module_utils.kube.problem import Problem
from module_utils.kube.reader import GivenObjects, NotAllowed
from module_utils.kube.reference import Reference
from module_utils.modules import applyset
from tests.objects import Cluster
from tests.unit.kinds.inference_service.build import document, runtime
from tests.unit.kinds.inference_service.test_trained_models import several, trained
from tests.unit.modules.task import result_of


def model(**fields: Any) -> Json:
    """Return a TrainedModel with other fields of its model."""
    made = trained("a")
    made["spec"]["model"] |= fields
    return made


def told(
    wanted: Json,
    *there: Json,
    planned: Sequence[Json] = (),
    release: KServe = KServe.V0_17,
) -> dict[str, Problem]:
    """Return what is wrong with a model by field. there: the cluster. planned: what else the set holds."""
    cluster = Cluster(there)
    around = PlannedObjects(cluster, [wanted, *planned])
    found = judged_objects([wanted], around, cluster, Settings(release))
    return {each.path: each for each in found.get(Reference.of(wanted), ())}


@pytest.mark.parametrize("release", list(KServe))
@pytest.mark.parametrize(
    ("name", "uri", "fields"),
    [
        ("a", "gs://b/m", []),
        ("a-b", "s3://b/m", []),
        ("a", "https://b/m", []),
        ("a", "http://", []),
        ("a.b", "gs://b/m", ["metadata.name"]),
        ("A", "gs://b/m", ["metadata.name"]),
        ("a_b", "gs://b/m", ["metadata.name"]),
        ("a" * 254, "gs://b/m", ["metadata.name"]),
        ("a", "pvc://b/m", ["spec.model.storageUri"]),
        ("a", "hf://b/m", ["spec.model.storageUri"]),
        ("a", "GS://b/m", ["spec.model.storageUri"]),
        ("a", "", ["spec.model.storageUri"]),
        ("a.b", "/mnt", ["metadata.name", "spec.model.storageUri"]),
    ],
)
def test_what_the_webhook_refuses_of_a_model_is_refused_at_once(
    release: KServe, name: str, uri: str, fields: list[str]
) -> None:
    wanted = model(storageUri=uri)
    wanted["metadata"]["name"] = name
    found = told(wanted, several(), runtime(), release=release)
    assert list(found) == fields
    assert {each.severity for each in found.values()} <= {"error"}


@pytest.mark.parametrize(("now", "refused"), [("1024Mi", False), ("2Gi", True), (1, True)])
def test_the_memory_of_a_model_stays(now: str | int, refused: bool) -> None:
    found = told(model(memory=now), model(), several(), runtime())
    assert list(found) == (["spec.model.memory"] if refused else [])


@pytest.mark.parametrize(
    ("service", "framework", "field"),
    [
        (several(), "sklearn", ""),
        (several(), "SKLearn", ""),
        (several(field="sklearn"), "sklearn", ""),
        (several(), "xgboost", "spec.model.framework"),
        (several(field="sklearn"), "xgboost", "spec.model.framework"),
        (document(), "sklearn", "spec.inferenceService"),
        (document("other"), "sklearn", "spec.inferenceService"),
        (document(predictor={"containers": [{"image": "a"}]}), "any", "spec.inferenceService"),
        (
            document(
                predictor={
                    "containers": [
                        {"image": "a", "env": [{"name": "MULTI_MODEL_SERVER", "value": "true"}]}
                    ]
                }
            ),
            "any",
            "",
        ),
    ],
)
def test_a_model_that_its_service_does_not_load_is_warned_about(
    service: Json, framework: str, field: str
) -> None:
    for planned in ([], [service]):
        found = told(
            model(framework=framework),
            *([] if planned else [service]),
            runtime(),
            planned=planned,
        )
        assert list(found) == ([field] if field else [])
        assert {each.severity for each in found.values()} <= {"warning"}


def test_a_service_with_mistakes_of_its_own_says_nothing_of_models() -> None:
    broken = {**document(), "spec": []}
    assert told(model(), broken, runtime()) == {}


def test_what_may_not_be_read_is_said() -> None:
    class Closed(GivenObjects):
        def get(self, reference: Reference) -> Json | None:
            if reference.kind == "InferenceService":
                raise NotAllowed(str(reference))
            return super().get(reference)

    closed = Closed()
    (problems,) = judged_objects([model()], closed, closed, Settings()).values()
    assert [each.rule for each in problems] == ["could-not-look"]


def test_a_rendered_set_tells_what_is_refused_and_what_is_warned_about() -> None:
    options = {"name": "models", "state": "rendered"}
    wrong = [model(storageUri="pvc://a/b", framework="x", storageUrl="x"), trained("a.b")]
    result = result_of(applyset, {**options, "definition": wrong})
    assert result["failed"]
    for text in ("pvc://a/b", "rename the model", "storageUrl: unknown field"):
        assert text in result["msg"]
    service = several()
    service["metadata"]["annotations"] = {}
    odd = [model(framework="x"), service, runtime()]
    result = result_of(applyset, {**options, "definition": odd})
    assert not result.get("failed")
    (problem,) = result["problems"]
    assert problem["rule"] == "trained-model-service"
    assert '"x" is not a format of ClusterServingRuntime sklearn (sklearn)' in result["warnings"][0]
