# SPDX-License-Identifier: GPL-3.0-or-later
"""The first YAML document of a text as the values that Go's decoder makes of it (YAML 1.1 of go-yaml v2, strict)."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..findings import Value
from .errors import DecodeError
from .yaml_scalars import plain_scalar

_TAG = "tag:yaml.org,2002:"

#: Documents nested deeper than this configure nothing.
_DEEPEST = 200

#: go-yaml gives up on a document in which aliases make most of its size; these are its limits.
_ALIASES_ALWAYS_FINE, _NODES_ALWAYS_FINE = 100, 1000
_SMALL, _LARGE = 400_000, 4_000_000
_SHARE_OF_SMALL, _SHARE_OF_LARGE = 0.99, 0.10


@dataclass(frozen=True, slots=True)
class FirstDocument:
    """value: None for an empty one. more: whether another document follows."""

    value: Value
    more: bool


def read_first_document(source: str | bytes) -> FirstDocument:
    """Read the first document. Raises DecodeError where Go's decoder would refuse it."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    reader = _Reader(yaml.parse(source, Loader=loader))
    try:
        value = reader.document()
    except yaml.YAMLError as error:
        raise DecodeError(
            "document-yaml",
            f"the text is not YAML: {_where(error)}",
            "correct the text at this place",
        ) from None
    return FirstDocument(value, reader.has_more())


def _where(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    return f"line {mark.line + 1}: {problem}" if mark is not None else str(problem)


@dataclass(slots=True)
class _Anchor:
    """A named node. nodes: how many nodes its expansion decodes; complete: whether it has been read to its end."""

    value: Value = None
    nodes: int = 0
    complete: bool = False


class _Reader:
    """Builds values from the parser's events and counts nodes as Go's decoder does."""

    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events
        self._anchors: dict[str, _Anchor] = {}
        self._nodes = 0
        self._aliased = 0

    def document(self) -> Value:
        """Return the value of the first document, None if there is none."""
        next(self._events)
        if type(next(self._events)).__name__ == "StreamEndEvent":
            return None
        self._nodes += 1
        value = self._value(next(self._events), 0)
        next(self._events)
        return value

    def has_more(self) -> bool:
        """Whether another document begins; one that is broken counts too."""
        import yaml

        try:
            following = next(self._events, None)
        except yaml.YAMLError:
            return True
        return type(following).__name__ == "DocumentStartEvent"

    def _value(self, event: Any, depth: int) -> Value:
        if depth > _DEEPEST:
            raise DecodeError(
                "document-depth",
                f"the document is nested more than {_DEEPEST} levels deep",
                "write the configuration flat",
            )
        name = type(event).__name__
        if name == "AliasEvent":
            return self._alias(event)
        anchor = self._open(event.anchor)
        before = self._nodes
        self._nodes += 1
        value: Value
        if name == "ScalarEvent":
            value = _scalar(event)
        elif name == "SequenceStartEvent":
            value = self._sequence(depth)
        else:
            value = self._mapping(depth)
        if anchor is not None:
            anchor.value, anchor.nodes, anchor.complete = value, self._nodes - before, True
        return value

    def _open(self, name: str | None) -> _Anchor | None:
        if name is None:
            return None
        self._anchors[name] = _Anchor()
        return self._anchors[name]

    def _alias(self, event: Any) -> Value:
        anchor = self._anchors.get(event.anchor)
        if anchor is None or not anchor.complete:
            known = "contains itself" if anchor else "is not defined before its use"
            raise DecodeError(
                "document-alias",
                f"line {event.start_mark.line + 1}: the anchor {event.anchor!r} {known}",
                "write the value out",
            )
        self._nodes += 1 + anchor.nodes
        self._aliased += anchor.nodes
        if self._explodes():
            raise DecodeError(
                "document-aliases-explode",
                f"line {event.start_mark.line + 1}: aliases of aliases make the document explode "
                f"({self._nodes} values); the picker refuses it",
                "write the values out instead of nesting aliases",
            )
        return anchor.value

    def _explodes(self) -> bool:
        if self._aliased <= _ALIASES_ALWAYS_FINE or self._nodes <= _NODES_ALWAYS_FINE:
            return False
        position = min(max((self._nodes - _SMALL) / (_LARGE - _SMALL), 0.0), 1.0)
        allowed = _SHARE_OF_SMALL - position * (_SHARE_OF_SMALL - _SHARE_OF_LARGE)
        return self._aliased / self._nodes > allowed

    def _sequence(self, depth: int) -> list[Value]:
        result = []
        while type(event := next(self._events)).__name__ != "SequenceEndEvent":
            result.append(self._value(event, depth + 1))
        return result

    def _mapping(self, depth: int) -> dict[str, Value]:
        result: dict[str, Value] = {}
        while type(event := next(self._events)).__name__ != "MappingEndEvent":
            if _is_merge(event):
                self._merge(result, self._value(next(self._events), depth + 1), event)
                continue
            key = self._value(event, depth + 1)
            _set(result, _key(key, event), self._value(next(self._events), depth + 1), event)
        return result

    def _merge(self, result: dict[str, Value], merged: Value, event: Any) -> None:
        for part in merged if isinstance(merged, list) else [merged]:
            if not isinstance(part, dict):
                raise DecodeError(
                    "document-merge",
                    f"line {event.start_mark.line + 1}: `<<` takes a map or a list of maps",
                    "write the keys out",
                )
            for key, value in part.items():
                _set(result, key, value, event)


def _is_merge(event: Any) -> bool:
    return (
        type(event).__name__ == "ScalarEvent"
        and event.value == "<<"
        and (event.tag == f"{_TAG}merge" or (event.tag is None and event.implicit[0]))
    )


def _set(result: dict[str, Value], key: str, value: Value, event: Any) -> None:
    if key in result:
        raise DecodeError(
            "document-duplicate-key",
            f"line {event.start_mark.line + 1}: the key {key!r} is twice in one map",
            "delete one of the two",
        )
    result[key] = value


def _key(key: Value, event: Any) -> str:
    """Return a key as JSON has it. Lists, maps and null are none."""
    if isinstance(key, str):
        return key
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, (int, float)):
        return f"{key:g}" if isinstance(key, float) else str(key)
    raise DecodeError(
        "document-key",
        f"line {event.start_mark.line + 1}: a key must be text",
        "quote the key",
    )


