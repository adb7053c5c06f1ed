# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses about labels, annotations and label selectors. Source: k8s.io/apimachinery v0.36.3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..manifest import Json
from ..names import check_label_key, check_label_value
from ..problem import Problem
from ..schema_check import child_path
from ..schema_faults import show

#: All annotations of an object together, in bytes.
ANNOTATIONS_LIMIT = 256 * 1024
_WITH_VALUES = ("In", "NotIn")


def label_problems(labels: Mapping[str, str], path: str) -> Iterator[Problem]:
    """Yield what is wrong with labels or with a node selector."""
    for key, value in labels.items():
        for fault in (check_label_key(key), check_label_value(value)):
            if fault:
                yield Problem(child_path(path, key), fault, rule="label")


def annotation_problems(annotations: Mapping[str, str], path: str) -> Iterator[Problem]:
    """Yield what is wrong with annotations: keys, and the size of all together."""
    for key in annotations:
        fault = check_label_key(key.lower())
        if fault:
            yield Problem(child_path(path, key), fault, rule="annotation")
    size = sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items())
    if size > ANNOTATIONS_LIMIT:
        yield Problem(
            path,
            f"{size} bytes of annotations; at most {ANNOTATIONS_LIMIT} are allowed",
            rule="annotation",
        )


def selector_problems(selector: Json | None, path: str) -> Iterator[Problem]:
    """Yield what is wrong with a label selector whose parts are right by themselves. selector: None for none."""
    if selector is None:
        return
    yield from label_problems(selector.get("matchLabels") or {}, f"{path}.matchLabels")
    for number, expression in enumerate(selector.get("matchExpressions") or ()):
        yield from values_problems(expression, f"{path}.matchExpressions[{number}]")


def values_problems(expression: Json, path: str) -> Iterator[Problem]:
    """Yield what is wrong about the number of values of an expression that compares a label."""
    operator, values = expression["operator"], expression.get("values") or ()
    if operator in _WITH_VALUES and not values:
        yield Problem(f"{path}.values", f"{operator} needs at least one value", rule="selector")
    if operator in ("Exists", "DoesNotExist") and values:
        yield Problem(
            f"{path}.values", f"{operator} takes no value, not {show(values)}", rule="selector"
        )
    if operator in ("Gt", "Lt") and len(values) != 1:
        yield Problem(f"{path}.values", f"{operator} needs exactly one value", rule="selector")
