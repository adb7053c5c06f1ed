# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server stores of a service, defaults of CRD and webhook included, is what we make of it, and of itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from module_utils.kinds.inference_service.defaulting import defaulted
from module_utils.kinds.kserve.read_system_config import read_system_config
from module_utils.kube.manifest import Json
from module_utils.kube.redact import LAST_APPLIED

from .cases import Case, read_all, stored_cases

#: What a spec says no more by: written or left out by the webhook, or by the controller, where it is empty or false.
SILENT: dict[str, Json] = {
    "LLMInferenceService": {"resources": {}, "expert": False, "model": {"uri": ""}},
    "InferenceService": {"name": "", "resources": {}},
}
#: Recorded cases whose name no child can have: docs/differences.md, L36.
REFUSED = {"LLMInferenceService/name-with-dots"}
CASES = {name: case for name, case in stored_cases().items() if name not in REFUSED}


def told(value: Any, silent: Json) -> Any:
    """Return what a spec says."""
    if isinstance(value, list):
        return [told(item, silent) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key: item for key, item in value.items() if key not in silent or item != silent[key]}
    return {key: told(item, silent) for key, item in kept.items()}


def made(case: Case) -> Any:
    """Return a recorded service as we would have it stored."""
    if case.kind.kind != "InferenceService":
        return case.service()
    reader, release = case.reader(), case.settings().release
    return defaulted(case.service(), read_system_config("kserve", reader), release, reader)


@pytest.mark.parametrize("file", ["input.yaml", "stored.yaml"])
@pytest.mark.parametrize("name", CASES)
def test_defaults_are_those_of_the_api_server_and_change_nothing_twice(
    name: str, file: str
) -> None:
    case = CASES[name]
    (document,), (stored,) = (read_all(case.folder / each) for each in (file, "stored.yaml"))
    service, silent = made(replace(case, document=document)), SILENT[case.kind.kind]
    assert told(service.spec, silent) == told(stored["spec"], silent)
    marks = {**(stored["metadata"].get("annotations") or {})}
    marks.pop(LAST_APPLIED, None)
    assert dict(service.annotations) == marks
    assert dict(service.labels) == (stored["metadata"].get("labels") or {})


def test_recordings_are_there() -> None:
    kinds = [case.kind.kind for case in CASES.values()]
    assert kinds.count("InferenceService") == 136
    assert kinds.count("LLMInferenceService") == 40
