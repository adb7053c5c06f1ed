# SPDX-License-Identifier: GPL-3.0-or-later
"""A value read by its schema: never a traceback, never a change that was not asked for."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from module_utils.kube.schema import (
    Anything,
    Boolean,
    FieldRule,
    Integer,
    IntOrText,
    ListOf,
    MapOf,
    Object,
    QuantityValue,
    Text,
    rows,
    type_name,
)
from module_utils.kube.schema_check import check, child_path, related

SCHEMA = Object(
    fields={
        "name": Text(description="What it is called. Freely.", min_length=1),
        "mode": Text(default="on", enum=("on", "off")),
        "size": Integer(default=3, minimum=1, maximum=9),
        "wide": Integer(bits=64),
        "loud": Boolean(),
        "amount": QuantityValue(),
        "labels": MapOf(values=Text()),
        "limits": MapOf(values=QuantityValue()),
        "words": ListOf(items=Text()),
        "items": ListOf(
            items=Object(fields={"key": Text(), "value": Text(sensitive=True)}, required=("key",)),
            keys=("key",),
            title="key",
        ),
        "inner": Object(fields={"size": Integer(default=5)}),
    },
    required=("name",),
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.fixed_dictionaries({}, optional=dict.fromkeys(SCHEMA.fields, JSON))


@given(JSON)
def test_anything_gives_a_value_and_problems(value: Any) -> None:
    checked = check(SCHEMA, value, "spec")
    assert isinstance(checked.value, dict)
    assert checked.problems  # nothing that is drawn here has a name


@given(OBJECTS)
def test_input_is_left_as_it_is(value: dict[str, Any]) -> None:
    before = copy.deepcopy(value)
    check(SCHEMA, value, "spec")
    assert repr(value) == repr(before)


@given(OBJECTS)
def test_what_was_read_is_legal_and_reads_as_itself(value: dict[str, Any]) -> None:
    once = check(SCHEMA, {**value, "name": "a"}, "spec").value
    again = check(SCHEMA, once, "spec")
    broken_items = any(item.get("key", "") == "" for item in once.get("items", ()))
    if not broken_items:
        assert again.value == once


def test_defaults_apply_at_each_level() -> None:
    assert check(SCHEMA, {"name": "a"}, "spec").value == {"name": "a", "mode": "on", "size": 3}
    assert check(SCHEMA, {"name": "a", "inner": {}}, "spec").value["inner"] == {"size": 5}


def test_broken_field_takes_its_default() -> None:
    checked = check(SCHEMA, {"name": "a", "size": "x", "mode": "of"}, "spec")
    assert checked.value == {"name": "a", "mode": "on", "size": 3}
    assert checked.broken == {"spec.size", "spec.mode"}
    assert checked.problems[0].message == '"of" is not one of on, off, did you mean "off"?'


def test_duplicate_keys_are_named_with_their_place() -> None:
    given_items = [{"key": "a"}, {"key": "b"}, {"key": "a"}]
    (problem,) = check(SCHEMA, {"name": "a", "items": given_items}, "spec").problems
    assert (problem.path, problem.rule) == ("spec.items[2]", "duplicate")
    assert "spec.items[0]" in problem.message


def test_items_are_called_by_their_key() -> None:
    (problem,) = check(
        SCHEMA, {"name": "a", "items": [{"key": "TOKEN", "value": 5}]}, "spec"
    ).problems
    assert problem.message == "TOKEN: a number, not a string; put it in quotes"


def test_unknown_field_names_the_nearest_or_its_place() -> None:
    found = {
        p.path: p.message for p in check(SCHEMA, {"nam": 1, "key": 2, "zzz": 3}, "spec").problems
    }
    assert 'did you mean "name"?' in found["spec.nam"]
    assert "it belongs in spec.items[].key" in found["spec.key"]
    assert "known here: name, mode" in found["spec.zzz"]
    # It is there, under a misspelt name.
    assert "spec.name" not in found


def test_field_that_is_not_there_is_missing() -> None:
    (problem,) = check(SCHEMA, {}, "spec").problems
    assert str(problem) == "spec.name: missing: what it is called"


@pytest.mark.parametrize(
    ("key", "path"), [("memory", "limits.memory"), ("nvidia.com/gpu", 'limits["nvidia.com/gpu"]')]
)
def test_keys_with_dots_stand_in_brackets(key: str, path: str) -> None:
    assert child_path("limits", key) == path


@pytest.mark.parametrize(
    ("path", "others", "expected"),
    [
        ("spec.a", ["spec.a"], True),
        ("spec.a.b", ["spec.a"], True),
        ("spec.a", ["spec.a[0].b"], True),
        ("spec.ab", ["spec.a"], False),
        ("spec.a", [], False),
    ],
)
def test_related_fields_are_the_same_above_or_below(
    path: str, others: list[str], expected: bool
) -> None:
    assert related(path, others) is expected


def test_rows_list_every_field_with_its_type() -> None:
    listed = {row.path: (type_name(row.schema), row.required) for row in rows(SCHEMA, "spec")}
    assert listed["spec.name"] == ("text", True)
    assert listed["spec.items"] == ("list of object", False)
    assert listed["spec.items[].key"] == ("text", True)
    assert listed["spec.limits"] == ("map of quantity", False)
    assert listed["spec.wide"] == ("int64", False)


BOUNDED = Object(
    fields={
        "few": ListOf(items=Text(), min_items=1, max_items=2, unique=True),
        "some": MapOf(values=Text(), min_items=1, max_items=2),
        "either": IntOrText(),
        "free": Anything(),
        "map": Anything(type="object"),
        "given": ListOf(items=Text(), default=("a",)),
        "low": Integer(default=1),
        "high": Integer(default=2),
    },
    rules=(
        FieldRule(
            name="order",
            message="low is above high",
            broken=lambda value: value["low"] > value["high"],
        ),
    ),
)


@pytest.mark.parametrize(
    ("value", "path", "message"),
    [
        ({"few": []}, "spec.few", "has 0 items, at least 1 are needed"),
        ({"few": ["a", "b", "c"]}, "spec.few", "has 3 items, at most 2 are allowed"),
        ({"few": ["a", "a"]}, "spec.few[1]", '"a" is already in spec.few[0]'),
        ({"some": {}}, "spec.some", "has 0 keys, at least 1 are needed"),
        ({"some": {"a": "", "b": "", "c": ""}}, "spec.some", "at most 2 are allowed"),
        ({"either": True}, "spec.either", "true is neither an integer nor a string"),
        ({"map": []}, "spec.map", "[] is not a map of fields"),
        ({"low": 3}, "spec", "low is above high"),
        ({"low": 3, "lo": 1}, "spec", "low is above high"),
    ],
)
def test_bounds_and_rules_are_told(value: Any, path: str, message: str) -> None:
    found = {problem.path: problem.message for problem in check(BOUNDED, value, "spec").problems}
    assert message in found[path]


def test_a_rule_waits_until_the_fields_are_right() -> None:
    assert [p.path for p in check(BOUNDED, {"low": "3"}, "spec").problems] == ["spec.low"]


PORTS = Object(
    fields={
        "ports": ListOf(
            items=Object(
                fields={
                    "number": Integer(minimum=1),
                    "name": Text(pattern="^[a-z]+$"),
                    "protocol": Text(enum=("TCP", "UDP")),
                },
                required=("number",),
            ),
            rules=(
                FieldRule(
                    name="twice",
                    message="a number is listed twice",
                    broken=lambda value: len({each["number"] for each in value}) < len(value),
                ),
            ),
        ),
        "low": Integer(minimum=1),
        "high": Integer(minimum=1),
    },
    rules=(
        FieldRule(
            name="order",
            message="low is above high",
            broken=lambda value: value.get("low", 0) > value.get("high", 9),
        ),
    ),
)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"low": 2, "high": 0}, {"spec.high", "spec"}),
        ({"low": 0, "high": 2}, {"spec.low"}),
        (
            {"ports": [{"number": 0}, {"number": 0}]},
            {"spec.ports[0].number", "spec.ports[1].number", "spec.ports"},
        ),
        (
            {"ports": [{"number": 1}, {"number": 1, "name": "A"}]},
            {"spec.ports[1].name", "spec.ports"},
        ),
        ({"ports": [{"number": 1}, {"number": 1, "name": 3}]}, {"spec.ports[1].name"}),
        ({"ports": [{"number": 1}, {"number": 1, "protocol": "x"}]}, {"spec.ports[1].protocol"}),
        ({"ports": [{"number": 1}, {}]}, {"spec.ports[1].number"}),
        ({"low": 2, "high": 1, "ports": [{"number": 0}]}, {"spec.ports[0].number", "spec"}),
    ],
)
def test_a_rule_looks_at_values_that_are_wrong_by_themselves_but_of_the_right_form(
    value: Any, told: set[str]
) -> None:
    assert {problem.path for problem in check(PORTS, value, "spec").problems} == told


def test_free_values_stay_and_defaults_are_not_shared() -> None:
    given = {"free": {"a": [None]}, "map": {"b": 1}, "either": "http"}
    once = check(BOUNDED, given, "spec").value
    assert once == {**given, "given": ["a"], "low": 1, "high": 2}
    once["given"].append("b")
    assert check(BOUNDED, {}, "spec").value["given"] == ["a"]


def test_what_is_empty_is_kept_on_request() -> None:
    given = {"name": "a", "words": [], "labels": {}, "items": [{"key": "", "value": ""}]}
    kept = check(SCHEMA, given, "spec", keep_empty=True).value
    assert {key: kept[key] for key in given} == given


def test_unknown_fields_that_nobody_is_told_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(
        f"{check.__module__}.places_of", lambda key, *dummy: asked.append(key) or []
    )
    given = {"name": "a", "sizes": 4, "inner": {"wide": 1}, "loud": "yes"}
    assert [each.rule for each in check(SCHEMA, given, "", unknown=False).problems] == ["type"]
    assert asked == []
    assert check(SCHEMA, given, "").value == check(SCHEMA, given, "", unknown=False).value
    assert asked == ["sizes", "wide"]
