# SPDX-License-Identifier: GPL-3.0-or-later
"""The label set that Kubernetes recommends, and selectors as the text that kubectl and the API's `labelSelector` take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .names import check_label_key, check_label_value, quoted

RECOMMENDED_PREFIX = "app.kubernetes.io/"

#: How the API spells an operator in a selector text: key, operator, values.
_WITH_VALUES = {"In": "in", "NotIn": "notin"}
_WITHOUT_VALUES = {"Exists": "", "DoesNotExist": "!"}


def recommended_labels(name: str, **others: str) -> dict[str, str]:
    """Return the `app.kubernetes.io/` labels of an application.

    others: instance, version, component, part_of, managed_by; empty ones are left out.
    Raises ValueError that holds every value which is no label value.
    Source: Kubernetes documentation, "Recommended Labels".
    """
    given = {key.replace("_", "-"): value for key, value in others.items() if value}
    labels = {
        f"{RECOMMENDED_PREFIX}{key}": str(value) for key, value in {"name": name, **given}.items()
    }
    faults = [] if name else [f'{RECOMMENDED_PREFIX}name: "" names nothing']
    faults += [
        f"{key}: {wrong}" for key, value in labels.items() if (wrong := check_label_value(value))
    ]
    if faults:
        raise ValueError("; ".join(faults))
    return labels


def selector_text(selector: Mapping[str, Any]) -> str:
    """Return a selector as text, its requirements sorted: `a=b,c in (d,e),!f`.

    selector: a LabelSelector (`matchLabels`, `matchExpressions`), or the labels alone. An empty one, which selects
    everything, gives the empty text. Raises ValueError that holds everything wrong with it.
    """
    labels, expressions = _parts(selector)
    faults: list[str] = []
    texts = [
        *(_equality(key, value, faults) for key, value in labels.items()),
        *(_expression(expression, faults) for expression in expressions),
    ]
    if faults:
        raise ValueError("; ".join(faults))
    return ",".join(sorted(texts))


def _parts(selector: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[Any]]:
    if not {"matchLabels", "matchExpressions"} & selector.keys():
        return selector, ()
    unknown = sorted(selector.keys() - {"matchLabels", "matchExpressions"})
    if unknown:
        raise ValueError(
            f"{quoted(unknown[0])} cannot be combined with matchLabels and matchExpressions"
        )
    labels, expressions = selector.get("matchLabels") or {}, selector.get("matchExpressions") or ()
    if not isinstance(labels, Mapping):
        raise ValueError("matchLabels is not a mapping")
    if isinstance(expressions, str) or not isinstance(expressions, Sequence):
        raise ValueError("matchExpressions is not a list")
    return labels, expressions


def _equality(key: Any, value: Any, faults: list[str]) -> str:
    faults.extend(_key_faults(key))
    faults.extend(_value_faults(key, value))
    return f"{key}={value}"


def _expression(expression: Any, faults: list[str]) -> str:
    if not isinstance(expression, Mapping):
        faults.append("an item of matchExpressions is not a mapping with key, operator and values")
        return ""
    key, operator, values = (
        expression.get("key"),
        expression.get("operator"),
        expression.get("values"),
    )
    faults.extend(_key_faults(key))
    if not isinstance(operator, str):
        operator = str(operator)
    if operator in _WITHOUT_VALUES:
        if values:
            faults.append(f"{key}: the operator {operator} takes no values")
        return f"{_WITHOUT_VALUES[operator]}{key}"
    if operator not in _WITH_VALUES:
        known = ", ".join((*_WITH_VALUES, *_WITHOUT_VALUES))
        faults.append(f"{key}: the operator {operator!r} is not one of {known}")
        return ""
    if not values or isinstance(values, str) or not isinstance(values, Sequence):
        faults.append(f"{key}: the operator {operator} needs a list of values")
        return ""
    faults.extend(fault for value in values for fault in _value_faults(key, value))
    return f"{key} {_WITH_VALUES[operator]} ({','.join(sorted(map(str, values)))})"


def _key_faults(key: Any) -> Iterator[str]:
    wrong = (
        check_label_key(key) if isinstance(key, str) else f"a label key is text, not {_kind(key)}"
    )
    if wrong:
        yield wrong


def _value_faults(key: Any, value: Any) -> Iterator[str]:
    if not isinstance(value, str):
        # YAML reads `true` and `1` as other types; the API takes texts only.
        yield f"{key}: a label value is text, not {_kind(value)}; put it in quotes"
    elif wrong := check_label_value(value):
        yield f"{key}: {wrong}"


def _kind(value: Any) -> str:
    return f"{type(value).__name__} ({value})"
