# SPDX-License-Identifier: GPL-3.0-or-later
"""After each step of a recorded sequence our children are those that the operator has left in the cluster."""

from __future__ import annotations

import pytest

from .differences_page import has_row
from .replay import Step, sequences
from .world import World

#: Refused before any write: step → `Problem.rule`, which is the row of docs/differences.md.
REFUSED = {
    "SEQ-collision-cluster-rbac/step-2": "collision",
    "SEQ-collision-picker-names/step-2": "collision",
    "SEQ-collision-picker-names/step-3": "collision",
    "SEQ-collision-picker-names/step-4": "collision",
    "SEQ-error-recovery/step-1": "picker-port",
    "SEQ-error-recovery/step-4": "picker-port",
    "SEQ-error-recovery/step-5": "picker-port",
}

#: Where the operator lacks children that a service wants: step → row of docs/differences.md, and which children.
LACKING = {
    "SEQ-collision-cluster-rbac/step-3": (
        "W5",
        ["ClusterRole team-a-chat-epp", "ClusterRoleBinding team-a-chat-epp"],
    ),
    "SEQ-collision-picker-names/step-5": (
        "W4",
        [
            "Deployment seq/llama-3-1-epp",
            "DestinationRule seq/llama-3-1-epp",
            "ClusterRole seq-llama-3-1-epp",
            "ClusterRoleBinding seq-llama-3-1-epp",
            "Role seq/llama-3-1-epp",
            "RoleBinding seq/llama-3-1-epp",
            "ConfigMap seq/llama-3-1-epp-config",
            "Secret seq/llama-3-1-epp-sa-metrics-reader-secret",
            "Service seq/llama-3-1-epp",
            "ServiceAccount seq/llama-3-1-epp",
        ],
    ),
    "SEQ-existing-rolebinding-other-role/step-2": (
        "W3",
        ["HTTPRoute seq/rb", "InferencePool seq/rb", "DestinationRule seq/rb-epp"],
    ),
    "SEQ-no-monitoring-crds/step-2": (
        "W21",
        ["PodMonitor seq/nocrd-decode", "ServiceMonitor seq/nocrd-epp"],
    ),
}

PICKER = "Deployment seq/maps-epp: .spec.template.spec.containers[0]"

#: Rendered otherwise on purpose: step → row of docs/differences.md, and each difference.
DIFFERENT = {
    # Empty maps count as absent at any time, as they do for the operator when a service is created.
    "SEQ-empty-maps-later/step-2": (
        "an empty text or map counts as absent",
        [
            f"{PICKER}.resources: recorded None, ours "
            + str({"requests": {"cpu": "4", "memory": "8Gi"}, "limits": {"memory": "16Gi"}})
        ],
    ),
}

SEQUENCES = sequences()
PLACES = {
    f"{name}/{step.folder.name}": steps[: step.number]
    for name, steps in SEQUENCES.items()
    for step in steps
}
#: Nothing follows a change while the operator is down.
UNDECIDED = {place for place, steps in PLACES.items() if not World.after(steps).running}
EQUAL = sorted(
    PLACES.keys() - REFUSED.keys() - LACKING.keys() - DIFFERENT.keys() - UNDECIDED, key=str
)


def test_every_step_of_every_sequence_is_understood() -> None:
    assert len(SEQUENCES) == 24
    assert len(PLACES) == 111
    for steps in SEQUENCES.values():
        assert [step.number for step in steps] == list(range(1, len(steps) + 1))
        assert all(step.operations and step.description for step in steps)


@pytest.mark.parametrize("place", EQUAL)
def test_children_after_a_step_are_the_operators(place: str) -> None:
    world = World.after(PLACES[place])
    assert not world.refusals()
    assert world.differences() == []


@pytest.mark.parametrize("place", REFUSED)
def test_what_cannot_go_well_is_refused(place: str) -> None:
    assert World.after(PLACES[place]).refusals() == {REFUSED[place]}


@pytest.mark.parametrize("place", LACKING)
def test_ours_has_what_the_operator_lacks(place: str) -> None:
    _row, lacking = LACKING[place]
    world = World.after(PLACES[place])
    assert world.differences() == [f"{child}: not made by the operator" for child in lacking]


@pytest.mark.parametrize("place", DIFFERENT)
def test_what_differs_on_purpose_differs_as_documented(place: str) -> None:
    _row, lines = DIFFERENT[place]
    assert World.after(PLACES[place]).differences() == lines


@pytest.mark.parametrize("place", [*REFUSED, *LACKING, *DIFFERENT])
def test_every_difference_has_its_row(place: str) -> None:
    row = REFUSED.get(place) or {**LACKING, **DIFFERENT}[place][0]
    assert has_row(row, place.partition("/")[0])


def test_undecided_is_only_what_happens_while_the_operator_is_down() -> None:
    assert {"SEQ-delete-while-operator-down/step-2"} == UNDECIDED


def operations_of(step: Step) -> list[str]:
    return [type(operation).__name__ for operation in step.operations]


def test_sequences_show_every_operation() -> None:
    seen = {name for steps in SEQUENCES.values() for step in steps for name in operations_of(step)}
    assert seen == {
        "ApplyService",
        "Create",
        "Delete",
        "DeploymentStatus",
        "Patch",
        "SetCrd",
        "StartControllers",
        "StartOperator",
        "StopOperator",
        "Wait",
    }
