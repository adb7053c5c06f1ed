# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML and JSON texts, read as kubectl reads them: a key that occurs twice in one map is an error, not a value that is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from ..kube.manifest import Json

#: YAML's sign that the entries of another map are taken over; it may occur there more than once.
_MERGE = "<<"


def yaml_documents(text: str) -> list[Any]:
    """Return the documents of a text. Raises ValueError where it is not YAML, or says something twice."""
    import yaml

    try:
        return list(yaml.load_all(text, Loader=_loader()))
    except yaml.YAMLError as error:
        raise ValueError(f"is not YAML: {_what(error, text)}") from error
    except RepeatedKeyError:
        raise
    except ValueError as error:  # a date that does not exist, a number of too many digits
        raise ValueError(f"is not YAML: {error}") from error
    except (AttributeError, KeyError) as error:
        text = "a tag, for example !!bool, precedes a value of another kind; leave it out"
        raise ValueError(f"is not YAML: {text}") from error
    except RecursionError as error:
        raise ValueError("is not usable YAML: it is nested too deeply") from error


def json_documents(text: str) -> list[Any]:
    """Return what JSON text holds, which is not always YAML (tabs, surrogate pairs). Raises ValueError as for YAML."""
    try:
        return [json.loads(text, object_pairs_hook=_unique)] if text.strip() else []
    except json.JSONDecodeError as error:
        raise ValueError(
            f"is not JSON: {error.msg} in line {error.lineno}, column {error.colno}"
        ) from error
    except RecursionError as error:
        raise ValueError("is not usable JSON: it is nested too deeply") from error


class RepeatedKeyError(ValueError):
    """A map has a key twice."""


@cache
def _loader() -> Any:
    """Return the fast loader that PyYAML has, made strict."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class StrictLoader(base):  # type: ignore[misc]  # a class of the C library
        """Looks at each document before it becomes values, since values no longer show what was lost."""

        def construct_document(self, node: Any) -> Any:
            for key, first, second in _repeated(node):
                raise RepeatedKeyError(
                    f'is not usable: "{key}" is in line {first} and again in line {second} of the same map, and the '
                    "second replaces the first; put both together, or remove one"
                )
            return super().construct_document(node)

    return StrictLoader


def _repeated(document: Any) -> Iterator[tuple[str, int, int]]:
    """Yield the keys that occur twice in one map, with both lines."""
    waiting, seen = [document], set()
    while waiting:
        node = waiting.pop()
        if node.id == "scalar" or id(node) in seen:
            continue
        seen.add(id(node))
        if node.id == "sequence":
            waiting += node.value
            continue
        lines: dict[tuple[str, str], int] = {}
        for key, value in node.value:
            waiting.append(value)
            if key.id != "scalar" or key.value == _MERGE:
                continue
            line = key.start_mark.line + 1
            name = (key.tag, key.value)
            if name in lines:
                yield key.value, lines[name], line
            lines[name] = line


def _unique(pairs: list[tuple[str, Any]]) -> Json:
    found: Json = {}
    for key, value in pairs:
        if key in found:
            raise RepeatedKeyError(
                f'is not usable: "{key}" occurs twice in the same map, and the second replaces the first; put both together, or '
                "remove one"
            )
        found[key] = value
    return found


def _what(error: Exception, text: str) -> str:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or str(error).splitlines()[0]
    if not mark:
        return str(what)
    where = f"in line {mark.line + 1}, column {mark.column + 1}"
    line = text.splitlines()[mark.line : mark.line + 1]
    tab = line and line[0][mark.column : mark.column + 1] == "\t"
    return f"there is a tab {where}; indent with blanks" if tab else f"{what} {where}"
