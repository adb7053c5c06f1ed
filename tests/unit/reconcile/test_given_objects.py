# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects given in place of a cluster are judged as KServe's webhooks judge them, whoever uses them."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.manifest import Json
from tests.unit.kinds.inference_service.build import config_map, document, runtime
from tests.unit.kinds.inference_service.test_trained_models import several, trained
from tests.unit.kinds.model_service.build import document as model_service
from tests.unit.modules.task import run

SERVER: Json = {"name": "kserve-container", "image": "a:1"}


def warned(service: Json, *objects: Json, **options: Any) -> list[str]:
    """Return what a task that renders a service warns of objects beside it."""
    given = [config_map(), *objects]
    result = run(state="rendered", services=[service], cluster_objects=given, **options)
    assert not result.get("failed"), result["msg"]
    return [each for each in result["warnings"] if "ServingRuntime" in each or "Trained" in each]


def other(name: str = "other", model_format: str = "xgboost", **spec: Any) -> Json:
    """Return a runtime that serves none of the services."""
    made = runtime()
    made["metadata"]["name"] = name
    formats = [{"name": model_format, "autoSelect": True, "priority": 1}]
    made["spec"] |= {"supportedModelFormats": formats, "protocolVersions": ["v1"], **spec}
    return made


def test_a_runtime_that_nobody_uses_is_judged() -> None:
    workers = {"containers": [SERVER, SERVER]}
    (text,) = warned(document(), runtime(), other(workerSpec=workers))
    assert text.startswith(
        "cluster_objects: ClusterServingRuntime other: spec.workerSpec.containers"
    )


def test_two_runtimes_of_one_priority_name_each_other() -> None:
    found = warned(document(), runtime(), other("a"), other("b"), other("c", "lightgbm"))
    assert len(found) == 2
    assert "ClusterServingRuntime b has priority 1" in found[0]
    assert "ClusterServingRuntime a has priority 1" in found[1]


def test_a_fault_of_the_runtime_that_serves_is_told_once() -> None:
    used = runtime()
    used["spec"]["containers"][0]["env"] = [{"name": "PYTHONPATH", "value": "/a"}]
    (text,) = warned(document(), used, releases={"kserve": "0.20"})
    assert "InferenceService team-a/iris" in text


@pytest.mark.parametrize(("release", "count"), [("0.17", 0), ("0.18", 1), ("0.20", 1)])
def test_the_release_of_the_services_decides(release: str, count: int) -> None:
    odd = other(containers=[{**SERVER, "env": [{"name": "PYTHONPATH", "value": "/a"}]}])
    found = warned(document(), runtime(), odd, releases={"kserve": release})
    assert len(found) == count


def test_a_trained_model_is_judged_once_whosever_it_is() -> None:
    wrong = {"storageUri": "pvc://a/b", "framework": "sklearn", "memory": "1Gi"}
    mine, theirs = trained("mine"), trained("theirs", service="elsewhere")
    for each in (mine, theirs):
        each["spec"]["model"] = wrong
    found = warned(several(), runtime(), mine, theirs)
    assert len(found) == 2
    assert "TrainedModel mine" in found[0]
    assert found[1].startswith("cluster_objects: TrainedModel team-a/theirs: spec.model.storageUri")


def test_a_task_without_such_services_judges_none() -> None:
    assert warned(model_service(), other(workerSpec={"containers": []})) == []
