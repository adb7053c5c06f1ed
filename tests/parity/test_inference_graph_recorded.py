# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe's controller did with InferenceGraphs is what we do: children, status, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_graph.compile import (
    compile as compile_graph,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_graph.normalise import (
    load,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_graph.observe import (
    observe,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_graph.settings import (
    Settings,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kube.intent import Intent
from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import (
    InputError,
    Problem,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference
from tests.unit.kinds.refusals import api_refusals

from .compare import by_key, differences, key_of
from .differences_page import has_row
from .recorded_inference_graphs import RECORDED, cases, given, shared_context
from .recorded_llm_services import Recorded, read_all
from .test_llm_inference_service_status import bare

Json = dict[str, Any]
CASES = {f"{release}/{folder.name}": folder for release in RECORDED for folder in cases(release)}
#: Admitted by the webhook and refused by us before any write, since nothing comes of it: case → rule, row of docs/differences.md.
REFUSED = {
    "cpu-zero": ("autoscaler", "G10"),
    "name-59": ("name-length", "G8"),
    "scaled-by-keda": ("autoscaler", "G4"),
    "service-missing": ("graph-service", "G1"),
    "service-runtime-missing": ("graph-service", "G1"),
}


def status_of(folder: Path) -> Json:
    (status,) = read_all(folder / "status.yaml")
    return status


DENIED = sorted(name for name, folder in CASES.items() if "refusal" in status_of(folder))
BUILT = sorted(
    name for name, folder in CASES.items() if name not in DENIED and folder.name not in REFUSED
)


def settings_of(folder: Path) -> Settings:
    return Settings(release=next(one for one in RECORDED if RECORDED[one] == folder.parent))


def compiled(folder: Path) -> Intent:
    document, context = given(folder)
    graph = load(document, settings_of(folder)).service
    assert graph is not None
    return compile_graph(graph, settings_of(folder), Recorded([*shared_context(), *context]))


def problems(folder: Path) -> list[Problem]:
    document, context = given(folder)
    loaded = load(document, settings_of(folder))
    if loaded.service is None:
        return [problem for problem in loaded.problems if problem.severity == "error"]
    try:
        reader = Recorded([*shared_context(), *context])
        return api_refusals(loaded.service, settings_of(folder), reader)
    except InputError as error:
        return [problem for complaint in error.complaints for problem in complaint.problems]


@pytest.mark.parametrize("name", BUILT)
def test_children_are_what_the_controller_sent(name: str) -> None:
    recorded = list(read_all(CASES[name] / "intent.yaml"))
    ours = [child.manifest.to_dict() for child in compiled(CASES[name]).children]
    assert differences(by_key(ours), by_key(recorded)) == []
    # The controller makes the Service first; here it is applied in a stage before the workload.
    assert sorted(map(key_of, ours)) == sorted(map(key_of, recorded))
    assert problems(CASES[name]) == []


@pytest.mark.parametrize("name", BUILT)
def test_status_is_what_the_controller_reported(name: str) -> None:
    folder = CASES[name]
    recorded, intent = status_of(folder), compiled(folder)
    live = {child.manifest.reference: child.manifest.to_dict() for child in intent.children}
    for phase, reported in (("initial", ()), ("ready", read_all(folder / "ready.yaml"))):
        for each in reported:
            reference = Reference.of(each)
            if reference in live:
                live[reference] = {**live[reference], "status": each["status"]}
        found = observe(intent.basis, Recorded(live.values())).status
        live[intent.reference] = {**intent.parent, "status": found}
        assert bare(found) == bare(recorded[phase])


@pytest.mark.parametrize("name", DENIED)
def test_what_the_webhook_refuses_is_refused(name: str) -> None:
    assert problems(CASES[name])


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].name in REFUSED])
def test_what_we_refuse_is_refused_by_its_rule(name: str) -> None:
    rule, row = REFUSED[CASES[name].name]
    assert rule in {problem.rule for problem in problems(CASES[name])}
    assert has_row(row, CASES[name].name)


def test_every_recorded_case_is_looked_at() -> None:
    assert {release: len(cases(release)) for release in RECORDED} == {KServe.V0_20: 45}
    assert {CASES[name].name for name in CASES} >= {*REFUSED}
