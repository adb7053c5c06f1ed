# SPDX-License-Identifier: GPL-3.0-or-later
"""A component that asks another for a model under a name which that one does not know is told."""

from __future__ import annotations

import pytest

from module_utils.kube.manifest import Json
from tests.unit.checks.services import inference_service, runtime
from tests.unit.checks.surroundings import CONFIG
from tests.unit.modules.task import run

#: As KServe's own runtimes name the model after the service.
BY_SERVICE = "--model_name={{.Name}}"


def told(predictor: list[str], transformer: list[str], runtime_says: str = BY_SERVICE) -> list[str]:
    model: Json = {"modelFormat": {"name": "huggingface"}, "storageUri": "hf://acme/chat"}
    server = {"name": "kserve-container", "image": "example.com/t:1", "args": transformer}
    document = inference_service(
        predictor={"model": {**model, "args": predictor}}, transformer={"containers": [server]}
    )
    objects = [CONFIG, runtime(runtime_says)]
    result = run(state="rendered", services=[document], cluster_objects=objects)
    assert not result.get("failed"), result["msg"]
    return [
        f"{each['path']}: {each['message']}"
        for each in result["services"][0]["problems"]
        if each["rule"] == "served-name"
    ]


@pytest.mark.parametrize(
    ("predictor", "transformer", "place"),
    [
        (["--model_name=chat"], [], "spec.predictor.model.args[0]"),
        (["-q", "--model_name", "chat"], ["--model_name=iris"], "spec.predictor.model.args[1]"),
        ([], ["--model_name=chat"], "spec.transformer.containers[0].args[0]"),
    ],
)
def test_name_that_the_predictor_does_not_know_is_told(
    predictor: list[str], transformer: list[str], place: str
) -> None:
    (message,) = told(predictor, transformer)
    assert message.startswith(f"{place}: the transformer asks the predictor for the model")


@pytest.mark.parametrize(
    ("predictor", "transformer", "runtime_says"),
    [
        ([], [], BY_SERVICE),
        (["--model_name=chat"], ["--model_name=chat"], BY_SERVICE),
        ([], [], "-q"),
        ([], ["--model_name=chat"], "-q"),
    ],
)
def test_name_that_both_know_is_not(
    predictor: list[str], transformer: list[str], runtime_says: str
) -> None:
    assert told(predictor, transformer, runtime_says) == []
