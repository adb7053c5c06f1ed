# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of pods that did not get ready in time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from module_utils.cluster.errors import ClusterError
from module_utils.kube.manifest import Json
from module_utils.kube.pod_health import is_waited_for
from module_utils.kube.reference import Reference
from module_utils.reconcile.pod_events import last_words

PROBE = "Readiness probe failed: HTTP probe failed with statuscode: 503"


def event(reason: str, message: str, *, kind: str = "Warning", **times: Any) -> Json:
    return {"type": kind, "reason": reason, "message": message, **times}


class Server:
    """A cluster that has events of pods. Without any of a pod it does not let them be read."""

    def __init__(self, events: dict[str, list[Json]]) -> None:
        self._events = events
        self.asked: list[str] = []

    def list(self, dummy: str, kind: str, *, namespace: str, fields: str) -> Any:
        assert (kind, namespace) == ("Event", "team-a")
        name = fields.rpartition("=")[2]
        self.asked.append(name)
        if name not in self._events:
            raise ClusterError("events is forbidden")
        return SimpleNamespace(items=self._events[name])


def said(events: dict[str, list[Json]], *names: str) -> list[str]:
    pods = [Reference("v1", "Pod", "team-a", name) for name in names]
    return last_words(cast("Any", Server(events)), pods)


def test_newest_warning_of_a_pod_is_told_whichever_field_holds_its_time() -> None:
    events = [
        event("FailedMount", "no such volume", lastTimestamp="2026-01-01T00:00:01Z"),
        event("Unhealthy", PROBE, series={"lastObservedTime": "2026-01-01T00:00:03.000000Z"}),
        event("Pulled", "it is there", kind="Normal", lastTimestamp="2026-01-01T00:00:09Z"),
        event("Failed", "later", eventTime="2026-01-01T00:00:02.000000Z", lastTimestamp=None),
        event("BackOff", "restarting failed container", lastTimestamp="2026-01-01T00:00:09Z"),
    ]
    assert said({"a": events}, "a") == [f"pod a: Unhealthy: {PROBE}"]


def test_same_words_of_several_pods_are_told_once() -> None:
    same = [event("NodeNotReady", "Node is not ready")]
    assert said({"a": same, "b": same}, "a", "b") == ["pod a: NodeNotReady: Node is not ready"]


def test_nothing_is_told_where_events_may_not_be_read_or_warn_of_nothing() -> None:
    assert said({"b": []}, "a", "b") == []


def test_a_few_pods_of_many_are_looked_up() -> None:
    server = Server({})
    pods = [Reference("v1", "Pod", "team-a", str(number)) for number in range(100)]
    last_words(cast("Any", server), pods)
    assert server.asked == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("pod", "wanted"),
    [
        ({}, True),
        ({"conditions": [{"type": "Ready", "status": "False"}]}, True),
        ({"conditions": [{"type": "Ready", "status": "True"}]}, False),
        ({"phase": "Failed"}, False),
    ],
)
def test_living_pods_that_are_not_ready_are_asked_about(pod: Json, wanted: bool) -> None:
    assert is_waited_for({"metadata": {}, "status": pod}) is wanted
