# SPDX-License-Identifier: GPL-3.0-or-later
"""One line tells how far a service is, and a failure its reasons, the first one first."""

from __future__ import annotations

import json
from typing import Any

import pytest

from module_utils.engine.apply import Outcome
from module_utils.engine.owner_object import record
from module_utils.kinds.kind import Observation
from module_utils.kube.manifest import Json
from module_utils.kube.reference import Reference
from module_utils.reconcile.compiled_service import CompiledService
from module_utils.reconcile.controller_mode import CONTROLLER, DIRECT
from module_utils.reconcile.run_state import known_objects
from module_utils.reconcile.service_progress import reached
from module_utils.reconcile.status import (
    NOT_YET,
    condition,
    lacking,
    observe,
    recorded_service,
    summary,
)
from tests.unit.kinds.model_service.build import document

from ..modules.task import loaded

CHILD = Reference("v1", "ConfigMap", "team-a", "a")


def _said(kind: str, status: str = "False", reason: str = "Why", message: str = "text") -> Json:
    return {"type": kind, "status": status, "reason": reason, "message": message}


def _observation(*conditions: Json, ready: bool = False, **status: Any) -> Observation:
    return Observation({**status, "conditions": list(conditions)}, ready)


@pytest.mark.parametrize(
    ("observation", "line"),
    [
        (
            _observation(ready=True, decodeReady=2, decodeReplicas=2),
            "decode 2/2, ready",
        ),
        (
            _observation(
                ready=True, prefillReady=1, prefillReplicas=1, decodeReady=2, decodeReplicas=2
            ),
            "decode 2/2, prefill 1/1, ready",
        ),
        (_observation(_said("Ready"), decodeReplicas=2), "decode 0/2, Ready: Why: text"),
        (
            _observation(_said("A", message="a"), _said("B", message="b"), _said("Ready")),
            "Ready: Why: text, A: Why: a",
        ),
        # A role's condition that says the same as Ready adds nothing.
        (
            _observation(_said("A"), _said("B", message="b"), _said("Ready")),
            "Ready: Why: text, B: Why: b",
        ),
        (_observation(_said("Ready", "Unknown")), "Ready: Why: text"),
        # Old pods, or a controller that has not looked yet.
        (_observation(_said("Ready", "True")), NOT_YET),
        (_observation(ready=True), "ready"),
        (_observation(), "no status yet"),
        (Observation({}, False), "no status yet"),
        (Observation({"conditions": None}, False), "no status yet"),
        (
            Observation({"nodeStatus": {"a": "NodeDownloadError", "b": "NodeDownloading"}}, False),
            "node a: NodeDownloadError, node b: NodeDownloading",
        ),
    ],
)
def test_line_about_a_service(observation: Observation, line: str) -> None:
    assert summary(observation) == line


def test_all_that_is_lacking_is_told_with_ready_first() -> None:
    observation = _observation(
        _said("DecodeReady", reason="Failed", message="no image"),
        _said("PoolReady", "True"),
        _said("RouteReady", "Unknown"),
        _said("Ready", message="decode"),
    )
    assert lacking(observation) == [
        "Ready: Why: decode",
        "DecodeReady: Failed: no image",
        "RouteReady: Why: text",
    ]


def test_condition_is_found_by_its_type() -> None:
    status = {"conditions": [_said("A"), _said("B")]}
    assert condition(status, "B") == _said("B")
    assert condition(status, "C") is None
    assert condition({}, "A") is None


# What a controller reports.


def _target(reconciler: str) -> CompiledService:
    (service,), _none = loaded(document())
    return CompiledService(service, document(), (), reconciler, service.typed)


def _reported(status: Json | None, generation: int | None = 2) -> Observation:
    live = {**document(), "status": status}
    live["metadata"]["generation"] = generation
    target = _target(CONTROLLER)
    return observe(target, {target.reference: live})


@pytest.mark.parametrize(
    ("status", "ready"),
    [
        ({"conditions": [_said("Ready", "True")]}, True),
        ({"conditions": [_said("Ready", "True")], "observedGeneration": 2}, True),
        ({"conditions": [_said("Ready", "True")], "observedGeneration": 3}, True),
        ({"conditions": [_said("Ready", "True")], "observedGeneration": 1}, False),
        ({"conditions": [{**_said("Ready", "True"), "observedGeneration": 1}]}, False),
        ({"conditions": [_said("Ready", "False")], "observedGeneration": 2}, False),
        ({"conditions": [_said("Ready", "Unknown")]}, False),
        ({"conditions": []}, False),
        ({}, False),
        (None, False),
    ],
)
def test_controller_s_word_counts_for_the_generation_that_it_has_seen(
    status: Json | None, ready: bool
) -> None:
    assert _reported(status).ready is ready


def test_controller_s_status_is_passed_on() -> None:
    observation = _reported({"phase": "Running", "url": "http://chat"})
    assert observation.url == "http://chat"
    assert observation.status["phase"] == "Running"


def test_service_that_is_not_there_yet_is_not_ready() -> None:
    for reconciler in (CONTROLLER, DIRECT):
        assert not observe(_target(reconciler), {}).ready


# Waiting.


@pytest.mark.parametrize(
    ("wait_for", "observation", "there"),
    [
        ("ready", _observation(ready=True), True),
        ("ready", _observation(_said("Ready", "True")), False),
        ("DecodeReady", _observation(_said("DecodeReady", "True")), True),
        ("DecodeReady", _observation(_said("DecodeReady", "False"), ready=True), False),
        ("DecodeReady", _observation(ready=True), False),
    ],
)
def test_what_is_waited_for(wait_for: str, observation: Observation, there: bool) -> None:
    assert reached(observation, wait_for) is there


# What is known after the writes.


def test_answers_of_the_server_are_newer_than_what_was_listed() -> None:
    listed = {CHILD: {"v": 1}, Reference("v1", "Secret", "team-a", "b"): {"v": 1}}
    outcomes = [
        Outcome(CHILD, CHILD, "updated", "", live={"v": 2}),
        Outcome(Reference("v1", "Secret", "team-a", "b"), CHILD, "deleted", ""),
        Outcome(Reference("v1", "Secret", "team-a", "c"), CHILD, "failed", ""),
    ]
    assert known_objects(listed, outcomes) == {CHILD: {"v": 2}}
    assert len(listed) == 2


def test_service_is_read_from_its_record() -> None:
    written = document("chat", decode={"replicas": 3})
    made = json.loads(record(written, "default").body)
    assert recorded_service(made) == written
