# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that a user gives a Helm chart, read by path: what nobody read can be reported at the end."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ....kube.manifest import Json


@dataclass
class Report:
    """What the conversion could not carry over, by path; paths that were read; what is wrong with the values."""

    read: set[str] = field(default_factory=set)
    left: dict[str, str] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)


@dataclass
class Values:
    """One mapping of the values, with its path. Reading a field marks it and all that it holds as read."""

    given: Json
    report: Report
    path: str = ""

    def at(self, name: str) -> str:
        """Return the path of a field."""
        return f"{self.path}.{name}" if self.path else name

    def take(self, name: str, default: Any = None) -> Any:
        """Return a field as plain data; one that is null counts as not given."""
        self.report.read.add(self.at(name))
        value = self.given.get(name)
        return copy.deepcopy(default if value is None else value)

    def text(self, name: str, default: str = "") -> str:
        """Return a field that holds text."""
        value = self.take(name, default)
        return value if isinstance(value, str) else self._wrong(name, value, "text", default)

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a field that is true or false."""
        value = self.take(name, default)
        if isinstance(value, bool):
            return value
        return bool(self._wrong(name, value, "true or false", default))

    def number(self, name: str, default: int) -> int:
        """Return a field that holds a whole number; charts also take it as text."""
        value = self.take(name, default)
        if isinstance(value, str) and value.isdecimal():
            return int(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        return int(self._wrong(name, value, "a whole number", default))

    def mapping(self, name: str) -> Json:
        """Return a field that holds a mapping, as plain data."""
        value = self.take(name, {})
        return value if isinstance(value, dict) else self._wrong(name, value, "a mapping", {})

    def items(self, name: str) -> list[Any]:
        """Return a field that holds a list, as plain data."""
        value = self.take(name, [])
        return value if isinstance(value, list) else self._wrong(name, value, "a list", [])

    def part(self, name: str) -> Values:
        """Return the mapping below a field, to be read field by field."""
        value = self.given.get(name)
        if value is None or isinstance(value, dict):
            return Values(value or {}, self.report, self.at(name))
        return Values(self._wrong(name, value, "a mapping", {}), self.report, self.at(name))

    def parts(self, name: str) -> list[Values]:
        """Return the mappings of a list, each to be read field by field."""
        value = self.given.get(name)
        if value is not None and not isinstance(value, list):
            value = self._wrong(name, value, "a list", [])
        found = []
        for index, item in enumerate(value or []):
            place = f"{name}[{index}]"
            given = item if isinstance(item, dict) else self._wrong(place, item, "a mapping", {})
            found.append(Values(given, self.report, self.at(place)))
        return found

    def take_all(self) -> Json:
        """Return the whole mapping as plain data."""
        self.report.read.add(self.path)
        return copy.deepcopy(self.given)

    def leave(self, name: str, reason: str) -> None:
        """Say that a field is not carried over, where its author gave it."""
        if self.take(name) not in (None, "", [], {}):
            self.report.left[self.at(name)] = reason

    def refuse(self, name: str, message: str) -> None:
        """Say that a field makes the conversion impossible."""
        self.report.wrong[self.at(name)] = message

    def unread(self) -> Iterator[tuple[str, Any]]:
        """Yield path and value of what was neither read nor told."""
        yield from _unread(self.given, self.path, self.report.read)

    def _wrong(self, name: str, value: Any, wanted: str, instead: Any) -> Any:
        self.report.read.add(self.at(name))
        self.report.wrong[self.at(name)] = f"{value!r} is not {wanted}"
        return instead


def _unread(value: Any, path: str, read: set[str]) -> Iterator[tuple[str, Any]]:
    if path in read or value in (None, {}, []):
        return
    if isinstance(value, dict):
        for name, below in value.items():
            yield from _unread(below, f"{path}.{name}" if path else str(name), read)
    elif isinstance(value, list) and any(isinstance(each, dict) for each in value):
        for index, below in enumerate(value):
            yield from _unread(below, f"{path}[{index}]", read)
    else:
        yield path, value
