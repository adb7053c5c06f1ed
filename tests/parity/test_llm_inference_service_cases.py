# SPDX-License-Identifier: GPL-3.0-or-later
"""What went wrong for people who serve an LLMInferenceService ends as it should, as far as rendering decides it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.advise import (
    advise,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.compile import (
    compile as compile_service,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.normalise import (
    load,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.settings import (
    Settings,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import InputError
from ansible_collections.modelops.inference.plugins.module_utils.kube.reader import GivenObjects

from .matching import CASES, Seen, cases, faults, is_of_kind

Json = dict[str, Any]
LI = {
    name: expected for name, expected in cases().items() if is_of_kind(name, "LLMInferenceService")
}


def documents(folder: Path, names: list[str]) -> list[Json]:
    texts = [(folder / name).read_text(encoding="utf-8") for name in names]
    return [document for text in texts for document in yaml.safe_load_all(text)]


def run(folder: Path, arguments: Json) -> Seen:
    """Return what rendering the case's one service shows."""
    reader = GivenObjects(documents(folder, arguments.get("cluster_objects", [])))
    (document,) = documents(folder, arguments["src"])
    loaded = load(document, Settings())
    assert loaded.service is not None
    try:
        intent = compile_service(loaded.service, Settings(), reader)
    except InputError as error:
        return Seen(True, str(error))
    problems = [*loaded.problems, *advise(loaded.service, Settings(), reader)]
    manifests = [child.manifest.to_dict() for child in intent.children]
    services = [{"problems": [asdict(problem) for problem in problems]}]
    return Seen(False, result={"services": services, "manifests": manifests}, manifests=manifests)


@pytest.mark.parametrize("name", LI)
def test_case_ends_as_it_should(name: str) -> None:
    assert LI[name]["run"]["needs"] == "nothing"
    assert list(faults(LI[name], run(CASES / name, LI[name]["run"]["args"]))) == []


def test_every_case_that_rendering_decides_is_run() -> None:
    """Two more need a cluster: a label that moves into a selector, and the condition of a picker that was taken away."""
    assert len(LI) == 6
