# SPDX-License-Identifier: GPL-3.0-or-later
"""Sets of fields obey the laws of sets, and leave an object as an apply would."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from module_utils.kube.field_sets import minus, of_path, union, without

Fields = dict[str, Any]
PORT = 'k:{"port":80}'
OTHER = 'k:{"port":81}'


def members(fields: Fields, path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """Return the paths of a set, told apart from the steps that only lead to them."""
    found = {path} if path and (not fields or "." in fields) else set()
    for step, below in fields.items():
        if step != ".":
            found |= members(below, (*path, step))
    return found


def of_members(paths: frozenset[tuple[str, ...]]) -> Fields:
    """Return the set of these paths, as the server writes it."""
    fields: Fields = {}
    for path in paths:
        below = fields
        for step in path:
            below = below.setdefault(step, {})
    for path in paths:
        below = fields
        for step in path:
            below = below[step]
        if below:
            below["."] = {}
    return fields


STEPS = st.sampled_from(["f:a", "f:b", PORT])
SETS = st.frozensets(st.lists(STEPS, min_size=1, max_size=3).map(tuple), max_size=8)


@given(SETS, SETS)
def test_union_holds_what_either_holds(left: Any, right: Any) -> None:
    assert members(union([of_members(left), of_members(right)])) == left | right


@given(SETS, SETS)
def test_difference_holds_what_only_the_first_holds(left: Any, right: Any) -> None:
    assert members(minus(of_members(left), of_members(right))) == left - right


def test_field_without_a_list_above_it() -> None:
    assert of_path(("spec", "replicas")) == {"f:spec": {"f:replicas": {}}}


@pytest.mark.parametrize(
    ("value", "fields", "kept", "left"),
    [
        ({"a": 1, "b": 2}, {"f:a": {}}, {}, {"b": 2}),
        ({"a": {"x": 1, "y": 2}}, {"f:a": {"f:x": {}}}, {}, {"a": {"y": 2}}),
        # A map that was theirs goes with all that nobody else owns of it.
        ({"a": {"x": 1}}, {"f:a": {".": {}, "f:x": {}}}, {}, {}),
        (
            {"a": {"x": 1, "y": 2}},
            {"f:a": {".": {}, "f:x": {}}},
            {"f:a": {"f:y": {}}},
            {"a": {"y": 2}},
        ),
        ({"a": {}}, {"f:a": {}}, {"f:a": {}}, {"a": {}}),
        (
            {"ports": [{"port": 80, "name": "a"}, {"port": 81}]},
            {"f:ports": {PORT: {".": {}, "f:name": {}, "f:port": {}}}},
            {"f:ports": {OTHER: {".": {}}}},
            {"ports": [{"port": 81}]},
        ),
        (
            {"ports": [{"port": 80, "name": "a", "nodePort": 3}]},
            {"f:ports": {PORT: {"f:name": {}}}},
            {"f:ports": {PORT: {".": {}, "f:port": {}}}},
            {"ports": [{"port": 80, "nodePort": 3}]},
        ),
        (
            {"finalizers": ["one", "two", "three"]},
            {"f:finalizers": {'v:"one"': {}, 'v:"two"': {}}},
            {"f:finalizers": {'v:"two"': {}}},
            {"finalizers": ["two", "three"]},
        ),
        ({"a": 1}, {"f:gone": {}}, {}, {"a": 1}),
    ],
)
def test_object_without_a_set_keeps_what_others_own(
    value: Any, fields: Fields, kept: Fields, left: Any
) -> None:
    assert without(value, fields, kept) == left
