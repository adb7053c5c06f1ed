# SPDX-License-Identifier: GPL-3.0-or-later
"""What went wrong for people who serve an InferenceService ends as it should, as far as rendering decides it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.advise import (
    advise,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.compile import (
    compile as compile_service,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.normalise import (
    load,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.settings import (
    Settings,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import InputError
from ansible_collections.modelops.inference.plugins.module_utils.kube.reader import GivenObjects

from .matching import CASES, Seen, cases, faults, is_of_kind
from .recorded_inference_services import RECORDINGS
from .recorded_llm_services import read_all

Json = dict[str, Any]
IS = {name: expected for name, expected in cases().items() if is_of_kind(name, "InferenceService")}
RENDERED = {name: each for name, each in IS.items() if each["run"]["needs"] == "nothing"}
#: What KServe ships, as far as a case does not say that it is not there.
SHIPPED = read_all(RECORDINGS / "context" / "clusterservingruntimes.yaml")


def documents(folder: Path, names: list[str]) -> list[Json]:
    texts = [(folder / name).read_text(encoding="utf-8") for name in names]
    return [document for text in texts for document in yaml.safe_load_all(text)]


def run(folder: Path, asked: Json) -> Seen:
    """Return what rendering the case's one service shows."""
    arguments = asked["args"]
    shipped = () if asked.get("assume") == "no shipped runtimes" else SHIPPED
    reader = GivenObjects([*shipped, *documents(folder, arguments.get("cluster_objects", []))])
    (document,) = documents(folder, arguments["src"])
    loaded = load(document, Settings())
    if loaded.service is None:
        return Seen(True, "\n".join(str(problem) for problem in loaded.problems))
    try:
        intent = compile_service(loaded.service, Settings(), reader)
    except InputError as error:
        return Seen(True, str(error))
    problems = [*loaded.problems, *advise(loaded.service, Settings(), reader)]
    manifests = [child.manifest.to_dict() for child in intent.children]
    services = [{"problems": [asdict(problem) for problem in problems]}]
    return Seen(False, result={"services": services, "manifests": manifests}, manifests=manifests)


@pytest.mark.parametrize("name", RENDERED)
def test_case_ends_as_it_should(name: str) -> None:
    assert list(faults(IS[name], run(CASES / name, IS[name]["run"]))) == []


def test_every_case_that_rendering_decides_is_run() -> None:
    assert len(RENDERED) == 5
