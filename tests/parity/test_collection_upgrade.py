# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose objects were made before releases were noted on them keeps its pods: the same release is found, and it makes the same objects.

The digests are those of the objects that the collection rendered for each recording at that time.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from module_utils.fleet.release_finder import by_shape

from .recorded import INFERENCE_SERVICE, LLM_INFERENCE_SERVICE

DIGESTS: dict[str, str] = json.loads(
    (Path(__file__).parent / "recordings" / "made_before_releases_were_noted.json").read_bytes()
)
CASES = {
    f"{folder}/{name}": case
    for folder, recording in (
        ("inference_service", INFERENCE_SERVICE),
        ("llm_inference_service", LLM_INFERENCE_SERVICE),
    )
    for name, case in recording.cases.items()
}


@pytest.mark.parametrize("name", DIGESTS)
def test_an_upgrade_of_the_collection_changes_no_object(name: str) -> None:
    objects = CASES[name].rendered()
    text = json.dumps(objects, sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == DIGESTS[name]
    found = by_shape(CASES[name].kind, objects)
    assert (str(found.release), found.source, found.problems) == ("0.17", "objects", ())


def test_every_recorded_service_is_upgraded() -> None:
    refused = {f"llm_inference_service/{name}" for name in LLM_INFERENCE_SERVICE.refused}
    assert CASES.keys() - DIGESTS.keys() == refused
