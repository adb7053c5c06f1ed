# SPDX-License-Identifier: GPL-3.0-or-later
"""What several rounds of one run did to an object is told once: what it was before the run, and how it is after it."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.engine.compare import Difference
from module_utils.engine.outcome import Outcome
from module_utils.kube.reference import Reference
from module_utils.reconcile.requeue import merged

SERVICE = Reference("x/v1", "Service", "team-a", "chat")
OBJECT = Reference("v1", "Secret", "team-a", "keys")


def outcome(action: str, before: str = "", after: str = "", **more: Any) -> Outcome:
    difference = Difference({"a": before} if before else {}, {"a": after} if after else {})
    return Outcome(OBJECT, SERVICE, action, action, difference, {"now": after}, **more)


@pytest.mark.parametrize(
    ("first", "later", "action"),
    [
        (outcome("created", after="1"), outcome("updated", "1", "2"), "created"),
        (outcome("updated", "0", "1"), outcome("updated", "1", "2"), "updated"),
        (outcome("unchanged", "1", "1"), outcome("updated", "1", "2"), "updated"),
        (outcome("created", after="1"), outcome("failed", "1", "2"), "failed"),
    ],
)
def test_one_object_has_one_outcome(first: Outcome, later: Outcome, action: str) -> None:
    (told,) = merged([first, later])
    assert told.action == action
    assert told.live == {"now": "2"}
    assert told.difference is not None
    assert told.difference.after == {"a": "2"}
    assert told.changed


def test_the_difference_is_that_of_the_whole_run() -> None:
    (told,) = merged([outcome("updated", "0", "1"), outcome("updated", "1", "0")])
    assert told.difference == Difference({"a": "0"}, {"a": "0"})
    assert not told.changed
