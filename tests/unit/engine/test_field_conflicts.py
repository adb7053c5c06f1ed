# SPDX-License-Identifier: GPL-3.0-or-later
"""Who takes fields of ours is known before they are taken back, and whether it was so the last time."""

from __future__ import annotations

from copy import deepcopy

import pytest

from module_utils.engine import TAKEN_BACK_ANNOTATION
from module_utils.engine.field_conflicts import remember, takers, two_owners
from module_utils.engine.noop_proof import doubt
from module_utils.kube.manifest import Json

from .wanted import UID, child, live, wanted

MADE = wanted(child("Deployment", "chat", api_version="apps/v1", spec={"replicas": 2, "paused": 1}))


def taken(*fields: str, manager: str = "autopilot") -> Json:
    """Return the object after another manager took fields of its spec."""
    there = live(MADE)
    ours = there["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]
    for name in fields:
        ours.pop(f"f:{name}", None)
    theirs = {"f:spec": {f"f:{name}": {} for name in fields}}
    there["metadata"]["managedFields"].append({"manager": manager, "fieldsV1": theirs})
    return there


def manifest() -> Json:
    return deepcopy(MADE.manifest(UID))


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        (live(MADE), {}),
        (taken("replicas"), {"autopilot": ["spec.replicas"]}),
        (taken("replicas", "paused"), {"autopilot": ["spec.paused", "spec.replicas"]}),
        (taken("template"), {}),
    ],
    ids=["nobody", "one field", "two fields", "a field that is not ours"],
)
def test_takers_hold_fields_that_we_want_and_do_not_hold(there: Json, expected: Json) -> None:
    assert takers(manifest(), there) == expected


def test_shared_field_is_not_taken() -> None:
    there = live(MADE)
    fields = {"f:spec": {"f:replicas": {}}}
    there["metadata"]["managedFields"].append({"manager": "friend", "fieldsV1": fields})
    assert takers(manifest(), there) == {}


def remembering(there: Json) -> Json:
    sent = manifest()
    remember(sent, takers(sent, there))
    return sent


def test_second_time_in_a_row_is_told_with_field_and_manager() -> None:
    there = taken("replicas")
    assert two_owners(there, takers(manifest(), there)) == ""
    again = taken("replicas")
    again["metadata"]["annotations"] |= remembering(there)["metadata"]["annotations"]
    warning = two_owners(again, takers(manifest(), again))
    assert "autopilot has taken spec.replicas a second time" in warning


@pytest.mark.parametrize(
    "there", [taken("paused"), taken("replicas", manager="other")], ids=["field", "manager"]
)
def test_another_field_or_manager_is_no_repetition(there: Json) -> None:
    there["metadata"]["annotations"] |= remembering(taken("replicas"))["metadata"]["annotations"]
    assert two_owners(there, takers(manifest(), there)) == ""


def test_what_is_remembered_is_no_doubt() -> None:
    there = live(MADE)
    there["metadata"]["annotations"][TAKEN_BACK_ANNOTATION] = '{"autopilot":["spec.replicas"]}'
    annotations = there["metadata"]["managedFields"][0]["fieldsV1"]["f:metadata"]["f:annotations"]
    annotations[f"f:{TAKEN_BACK_ANNOTATION}"] = {}
    assert doubt(MADE, there, UID) is None


@pytest.mark.parametrize("text", ["", "no json", "[1]", "null"])
def test_memory_that_somebody_spoilt_is_none(text: str) -> None:
    there = taken("replicas")
    there["metadata"]["annotations"][TAKEN_BACK_ANNOTATION] = text
    assert two_owners(there, takers(manifest(), there)) == ""
