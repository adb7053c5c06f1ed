# SPDX-License-Identifier: GPL-3.0-or-later
"""Ready follows from the way to a service and from its predictor, each time that one of them changes."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.inference_service.conditions.condition_set import ConditionSet

#: What is set, in its order → status and reason of Ready.
FOLLOWS: list[tuple[list[tuple[str, ...]], tuple[str, str]]] = [
    ([("PredictorReady", "True"), ("IngressReady", "True")], ("True", "")),
    ([("PredictorReady", "True")], ("Unknown", "")),
    ([("PredictorReady", "False", "A"), ("IngressReady", "False", "B")], ("False", "B")),
    ([("PredictorReady", "False", "A"), ("IngressReady", "True")], ("False", "A")),
    ([("IngressReady", "False", "B"), ("PredictorReady", "True")], ("False", "B")),
    ([("PredictorReady", "False", "A"), ("IngressReady", "Unknown", "B")], ("False", "A")),
    ([("PredictorReady", "Unknown", "A"), ("IngressReady", "True")], ("Unknown", "A")),
    ([("IngressReady", "True"), ("PredictorReady", "Unknown", "A")], ("Unknown", "A")),
    (
        [("PredictorReady", "True"), ("IngressReady", "True"), ("TransformerReady", "False", "C")],
        ("True", ""),
    ),
    (
        [("PredictorReady", "True"), ("IngressReady", "True"), ("RoutesReady", "Unknown", "C")],
        ("True", ""),
    ),
]


@pytest.mark.parametrize(("steps", "expected"), FOLLOWS)
def test_ready_follows(steps: list[Any], expected: tuple[str, str]) -> None:
    conditions = ConditionSet()
    conditions.initialise()
    for step in steps:
        conditions.put(*step)
    assert (conditions.status("Ready"), conditions.reason("Ready")) == expected


def test_of_two_that_failed_the_later_one_is_repeated() -> None:
    before = [
        {
            "type": "IngressReady",
            "status": "False",
            "reason": "Old",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        },
        {
            "type": "PredictorReady",
            "status": "False",
            "reason": "New",
            "lastTransitionTime": "2026-02-01T00:00:00Z",
        },
        {"type": "Ready", "status": "False", "reason": "Old"},
    ]
    conditions = ConditionSet(before)
    conditions.put("TransformerReady", "True")
    assert conditions.reason("Ready") == "New"


def test_only_what_others_depend_on_is_severe() -> None:
    conditions = ConditionSet()
    conditions.initialise()
    conditions.put("Stopped", "False")
    severities = {one["type"]: one.get("severity", "") for one in conditions.to_json()}
    assert severities == {"IngressReady": "", "PredictorReady": "", "Ready": "", "Stopped": "Info"}
