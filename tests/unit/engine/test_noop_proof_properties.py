# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever happens to a field of ours is seen; whatever happens to others' fields costs no request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from module_utils.engine.noop_proof import doubt
from module_utils.kube.manifest import Json

from . import spots
from .recorded import Case, cases
from .wanted import applied, as_wanted

#: Objects of every kind that we make, proved to need no apply.
PROVED = tuple(
    each
    for each in cases("service") + cases("stored")
    if each.name not in ("quantities", "empty-text", "empty-list")
)
CASES = st.sampled_from(PROVED)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
JUNK = SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(st.text(), SCALARS, max_size=2)


def _same(one: Any, other: Any) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _unproved(case: Case, live: Json) -> bool:
    return doubt(case.desired, live, case.uid) is not None


def test_the_objects_of_these_properties_are_proved() -> None:
    assert len(PROVED) > 30
    assert not [case.name for case in PROVED if _unproved(case, case.live)]


@given(CASES, st.data())
def test_changed_value_is_seen(case: Case, data: st.DataObject) -> None:
    spot = data.draw(st.sampled_from(spots.values(case)))
    before = spot.value(case.live)
    live = case.copy()
    spot.put(live, data.draw(JUNK.filter(lambda value: not _same(value, before))))
    assert _unproved(case, live), spot


@given(CASES, st.data())
def test_removed_field_or_item_is_seen(case: Case, data: st.DataObject) -> None:
    spot = data.draw(st.sampled_from(spots.things(case)))
    live = case.copy()
    spot.remove(live)
    assert _unproved(case, live), spot


SORTED = tuple(case for case in PROVED if spots.lists(case))


@given(st.sampled_from(SORTED), st.data())
def test_other_order_of_our_items_is_seen(case: Case, data: st.DataObject) -> None:
    spot, (one, other) = data.draw(st.sampled_from(spots.lists(case)))
    live = case.copy()
    items = spot.value(live)
    items[one], items[other] = items[other], items[one]
    assert _unproved(case, live), spot


@given(CASES, st.data())
def test_field_that_another_manager_took_is_seen(case: Case, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(spots.recorded_fields(case)))
    live = case.copy()
    fields = spots.entry(live)["fieldsV1"]
    spots.lose(fields, path)
    assert _unproved(case, live), path


@given(CASES, st.data(), st.text("abc", min_size=1))
def test_field_that_we_own_beyond_what_we_send_is_seen(
    case: Case, data: st.DataObject, name: str
) -> None:
    live = case.copy()
    path = data.draw(st.sampled_from(spots.recorded_fields(case)))
    fields = spots.entry(live)["fieldsV1"]
    for step in path[:-1]:
        fields = fields[step]
    if all(step.startswith("f:") for step in fields.keys() - {"."}):
        fields[f"f:{name}-surplus"] = {}
        assert _unproved(case, live), path


@given(CASES, st.data())
def test_changed_intent_is_seen(case: Case, data: st.DataObject) -> None:
    body = as_wanted(case.desired)
    spot = data.draw(
        st.sampled_from([each for each in spots.values(case) if _sent_by_author(each)])
    )
    _put_wanted(body, case.live, spot.path, data.draw(st.text(min_size=1)))
    changed = applied(case.desired, body)
    if changed.body != case.desired.body:
        assert doubt(changed, case.live, case.uid) is not None, spot


def _sent_by_author(spot: spots.Spot) -> bool:
    return spot.path[0] != "metadata" or spot.path[1] == "labels"


def _put_wanted(body: Any, live: Any, path: Sequence[str | int], value: Any) -> None:
    """Change what is wanted at the place that a path names in the live object."""
    step, *rest = path
    if isinstance(body, list):
        step = next(place for place, item in enumerate(body) if spots.match(item, live) == path[0])
    if rest:
        _put_wanted(body[step], live[path[0]], rest, value)
    else:
        body[step] = value


@given(CASES, st.text("abc-", min_size=1))
def test_other_owner_is_seen(case: Case, uid: str) -> None:
    owned = case.desired.parent is not None
    assert (doubt(case.desired, case.live, uid) is not None) is owned


#: Changes beside what we own, each to a live object.
OTHERS_NAME = st.text("abcdefgh", min_size=1, max_size=8).map(lambda name: f"others.example/{name}")


@given(CASES, OTHERS_NAME, st.text(), st.data())
def test_what_others_do_beside_us_costs_no_request(
    case: Case, name: str, text: str, data: st.DataObject
) -> None:
    live = case.copy()
    metadata = live["metadata"]
    deeds: dict[str, Callable[[], Any]] = {
        "status": lambda: live.update(status={"phase": text}),
        "resourceVersion": lambda: metadata.update(resourceVersion=text),
        "generation": lambda: metadata.update(generation=len(text)),
        "label": lambda: metadata["labels"].update({name: text}),
        "annotation": lambda: metadata["annotations"].update({name: text}),
        "owner": lambda: metadata.setdefault("ownerReferences", []).append({"uid": name}),
        "finalizer": lambda: metadata.update(finalizers=[name]),
        "field": lambda: live.setdefault("spec", {}).update({name: text}),
        "manager": lambda: metadata["managedFields"].insert(0, _entry(name)),
        "our status": lambda: metadata["managedFields"].append(
            _entry("modelops.inference", subresource="status", operation="Apply")
        ),
    }
    for deed in data.draw(st.lists(st.sampled_from(sorted(deeds)), min_size=1, unique=True)):
        deeds[deed]()
    assert doubt(case.desired, live, case.uid) is None


def _entry(manager: str, **more: str) -> Json:
    return {"manager": manager, "operation": "Update", "fieldsV1": {"f:data": {}}, **more}


@given(CASES, st.data())
def test_item_that_others_add_to_a_keyed_list_costs_no_request(
    case: Case, data: st.DataObject
) -> None:
    containers = case.live.get("spec", {}).get("template", {}).get("spec", {}).get("containers")
    if not containers:
        return
    live = case.copy()
    place = data.draw(st.integers(0, len(containers)))
    live["spec"]["template"]["spec"]["containers"].insert(place, {"name": "injected-by-others"})
    assert doubt(case.desired, live, case.uid) is None


@given(CASES, JUNK, st.data())
def test_damaged_record_is_a_doubt_or_a_proof_but_never_an_error(
    case: Case, junk: Any, data: st.DataObject
) -> None:
    live = case.copy()
    path = data.draw(st.sampled_from(spots.recorded_fields(case)))
    fields = spots.entry(live)["fieldsV1"]
    for step in path[:-1]:
        fields = fields[step]
    fields[path[-1]] = {f"{data.draw(st.sampled_from(['f', 'i', '.']))}:{junk}": {}}
    doubt(case.desired, live, case.uid)
    doubt(replace(case.desired, unclaimed={}), live, case.uid)
