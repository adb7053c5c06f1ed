# SPDX-License-Identifier: GPL-3.0-or-later
"""Recommended labels and selector texts."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.labels import recommended_labels, selector_text


def test_recommended_labels_leave_out_what_is_not_given() -> None:
    assert recommended_labels("chat", version="", part_of="assistant", managed_by="ansible") == {
        "app.kubernetes.io/name": "chat",
        "app.kubernetes.io/part-of": "assistant",
        "app.kubernetes.io/managed-by": "ansible",
    }


def test_all_wrong_recommended_labels_are_named_at_once() -> None:
    with pytest.raises(ValueError, match=r"io/name: .*names nothing.*io/version: .*\+") as caught:
        recommended_labels("", version="1+2", component="ok")
    assert "component" not in str(caught.value)


SELECTORS: list[tuple[dict[str, Any], str]] = [
    ({}, ""),
    ({"b": "2", "a": "1"}, "a=1,b=2"),
    ({"a": ""}, "a="),
    ({"matchLabels": {"x.io/a": "1"}}, "x.io/a=1"),
    ({"matchLabels": None, "matchExpressions": []}, ""),
    ({"matchExpressions": [{"key": "a", "operator": "Exists"}]}, "a"),
    ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist", "values": []}]}, "!a"),
    ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["x"]}]}, "a notin (x)"),
    (
        {
            "matchLabels": {"z": "1"},
            "matchExpressions": [{"key": "a", "operator": "In", "values": ["y", "x"]}],
        },
        "a in (x,y),z=1",
    ),
]


@pytest.mark.parametrize(("selector", "text"), SELECTORS)
def test_selectors_become_the_text_that_the_api_takes(selector: dict[str, Any], text: str) -> None:
    assert selector_text(selector) == text


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"a": 1}, r"a: a label value is text, not int \(1\); put it in quotes"),
    ({"a": True}, "put it in quotes"),
    ({1: "a"}, "a label key is text, not int"),
    ({"a b": "c"}, 'it holds " "'),
    ({"a": "b,c=d"}, 'it holds ",", "="'),
    ({"matchLabels": {"a": "b"}, "app": "chat"}, '"app" cannot be combined with'),
    ({"matchLabels": "a=b"}, "matchLabels is not a mapping"),
    ({"matchExpressions": "a"}, "matchExpressions is not a list"),
    ({"matchExpressions": ["a"]}, "is not a mapping with key, operator and values"),
    (
        {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]},
        "is not one of In, NotIn",
    ),
    ({"matchExpressions": [{"key": "a", "operator": ["In"]}]}, "is not one of In, NotIn"),
    ({"matchExpressions": [{"key": "a", "operator": "In"}]}, "needs a list of values"),
    (
        {"matchExpressions": [{"key": "a", "operator": "In", "values": "x"}]},
        "needs a list of values",
    ),
    (
        {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["x"]}]},
        "takes no values",
    ),
    ({"matchExpressions": [{"operator": "Exists"}]}, "a label key is text, not NoneType"),
]


@pytest.mark.parametrize(("selector", "message"), WRONG)
def test_a_selector_that_the_api_refuses_is_an_error(
    selector: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        selector_text(selector)


def test_everything_wrong_with_a_selector_is_named_at_once() -> None:
    with pytest.raises(ValueError, match=r"a: .*put it in quotes; b: .*put it in quotes"):
        selector_text({"a": 1, "b": 2})
