# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a value by its schema: every problem at once, defaults filled in, nulls and empty values as absent.

The API server prunes what it does not know and reports one layer of errors at a time. Here an unknown field is an error
with the nearest known name, and a broken field does not hide the others: it is replaced by its default and named in
`broken`, so that later rules can look at the rest.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .problem import Problem
from .quantity import canonical_quantity, parse_quantity
from .schema import (
    INT32_MAX,
    INT64_MAX,
    Anything,
    Boolean,
    FieldRule,
    Integer,
    IntOrText,
    ListOf,
    MapOf,
    Object,
    QuantityValue,
    Schema,
    Text,
    default_of,
)
from .schema_faults import missing, not_a_string, not_an_integer, show, text_fault
from .schema_hints import is_name_of, meant, places_of, unknown_field

#: With these the API server looks at nothing as a whole; with others it does, at the values as they are.
_BLOCKING = frozenset({"type", "missing", "length", "enum"})
#: These leave the value as it is stored.
_HARMLESS = frozenset({"unknown-field", "null"})
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Checked:
    """A value with its defaults. `broken`: paths of fields that had to be replaced or left out."""

    value: Any
    problems: tuple[Problem, ...]

    @property
    def broken(self) -> frozenset[str]:
        """The fields that have an error."""
        return frozenset(one.path for one in self.problems if one.severity == "error")


def check(
    schema: Object, value: Any, path: str, *, keep_empty: bool = False, unknown: bool = True
) -> Checked:
    """Return the value as the API server would store it, and what is wrong with it. Never raises for bad input.

    keep_empty: empty texts, lists and maps are kept, for kinds in which they say something else than nothing.
    unknown: fields that the schema does not have are told; looking for what was meant by each takes its time.
    """
    reading = _Reading(schema, path, value, keep_empty, unknown)
    return Checked(reading.read(schema, value, path), tuple(reading.problems))


def child_path(path: str, key: str) -> str:
    """Return the path of a map's value: `limits.memory`, `limits["nvidia.com/gpu"]`."""
    return f"{path}.{key}" if _PLAIN_KEY.fullmatch(key) else f'{path}["{key}"]'


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def related(path: str, others: Iterable[str]) -> bool:
    """Return whether one of the other paths is the same field, above it or below it."""
    return any(_within(path, other) or _within(other, path) for other in others)


def _within(path: str, parent: str) -> bool:
    return path == parent or (path.startswith(parent) and path[len(parent)] in ".[")


def _as_given(given: Any, read: Any) -> Any:
    """Return a value with its defaults, in which what is wrong stays as it was given."""
    if isinstance(given, Mapping) and isinstance(read, Mapping):
        there = {name: inner for name, inner in given.items() if inner is not None}
        return {**read, **{name: _as_given(inner, read.get(name)) for name, inner in there.items()}}
    if isinstance(given, list | tuple) and isinstance(read, list):
        return [_as_given(*pair) for pair in zip(given, read, strict=True)]
    return given


