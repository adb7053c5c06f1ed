# SPDX-License-Identifier: GPL-3.0-or-later
"""What an author wrote in a service, leaf by leaf, and which other values each leaf may have.

A leaf is a value that holds no others: a field, an item of a list, a label or an annotation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..kube.manifest import Json
from ..kube.schema import (
    INT32_MAX,
    Integer,
    IntOrText,
    ListOf,
    MapOf,
    Object,
    QuantityValue,
    Schema,
    Text,
)
from ..kube.schema_check import child_path

#: Steps from a document to a leaf.
Steps: TypeAlias = "tuple[str | int, ...]"
#: Words that mean the opposite of each other to whoever reads a text as a switch.
_SWITCHES = {"true": "false", "false": "true", "True": "False", "1": "0", "0": "1"}
#: Maps of texts that are labels or annotations wherever they are.
_METADATA = ("labels", "annotations")


@dataclass(frozen=True, slots=True)
class Leaf:
    """One leaf. path: as messages write it. schema: None where no table describes it. name: of a label or annotation."""

    steps: Steps
    path: str
    value: Any
    schema: Schema | None = field(default=None, compare=False)
    name: str = ""

    @property
    def is_label(self) -> bool:
        """Whether it is a label; an annotation where it has a name and is none."""
        return bool(self.name) and self.steps[-2] == "labels"


def leaves(document: Json, spec: Object) -> Iterator[Leaf]:
    """Yield the leaves of a custom resource, its name apart. spec: the schema of its `spec`."""
    metadata = document.get("metadata")
    for part in _METADATA:
        texts = metadata.get(part) if isinstance(metadata, Mapping) else None
        for key, value in texts.items() if isinstance(texts, Mapping) else ():
            path = child_path(f"metadata.{part}", str(key))
            yield Leaf(("metadata", part, key), path, value, Text(), str(key))
    yield from _below(document.get("spec"), spec, ("spec",), "spec", "")


def _below(value: Any, schema: Schema | None, steps: Steps, path: str, name: str) -> Iterator[Leaf]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _entry(str(key), inner, schema, steps, path)
    elif isinstance(value, list | tuple) and value:
        items = schema.items if isinstance(schema, ListOf) else None
        for number, inner in enumerate(value):
            for leaf in _below(inner, items, (*steps, number), f"{path}[{number}]", ""):
                if not _only_names(leaf.steps[len(steps) + 1 :], inner):
                    yield leaf
    elif isinstance(value, str | int | float):
        yield Leaf(steps, path, value, schema, name)


def _only_names(steps: Steps, item: Any) -> bool:
    """Tell whether a leaf is the name of an item that says more: it has its effect through the rest."""
    return steps == ("name",) and len(item) > 1


def _entry(key: str, value: Any, schema: Schema | None, steps: Steps, path: str) -> Iterator[Leaf]:
    if isinstance(schema, Object):
        yield from _below(value, schema.fields.get(key), (*steps, key), f"{path}.{key}", "")
        return
    values = schema.values if isinstance(schema, MapOf) else None
    named = key if steps[-1] in _METADATA else ""
    yield from _below(value, values, (*steps, key), child_path(path, key), named)


def other_values(leaf: Leaf, known: tuple[str, ...] = ()) -> Iterator[Any]:
    """Yield values that a leaf may have as well, likely ones first. known: words that whoever reads it knows.

    Whether one is legal beside the other fields, loading tells.
    """
    value, schema = leaf.value, leaf.schema
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from _numbers(value, schema)
    elif isinstance(value, str):
        yield from _texts(value, schema, known)


def _numbers(value: int, schema: Schema | None) -> Iterator[int]:
    low, high = 0, INT32_MAX
    if isinstance(schema, Integer):
        low = low if schema.minimum is None else schema.minimum
        high = high if schema.maximum is None else schema.maximum
    for other in (value + 1, value * 2, value - 1, value + 1000):
        if low <= other <= high and other != value:
            yield other


def _texts(value: str, schema: Schema | None, known: tuple[str, ...]) -> Iterator[str]:
    yield from (word for word in known if word != value)
    if isinstance(schema, Text) and schema.enum:
        yield from (word for word in schema.enum if word != value)
        return
    if value in _SWITCHES:
        yield _SWITCHES[value]
    head = value.rstrip("0123456789")
    if head != value:
        yield f"{head}{int(value[len(head) :]) + 1}"
    if not isinstance(schema, QuantityValue):
        yield f"{value}x"
        if value[:1].isdigit():
            yield f"1{value}"
    elif value[:1].isdigit():
        yield f"1{value}"


def mark(leaf: Leaf, number: int) -> Any:
    """Return a value that nothing else has and that is as legal as the leaf's own; None where there is none.

    number: told apart by it.
    """
    value, schema = leaf.value, leaf.schema
    if isinstance(value, bool) or leaf.name:
        return None
    if isinstance(schema, Text) or schema is None:
        return _text_mark(value, schema, number)
    if isinstance(schema, QuantityValue):
        return str(number)
    if isinstance(schema, IntOrText):
        return number if isinstance(value, int) else _text_mark(value, None, number)
    if isinstance(schema, Integer):
        low = 0 if schema.minimum is None else schema.minimum
        high = INT32_MAX if schema.maximum is None else schema.maximum
        return number if low <= number <= high else None
    return None


def _text_mark(value: Any, schema: Text | None, number: int) -> str | None:
    if not isinstance(value, str) or value in _SWITCHES or "{{" in value or "$(" in value:
        return None
    if schema is not None and (schema.enum or schema.pattern or schema.format):
        return None
    return f"{value}q{number}"


def changed(document: Json, values: Mapping[Steps, Any]) -> Json:
    """Return a document with other values at some leaves; what is not on the way to one is shared."""
    below: dict[str | int, dict[Steps, Any]] = {}
    for steps, value in values.items():
        below.setdefault(steps[0], {})[steps[1:]] = value
    return {
        key: _changed(inner, below[key]) if key in below else inner
        for key, inner in document.items()
    }


def _changed(value: Any, values: Mapping[Steps, Any]) -> Any:
    if () in values:
        return values[()]
    below: dict[str | int, dict[Steps, Any]] = {}
    for steps, inner in values.items():
        below.setdefault(steps[0], {})[steps[1:]] = inner
    if isinstance(value, Mapping):
        return {
            key: _changed(inner, below[key]) if key in below else inner
            for key, inner in value.items()
        }
    return [
        _changed(inner, below[number]) if number in below else inner
        for number, inner in enumerate(value)
    ]


def without(document: Json, steps: Steps) -> Json:
    """Return a document that lacks a leaf, and what holds nothing else."""
    left = _without(document, steps)
    return left if isinstance(left, dict) else {}


def _without(value: Any, steps: Steps) -> Any:
    step, rest = steps[0], steps[1:]
    inner = _without(value[step], rest) if rest else None
    if isinstance(value, Mapping):
        if inner is not None:
            return {**value, step: inner}
        return {key: each for key, each in value.items() if key != step}
    if inner is not None:
        return [inner if number == step else each for number, each in enumerate(value)]
    return [each for number, each in enumerate(value) if number != step]
