# SPDX-License-Identifier: GPL-3.0-or-later
"""What people change in a ConfigMap of a release stays; what they leave alone follows the release."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from module_utils.kube.manifest import Json
from module_utils.kube.three_way_merge import base_of, base_text, merge, parse_base

OLD, NEW = "kserve/agent:v0.17.0", "kserve/agent:v0.18.0"

#: what it is called, base, live, wanted, what is applied, paths that stay, those among them that clash
CASES = [
    ("nothing was edited", {"a": 1, "b": 2}, {"a": 1, "b": 2}, {"a": 3, "c": 4}, {"a": 3, "c": 4}, [], []),
    ("an edit stays beside a new default", {"a": 1, "b": 2}, {"a": 9, "b": 2}, {"a": 1, "b": 3}, {"a": 9, "b": 3}, ["k.a"], []),
    ("both changed one value", {"a": 1}, {"a": 9}, {"a": 3}, {"a": 9}, ["k.a"], ["k.a"]),
    ("both changed it to the same", {"a": 1}, {"a": 3}, {"a": 3}, {"a": 3}, [], []),
    ("a value that was added stays", {"a": 1}, {"a": 1, "x": 5}, {"a": 1}, {"a": 1, "x": 5}, ["k.x"], []),
    ("a value that was removed stays away", {"a": 1, "b": 2}, {"b": 2}, {"a": 1, "b": 2}, {"b": 2}, ["k.a"], []),
    ("what the release drops goes", {"a": 1, "b": 2}, {"a": 1, "b": 2}, {"a": 1}, {"a": 1}, [], []),
    ("deep inside", {"r": {"x": 1, "y": 1}}, {"r": {"x": 7, "y": 1}}, {"r": {"x": 1, "y": 2}}, {"r": {"x": 7, "y": 2}}, ["k.r.x"], []),
    ("a list is one value", {"l": [1]}, {"l": [1, 2]}, {"l": [1]}, {"l": [1, 2]}, ["k.l"], []),
    ("true is not 1", {"a": 1}, {"a": True}, {"a": 1}, {"a": True}, ["k.a"], []),
    ("without a base what differs stays", None, {"a": 9}, {"a": 1, "b": 2}, {"a": 9, "b": 2}, ["k.a"], []),
    ("without a base an image follows", None, {"i": OLD, "p": "m/a:1"}, {"i": NEW, "p": "o/a:1"}, {"i": NEW, "p": "m/a:1"}, ["k.p"], []),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_edits_of_json(
    case: tuple[str, Json | None, Json, Json, Json, list[str], list[str]],
) -> None:
    dummy, base, live, wanted, applied, stays, clash = case
    merged = merge(
        None if base is None else base_of({"k": json.dumps(base)}),
        {"k": json.dumps(live)},
        {"k": json.dumps(wanted)},
        {},
    )
    assert json.loads(merged.data["k"]) == applied
    assert [edit.where for edit in merged.edits] == stays
    assert [edit.where for edit in merged.edits if edit.clash] == clash


def test_plain_texts_are_compared_as_a_whole() -> None:
    base = parse_base(base_text({"level": "1", "kept": "a\nb"}))
    merged = merge(
        base, {"level": "2", "kept": "a\nb", "theirs": "x"}, {"level": "1", "kept": "c"}, {}
    )
    # A key that only somebody else has is not ours to apply.
    assert merged.data == {"level": "2", "kept": "c"}
    assert [edit.where for edit in merged.edits] == ["level"]


def test_what_the_task_asks_for_wins() -> None:
    live = {"deploy": '{"mode": "A", "x": 9}', "level": "9"}
    wanted = {"deploy": '{"mode": "B", "x": 1}', "level": "1"}
    base = base_of({"deploy": '{"mode": "C", "x": 1}', "level": "1"})
    merged = merge(base, live, wanted, {"deploy": {"mode": "B"}, "level": "1"})
    assert json.loads(merged.data["deploy"]) == {"mode": "B", "x": 9}
    assert merged.data["level"] == "1"


def test_a_text_that_is_there_keeps_its_form() -> None:
    live = {"k": '{\n  "a":   9 }'}
    merged = merge(base_of({"k": '{"a": 1}'}), live, {"k": '{"a": 1}'}, {})
    assert merged.data == live


#: ConfigMap data: keys with JSON maps or texts.
DOCUMENTS = st.dictionaries(
    st.sampled_from("abc"),
    st.recursive(
        st.integers(0, 3) | st.booleans() | st.text("xy", max_size=2) | st.none(),
        lambda inner: st.dictionaries(st.sampled_from("pq"), inner, max_size=2),
        max_leaves=4,
    ),
    max_size=3,
)
DATA = st.dictionaries(
    st.sampled_from("kl"), DOCUMENTS.map(json.dumps) | st.text("tu", max_size=2), max_size=2
)


@given(DATA, DATA)
def test_without_edits_the_release_is_applied(base: Json, wanted: Json) -> None:
    merged = merge(parse_base(base_text(base)), base, wanted, {})
    documents = {key: _read(text) for key, text in merged.data.items()}
    assert documents == {key: _read(text) for key, text in wanted.items()}
    assert merged.edits == ()


@given(DATA, DATA)
def test_without_a_new_release_every_edit_stays_and_a_second_run_changes_nothing(
    released: Json, live: Json
) -> None:
    base = parse_base(base_text(released))
    merged = merge(base, live, released, {})
    there = {**live, **merged.data}
    assert {key: _read(text) for key, text in there.items()} == {
        key: _read(text) for key, text in live.items()
    }
    assert not any(edit.clash for edit in merged.edits)
    assert merge(base, there, released, {}).data == merged.data


def _read(text: str) -> Any:
    try:
        return json.dumps(json.loads(text), sort_keys=True)
    except ValueError:
        return text
