# SPDX-License-Identifier: GPL-3.0-or-later
"""No apply is left out that would have changed something; what others do beside us costs no request.

The pitfalls are those of docs/decisions.md, each reported against a tool that decides alike.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from module_utils.engine import (
    FIELD_MANAGER,
    INTENT_ANNOTATION,
    KINDS_ANNOTATION,
    RELEASE_ANNOTATION,
)
from module_utils.engine.noop_proof import Rules, doubt, holds
from module_utils.kube.canonical import canonical_json, digest
from module_utils.kube.manifest import Json

from .recorded import Case, case, cases
from .wanted import applied, as_wanted

PLAIN = case("stored", "plain")
ROUTE = case("stored", "route")


@pytest.mark.parametrize("known", cases("service"), ids=lambda each: each.name)
def test_object_as_the_server_stored_it_needs_no_apply(known: Case) -> None:
    assert doubt(known.desired, known.live, known.uid) is None


@pytest.mark.parametrize("known", cases("service") + cases("stored"), ids=lambda each: each.name)
def test_hash_is_the_one_that_fleets_carry(known: Case) -> None:
    assert digest(known.desired.body) == known.desired.digest


def _sent_part(live: Json) -> Json:
    """Return what an apply of ours can change, the owner's uid and the server's own counters apart."""
    metadata = live["metadata"]
    kept = {name: metadata.get(name) for name in ("labels", "annotations", "ownerReferences")}
    annotations = {**(kept["annotations"] or {})}
    annotations.pop("deployment.kubernetes.io/revision", None)
    return {**kept, "annotations": annotations, "spec": live["spec"]}


@pytest.mark.parametrize("known", cases("changed"), ids=lambda each: each.name)
def test_where_nothing_is_sent_the_server_would_have_changed_nothing(known: Case) -> None:
    repaired = _sent_part(known.live) != _sent_part(known.after)
    reason = doubt(known.desired, known.live, known.uid)
    assert reason is not None or not repaired
    assert doubt(known.desired, known.after, known.uid) is None, "one apply settles it"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nothing", None),
        ("a status is written", None),
        ("somebody adds an annotation", None),
        ("somebody adds a label", None),
        ("somebody adds an owner of the same field", None),
        ("somebody sets a field that we leave alone", None),
        ("somebody adds an environment variable", None),
        ("somebody adds an environment variable in front", None),
        ("somebody adds a container in front", None),
        ("somebody changes the image", "containers[main].image is not ours any more"),
        ("somebody removes an environment variable", "env holds other items than ours"),
        ("somebody reorders the environment", "containers[main].env was put in another order"),
        ("somebody removes a label of ours", "metadata.labels.app is not ours any more"),
        ("somebody scales", "spec.replicas is not ours any more"),
        ("another applier takes a field", "spec.replicas is not ours any more"),
        ("somebody removes the owner", "metadata.ownerReferences is not ours any more"),
        ("the managed fields are wiped", "its managed fields hold no apply of ours"),
        ("a backup is restored", "its managed fields hold no apply of ours"),
    ],
)
def test_reason_names_what_somebody_did(name: str, reason: str | None) -> None:
    known = case("changed", name)
    found = doubt(known.desired, known.live, known.uid)
    assert found == reason if reason is None else reason in (found or "")


@pytest.mark.parametrize(
    "name",
    [
        "port-without-protocol",
        "field-reference",
        "empty-dir",
        "claim-templates",
        "number-or-text",
        "service",
        "route",
        "config",
    ],
)
def test_defaults_of_the_server_cost_no_request(name: str) -> None:
    known = case("stored", name)
    assert known.settles
    assert doubt(known.desired, known.live, known.uid) is None


@pytest.mark.parametrize("name", ["quantities", "empty-text", "empty-list"])
def test_what_is_stored_in_another_form_is_sent_again_rather_than_guessed(name: str) -> None:
    known = case("stored", name)
    assert doubt(known.desired, known.live, known.uid) is not None


# The first witness: the hash of the intent.


def test_field_that_is_dropped_inside_an_atomic_list_is_sent() -> None:
    """`weight: 5` left out means 1, which ownership does not show; the value does, even beside a hash that was copied."""
    body = as_wanted(ROUTE.desired)
    del body["spec"]["rules"][0]["backendRefs"][0]["weight"]
    dropped = applied(ROUTE.desired, body)
    live = ROUTE.copy()
    assert (
        doubt(dropped, live, ROUTE.uid) == "this run's input, settings or release would change it"
    )
    live["metadata"]["annotations"][INTENT_ANNOTATION] = dropped.digest
    assert doubt(dropped, live, ROUTE.uid) == "spec.rules was changed"


@pytest.mark.parametrize("annotations", [None, {}, {INTENT_ANNOTATION: "0" * 64}])
def test_hash_that_is_gone_or_another_is_a_doubt(annotations: Json | None) -> None:
    live = PLAIN.copy()
    live["metadata"]["annotations"] = annotations
    assert doubt(PLAIN.desired, live, PLAIN.uid) is not None


# Beside the witnesses: the release as which an object was made.


@pytest.mark.parametrize(
    ("noted", "wanted", "reason"),
    [
        ("", "0.17", None),
        ("0.17", "0.17", None),
        ("0.17", "0.18", "it was made as release 0.17"),
        ("0.17", "", "it was made as release 0.17"),
        ("", "", None),
    ],
)
def test_another_release_is_a_doubt_and_none_is_not(
    noted: str, wanted: str, reason: str | None
) -> None:
    """What was made before releases were noted is not written for the note alone."""
    live = _noting(RELEASE_ANNOTATION, noted) if noted else PLAIN.copy()
    assert doubt(replace(PLAIN.desired, release=wanted), live, PLAIN.uid) == reason


@pytest.mark.parametrize("wanted", [None, frozenset(), frozenset({"B"})])
@pytest.mark.parametrize("noted", ["", "A B"])
def test_the_note_of_kinds_is_written_with_something_else_alone(
    noted: str, wanted: frozenset[str] | None
) -> None:
    live = _noting(KINDS_ANNOTATION, noted)
    assert doubt(replace(PLAIN.desired, kinds=wanted), live, PLAIN.uid) is None


def _noting(annotation: str, text: str) -> Json:
    """Return the live object with an annotation that we have written beside its intent."""
    live = PLAIN.copy()
    live["metadata"]["annotations"][annotation] = text
    _ours(live)["fieldsV1"]["f:metadata"]["f:annotations"][f"f:{annotation}"] = {}
    return live


# The second witness: our entry covers exactly what we send.


def _ours(live: Json) -> Json:
    entries: list[Json] = live["metadata"]["managedFields"]
    return next(entry for entry in entries if entry["manager"] == FIELD_MANAGER)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"operation": "Update"}, "no apply of ours"),
        ({"manager": "kubectl"}, "no apply of ours"),
        ({"manager": "modelops.inference.gpu"}, "no apply of ours"),
        ({"subresource": "scale"}, "no apply of ours"),
        ({"apiVersion": "apps/v1beta2"}, "it was applied as apps/v1beta2"),
        ({"fieldsV1": {}}, "do not say which fields are ours"),
        ({"fieldsV1": None}, "do not say which fields are ours"),
    ],
)
def test_entry_that_is_not_our_apply_proves_nothing(change: Json, reason: str) -> None:
    live = PLAIN.copy()
    _ours(live).update(change)
    assert reason in (doubt(PLAIN.desired, live, PLAIN.uid) or "")


def test_field_that_we_own_and_no_longer_want_is_sent() -> None:
    """The entry of an apply whose annotation was copied from another object: the hash agrees, the fields do not."""
    live = PLAIN.copy()
    _ours(live)["fieldsV1"]["f:spec"]["f:paused"] = {}
    live["spec"]["paused"] = True
    assert doubt(PLAIN.desired, live, PLAIN.uid) == "spec.paused is owned but no longer wanted"


def test_other_form_of_a_list_proves_nothing() -> None:
    """After a change of the schema a keyed list can be recorded by index, or as a set."""
    for form in ("i:0", 'v:"x"'):
        live = PLAIN.copy()
        template = _ours(live)["fieldsV1"]["f:spec"]["f:template"]
        template["f:spec"]["f:containers"] = {form: {}}
        assert doubt(PLAIN.desired, live, PLAIN.uid) is not None


def _small_deployment() -> Case:
    return next(each for each in cases("service") if each.name.endswith("small-decode"))


def test_replicas_that_nobody_claims_are_left_to_an_autoscaler() -> None:
    known = _small_deployment()
    assert known.desired.unclaimed == {("spec", "replicas"): 1}
    live = known.copy()
    assert "f:replicas" in _ours(live)["fieldsV1"]["f:spec"], "recorded right after the create"
    live["spec"]["replicas"] = 7
    assert doubt(known.desired, live, known.uid) is None
    del _ours(live)["fieldsV1"]["f:spec"]["f:replicas"]
    assert doubt(known.desired, live, known.uid) is None


def test_replicas_that_are_claimed_are_enforced() -> None:
    known = replace(PLAIN, live=PLAIN.copy())
    known.live["spec"]["replicas"] = 7
    assert doubt(known.desired, known.live, known.uid) == "spec.replicas was changed"


def test_new_owner_of_the_same_name_is_sent() -> None:
    assert "ownerReferences" in (doubt(PLAIN.desired, PLAIN.live, "another-uid") or "")


def test_object_that_is_being_deleted_is_never_proved() -> None:
    live = PLAIN.copy()
    live["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert doubt(PLAIN.desired, live, PLAIN.uid) == "it is being deleted"


# The third witness: the live values. What a webhook or a direct write changes, nobody is recorded for.


def _main(live: Json) -> Json:
    container: Json = live["spec"]["template"]["spec"]["containers"][0]
    return container


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda live: _main(live).update(image="x"), "containers[main].image was changed"),
        (lambda live: _main(live).pop("image"), "containers[main].image was removed"),
        (lambda live: _main(live)["env"][1].pop("value"), "env[SECOND].value was removed"),
        (lambda live: _main(live)["env"].pop(), "containers[main].env lost an item"),
        (lambda live: _main(live).update(env={}), "containers[main].env was removed"),
        (lambda live: live["spec"].update(template=None), "spec.template was removed"),
        (lambda live: _main(live)["ports"][0].update(containerPort="8000"), "lost an item"),
        (lambda live: _main(live)["ports"].append(dict(_main(live)["ports"][0])), "lost an item"),
        (
            lambda live: live["metadata"]["labels"].update(app="y"),
            "metadata.labels.app was changed",
        ),
        (lambda live: live["spec"]["selector"]["matchLabels"].update(app="y"), "spec.selector was"),
        (lambda live: live["spec"].update(replicas=False), "spec.replicas was changed"),
    ],
)
def test_value_that_changed_without_a_change_of_ownership_is_sent(
    change: Callable[[Json], Any], reason: str
) -> None:
    live = PLAIN.copy()
    change(live)
    assert reason in (doubt(PLAIN.desired, live, PLAIN.uid) or "")


def test_item_that_leaves_an_atomic_list_is_sent() -> None:
    for change in (list.pop, list.reverse):
        live = ROUTE.copy()
        change(live["spec"]["rules"])
        assert doubt(ROUTE.desired, live, ROUTE.uid) == "spec.rules was changed"


# The fourth witness: the order of our items.


def test_order_counts_among_our_items_only() -> None:
    live = PLAIN.copy()
    env = _main(live)["env"]
    env[1:1] = [{"name": "THEIRS", "value": "x"}]
    assert doubt(PLAIN.desired, live, PLAIN.uid) is None
    env.reverse()
    assert "env was put in another order" in (doubt(PLAIN.desired, live, PLAIN.uid) or "")


def test_secret_is_judged_by_its_metadata_alone() -> None:
    """Its data is not read, so that a run over a fleet fetches no tokens."""
    known = next(each for each in cases("service") if each.desired.reference.kind == "Secret")
    assert "data" not in known.live
    live = known.copy()
    live.pop("type")
    assert doubt(known.desired, live, known.uid) is None
    live["metadata"]["labels"].popitem()
    assert doubt(known.desired, live, known.uid) is not None


@pytest.mark.parametrize(
    ("live", "wanted", "held"),
    [
        (1, 1.0, True),
        (1.0, 1, True),
        (1, "1", False),
        (1, True, False),
        (False, 0, False),
        (None, False, False),
        ("", None, False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"a": 1, "b": 2}, {"a": 1}, False),
        ({"a": 1, "default": 2}, {"a": 1}, True),
        ({"a": 1, "default": 3}, {"a": 1}, False),
        ({"a": 1, "default": True}, {"a": 1}, False),
        ([{"a": 1, "default": 2}], [{"a": 1}], True),
        ({"other": {"default": 2}}, {"other": {}}, False),
        ([1, 2], [1], False),
        ([2, 1], [1, 2], False),
        ([], {}, False),
        ({}, [], False),
        (None, {}, False),
        ({}, {}, True),
    ],
)
def test_numbers_are_compared_by_value_and_known_defaults_may_be_added(
    live: Any, wanted: Any, held: bool
) -> None:
    assert holds(live, wanted, "map", Rules({("map", "default"): 2})) is held


@pytest.mark.parametrize(
    ("recorded", "live", "proved"),
    [
        (['v:"a/é"', 'v:"b/\\u003c"'], ["a/é", "theirs", "b/<"], True),
        (['v:"a/é"', 'v:"b/<"'], ["b/<", "a/é"], False),
        (['v:"a/é"', 'v:"b/<"'], ["a/é", "b/<", "a/é"], False),
        (['v:"a/é"', 'v:"b/<"'], ["a/é"], False),
        (['v:"a/é"'], ["a/é", "b/<"], False),
        (['v:"a/é"', 'v:"b/<"', 'v:"c"'], ["a/é", "b/<", "c"], False),
        (['v:"a/é"', 'v:"c"'], ["a/é", "b/<", "c"], False),
    ],
)
def test_set_needs_exactly_our_items_alive_and_in_our_order(
    recorded: list[str], live: list[str], proved: bool
) -> None:
    body = as_wanted(PLAIN.desired)
    body["metadata"]["finalizers"] = ["a/é", "b/<"]
    wanted = applied(PLAIN.desired, body)
    there = PLAIN.copy()
    there["metadata"]["annotations"][INTENT_ANNOTATION] = wanted.digest
    there["metadata"]["finalizers"] = live
    _ours(there)["fieldsV1"]["f:metadata"]["f:finalizers"] = {".": {}} | {
        step: {} for step in recorded
    }
    assert (doubt(wanted, there, PLAIN.uid) is None) is proved


def test_looking_changes_nothing() -> None:
    before = deepcopy(PLAIN.live)
    doubt(PLAIN.desired, PLAIN.live, PLAIN.uid)
    assert before == PLAIN.live
    assert canonical_json(as_wanted(PLAIN.desired)) == PLAIN.desired.body


@pytest.mark.parametrize(
    ("wanted_value", "live_value", "alike"),
    [
        ({}, {"scaleUp": {"selectPolicy": "Max"}}, True),
        ({}, None, True),
        ({}, "text", False),
        ({"scaleUp": {}}, {"scaleUp": {"selectPolicy": "Max"}}, True),
        ({"scaleUp": {"selectPolicy": "Min"}}, {"scaleUp": {"selectPolicy": "Max"}}, False),
        ([], ["x"], False),
    ],
)
def test_empty_map_that_the_server_fills_in_is_not_held_against_it(
    wanted_value: Any, live_value: Any, alike: bool
) -> None:
    assert holds(live_value, wanted_value, "behavior", Rules({}, lenient=True)) is alike
    assert not holds(live_value, wanted_value, "behavior", Rules({}))
