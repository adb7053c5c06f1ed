# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose objects were made before releases were noted on them keeps its pods: the same release is found, and it makes the same objects.

The digests are those of the objects that the collection rendered for each recording at that time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from module_utils.fleet.release_finder import by_shape
from module_utils.kinds.registry import KINDS

from . import test_inference_service_render as inference_services
from . import test_llm_inference_service_render as llm_inference_services

Json = dict[str, Any]
DIGESTS: dict[str, str] = json.loads(
    (Path(__file__).parent / "recordings" / "made_before_releases_were_noted.json").read_bytes()
)
RENDERED: dict[str, tuple[str, dict[str, Path], Callable[[Path], list[Any]]]] = {
    "inference_service": (
        "InferenceService",
        inference_services.CASES,
        inference_services.rendered,
    ),
    "llm_inference_service": (
        "LLMInferenceService",
        llm_inference_services.CASES,
        llm_inference_services.rendered,
    ),
}
OF_NAME = {kind: found for (dummy, kind), found in KINDS.items()}


@pytest.mark.parametrize("name", DIGESTS)
def test_an_upgrade_of_the_collection_changes_no_object(name: str) -> None:
    folder, dummy, case = name.partition("/")
    kind, cases, rendered = RENDERED[folder]
    objects = rendered(cases[case])
    text = json.dumps(objects, sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == DIGESTS[name]
    found = by_shape(OF_NAME[kind], objects)
    assert (str(found.release), found.source, found.problems) == ("0.17", "objects", ())


def test_every_recorded_service_is_upgraded() -> None:
    refused = llm_inference_services.REFUSED
    there = {
        f"{folder}/{case}"
        for folder, (dummy, cases, dummy_settings) in RENDERED.items()
        for case in cases
    }
    assert there - DIGESTS.keys() == {f"llm_inference_service/{case}" for case in refused}
