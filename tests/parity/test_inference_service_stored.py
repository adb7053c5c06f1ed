# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe's defaulting webhook and the CRD make of a service is what we make of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from module_utils.kinds.inference_service.defaulting import defaulted
from module_utils.kinds.inference_service.normalise import load
from module_utils.kinds.inference_service.spec import InferenceService
from module_utils.kinds.kserve.read_system_config import read_system_config
from module_utils.kube.manifest import Json
from module_utils.kube.redact import LAST_APPLIED
from tests.parity.recorded_inference_services import (
    SETTINGS,
    read_one,
    recorded_cluster,
    stored_cases,
)


def told(value: Any) -> Any:
    """Return what a spec says: the webhook writes some fields of containers that are empty."""
    if isinstance(value, list):
        return [told(item) for item in value]
    if not isinstance(value, dict):
        return value
    silent: Json = {"name": "", "resources": {}}
    return {
        key: told(item) for key, item in value.items() if key not in silent or item != silent[key]
    }


def made(folder: Path, file: str) -> InferenceService:
    """Return a recorded service as we would have it stored."""
    loaded = load(read_one(folder / file), SETTINGS)
    assert loaded.service is not None, [str(problem) for problem in loaded.problems]
    cluster = recorded_cluster(folder)
    config = read_system_config("kserve", cluster)
    return defaulted(loaded.service, config, SETTINGS.release, cluster)


@pytest.mark.parametrize("file", ["input.yaml", "stored.yaml"])
@pytest.mark.parametrize("folder", stored_cases(), ids=lambda folder: folder.name)
def test_defaults_are_those_of_the_webhook_and_change_nothing_twice(
    folder: Path, file: str
) -> None:
    service, stored = made(folder, file), read_one(folder / "stored.yaml")
    assert told(service.spec) == told(stored["spec"])
    annotations = {
        key: value
        for key, value in (stored["metadata"].get("annotations") or {}).items()
        if key != LAST_APPLIED
    }
    assert dict(service.annotations) == annotations
    assert dict(service.labels) == (stored["metadata"].get("labels") or {})


def test_recordings_are_there() -> None:
    assert len(stored_cases()) == 136
