# SPDX-License-Identifier: GPL-3.0-or-later
"""What later releases of KServe did with LLMInferenceServices is what we do under these releases: children, status, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.llm_inference_service.compile import compile as compile_service
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.observe import observe
from module_utils.kube.intent import Intent
from module_utils.kube.problem import InputError, Problem
from module_utils.kube.reference import Reference
from tests.unit.kinds.refusals import api_refusals

from .compare import by_key, differences, key_of
from .differences_page import has_row
from .recorded_llm_services import (
    LATER,
    Recorded,
    given,
    later_cases,
    read_all,
    recorded_cluster,
    recorded_settings,
)
from .test_llm_inference_service_status import bare

Json = dict[str, Any]
#: Admitted by the webhook and refused by us before any write: case → `Problem.rule`, which is also the row of docs/differences.md.
REFUSED = {
    "config-not-found": "preset",
    "lora-image-refused": "adapters",
    "scaling-keda": "scaling",
}
#: The controller came to a stop on its way; what it sent is what we render, and we render the rest, too: case → row.
CUT_SHORT = {"foreign-service": "L60"}
CASES = {f"{release}/{folder.name}": folder for release in LATER for folder in later_cases(release)}


def status_of(folder: Path) -> Json:
    (status,) = read_all(folder / "status.yaml")
    return status


DENIED = {name for name, folder in CASES.items() if "refusal" in status_of(folder)}
BUILT = sorted(
    name
    for name, folder in CASES.items()
    if name not in DENIED and folder.name not in {*REFUSED, *CUT_SHORT}
)


def compiled(folder: Path) -> Intent:
    settings = recorded_settings(folder)
    (document,) = given(folder, "input.yaml")
    service = load(document, settings).service
    assert service is not None
    return compile_service(service, settings, recorded_cluster(folder))


def rendered(folder: Path) -> list[Json]:
    return [child.manifest.to_dict() for child in compiled(folder).children]


def problems(folder: Path) -> list[Problem]:
    settings = recorded_settings(folder)
    (document,) = given(folder, "input.yaml")
    loaded = load(document, settings)
    if loaded.service is None:
        return [problem for problem in loaded.problems if problem.severity == "error"]
    try:
        return api_refusals(loaded.service, settings, recorded_cluster(folder))
    except InputError as error:
        return [problem for complaint in error.complaints for problem in complaint.problems]


@pytest.mark.parametrize("name", BUILT)
def test_children_are_what_the_controller_sent(name: str) -> None:
    recorded = list(read_all(CASES[name] / "intent.yaml"))
    ours = rendered(CASES[name])
    assert differences(by_key(ours), by_key(recorded)) == []
    assert [key_of(each) for each in ours] == [key_of(each) for each in recorded]


@pytest.mark.parametrize("name", BUILT)
def test_status_is_what_the_controller_reported(name: str) -> None:
    folder = CASES[name]
    recorded, intent = status_of(folder), compiled(folder)
    live = {Reference.of(each): each for each in recorded_cluster(folder).objects()}
    for child in intent.children:
        made = child.manifest.to_dict()
        live[child.manifest.reference] = {**made, "metadata": {**made["metadata"], "generation": 1}}
    for phase, reported in (("initial", ()), ("ready", read_all(folder / "ready.yaml"))):
        for each in reported:
            there = live[Reference.of(each)]
            metadata = {**there["metadata"], "generation": each["metadata"]["generation"]}
            live[Reference.of(each)] = {**there, "metadata": metadata, "status": each["status"]}
        found = observe(intent.basis, Recorded(live.values())).status
        live[intent.reference] = {**intent.parent, "status": found}
        assert bare(found) == bare(recorded[phase])


@pytest.mark.parametrize("name", sorted(DENIED))
def test_what_the_webhook_refuses_is_refused_in_its_field(name: str) -> None:
    refusal = status_of(CASES[name])["refusal"]
    found = problems(CASES[name])
    assert found
    assert all(problem.path in refusal for problem in found)


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].name in REFUSED])
def test_what_we_refuse_is_refused_by_its_rule(name: str) -> None:
    case = CASES[name].name
    assert {problem.rule for problem in problems(CASES[name])} == {REFUSED[case]}
    assert has_row(REFUSED[case], case)


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].name in CUT_SHORT])
def test_what_was_sent_before_a_stop_is_what_we_render(name: str) -> None:
    sent, ours = by_key(read_all(CASES[name] / "intent.yaml")), by_key(rendered(CASES[name]))
    assert differences({key: ours[key] for key in sent}, sent) == []
    assert len(ours) > len(sent)
    assert has_row(CUT_SHORT[CASES[name].name], CASES[name].name)


def test_every_recorded_case_is_looked_at() -> None:
    counted = {release: len(later_cases(release)) for release in LATER}
    assert counted == {KServe.V0_19: 84, KServe.V0_20: 141}
    assert {CASES[name].name for name in CASES} >= {*REFUSED, *CUT_SHORT}
