# SPDX-License-Identifier: GPL-3.0-or-later
"""An event for each thing that somebody has to know, and none for what we did ourselves or what follows by itself."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.engine import FIELD_MANAGER, OWNER_ANNOTATION
from module_utils.events.changes import ChangeTracker
from module_utils.kube.manifest import Json
from module_utils.kube.reference import Reference

SERVICE = Reference("x/v1", "Model", "team-a", "chat")
CHILD = Reference("apps/v1", "Deployment", "team-a", "chat-decode")
PLAIN = Reference("v1", "ConfigMap", "team-a", "chat")
OWNER = "Model/team-a/chat"


def live(reference: Reference, generation: int = 1, by: str = FIELD_MANAGER, **parts: Any) -> Json:
    annotations = {} if reference == SERVICE else {OWNER_ANNOTATION: OWNER}
    generations = {} if reference == PLAIN else {"generation": generation}
    fields = {"f:spec": {"f:replicas": {}}}
    entries = [
        {"manager": FIELD_MANAGER, "operation": "Apply", "time": "2026-01-01T00:00:00Z", "fieldsV1": fields},
        {"manager": by, "operation": "Update", "time": f"2026-01-02T00:00:{generation:02}Z"},
        {"manager": "status-writer", "operation": "Update", "time": "2027", "subresource": "status"},
    ]  # fmt: skip
    manifest = reference.to_manifest()
    manifest["metadata"] |= {"annotations": annotations, **generations, "managedFields": entries}
    manifest["metadata"] |= parts.pop("metadata", {})
    return {**manifest, **parts}


def ready(status: str, phase: str = "Running") -> Json:
    said = {"type": "Ready", "status": status, "reason": "Why", "message": "text"}
    return {"status": {"phase": phase, "conditions": [said]}}


@pytest.fixture
def tracker() -> ChangeTracker:
    """It has seen a ready service with two children."""
    made = ChangeTracker([("x/v1", "Model")])
    first = [live(SERVICE, **ready("True")), live(CHILD), live(PLAIN, data={"a": "1"})]
    assert [notice for each in first for notice in made.see(Reference.of(each), each)] == []
    assert list(made.listed()) == []
    return made


def told(
    tracker: ChangeTracker, reference: Reference, now: Json | None
) -> list[tuple[str, str, str]]:
    return [(each.type, each.service, each.reason) for each in tracker.see(reference, now)]


@pytest.mark.parametrize(
    ("reference", "now", "events"),
    [
        (SERVICE, None, [("deletion", OWNER, "deleted")]),
        (SERVICE, live(SERVICE, 2, **ready("True")), []),
        (SERVICE, live(SERVICE, 2, "kubectl", **ready("True")), [("drift", OWNER, "changed")]),
        (SERVICE, live(SERVICE, **ready("False")), [("failure", OWNER, "Why")]),
        (SERVICE, live(SERVICE, **ready("True", "Failed")), [("failure", OWNER, "Why")]),
        (SERVICE, live(SERVICE, **ready("Unknown")), []),
        (CHILD, None, [("drift", OWNER, "deleted")]),
        (CHILD, live(CHILD, 2), []),
        (CHILD, live(CHILD, 2, "kubectl"), [("drift", OWNER, "changed")]),
        (CHILD, live(CHILD, 2, "modelops.inference.gpu"), []),
        (CHILD, live(CHILD, 1, "kubectl"), []),
        (PLAIN, live(PLAIN, by="kubectl", data={"a": "2"}), [("drift", OWNER, "changed")]),
        (PLAIN, live(PLAIN, by="kubectl", data={"a": "1"}), []),
        (PLAIN, live(PLAIN, data={"a": "2"}), []),
        (Reference("x/v1", "Model", "b", "n"), live(Reference("x/v1", "Model", "b", "n")), [("new", "Model/b/n", "created")]),
    ],
)  # fmt: skip
def test_event_for_what_somebody_has_to_know(
    tracker: ChangeTracker,
    reference: Reference,
    now: Json | None,
    events: list[tuple[str, str, str]],
) -> None:
    assert told(tracker, reference, now) == events
    assert told(tracker, reference, now) == [], "once is enough"


def test_children_of_a_service_that_goes_are_no_drift(tracker: ChangeTracker) -> None:
    going = live(SERVICE, metadata={"deletionTimestamp": "now"}, **ready("True"))
    assert told(tracker, SERVICE, going) == []
    assert told(tracker, CHILD, None) == []
    assert told(tracker, SERVICE, None) == [("deletion", OWNER, "deleted")]
    assert told(tracker, PLAIN, None) == []


def test_scale_counts_where_the_replicas_are_ours(tracker: ChangeTracker) -> None:
    now = live(CHILD, 2)
    now["metadata"]["managedFields"].append({"manager": "kubectl", "subresource": "scale"})
    assert told(tracker, CHILD, now) == [("drift", OWNER, "changed")]
    for entry in now["metadata"]["managedFields"]:
        entry["fieldsV1"] = {}
    assert told(tracker, CHILD, now) == []
    again = live(CHILD, 3)
    again["metadata"]["managedFields"].append({"manager": "autoscaler", "subresource": "scale"})
    assert told(tracker, CHILD, again) == []


def test_what_vanished_unseen_is_told_after_the_next_list(tracker: ChangeTracker) -> None:
    tracker.begin()
    assert told(tracker, SERVICE, live(SERVICE, **ready("True"))) == []
    assert told(tracker, PLAIN, live(PLAIN, data={"a": "1"})) == []
    assert [(each.type, each.about) for each in tracker.listed()] == [("drift", CHILD)]
