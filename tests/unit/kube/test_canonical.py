# SPDX-License-Identifier: GPL-3.0-or-later
"""The hash of an intent says whether it is another one, and nothing else does: not order, not machine, not version."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from module_utils.kube.canonical import canonical_json, digest

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
FINITE = SCALARS.filter(lambda value: value not in (float("inf"), float("-inf")))
VALUES: st.SearchStrategy[Any] = st.recursive(
    FINITE,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


def _backwards(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _backwards(inner) for key, inner in reversed(value.items())}
    return [_backwards(item) for item in value] if isinstance(value, list) else value


@given(VALUES)
def test_order_of_keys_makes_no_other_bytes(value: Any) -> None:
    assert canonical_json(_backwards(value)) == canonical_json(value)


@given(VALUES)
def test_nothing_is_lost(value: Any) -> None:
    assert json.loads(canonical_json(value)) == value


def test_order_of_a_list_counts() -> None:
    assert canonical_json(["a", "b"]) != canonical_json(["b", "a"])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None]}, '{"a":[true,null],"b":1}'),
        ({"text": "über <&> 日本"}, '{"text":"über <&> 日本"}'),
        ({"1": 1.0, "0": 1}, '{"0":1,"1":1.0}'),
        ({}, "{}"),
    ],
)
def test_text_is_short_and_in_plain_letters(value: Any, text: str) -> None:
    assert canonical_json(value) == text.encode()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_json_lacks_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json({"a": [value]})


def test_hash_stays_as_it_is_recorded_in_clusters() -> None:
    """Another text of the same intent would make every object of every fleet be applied once more."""
    recorded = "43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777"
    assert digest(canonical_json({"b": 2, "a": 1})) == recorded
