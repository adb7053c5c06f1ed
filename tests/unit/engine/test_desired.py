# SPDX-License-Identifier: GPL-3.0-or-later
"""What is applied carries our marks, its owner where there can be one, and a hash that says when it is another one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from module_utils.engine.desired import Desired, kinds_of, owner_value, release_of
from module_utils.engine.owner_object import custom_resource, record
from module_utils.kube.intent import Stage
from module_utils.kube.manifest import Json
from module_utils.kube.reference import Reference

from .wanted import SERVICE, UID, child, wanted

REPLICAS = ("spec", "replicas")


def _deployment(replicas: int = 1, **spec: Any) -> Desired:
    return wanted(
        child(
            "Deployment",
            "chat-decode",
            api_version="apps/v1",
            stage=Stage.WORKLOAD,
            unclaimed=(REPLICAS,),
            spec={"replicas": replicas, **spec},
        )
    )


def test_object_carries_fleet_owner_and_hash_beside_its_own_labels() -> None:
    made = wanted(child(data={"a": "b"}), fleet="blue")
    metadata = made.manifest(UID)["metadata"]
    assert metadata["labels"] == {"app": "chat", "inference.modelops.io/fleet": "blue"}
    assert metadata["annotations"] == {
        "inference.modelops.io/owner": "ModelService/team-a/chat",
        "inference.modelops.io/intent": made.digest,
    }


def test_the_release_is_noted_beside_the_intent_and_is_no_part_of_it() -> None:
    made = wanted(child())
    noted = replace(made, release="0.18")
    annotations = noted.manifest(UID)["metadata"]["annotations"]
    assert annotations["inference.modelops.io/release"] == "0.18"
    assert annotations["inference.modelops.io/intent"] == made.digest
    assert release_of(noted.manifest(UID)) == "0.18"
    assert release_of(made.manifest(UID)) == release_of(None) == ""


@pytest.mark.parametrize("kinds", [[], ["HorizontalPodAutoscaler"], ["A", "B"]])
def test_the_kinds_of_children_are_noted_in_the_same_way(kinds: list[str]) -> None:
    made = wanted(child())
    noted = replace(made, kinds=frozenset(kinds)).manifest(UID)
    assert noted["metadata"]["annotations"]["inference.modelops.io/intent"] == made.digest
    assert kinds_of(noted) == {*kinds}
    assert kinds_of(made.manifest(UID)) is kinds_of(None) is None


def test_owner_is_the_parent_as_a_controller_writes_it() -> None:
    assert wanted(child()).manifest(UID)["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "model.otterscale.io/v1alpha1",
            "kind": "ModelService",
            "name": "chat",
            "uid": UID,
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]


@pytest.mark.parametrize("namespace", ["", "llm-d"])
def test_child_of_another_namespace_or_of_the_cluster_has_no_owner_reference(
    namespace: str,
) -> None:
    """Kubernetes deletes an object whose owner it does not find in the object's own namespace."""
    made = wanted(child("ClusterRole", "team-a-chat", namespace=namespace))
    assert made.parent is None
    assert "ownerReferences" not in made.manifest(UID)["metadata"]


def test_hash_is_the_same_whatever_the_owner_s_uid() -> None:
    one, other = (wanted(child()).manifest(uid) for uid in ("one", "other"))
    key = "inference.modelops.io/intent"
    assert one["metadata"]["annotations"][key] == other["metadata"]["annotations"][key]


@pytest.mark.parametrize(
    "other",
    [
        wanted(child(data={"a": "c"})),
        wanted(child(data={"a": "b", "c": "d"})),
        wanted(child(data={})),
        wanted(child(data={"a": "b"}), fleet="blue"),
        wanted(child(data={"a": "b"}), service=SERVICE._replace(name="other")),
    ],
)
def test_hash_is_another_where_anything_that_is_sent_is_another(other: Desired) -> None:
    assert other.digest != wanted(child(data={"a": "b"})).digest


def test_unclaimed_value_is_sent_on_create_and_never_again() -> None:
    made = _deployment(paused=False)
    assert made.manifest(UID, create=True)["spec"] == {"replicas": 1, "paused": False}
    assert made.manifest(UID)["spec"] == {"paused": False}
    assert made.unclaimed == {REPLICAS: 1}


def test_unclaimed_value_is_no_part_of_the_hash() -> None:
    assert _deployment(1).digest == _deployment(5).digest


def test_unclaimed_field_that_the_child_does_not_have_is_not_invented() -> None:
    made = wanted(child("Deployment", unclaimed=(REPLICAS, ("spec", "a", "b")), spec={"x": 1}))
    assert made.unclaimed == {REPLICAS: None, ("spec", "a", "b"): None}
    assert made.manifest(UID, create=True)["spec"] == {"x": 1}
    assert made.manifest(UID)["spec"] == {"x": 1}


def test_unclaimed_zero_is_a_value() -> None:
    assert _deployment(0).unclaimed == {REPLICAS: 0}


def test_making_an_object_to_apply_leaves_the_child_as_it_was() -> None:
    made = child("Deployment", unclaimed=(REPLICAS,), spec={"replicas": 1})
    wanted(made).manifest(UID, create=True)["spec"]["x"] = 1
    assert made.manifest.body == {"spec": {"replicas": 1}}
    assert made.manifest.to_dict()["metadata"]["labels"] == {"app": "chat"}


def test_each_manifest_is_a_copy_of_its_own() -> None:
    made = wanted(child(data={"a": "b"}))
    made.manifest(UID)["data"]["a"] = "changed"
    assert made.manifest(UID)["data"] == {"a": "b"}


DOCUMENT: Json = {
    "apiVersion": SERVICE.api_version,
    "kind": SERVICE.kind,
    "metadata": {"name": SERVICE.name, "namespace": SERVICE.namespace, "labels": {"mine": "x"}},
    "spec": {"decode": {"replicas": 1}},
}


def test_custom_resource_is_applied_with_our_marks_and_without_an_owner() -> None:
    made = custom_resource(DOCUMENT, "blue")
    sent = made.manifest("")
    assert made.stage is Stage.PARENT
    assert sent["spec"] == DOCUMENT["spec"]
    assert sent["metadata"]["labels"] == {"mine": "x", "inference.modelops.io/fleet": "blue"}
    assert "ownerReferences" not in sent["metadata"]
    assert DOCUMENT["metadata"]["labels"] == {"mine": "x"}


def test_record_stands_in_for_the_custom_resource_and_holds_it() -> None:
    made = record(DOCUMENT, "blue")
    sent = made.manifest("")
    assert made.reference == Reference("v1", "ConfigMap", "team-a", "chat.modelservice")
    assert (made.service, made.stage) == (SERVICE, Stage.PARENT)
    assert '"replicas":1' in sent["data"]["service"]
    assert sent["metadata"]["annotations"]["inference.modelops.io/owner"] == owner_value(SERVICE)