def _scalar(event: Any) -> Value:
    tag = event.tag
    if tag is None:
        return plain_scalar(event.value) if event.implicit[0] else event.value
    if tag == f"{_TAG}binary":
        return _binary(event)
    if tag == f"{_TAG}str" or not tag.startswith(_TAG):
        return event.value
    return _tagged(tag.removeprefix(_TAG), event)


def _binary(event: Any) -> str:
    try:
        return base64.b64decode(re.sub(r"\s", "", event.value), validate=True).decode(
            "utf-8", "replace"
        )
    except binascii.Error:
        raise DecodeError(
            "document-tag",
            f"line {event.start_mark.line + 1}: !!binary takes base64",
            "delete the tag",
        ) from None


def _tagged(kind: str, event: Any) -> Value:
    value = plain_scalar(event.value)
    wanted: dict[str, tuple[type, ...]] = {
        "int": (int,),
        "float": (float, int),
        "bool": (bool,),
        "null": (type(None),),
        "timestamp": (str,),
    }
    types = wanted.get(kind)
    fits = types is None or (
        isinstance(value, types) and (kind == "bool") == isinstance(value, bool)
    )
    if not fits:
        raise DecodeError(
            "document-tag",
            f"line {event.start_mark.line + 1}: {event.value!r} is no !!{kind}",
            "delete the tag or correct the value",
        )
    return float(value) if kind == "float" else value
