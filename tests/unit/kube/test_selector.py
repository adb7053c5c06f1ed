# SPDX-License-Identifier: GPL-3.0-or-later
"""Label selectors select what the API server selects by them."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.selector import selector_keys, selects

LABELS = {"team": "a", "tier": "gpu"}


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("selector", "taken"),
    [
        ({}, True),
        ({"matchLabels": {"team": "a"}}, True),
        ({"matchLabels": {"team": "b"}}, False),
        (expression("team", "In", "a", "b"), True),
        (expression("none", "In", "a"), False),
        (expression("team", "NotIn", "a"), False),
        (expression("none", "NotIn", "a"), True),
        (expression("team", "Exists"), True),
        (expression("team", "DoesNotExist"), False),
        ({"matchLabels": {"team": "a"}, **expression("tier", "In", "cpu")}, False),
    ],
)
def test_selector(selector: dict[str, Any], taken: bool) -> None:
    assert selects(selector, LABELS) is taken


def test_keys_of_both_forms() -> None:
    assert selector_keys({"matchLabels": {"a": "b"}, **expression("c", "Exists")}) == {"a", "c"}
