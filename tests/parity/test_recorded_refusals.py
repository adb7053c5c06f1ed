# SPDX-License-Identifier: GPL-3.0-or-later
"""What a controller or its webhook does not take is refused before any write, and what it reports is told."""

from __future__ import annotations

import re

from .cases import Case, read_all
from .recorded import MODEL_SERVICE, RECORDINGS, Recording, places

#: What model-operator reports is in test_model_service_status.py.
KSERVE = [each for each in RECORDINGS if each is not MODEL_SERVICE]
_FAILED = "fails to reconcile component: "


def reported(case: Case) -> list[str]:
    """Return the errors that the controller wrote into its log, or else into the status."""
    for recorded in read_all(case.folder / "error.yaml"):
        return [error.removeprefix(_FAILED) for error in recorded["reconcileErrors"]]
    return [
        condition["message"]
        for condition in (case.status().get("initial") or {}).get("conditions") or ()
        if condition["status"] == "False" and condition.get("reason", "").endswith("Error")
    ]


def repeated(recording: Recording) -> list[str]:
    """Return the refused cases of which our error holds what the controller reports."""
    return [
        name
        for name, rule in recording.refused.items()
        if not {name, rule} & recording.own_words and reported(recording.cases[name])
    ]


def _known(message: str) -> str:
    """Return a message without the offset into the rendered document, which the recording leaves out."""
    return re.sub(r"config:1:(<offset>|\d+):", "config:1:", message)


@places(lambda recording: recording.refused)
def test_what_we_refuse_is_refused_by_its_rule(recording: Recording, name: str) -> None:
    rules = {problem.rule for problem in recording.cases[name].errors()}
    assert rules == {*recording.refused[name].split()}


@places(repeated, KSERVE)
def test_what_the_controller_reports_is_told(recording: Recording, name: str) -> None:
    """The message stands in the error, so that who knows the controller finds it."""
    case = recording.cases[name]
    told = _known("\n".join(problem.message for problem in case.errors()))
    assert [message for message in reported(case) if _known(message) not in told] == []


@places(lambda recording: filter(recording.denied, recording.cases))
def test_what_the_webhook_refuses_is_refused(recording: Recording, name: str) -> None:
    case = recording.cases[name]
    assert case.errors()
    if case.kind.kind == "LLMInferenceService":  # The other webhooks name no fields.
        assert all(problem.path in case.status()["refusal"] for problem in case.errors())


def test_every_report_of_a_refused_case_is_looked_at() -> None:
    assert sum(len(repeated(each)) for each in KSERVE) == 18