class _Reading:
    """One pass over a value. Holds the problems found so far."""

    def __init__(
        self, root: Object, path: str, document: Any, keep_empty: bool, unknown: bool
    ) -> None:
        self.problems: list[Problem] = []
        self._root = root
        self._path = path
        self._document = document
        self._keep_empty = keep_empty
        self._unknown = unknown

    def read(self, schema: Schema, value: Any, path: str, title: str = "") -> Any:
        """Return the value with defaults, or None where it is absent or of no use."""
        match schema:
            case Object():
                return self._object(schema, value, path, title)
            case ListOf():
                return self._list(schema, value, path)
            case MapOf():
                return self._map(schema, value, path)
            case Text():
                return self._text(schema, value, path, title)
            case Integer():
                return self._integer(schema, value, path, title)
            case Boolean():
                return self._boolean(schema, value, path, title)
            case QuantityValue():
                return self._quantity(schema, value, path, title)
            case IntOrText():
                return self._int_or_text(schema, value, path, title)
            case Anything():
                return self._anything(schema, value, path, title)

    def _say(self, path: str, message: str, rule: str, title: str = "") -> None:
        self.problems.append(Problem(path, f"{title}: {message}" if title else message, rule=rule))

    def _warn_of_null(self, path: str) -> None:
        message = "null is left out; give the key a value, or remove it"
        self.problems.append(Problem(path, message, "warning", rule="null"))

    def _object(self, schema: Object, value: Any, path: str, title: str) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            way = f"; write name: {value}" if is_name_of(schema, value) else ""
            self._say(path, f"{show(value)} is not a map of fields{way}", "type", title)
            return self._fields(schema, {}, path, title, lenient=True)
        there = value.items() if self._unknown else ()
        unknown = {str(key): inner for key, inner in there if key not in schema.fields}
        for key, inner in unknown.items():
            places = places_of(key, inner, path, self._root, self._path, self._document)
            message = unknown_field(schema, key, inner, places, path)
            self._say(_joined(path, key), message, "unknown-field", title)
        # What is there under a misspelt name is not missing as well.
        misspelt = {meant(schema, key, inner) for key, inner in unknown.items()}
        result = self._fields(schema, value, path, title, misspelt=misspelt)
        self._rules(schema.rules, value, result, path, title)
        return result

    def _rules(
        self, rules: tuple[FieldRule, ...], given: Any, read: Any, path: str, title: str
    ) -> None:
        """Look at a value as a whole, as the API server does, only where its parts are there and of the right form."""
        wrong = {
            problem.rule
            for problem in (self.problems if rules else ())
            if problem.rule not in _HARMLESS and _within(problem.path, path)
        }
        if rules and not wrong & _BLOCKING:
            whole = _as_given(given, read) if wrong else read
            for rule in rules:
                if rule.broken(whole):
                    self._say(path, rule.message, rule.name, title)

    def _fields(
        self,
        schema: Object,
        value: Mapping[str, Any],
        path: str,
        title: str,
        *,
        lenient: bool = False,
        misspelt: Collection[str | None] = (),
    ) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for name, field in schema.fields.items():
            where = _joined(path, name)
            given = value.get(name)
            if given is None and name in schema.required:
                if not lenient and name not in misspelt:
                    self._say(where, missing(field), "missing", title)
                result[name] = self._stand_in(field, where)
                continue
            read = self.read(field, given, where, title) if given is not None else None
            if read is None:
                read = (
                    self._stand_in(field, where) if name in schema.required else default_of(field)
                )
            if read is not None:
                result[name] = read
        return result

    def _stand_in(self, schema: Schema, path: str) -> Any:
        if isinstance(schema, Object):
            return self._fields(schema, {}, path, "", lenient=True)
        default = default_of(schema)
        return "" if default is None and isinstance(schema, Text) else default

    def _list(self, schema: ListOf, value: Any, path: str) -> list[Any] | None:
        if not isinstance(value, list | tuple):
            self._say(path, f"{show(value)} is not a list", "type")
            return None
        items = []
        for number, item in enumerate(value):
            name = item.get(schema.title) if schema.title and isinstance(item, Mapping) else None
            read = self.read(
                schema.items, item, f"{path}[{number}]", name if isinstance(name, str) else ""
            )
            items.append("" if read is None and isinstance(schema.items, Text) else read)
        self._size(schema, len(items), path, "items")
        if schema.keys or schema.unique:
            self._duplicates(schema, items, path)
        self._rules(schema.rules, value, items, path, "")
        return items if items or self._keep_empty else None

    def _size(self, schema: ListOf | MapOf, count: int, path: str, what: str) -> None:
        if count < schema.min_items:
            self._say(path, f"has {count} {what}, at least {schema.min_items} are needed", "length")
        elif schema.max_items is not None and count > schema.max_items:
            self._say(path, f"has {count} {what}, at most {schema.max_items} are allowed", "length")

    def _duplicates(self, schema: ListOf, items: list[Any], path: str) -> None:
        seen: dict[tuple[Any, ...], int] = {}
        for number, item in enumerate(items):
            key = tuple(item.get(name) for name in schema.keys) if schema.keys else (item,)
            if key[0] is None:
                # It is missing, or of the wrong form, and told as that.
                continue
            first = seen.setdefault(key, number)
            if first != number:
                what = f"{show(key[0])} is already in {path}[{first}]; use each once"
                self._say(f"{path}[{number}]", what, "duplicate")

    def _map(self, schema: MapOf, value: Any, path: str) -> dict[str, Any] | None:
        if not isinstance(value, Mapping):
            self._say(path, f"{show(value)} is not a map of fields", "type")
            return None
        result = {}
        for key, item in value.items():
            if not isinstance(key, str):
                self._say(path, f"the key {show(key)} is not a string; put it in quotes", "type")
                continue
            if item is None:
                self._warn_of_null(child_path(path, key))
                continue
            read = self.read(schema.values, item, child_path(path, key))
            if read is None and isinstance(schema.values, Text) and item == "":
                read = ""
            if read is not None:
                result[key] = read
        self._size(schema, len(result), path, "keys")
        return result if result or self._keep_empty else None

    def _text(self, schema: Text, value: Any, path: str, title: str) -> str | None:
        if not isinstance(value, str):
            self._say(path, not_a_string(value, sensitive=schema.sensitive), "type", title)
            return None
        if not value and schema.blank_is_absent:
            return None
        fault = text_fault(schema, value)
        if fault:
            self._say(path, *fault, title)
            return None
        return value if value or schema.keep_empty or self._keep_empty else None

    def _integer(self, schema: Integer, value: Any, path: str, title: str) -> int | None:
        if not isinstance(value, int) or isinstance(value, bool):
            self._say(path, not_an_integer(value), "type", title)
            return None
        limit = INT32_MAX if schema.bits == 32 else INT64_MAX
        low = -limit - 1 if schema.minimum is None else schema.minimum
        high = limit if schema.maximum is None else schema.maximum
        if low <= value <= high:
            return value
        edge = f"below the minimum of {low}" if value < low else f"above the maximum of {high}"
        self._say(path, f"{value} is {edge}", "range", title)
        return None

    def _boolean(self, _schema: Boolean, value: Any, path: str, title: str) -> bool | None:
        if isinstance(value, bool):
            return value
        self._say(
            path,
            f"{show(value)} is not a boolean; write true or false without quotes",
            "type",
            title,
        )
        return None

    def _quantity(self, schema: QuantityValue, value: Any, path: str, title: str) -> str | None:
        kinds = int | float | str if schema.fractions else int | str
        if isinstance(value, bool) or not isinstance(value, kinds):
            quote = f'; put it in quotes: "{value}"' if isinstance(value, float) else ""
            self._say(
                path,
                f"{show(value)} is not a quantity such as 500m, 2 or 16Gi{quote}",
                "type",
                title,
            )
            return None
        try:
            canonical = canonical_quantity(value)
            amount = parse_quantity(value)
        except ValueError:
            self._say(
                path, f"{show(value)} is not a quantity such as 500m, 2 or 16Gi", "quantity", title
            )
            return None
        if (schema.not_negative and amount < 0) or (schema.positive and amount <= 0):
            self._say(path, f"{value} is {'negative' if amount < 0 else 'nothing'}", "range", title)
            return None
        return str(value) if schema.as_written else canonical

    def _int_or_text(
        self, schema: IntOrText, value: Any, path: str, title: str
    ) -> int | str | None:
        if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            if isinstance(value, int) and not -INT32_MAX - 1 <= value <= INT32_MAX:
                self._say(path, f"{value} does not fit into 32 bits", "range", title)
                return None
            fault = schema.form(value) if schema.form else None
            if fault:
                self._say(path, fault, "pattern", title)
            return None if fault else value
        self._say(path, f"{show(value)} is neither an integer nor a string", "type", title)
        return None

    def _anything(self, schema: Anything, value: Any, path: str, title: str) -> Any:
        if schema.type == "object" and not isinstance(value, Mapping):
            self._say(path, f"{show(value)} is not a map of fields", "type", title)
            return None
        return value
