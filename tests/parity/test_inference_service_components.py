# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe's controller finds wrong with runtimes and pods is told in its words, before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from module_utils.kinds.inference_service.errors import Unbuildable
from module_utils.kinds.inference_service.pods.build import components
from module_utils.kinds.inference_service.resolve import resolve
from module_utils.kinds.inference_service.spec import InferenceService

from .recorded_inference_services import SETTINGS, invalid_cases, read_one, recorded_cluster

#: The rules of runtimes, and of what pods are made from.
OURS = {
    "multinode-no-runtime-worker": "runtime",
    "no-runtime-format": "runtime",
    "no-runtime-onnx-v1": "runtime",
    "placeholder-with-quotes": "placeholder",
    "runtime-no-containers": "runtime-containers",
    "runtime-no-kserve-container": "runtime-containers",
    "runtime-not-found": "runtime",
    "runtime-wrong-protocol": "runtime",
    "runtime-wrong-version": "runtime",
    "storageuri-unknown-scheme": "storage-uri",
}
CASES = [folder for folder in invalid_cases() if folder.name in OURS]
BEFORE = "fails to reconcile component: "


def refused(folder: Path) -> Unbuildable:
    document = read_one(folder / "input.yaml")
    metadata = document["metadata"]
    service = InferenceService(
        document,
        metadata["name"],
        metadata["namespace"],
        metadata.get("labels") or {},
        metadata.get("annotations") or {},
        document["spec"],
    )
    reader = recorded_cluster(folder)
    with pytest.raises(Unbuildable) as caught:
        components(resolve(service, SETTINGS, reader), reader)
    return caught.value


@pytest.mark.parametrize("folder", CASES, ids=[folder.name for folder in CASES])
def test_a_refusal_is_the_controllers(folder: Path) -> None:
    recorded, error = read_one(folder / "error.yaml"), refused(folder)
    (message,) = recorded["reconcileErrors"]
    assert error.message == message.removeprefix(BEFORE)
    assert error.problem.rule == OURS[folder.name]
    assert error.problem.path.startswith("spec.predictor.")


@pytest.mark.parametrize("folder", CASES, ids=[folder.name for folder in CASES])
def test_the_models_status_says_what_the_controller_says(folder: Path) -> None:
    recorded, error = read_one(folder / "error.yaml"), refused(folder)
    model = (recorded["status"].get("modelStatus") or {}).get("lastFailureInfo")
    told = error.model and {"reason": error.model.reason, "message": error.model.message}
    assert told == model


def test_every_recorded_case_is_there() -> None:
    assert {folder.name for folder in CASES} == set(OURS)
