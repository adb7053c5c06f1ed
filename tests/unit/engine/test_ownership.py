# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose an object is decides whether it may be touched; what is somebody else's is said to be theirs."""

from __future__ import annotations

import pytest

from module_utils.engine.ownership import Owner, ownership
from module_utils.kube.manifest import Json

from .recorded import case
from .wanted import SERVICE, child, live, wanted

FLEET = "inference.modelops.io/fleet"
OWNER = "inference.modelops.io/owner"
CONTROLLER = {
    "apiVersion": SERVICE.api_version,
    "kind": SERVICE.kind,
    "name": SERVICE.name,
    "controller": True,
}
REPLICA_SET = {**CONTROLLER, "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "chat-1"}


def _live(
    label: str | None = "default",
    annotation: str | None = "ModelService/team-a/chat",
    manager: str = "modelops.inference",
    owners: tuple[Json, ...] = (),
) -> Json:
    there = live(wanted(child()), manager=manager)
    metadata = there["metadata"]
    metadata["labels"] = {FLEET: label} if label is not None else {}
    metadata["annotations"] = {OWNER: annotation} if annotation is not None else None
    metadata["ownerReferences"] = list(owners)
    return there


@pytest.mark.parametrize(
    ("there", "owner", "said"),
    [
        (_live(), Owner.THIS, "ModelService team-a/chat"),
        (_live(label=None), Owner.THIS, "ModelService team-a/chat"),
        (_live(label="blue"), Owner.OTHER_FLEET, "fleet blue (ModelService/team-a/chat)"),
        (_live(annotation="ModelService/team-a/other"), Owner.OTHER_SERVICE, "team-a/other"),
        (_live(annotation="ModelService/team-b/chat"), Owner.OTHER_SERVICE, "team-b/chat"),
        (
            _live(annotation="LLMInferenceService/team-a/chat"),
            Owner.OTHER_SERVICE,
            "LLMInferenceService team-a/chat",
        ),
        (_live(annotation=None), Owner.STRANGER, "written by modelops.inference"),
        (_live(annotation=""), Owner.STRANGER, "written by modelops.inference"),
        (_live(manager="kubectl"), Owner.STRANGER, "it is not ours (written by kubectl)"),
        (
            _live(manager="kubectl", owners=(REPLICA_SET,)),
            Owner.OTHER_CONTROLLER,
            "it belongs to ReplicaSet chat-1 (written by kubectl)",
        ),
        (_live(None, None, "manager", (CONTROLLER,)), Owner.CONTROLLER, "ModelService chat"),
        (
            _live(None, None, "manager", ({**CONTROLLER, "name": "other"},)),
            Owner.OTHER_CONTROLLER,
            "ModelService other",
        ),
        (
            _live(None, None, "manager", ({**CONTROLLER, "apiVersion": "serving.kserve.io/v1"},)),
            Owner.OTHER_CONTROLLER,
            "ModelService chat",
        ),
        (
            _live(None, None, "helm", ({**CONTROLLER, "controller": False},)),
            Owner.STRANGER,
            "written by helm",
        ),
        (_live(owners=(CONTROLLER,)), Owner.THIS, "ModelService team-a/chat"),
    ],
)
def test_owner(there: Json, owner: Owner, said: str) -> None:
    found = ownership(there, SERVICE, "default")
    assert found.owner is owner
    assert said in found.text
    assert found.ours is (owner is Owner.THIS)


def test_copy_of_one_of_our_objects_is_not_ours() -> None:
    """Whoever exports an object and applies it elsewhere takes our marks along, but not our apply."""
    for manager in ("kubectl", "velero", "argocd-controller"):
        assert not ownership(_live(manager=manager), SERVICE, "default").ours


def test_object_that_nobody_is_recorded_for_is_a_stranger_s() -> None:
    there = _live(annotation=None)
    there["metadata"]["managedFields"] = None
    found = ownership(there, SERVICE, "default")
    assert (found.owner, found.text) == (
        Owner.STRANGER,
        "it is not ours (no field manager is recorded)",
    )


def test_service_of_another_kind_and_one_name_is_another_service() -> None:
    other = SERVICE._replace(kind="LLMInferenceService")
    assert ownership(_live(), other, "default").owner is Owner.OTHER_SERVICE


def test_restored_backup_needs_a_word_of_its_owner() -> None:
    known = case("changed", "a backup is restored")
    found = ownership(known.live, known.desired.service, "default")
    assert found.owner is Owner.STRANGER
    assert "velero" in found.text


def test_our_object_stays_ours_when_the_record_of_managers_is_wiped() -> None:
    there = _live()
    there["metadata"]["managedFields"] = []
    assert ownership(there, SERVICE, "default").ours
