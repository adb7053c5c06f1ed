# SPDX-License-Identifier: GPL-3.0-or-later
"""After each step of a recorded sequence we want the objects that KServe's controller wanted, and say what it said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from module_utils.kube.manifest import Json
from module_utils.kube.problem import InputError

from .compare import Key, by_key, differences, key_of, reduced
from .differences_page import has_row
from .isvc_world import World
from .recorded_inference_services import read_one, sequences
from .recorded_llm_services import read_all

#: By the row of docs/differences.md the lines that are there because of it.
LINES = {
    "I2": r"Service team-a/leg-predictor: missing|deploymentMode: recorded 'RawDeployment'",
    "I7": r"(HorizontalPodAutoscaler|ScaledObject) .*: missing",
    "I9": r"(PredictorReady|IngressReady|Ready|address|components|url): recorded",
    "I10": r"Service .*-head-\d: missing",
    "I11": r".*-(transformer|predictor-worker): missing",
    "I18": r"Ingress .*: missing",
    "I80": r"(Ingress|HTTPRoute|VirtualService) .*: not in the recording",
    "I81": r"(Service|Ingress) .*: \.metadata\.(labels|annotations)\.",
    "I82": r"Service .*: \.metadata\.annotations: recorded \{'other'",
    "I83": r"\w+: recorded .*%!",
    "I84": r".*recorded 'gs://m/c', ours 'gs://m/c2'",
    "I85": r"refused: |modelStatus: recorded .*RuntimeNotRecognized",
    "I86": r"",
}
#: Where which of them show.
ROWS = {
    "SEQ-autoscaler-class-changes": ["I80", "I81"],
    "SEQ-child-deleted": ["I80", "I81"],
    "SEQ-child-edited": ["I80", "I81"],
    "SEQ-child-edited-knative": ["I80", "I82"],
    "SEQ-delete": ["I80"],
    "SEQ-deployment-status-changes": ["I80", "I83"],
    "SEQ-disable-auto-update": ["I80", "I84"],
    "SEQ-explainer-only-unready": ["I80"],
    "SEQ-hpa-keda-switch": ["I7", "I80", "I81"],
    "SEQ-httproute-status-changes": ["I80"],
    "SEQ-knative-canary": ["I80"],
    "SEQ-knative-canary-rollback": ["I80"],
    "SEQ-knative-rollback-after-promotion": ["I80"],
    "SEQ-knative-status-changes": ["I80", "I83"],
    "SEQ-legacy-status-mode": ["I2", "I80"],
    "SEQ-mode-change-rejected": ["I80"],
    "SEQ-model-status": ["I80"],
    "SEQ-multinode-update": ["I9", "I10", "I11", "I80", "I81"],
    "SEQ-name-taken-by-foreign-deployment": ["I86"],
    "SEQ-name-taken-by-foreign-service": ["I80"],
    "SEQ-remove-transformer": ["I11", "I80"],
    "SEQ-runtime-missing-then-created": ["I80", "I81", "I85"],
    "SEQ-stop-start": ["I80"],
    "SEQ-stop-start-knative": ["I80"],
    "SEQ-transformer-update-flags": ["I80"],
    "SEQ-update-image": ["I80", "I81"],
    "SEQ-visibility-change": ["I18", "I80", "I81"],
}
SEQUENCES = {folder.name: folder for folder in sequences()}
PLACES = [
    f"{name}/{step.name}"
    for name, folder in SEQUENCES.items()
    for step in sorted(folder.glob("step-*"))
]


class Replay:
    """Our world and the controller's, step by step. sent: each object as the controller sent it last."""

    def __init__(self, folder: Path) -> None:
        self.world = World.of(folder, read_one(folder / "input.yaml"))
        self.sent: dict[Key, Json] = {}

    def take(self, step: Path) -> list[str]:
        """Do what was done in a step, and return where we differ after it."""
        action = read_one(step / "action.yaml")
        if "deleteInferenceService" in action:
            return []
        if not (step / "rejected.yaml").exists():
            self.world.act(action)
        for one in read_all(step / "wanted.yaml"):
            self.sent[key_of(one)] = reduced(one)
        for write in read_one(step / "writes.yaml") or ():
            if write["verb"] == "delete":
                self.sent = {k: one for k, one in self.sent.items() if not _is(k, write)}
        try:
            self.world.run()
        except InputError as error:
            rules = [one.rule for each in error.complaints for one in each.problems]
            return [f"refused: {', '.join(rules)}"]
        status = read_one(step / "status.yaml") or {}
        return [
            *differences(by_key(self.world.live.values()), self.sent),
            *_told(self.world.status, status),
        ]


def _is(key: Key, write: Json) -> bool:
    plural, dummy, group = write["resource"].partition(".")
    same_kind = plural.startswith(key[1].lower()[:-1]) and group == key[0].rpartition("/")[0]
    return same_kind and bool(key[3] == write["name"])


def _told(ours: Json, recorded: Json) -> Iterator[str]:
    """Yield the parts of two statuses that differ. Edits of children, which we undo otherwise, are counted in observedGeneration."""
    mine, theirs = _by_part(ours), _by_part(recorded)
    for part in sorted(mine.keys() | theirs.keys()):
        if mine.get(part) != theirs.get(part):
            yield f"{part}: recorded {theirs.get(part)!r}, ours {mine.get(part)!r}"


def _by_part(status: Json) -> Json:
    parts = {k: v for k, v in status.items() if k not in ("conditions", "observedGeneration")}
    return {**parts, **{one["type"]: one for one in status.get("conditions") or ()}}


@cache
def found(name: str) -> dict[str, list[str]]:
    """Return where we differ after each step of a sequence."""
    replay = Replay(SEQUENCES[name])
    return {step.name: replay.take(step) for step in sorted(SEQUENCES[name].glob("step-*"))}


def _of_row(line: str, row: str) -> bool:
    return re.match(LINES[row], line) is not None


@pytest.mark.parametrize("place", PLACES)
def test_after_a_step_we_want_and_say_what_the_controller_does(place: str) -> None:
    name, dummy, step = place.partition("/")
    lines = found(name)[step]
    assert [line for line in lines if not any(_of_row(line, row) for row in ROWS[name])] == []


@pytest.mark.parametrize("name", SEQUENCES)
def test_a_sequence_differs_by_its_rows_alone(name: str) -> None:
    lines = [line for step in found(name).values() for line in step]
    assert [row for row in ROWS[name] if not any(_of_row(line, row) for line in lines)] == []


@pytest.mark.parametrize(
    ("name", "row"), [(name, row) for name, rows in ROWS.items() for row in rows if row != "I80"]
)
def test_every_difference_has_its_row(name: str, row: str) -> None:
    assert has_row(row, name)


def test_every_step_of_every_sequence_is_looked_at() -> None:
    assert len(PLACES) == 179
    assert SEQUENCES.keys() == ROWS.keys()
    equal = [place for place in PLACES if not found(place.partition("/")[0])[place[-7:]]]
    assert len(equal) == 91
