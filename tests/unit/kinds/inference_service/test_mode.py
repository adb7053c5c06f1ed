# SPDX-License-Identifier: GPL-3.0-or-later
"""How a service is run: who says so, and what is refused."""

from __future__ import annotations

import pytest

from module_utils.kinds.inference_service.mode import deployment_mode, mode_change, mode_problem
from module_utils.kinds.inference_service.spec import InferenceService
from module_utils.kinds.kserve.modes import MODE_ANNOTATION
from module_utils.kinds.kserve.storage_config import Storage
from module_utils.kinds.kserve.system_config import Deploy, SystemConfig

STORAGE = Storage("1", "1", "1", "1")


def service(annotation: str = "") -> InferenceService:
    annotations = {MODE_ANNOTATION: annotation} if annotation else {}
    return InferenceService({}, "a", "b", {}, annotations, {"predictor": {}})


def config(default: str = "Knative", *, withheld: bool = False) -> SystemConfig:
    hidden = frozenset({MODE_ANNOTATION} if withheld else ())
    return SystemConfig(STORAGE, deploy=Deploy(default), disallowed_annotations=hidden)


@pytest.mark.parametrize(
    ("annotation", "default", "running", "mode"),
    [
        ("", "Knative", "", "Knative"),
        ("Standard", "Knative", "", "Standard"),
        ("RawDeployment", "Knative", "", "Standard"),
        ("Serverless", "Standard", "", "Knative"),
        ("Foo", "Standard", "", "Standard"),
        ("", "Knative", "Standard", "Standard"),
        ("", "Knative", "RawDeployment", "Standard"),
        ("", "", "", ""),
    ],
)
def test_the_running_mode_wins_then_the_annotation_then_the_default(
    annotation: str, default: str, running: str, mode: str
) -> None:
    live = {"status": {"deploymentMode": running}} if running else None
    assert deployment_mode(service(annotation), config(default), live) == mode


def test_an_annotation_that_is_withheld_says_nothing() -> None:
    assert deployment_mode(service("Standard"), config(withheld=True), None) == "Knative"


@pytest.mark.parametrize(
    ("annotation", "default", "running", "said"),
    [
        ("ModelMesh", "Standard", "", "ModelMesh is not supported"),
        ("", "ModelMesh", "", "reconciler: controller"),
        (
            "Knative",
            "Standard",
            "Standard",
            "deploymentMode cannot be changed from 'Standard' to 'Knative'",
        ),
        ("Foo", "Standard", "Standard", "cannot be changed"),
        ("", "", "", "has no block `deploy`"),
    ],
)
def test_modes_that_cannot_be_are_refused(
    annotation: str, default: str, running: str, said: str
) -> None:
    live = {"status": {"deploymentMode": running}} if running else None
    given = service(annotation)
    problem = mode_change(given, live) or mode_problem(given, config(default), live)
    assert problem is not None
    assert said in problem.message


def test_a_word_that_is_no_mode_may_stay() -> None:
    metadata = {"annotations": {"serving.kserve.io/deploymentMode": "Foo"}}
    live = {"metadata": metadata, "status": {"deploymentMode": "Standard"}}
    assert mode_change(service("Foo"), live) is None


@pytest.mark.parametrize("running", ["", "Standard", "RawDeployment"])
def test_the_same_mode_in_another_word_is_no_change(running: str) -> None:
    live = {"status": {"deploymentMode": running}} if running else None
    assert mode_change(service("RawDeployment"), live) is None
