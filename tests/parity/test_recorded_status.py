# SPDX-License-Identifier: GPL-3.0-or-later
"""Each recorded service has the status that KServe gave it: while nothing is ready, and when everything is."""

from __future__ import annotations

from typing import Any

from module_utils.kube.reference import Reference

from .cases import Case
from .recorded import INFERENCE_SERVICE, MODEL_SERVICE, RECORDINGS, Recording, places
from .recorded_llm_services import Recorded

Json = dict[str, Any]
#: The engine repeats its rounds this often at most.
_ROUNDS = 4
#: What was recorded of the others has other phases: test_model_service_status.py, test_inference_service_status.py.
OF_PHASES = [each for each in RECORDINGS if each not in (MODEL_SERVICE, INFERENCE_SERVICE)]


def bare(status: Json | None) -> Json:
    """Return a status without what depends on the clock and on how often the controller wrote its object."""
    conditions = [
        {key: value for key, value in one.items() if key != "lastTransitionTime"}
        for one in (status or {}).get("conditions") or ()
    ]
    kept = {key: value for key, value in (status or {}).items() if key != "observedGeneration"}
    return {**kept, "conditions": conditions} if conditions else kept


def observed(recording: Recording) -> list[str]:
    """Return the cases with a status: where the controller waits for what its router refers to, it says that, and so do we (L61)."""
    waiting = [name for name, row in recording.cut_short.items() if row == "L61"]
    names = [*recording.equal(), *recording.different, *waiting]
    return [name for name in names if name not in recording.unobserved]


def statuses(case: Case) -> dict[str, Json]:
    """Return the status that we give a service at first, and after the recorded statuses of its children came in."""
    known, found, status = case.reader().objects(), {}, {}
    for phase, reported in (("initial", ()), ("ready", case.reported())):
        for dummy in range(_ROUNDS):
            before = status
            parent = {**case.document, "status": status}
            intent = case.compiled(Recorded([*known, parent]))
            live = {Reference.of(each): each for each in known}
            for child in intent.children:
                live[child.manifest.reference] = _at(1, child.manifest.to_dict())
            for each in reported:
                reference = Reference.of(each)
                if reference in live:
                    there = _at(each["metadata"].get("generation", 1), live[reference])
                    live[reference] = {**there, "status": each["status"]}
            live[intent.reference] = {**intent.parent, "status": status}
            status = case.kind.observe(intent.basis, Recorded(live.values()), ()).status
            if status == before:
                break
        found[phase] = status
    return found


def _at(generation: int, manifest: Json) -> Json:
    return {**manifest, "metadata": {**manifest["metadata"], "generation": generation}}


@places(observed, OF_PHASES)
def test_status_is_what_the_controller_reported(recording: Recording, name: str) -> None:
    case = recording.cases[name]
    recorded = case.status()
    assert {phase: bare(said) for phase, said in statuses(case).items()} == {
        phase: bare(recorded[phase]) for phase in ("initial", "ready")
    }


@places(observed, OF_PHASES)
def test_conditions_can_be_waited_for(recording: Recording, name: str) -> None:
    case = recording.cases[name]
    types = {
        one["type"] for said in case.status().values() for one in (said or {}).get("conditions", ())
    }
    assert types <= {*case.kind.condition_types}


def test_every_recorded_status_is_looked_at() -> None:
    assert {each.name: len(observed(each)) for each in OF_PHASES if each.cases} == {
        "LLMInferenceService": 123,
        "LLMInferenceService-0.19": 137,
        "LLMInferenceService-0.20": 146,
        "InferenceService-0.19": 124,
        "InferenceService-0.20": 141,
        "InferenceService-impossible": 0,
        "InferenceGraph-0.17": 43,
        "InferenceGraph-0.19": 43,
        "InferenceGraph-0.20": 43,
        "LocalModelCache-0.17": 15,
        "LocalModelCache-0.19": 24,
        "LocalModelCache-0.20": 24,
    }
