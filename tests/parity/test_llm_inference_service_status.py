# SPDX-License-Identifier: GPL-3.0-or-later
"""Each recorded LLMInferenceService has the status that KServe gave it: while nothing is ready, and when everything is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from module_utils.kinds.llm_inference_service.compile import children
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.observe import observe
from module_utils.kinds.llm_inference_service.presets.resolve import resolve
from module_utils.kube.reference import Reference

from .recorded_llm_services import (
    Recorded,
    cases,
    read_all,
    recorded_cluster,
    recorded_settings,
)
from .test_llm_inference_service_render import CUT_SHORT, REFUSED

Json = dict[str, Any]
CASES = {folder.name: folder for folder in cases()}
#: Where the controller came to an end, we refuse before any write, so that there is no status. Not so where it waits
#: for what its router refers to: it says that, and so do we.
STOPPED = {name for name, row in CUT_SHORT.items() if row != "L61"}
OBSERVED = sorted(CASES.keys() - REFUSED.keys() - STOPPED)


def bare(status: Json | None) -> Json:
    """Return a status without what depends on the clock and on how often the controller wrote its object."""
    conditions = [
        {key: value for key, value in one.items() if key != "lastTransitionTime"}
        for one in (status or {}).get("conditions") or ()
    ]
    kept = {key: value for key, value in (status or {}).items() if key != "observedGeneration"}
    return {**kept, "conditions": conditions} if conditions else kept


def statuses(folder: Path) -> dict[str, Json]:
    """Return the status that we give a service at first, and after the recorded statuses of its children came in."""
    settings, cluster = recorded_settings(folder), recorded_cluster(folder)
    (document,) = read_all(folder / "input.yaml")
    service = load(document, settings).service
    assert service is not None
    resolved = resolve(service, settings, cluster)
    live = {Reference.of(each): each for each in cluster.objects()}
    for child in children(resolved, cluster):
        made = child.manifest.to_dict()
        live[child.manifest.reference] = {**made, "metadata": {**made["metadata"], "generation": 1}}
    found = {}
    for phase, reported in (("initial", ()), ("ready", read_all(folder / "ready.yaml"))):
        for each in reported:
            there = live[Reference.of(each)]
            metadata = {**there["metadata"], "generation": each["metadata"]["generation"]}
            live[Reference.of(each)] = {**there, "metadata": metadata, "status": each["status"]}
        observation = observe(resolved, Recorded(live.values()))
        live[service.reference] = {**service.document, "status": observation.status}
        found[phase] = observation.status
    return found


@pytest.mark.parametrize("name", OBSERVED)
def test_status_is_what_the_controller_reported(name: str) -> None:
    (recorded,) = read_all(CASES[name] / "status.yaml")
    found = statuses(CASES[name])
    assert bare(found["initial"]) == bare(recorded["initial"])
    assert bare(found["ready"]) == bare(recorded["ready"])


def test_most_recorded_cases_have_a_status() -> None:
    assert len(OBSERVED) == 123
