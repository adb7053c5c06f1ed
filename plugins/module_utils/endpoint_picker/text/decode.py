# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration text to values, exactly as the picker's decoder reads it (sigs.k8s.io/yaml, then JSON).

Its YAML is 1.1 as Go reads it, which PyYAML's own constructors do not follow: a bare `y` is a boolean, `1e3` a number,
`12:30` text. Only the first document counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..findings import Finding, Value, warning
from .errors import DecodeError
from .yaml_reader import read_first_document

#: What Helm and Jinja fill in; braces of JSON have a quote or another brace inside.
_TEMPLATE = re.compile(r"\{\{-?\s*[A-Za-z.$]|\{%")
#: What Go counts as space before the brace of a JSON document.
_SPACE = "\t\n\v\f\r \x85\xa0"


class JsonNumber(float):
    """A number written in JSON with a fraction or an exponent; Go takes `2.0` for an integer in YAML, but not in JSON."""

    text: str

    def __new__(cls, text: str) -> JsonNumber:
        """Keep the text, which quantities are read from."""
        number = super().__new__(cls, text)
        number.text = text
        return number


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded document. empty: it came from no bytes at all. notes: what a reader of the text would not expect."""

    value: Value
    empty: bool = False
    notes: list[Finding] = field(default_factory=list)


def decode(source: str | bytes) -> Decoded:
    """Decode a configuration. Raises DecodeError where each loader would refuse the text."""
    try:
        return _decoded(source)
    except DecodeError as error:
        text = _without_bom(source)
        if text is None or _TEMPLATE.search(text) is None:
            raise
        raise DecodeError(
            error.rule,
            "the text is a template, since it holds {{ … }}, and the picker reads it as it is",
            "give what helm template or lookup('ansible.builtin.template', …) makes of it",
        ) from None


def _decoded(source: str | bytes) -> Decoded:
    if not source:
        return Decoded(None, empty=True)
    text = _without_bom(source)
    if text is not None and text.lstrip(_SPACE).startswith("{"):
        return Decoded(_json(text))
    document = read_first_document(source)
    return Decoded(document.value, notes=list(_notes(document.value, document.more)))


def _without_bom(source: str | bytes) -> str | None:
    """Return the text, None for bytes in an encoding other than UTF-8, which can only be YAML."""
    if isinstance(source, str):
        return source
    try:
        return source.decode()
    except UnicodeDecodeError:
        return None


def _json(text: str) -> Value:
    try:
        value = json.loads(
            text, object_pairs_hook=_unique, parse_float=JsonNumber, parse_constant=_refuse_constant
        )
        return _whole(value) if "\\ud" in text.lower() else value
    except (ValueError, RecursionError) as error:
        raise DecodeError(
            "document-json",
            f"the first character is {{, so the picker reads the document as JSON, and it is none: {error}",
            "write JSON, or start the document with `---` or a comment to have it read as YAML",
        ) from None


def _whole(value: Value) -> Value:
    """Return a value with half characters (one surrogate of a pair) replaced, as Go does it."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        return {str(_whole(key)): _whole(inner) for key, inner in value.items()}
    return [_whole(inner) for inner in value] if isinstance(value, list) else value


def _unique(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    result: dict[str, Value] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"the key {key!r} is twice in one object")
        result[key] = value
    return result


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


def _notes(value: Value, more: bool) -> Iterator[Finding]:
    if not more:
        return
    if value is None:
        yield warning(
            "document-empty-first",
            "",
            None,
            "the first YAML document is empty, and only the first one is read: the whole configuration is lost",
            "delete the first `---`",
        )
        return
    yield warning(
        "document-more-than-one",
        "",
        None,
        "only the first YAML document is read; what follows is ignored, even if it is broken",
        "delete everything from the second `---` on",
    )
