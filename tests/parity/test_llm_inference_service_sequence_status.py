# SPDX-License-Identifier: GPL-3.0-or-later
"""After each step of a recorded sequence a service has the status that KServe's controller gave it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from module_utils.kinds.llm_inference_service.compile import children
from module_utils.kinds.llm_inference_service.errors import Unbuildable
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.observe import observe
from module_utils.kinds.llm_inference_service.presets.resolve import resolve

from .compare import key_of
from .differences_page import has_row
from .llm_world import LlmWorld, sequences
from .recorded_llm_services import (
    Recorded,
    read_all,
    recorded_cluster,
    recorded_settings,
)
from .test_recorded_status import bare

Json = dict[str, Any]
PLACES = sequences()

#: We refuse before any write, with the condition that the controller sets: step → row of docs/differences.md.
REFUSED = {
    "SEQ-baseref-change/step-1": "L62",
    "SEQ-baseref-change/step-4": "L62",
    "SEQ-config-error-after-ready/step-2": "L62",
    "SEQ-service-account-late/step-1": "L66",
}
#: What is wrong with presets keeps the controller from a stop, and not us.
STOPPED = {"SEQ-config-error-after-ready/step-3": "L13"}
#: A selector cannot change: the controller tells it of the workload, we before any write.
STUCK = dict.fromkeys(
    [
        "SEQ-add-prefill-then-delete-deployment/step-2",
        "SEQ-add-prefill-then-delete-deployment/step-5",
        "SEQ-labels-immutable/step-2",
        "SEQ-labels-immutable/step-3",
        "SEQ-prefill/step-2",
        "SEQ-prefill/step-3",
    ],
    "L3",
)
#: Refused as well, while the controller has not looked again and says what it said.
UNSEEN = {"SEQ-delete-own-scheduler-sa/step-2": "L66"}
#: The controller cannot let go of a service whose own account is gone; ours is removed.
HELD = {"SEQ-delete-own-scheduler-sa/step-3": "L14"}
#: Nothing is there any more.
GONE = ["SEQ-delete/step-2", "SEQ-delete-own-scheduler-sa/step-4"]
ROWS = {**REFUSED, **STOPPED, **STUCK, **UNSEEN, **HELD}
EQUAL = sorted(PLACES.keys() - ROWS.keys() - set(GONE))


class Found(NamedTuple):
    """What we make of a service after a step. status: empty where it is gone or cannot be understood. error: why it cannot be built."""

    status: Json
    error: Unbuildable | None = None


@cache
def statuses(sequence: str) -> dict[str, Found]:
    """Return what we make of the service after each step of a sequence."""
    longest = max((steps for steps in PLACES.values() if steps[0].parent.name == sequence), key=len)
    return {f"{sequence}/{step.name}": found for step, found in _after_each(longest)}


def _after_each(steps: list[Path]) -> Iterator[tuple[Path, Found]]:
    world = LlmWorld({key_of(one): one for one in recorded_cluster(steps[0].parent).objects()})
    before: Json = {}
    for step in steps:
        world.take(step)
        made = Found({}) if world.service is None else _found(world, world.service, before)
        before = made.status or before
        yield step, made


def _found(world: LlmWorld, document: Json, before: Json) -> Found:
    settings = recorded_settings(Path("none"))
    service = load(document, settings).service
    assert service is not None
    there = Recorded([*world.objects.values(), {**service.document, "status": before}])
    try:
        resolved = resolve(service, settings, there)
    except Unbuildable as error:
        return Found({}, error)
    status = observe(resolved, there).status
    try:
        children(resolved, there)
    except Unbuildable as error:
        return Found(status, error)
    return Found(status)


def found(place: str) -> Found:
    return statuses(place.partition("/")[0])[place]


def recorded(place: str) -> Json:
    (status,) = read_all(PLACES[place][-1] / "status.yaml")
    return status


def by_type(status: Json) -> dict[str, Json]:
    return {one["type"]: one for one in bare(status)["conditions"]}


@pytest.mark.parametrize("place", EQUAL)
def test_status_after_a_step_is_the_controllers(place: str) -> None:
    status, error = found(place)
    assert error is None
    assert bare(status) == bare(recorded(place))


@pytest.mark.parametrize("place", REFUSED)
def test_what_cannot_be_built_is_told_in_the_controllers_words(place: str) -> None:
    error = found(place).error
    assert error is not None
    said = by_type(recorded(place))[error.condition]
    assert (said["status"], said["reason"]) == ("False", error.reason)
    assert said["message"].endswith(error.message)


@pytest.mark.parametrize("place", STOPPED)
def test_a_stop_that_the_controller_does_not_come_to_is_told_with_its_reason(place: str) -> None:
    status, error = found(place)
    assert error is None
    ours, theirs = (by_type(each)["PresetsCombined"] for each in (status, recorded(place)))
    assert ours["reason"] == "Stopped"
    assert ours["message"] == f"Service is stopped with warning: {theirs['message']}"


@pytest.mark.parametrize("place", UNSEEN)
def test_what_the_controller_has_not_seen_yet_is_refused_all_the_same(place: str) -> None:
    status, error = found(place)
    assert error is not None
    assert bare(status) == bare(recorded(place))


#: A part that the controller may not change, and what follows from it.
STUCK_PARTS = {
    "MainWorkloadReady": {"PrefillWorkloadReady", "WorkloadsReady", "Ready"},
    "SchedulerWorkloadReady": {"HTTPRoutesReady", "RouterReady", "Ready"},
}


@pytest.mark.parametrize("place", STUCK)
def test_of_all_but_the_part_that_is_stuck_the_same_is_said(place: str) -> None:
    ours, theirs = by_type(found(place).status), by_type(recorded(place))
    (stuck,) = [
        part
        for part in STUCK_PARTS
        if "field is immutable" in theirs.get(part, {}).get("message", "")
    ]
    others = theirs.keys() - {stuck} - STUCK_PARTS[stuck]
    assert {kind: ours[kind] for kind in others} == {kind: theirs[kind] for kind in others}


@pytest.mark.parametrize("place", HELD)
def test_a_service_that_the_controller_cannot_let_go_is_removed(place: str) -> None:
    assert found(place) == Found({})
    assert by_type(recorded(place))["Ready"]


@pytest.mark.parametrize("place", GONE)
def test_of_a_service_that_is_gone_nothing_is_said(place: str) -> None:
    assert found(place) == Found({})
    assert recorded(place) == {"gone": True}


@pytest.mark.parametrize("place", ROWS)
def test_every_difference_has_its_row(place: str) -> None:
    assert has_row(ROWS[place], place.partition("/")[0])


def test_every_step_of_every_sequence_is_looked_at() -> None:
    assert len(PLACES) == 78
    assert len(EQUAL) == 63
