# SPDX-License-Identifier: GPL-3.0-or-later
"""Selectors of device classes and device claims, as far as they are simple: equalities that are joined by `&&`.

They are expressions of CEL. What is not simple is not guessed at: its devices are not counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Value: TypeAlias = "str | int | bool"
_LITERAL = r"(?P<value>\"[^\"\\]*\"|'[^'\\]*'|-?[0-9]+|true|false)"
_DRIVER = re.compile(rf"device\.driver\s*==\s*{_LITERAL}", re.ASCII)
_ATTRIBUTE = re.compile(
    rf"device\.attributes\[(?P<quote>[\"'])(?P<domain>[^\"'\\]+)(?P=quote)\]\.(?P<name>\w+)\s*==\s*{_LITERAL}",
    re.ASCII,
)

#: `compareTo` gives -1, 0 or 1.
_CAPACITY = re.compile(
    r"device\.capacity\[(?P<quote>[\"'])(?P<domain>[^\"'\\]+)(?P=quote)\]\.(?P<name>\w+)"
    r"\.(?:compareTo\(quantity\((?P<mark>[\"'])(?P<least>[^\"']+)(?P=mark)\)\)\s*(?P<sign>>=?)\s*0"
    r"|isGreaterThan\(quantity\((?P<other>[\"'])(?P<more>[^\"']+)(?P=other)\)\))",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Capacity:
    """So much a device has to have. name: `domain/name`. amount: as it is written. above: whether it has to have more."""

    name: str
    amount: str
    above: bool = False


@dataclass(frozen=True, slots=True)
class Equality:
    """One condition. attribute: `domain/name`, empty for the driver."""

    attribute: str
    value: Value


def read_selectors(selectors: Sequence[Mapping[str, Any]]) -> list[Equality] | None:
    """Return the conditions of selectors, None where one is not simple."""
    found = []
    for selector in selectors:
        expression = str((selector.get("cel") or {}).get("expression", ""))
        for part in expression.split("&&"):
            condition = _condition(part.strip())
            if condition is None:
                return None
            found.append(condition)
    return found


def read_capacities(selectors: Sequence[Mapping[str, Any]]) -> list[Capacity]:
    """Return the amounts that selectors want, whatever else they want beside; none of those with alternatives."""
    found = []
    for selector in selectors:
        expression = str((selector.get("cel") or {}).get("expression", ""))
        for part in expression.split("&&") if "||" not in expression else ():
            match = _CAPACITY.fullmatch(_bare(part))
            if match:
                above = match["sign"] != ">="
                amount = match["least"] or match["more"]
                found.append(Capacity(f"{match['domain']}/{match['name']}", amount, above))
    return found


def _bare(text: str) -> str:
    """Return a part of an expression without brackets around it."""
    text = text.strip()
    while text.startswith("(") and text.endswith(")"):
        text = text[1:-1].strip()
    return text


def _condition(text: str) -> Equality | None:
    text = _bare(text)
    driver = _DRIVER.fullmatch(text)
    if driver:
        return Equality("", _value(driver["value"]))
    match = _ATTRIBUTE.fullmatch(text)
    return Equality(f"{match['domain']}/{match['name']}", _value(match["value"])) if match else None


def _value(literal: str) -> Value:
    if literal[0] in "\"'":
        return literal[1:-1]
    value: Value = json.loads(literal)
    return value


def holds(
    conditions: Sequence[Equality], driver: str, attributes: Mapping[str, Value]
) -> bool | None:
    """Return whether a device meets all conditions, None where the expression fails, since an attribute is not there."""
    unknown = False
    for condition in conditions:
        there = attributes.get(condition.attribute) if condition.attribute else driver
        if there is None:
            unknown = True
        elif type(there) is not type(condition.value) or there != condition.value:
            # In CEL something false decides, whatever fails beside it.
            return False
    return None if unknown else True
