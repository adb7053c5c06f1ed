# SPDX-License-Identifier: GPL-3.0-or-later
"""A deleted child is told when its service has been quiet, and not at all where the service went, too."""

from __future__ import annotations

from module_utils.events.changes import DELETION, DRIFT, Notice
from module_utils.events.debounce import QUIET_S, Debounce
from module_utils.kube.reference import Reference


def notice(kind: str, service: str = "chat", name: str = "a", reason: str = "deleted") -> Notice:
    return Notice(kind, service, Reference("v1", "ConfigMap", "team-a", name), reason, "text")


class Clock:
    """Time that passes when a test says so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_is_no_deletion_of_a_child_is_told_at_once() -> None:
    held = Debounce(Clock())
    for each in (notice(DRIFT, reason="changed"), notice(DELETION)):
        assert list(held.pass_on(each)) == [each]


def test_deleted_child_is_told_when_no_more_followed() -> None:
    clock = Clock()
    held = Debounce(clock)
    first, second = notice(DRIFT, name="a"), notice(DRIFT, name="b")
    assert list(held.pass_on(first)) == []
    clock.now = QUIET_S - 1
    assert list(held.pass_on(second)) == []
    clock.now = QUIET_S
    assert list(held.due()) == []
    clock.now = 2 * QUIET_S - 1
    assert list(held.due()) == [first, second]
    assert list(held.due()) == []


def test_service_that_goes_takes_its_children_along_and_no_others() -> None:
    clock = Clock()
    held = Debounce(clock)
    other = notice(DRIFT, service="tiny")
    gone = notice(DELETION)
    told = [each for notices in (notice(DRIFT), other, gone) for each in held.pass_on(notices)]
    assert told == [gone]
    clock.now = QUIET_S
    assert list(held.due()) == [other]
