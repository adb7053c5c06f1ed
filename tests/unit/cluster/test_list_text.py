# SPDX-License-Identifier: GPL-3.0-or-later
"""A LIST read object by object is what reading it at once gives, however its text is written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from module_utils.cluster.list_text import read_list
from module_utils.kube.manifest import Json

META = {"resourceVersion": "7", "continue": "more"}
NASTY = {"metadata": {"name": "a"}, "data": {"k": '"items":[{"x": 1}], ]}'}}


@pytest.mark.parametrize(
    "document",
    [
        {"kind": "PodList", "apiVersion": "v1", "metadata": META, "items": [NASTY, NASTY]},
        {"apiVersion": "v1", "items": [NASTY], "kind": "PodList", "metadata": META},
        {"metadata": {"items": [{"not": "ours"}]}, "items": [NASTY]},
        {"kind": "PodList", "metadata": META, "items": []},
        {"kind": "PodList", "metadata": META, "items": None},
        {"kind": "PodList", "metadata": META},
        {"items": [{"spec": {"items": [{"key": "a"}]}}]},
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_same_as_reading_it_at_once(document: Json, indent: int | None) -> None:
    text = json.dumps(document, indent=indent) + "\n"
    rest, items = read_list(text.encode(), lambda item: item)
    assert items == (document.get("items") or [])
    rest.pop("items", None)
    assert rest == {name: value for name, value in document.items() if name != "items"}


@given(
    st.lists(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
            ),
        ).map(lambda value: {"value": value}),
        max_size=4,
    )
)
def test_same_for_any_items(items: list[Json]) -> None:
    text = json.dumps({"metadata": META, "items": items}, ensure_ascii=False)
    assert read_list(text.encode(), lambda item: item)[1] == items


def test_only_what_is_kept_is_held() -> None:
    text = json.dumps({"items": [{"a": 1, "b": 2}]}).encode()
    assert read_list(text, lambda item: {"a": item["a"]})[1] == [{"a": 1}]


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"<html>", b'{"items":[{}', b'{"items":[{}]', b'{"items":[{}]} x', b"\xff"]
)
def test_what_is_no_list_is_an_error(body: bytes) -> None:
    with pytest.raises((json.JSONDecodeError, UnicodeDecodeError)):
        read_list(body, lambda item: item)
