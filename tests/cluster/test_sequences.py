# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorded sequences done again with our reconciler: after each step the children are those that the operator left.

The lab's controllers run all the time, so the steps that set a status or start a controller have nothing of their own to do.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.lab.client import Client, wait_until
from tests.lab.cluster import Cluster
from tests.parity.differences_page import has_row
from tests.parity.replay import Step, sequences
from tests.parity.test_model_service_sequences import DIFFERENT, LACKING

from .support.entries import Entries
from .support.moved import Move
from .support.replayed import Replay

#: Refused, with what the message says: step → row of docs/differences.md, and texts.
REFUSED = {
    "SEQ-collision-cluster-rbac/step-2": ("W5", ["ClusterRole", "belongs to ModelService"]),
    "SEQ-collision-picker-names/step-2": ("W4", ["belongs to ModelService", "llama-3.1"]),
    "SEQ-collision-picker-names/step-3": ("W4", ["belongs to ModelService", "llama-3.1"]),
    "SEQ-error-recovery/step-1": (
        "picker-port",
        ["spec.inferencePool.endpointPicker.port", "9090"],
    ),
    "SEQ-error-recovery/step-4": (
        "picker-port",
        ["spec.inferencePool.endpointPicker.port", "9090"],
    ),
    "SEQ-error-recovery/step-5": (
        "picker-port",
        ["spec.inferencePool.endpointPicker.port", "9090"],
    ),
    "SEQ-existing-children-without-owner/step-2": ("W3", ["exists already", "not ours", "adopt"]),
    "SEQ-existing-rolebinding-other-role/step-2": ("W3", ["RoleBinding", "not ours"]),
}
#: Replicas that the author leaves out stay as they are; the operator sets them back to one.
KEPT_REPLICAS = {
    "SEQ-grow-and-shrink/step-3": (
        "W16",
        ["Deployment seq/grow-decode: .spec.replicas: recorded 1, ours 2"],
    ),
    "SEQ-scale-down/step-7": (
        "W16",
        ["Deployment seq/scale-decode: .spec.replicas: recorded 1, ours 0"],
    ),
}
#: Its kinds come and go, which other tests would notice: it has a control plane of its own in test_missing_kinds.py.
ELSEWHERE = "SEQ-no-monitoring-crds"
SEQUENCES = sequences()


@contextmanager
def places(client: Client) -> Iterator[tuple[Move, Move]]:
    """Two sets of namespaces: where a sequence runs, and where nothing is."""
    moves = Move(f"s{uuid.uuid4().hex[:5]}"), Move(f"x{uuid.uuid4().hex[:5]}")
    made = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"{move.word}{ending}"}}
        for move in moves
        for ending in ("", "-a", "-real")
    ]
    client.apply_all(made)
    try:
        yield moves
    finally:
        for each in made:
            client.delete(each)


def place_of(name: str, step: Step) -> str:
    return f"{name}/{step.folder.name}"


def documented(place: str, replay: Replay) -> list[str]:
    """Return the differences that docs/differences.md tells of, in the place where the sequence runs."""
    if place in LACKING and place not in REFUSED:
        lines = [f"{child}: not made by the operator" for child in LACKING[place][1]]
    else:
        lines = KEPT_REPLICAS.get(place, ("", []))[1]
    if place in DIFFERENT:
        lines = [_field(line) for line in DIFFERENT[place][1]]
    return replay.here.there(lines)


def settled(place: str, replay: Replay) -> None:
    """Wait until nothing differs but what is documented: the garbage collector may still be at work."""
    wanted = documented(place, replay)

    def look() -> tuple[bool, list[str]]:
        found = replay.differences()
        # A value that is a map is written in any order of its keys.
        return (
            found if place not in DIFFERENT else [_field(line) for line in found]
        ) == wanted, found

    wait_until(look, f"{place} to be as recorded", 30.0)


def _field(line: str) -> str:
    return line.partition(": recorded")[0]


def refused(place: str, replay: Replay, step: Step) -> None:
    before = replay.live()
    result = replay.act(step)
    assert result is not None
    assert result.get("failed"), place
    for text in REFUSED[place][1]:
        assert text in result["msg"], place
    assert replay.live() == before, f"{place}: something was written before the refusal"


@pytest.mark.parametrize("name", sorted(SEQUENCES.keys() - {ELSEWHERE}))
def test_children_after_each_step_are_those_of_the_operator(
    name: str, lab: Cluster, entries: Entries
) -> None:
    with places(lab.client) as (here, elsewhere):
        replay = Replay(lab.client, entries, here, elsewhere)
        for step in SEQUENCES[name]:
            place = place_of(name, step)
            if place in REFUSED:
                refused(place, replay, step)
                continue
            result = replay.act(step)
            assert not (result or {}).get("failed"), f"{place}: {result and result['msg']}"
            settled(place, replay)


@pytest.mark.parametrize("place", [*REFUSED, *KEPT_REPLICAS])
def test_every_difference_has_its_row(place: str) -> None:
    row = {**REFUSED, **KEPT_REPLICAS}[place][0]
    assert has_row(row, place.partition("/")[0])


def test_every_sequence_is_replayed() -> None:
    assert len(SEQUENCES) == 24
    steps = {place_of(name, step) for name, found in SEQUENCES.items() for step in found}
    assert len(steps) == 111
    assert steps >= REFUSED.keys() | KEPT_REPLICAS.keys()
