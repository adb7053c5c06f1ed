# SPDX-License-Identifier: GPL-3.0-or-later
"""Label selectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Return whether a selector (`matchLabels`, `matchExpressions`) takes labels. An empty selector takes all."""
    wanted = selector.get("matchLabels") or {}
    return wanted.items() <= labels.items() and all(
        _holds(expression, labels) for expression in selector.get("matchExpressions") or ()
    )


def selector_keys(selector: Mapping[str, Any]) -> frozenset[str]:
    """Return the label keys that a selector looks at."""
    expressions = selector.get("matchExpressions") or ()
    return frozenset(
        [*(selector.get("matchLabels") or {}), *(expression["key"] for expression in expressions)]
    )


def _holds(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, values = expression["key"], expression.get("values") or ()
    match expression["operator"]:
        case "In":
            return key in labels and labels[key] in values
        case "NotIn":
            return key not in labels or labels[key] not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
        case _:
            return False
