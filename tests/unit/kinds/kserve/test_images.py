# SPDX-License-Identifier: GPL-3.0-or-later
"""An image that no registry has by such a name is told at the field of its author, whichever kind of service and pod it is in."""

from __future__ import annotations

import pytest

from module_utils.kube.manifest import Json
from tests.unit.checks.services import custom, inference_service, llm, llm_inference_service
from tests.unit.checks.surroundings import CONFIG
from tests.unit.modules.task import run


def told(service: Json) -> dict[str, str]:
    """Return what is said of images: path → message."""
    result = run(state="rendered", services=[service], cluster_objects=[CONFIG])
    assert not result.get("failed"), result["msg"]
    problems = result["services"][0]["problems"]
    return {each["path"]: each["message"] for each in problems if each["rule"] == "image"}


def llm_with(image: str) -> Json:
    return llm_inference_service(template={"containers": [{"name": "main", "image": image}]})


@pytest.mark.parametrize(
    ("image", "text"),
    [
        ("registry.example.com/Acme/server:1", "capitals"),
        ("Server:1", "capitals"),
        ("registry.example.com/acme/ser ver:1", 'holds " "'),
    ],
)
def test_image_that_no_registry_has_is_named(image: str, text: str) -> None:
    assert text in told(custom(image=image))["spec.predictor.containers[0].image"]
    assert text in told(llm_with(image))["spec.template.containers[0].image"]


@pytest.mark.parametrize(
    "image",
    [
        "registry.example.com:5000/acme/server:V1",
        "localhost/acme/server",
        f"Registry.example.com/acme/server@sha256:{'a' * 64}",
    ],
)
def test_capitals_of_registry_and_tag_are_fine(image: str) -> None:
    assert told(custom(image=image)) == {}
    assert told(llm_with(image)) == {}


def test_image_of_a_preset_is_not_the_authors() -> None:
    assert told(llm()) == {}


def test_mistake_in_the_field_of_a_framework_is_told_there() -> None:
    resources = {"limits": {"cpu": "1"}, "requests": {"cpu": "2"}}
    server = {"storageUri": "s3://bucket/model", "resources": resources}
    runtime = {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "ClusterServingRuntime",
        "metadata": {"name": "own"},
        "spec": {
            "supportedModelFormats": [{"name": "sklearn", "autoSelect": True}],
            "containers": [{"name": "kserve-container", "image": "example.com/server:1"}],
        },
    }
    service = inference_service(predictor={"sklearn": server})
    result = run(state="rendered", services=[service], cluster_objects=[CONFIG, runtime])
    assert result["failed"]
    assert "spec.predictor.sklearn.resources" in result["msg"]
    assert "spec.predictor.model" not in result["msg"]
