# SPDX-License-Identifier: GPL-3.0-or-later
"""Each recorded service gives the objects that its controller sent: every field, every list in the same order."""

from __future__ import annotations

from .cases import Case
from .compare import Key, by_key, differences, key_of
from .differences_page import has_row
from .recorded import RECORDINGS, Recording, places


def different(case: Case) -> list[str]:
    return differences(by_key(case.rendered()), by_key(case.sent()))


@places(Recording.equal)
def test_children_are_what_the_controller_sent(recording: Recording, name: str) -> None:
    assert different(recording.cases[name]) == []
    assert recording.cases[name].errors() == []


@places(lambda recording: [*recording.equal(), *recording.different])
def test_children_come_in_the_controllers_order(recording: Recording, name: str) -> None:
    case = recording.cases[name]
    ours, theirs = map(key_of, case.rendered()), [key_of(each) for each in case.sent()]
    both: list[Key] = [key for key in ours if key in theirs]
    assert recording.order(both) == recording.order(theirs)


@places(lambda recording: recording.different)
def test_what_differs_on_purpose_differs_as_documented(recording: Recording, name: str) -> None:
    dummy, lines = recording.different[name]
    assert different(recording.cases[name]) == lines


@places(lambda recording: recording.cut_short)
def test_what_was_sent_before_a_stop_is_what_we_render(recording: Recording, name: str) -> None:
    case = recording.cases[name]
    sent, ours = by_key(case.sent()), by_key(case.rendered())
    assert differences({key: ours[key] for key in sent}, sent) == []
    assert len(ours) > len(sent)


@places(lambda recording: [*recording.refused, *recording.cut_short, *recording.different])
def test_every_difference_has_its_row(recording: Recording, name: str) -> None:
    assert has_row(recording.row(name), name)


def test_every_recorded_case_is_looked_at() -> None:
    assert {each.name: (len(each.cases), len(each.equal())) for each in RECORDINGS} == {
        "ModelService": (128, 107),
        "LLMInferenceService": (154, 118),
        "LLMInferenceService-0.19": (144, 136),
        "LLMInferenceService-0.20": (155, 145),
        "InferenceService": (107, 104),
        "InferenceService-0.19": (133, 125),
        "InferenceService-0.20": (150, 142),
        "InferenceService-impossible": (3, 0),
        "InferenceGraph-0.17": (55, 43),
        "InferenceGraph-0.19": (55, 43),
        "InferenceGraph-0.20": (55, 43),
        "LocalModelCache-0.17": (17, 15),
        "LocalModelCache-0.19": (29, 24),
        "LocalModelCache-0.20": (29, 24),
    }
    for each in RECORDINGS:
        assert each.cases.keys() >= {*each.refused, *each.cut_short, *each.different}
