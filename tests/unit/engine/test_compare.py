# SPDX-License-Identifier: GPL-3.0-or-later
"""`changed` is true where a field that we send is another than before, and nowhere else."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from module_utils.engine.compare import difference
from module_utils.kube.manifest import Json

from . import spots
from .recorded import Case, case, cases
from .wanted import applied, as_wanted, child, live, wanted

CONFIG = wanted(child(data={"key": "value"}))


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("nothing", False),
        ("a status is written", False),
        ("somebody adds an annotation", False),
        ("somebody adds a label", False),
        ("somebody adds an owner of the same field", False),
        ("somebody sets a field that we leave alone", False),
        ("somebody adds an environment variable", False),
        ("the managed fields are wiped", False),
        ("somebody changes the image", True),
        ("somebody changes an environment value", True),
        ("somebody removes an environment variable", True),
        ("somebody reorders the environment", True),
        ("somebody changes a label of ours", True),
        ("somebody removes a label of ours", True),
        ("somebody scales", True),
        ("another applier takes a field", True),
        ("somebody removes the owner", True),
    ],
)
def test_apply_that_puts_something_back_is_a_change_and_any_other_is_not(
    name: str, changed: bool
) -> None:
    known = case("changed", name)
    assert difference(known.live, known.after).changed is changed


@pytest.mark.parametrize(
    ("name", "taken_back"),
    [
        ("nothing", ()),
        (
            "somebody changes the image",
            (("spec.template.spec.containers[name=main].image", "kubectl-edit"),),
        ),
        ("somebody changes a label of ours", (("metadata.labels.app", "modelops-lab"),)),
        ("another applier takes a field", (("spec.replicas", "other"),)),
        ("somebody scales", (("spec.replicas", "modelops-lab"),)),
        ("somebody adds an owner of the same field", ()),
        ("the managed fields are wiped", ()),
    ],
)
def test_who_took_a_field_is_named(name: str, taken_back: tuple[tuple[str, str], ...]) -> None:
    known = case("changed", name)
    assert difference(known.live, known.after).taken_back == taken_back


def test_restored_backup_names_its_tool_and_not_our_own_marks() -> None:
    known = case("changed", "a backup is restored")
    found = difference(known.live, known.after).taken_back
    assert {manager for _path, manager in found} == {"velero"}
    assert "spec.replicas" in {path for path, _manager in found}
    assert not [path for path, _manager in found if "inference.modelops.io/" in path]


def test_value_that_we_handed_to_an_autoscaler_is_not_taken_from_ourselves() -> None:
    known = case("changed", "another applier takes a field")
    before = known.copy()
    for entry in before["metadata"]["managedFields"]:
        if entry["manager"] == "other":
            entry["manager"] = "modelops.inference.scale"
    assert difference(before, known.after).taken_back == ()


def _answer(before: Json, **metadata: Any) -> Json:
    after = deepcopy(before)
    after["metadata"].update(metadata)
    return after


@pytest.mark.parametrize(
    "metadata",
    [
        {"resourceVersion": "2"},
        {"generation": 2},
        {"managedFields": []},
        {"creationTimestamp": "2026-01-01T00:00:00Z"},
        {"finalizers": ["theirs"]},
    ],
)
def test_what_the_server_counts_is_no_change(metadata: Json) -> None:
    before = live(CONFIG)
    assert not difference(before, _answer(before, **metadata)).changed


@pytest.mark.parametrize("field", ["status", "immutable", "binaryData"])
def test_field_that_we_do_not_send_is_no_change(field: str) -> None:
    before = live(CONFIG)
    assert not difference(before, {**before, field: {"x": "y"}}).changed


def test_default_that_appears_is_no_change() -> None:
    before = case("stored", "plain").live
    after = deepcopy(before)
    after["spec"]["template"]["spec"]["containers"][0]["newDefault"] = "x"
    after["spec"]["template"]["spec"]["newDefault"] = {"x": 1}
    assert not difference(before, after).changed


@pytest.mark.parametrize("key", ["intent", "owner", "fleet", "anything"])
def test_keys_of_our_own_are_no_change(key: str) -> None:
    before = live(CONFIG)
    for name in ("labels", "annotations"):
        after = deepcopy(before)
        after["metadata"][name][f"inference.modelops.io/{key}"] = "another"
        assert not difference(before, after).changed


def test_other_uid_of_the_owner_is_no_change_but_an_owner_that_comes_is() -> None:
    before, after = live(CONFIG, uid="one"), live(CONFIG, uid="other")
    assert not difference(before, after).changed
    orphan = deepcopy(before)
    del orphan["metadata"]["ownerReferences"]
    assert difference(orphan, after).changed


def test_record_that_gets_finer_is_no_change() -> None:
    """A new version of the schema turns an atomic map into one of fields."""
    before = live(CONFIG)
    after = deepcopy(before)
    before["metadata"]["managedFields"][0]["fieldsV1"]["f:data"] = {}
    assert not difference(before, after).changed
    after["data"]["key"] = "other"
    assert difference(before, after).changed


@pytest.mark.parametrize("known", cases("service"), ids=lambda each: each.name)
def test_each_value_that_we_send_counts(known: Case) -> None:
    for spot in spots.values(known)[::3]:
        if "inference.modelops.io/" in str(spot.path) or spot.path[-1] == "uid":
            continue
        after = known.copy()
        spot.put(after, f"not {spot.value(known.live)}")
        assert difference(known.live, after).changed, spot
        assert difference(after, known.live).changed, spot


def test_field_that_is_dropped_is_shown_before_and_not_after() -> None:
    body = as_wanted(CONFIG)
    body["data"] = {"other": "x"}
    found = difference(live(CONFIG), live(applied(CONFIG, body)))
    assert found.before["data"] == {"key": "value"}
    assert found.after["data"] == {"other": "x"}


def test_object_that_comes_or_goes_is_shown_as_we_send_it() -> None:
    there = {**live(CONFIG), "status": {"x": 1}, "immutable": False}
    shown = {"metadata": {"labels": {"app": "chat"}}, "data": {"key": "value"}}
    made, gone = difference(None, there), difference(there, None)
    assert (made.before, gone.after) == ({}, {})
    for part in (made.after, gone.before):
        owner = part["metadata"].pop("ownerReferences")
        assert "uid" not in owner[0]
        assert part == shown
    assert made.changed
    assert gone.changed
    assert not difference(None, None).changed


def test_of_a_secret_the_metadata_alone_is_shown() -> None:
    secret = wanted(child("Secret", "token", type="Opaque", stringData={"key": "canary"}))
    before = live(secret)
    found = difference(before, {**before, "stringData": {"key": "other canary"}})
    assert "canary" not in f"{found}"


def test_looking_changes_neither_object() -> None:
    before, after = live(CONFIG, uid="one"), live(CONFIG, uid="other")
    copies = deepcopy(before), deepcopy(after)
    difference(before, after)
    difference(before, None)
    assert (before, after) == copies
