# SPDX-License-Identifier: GPL-3.0-or-later
"""One thing that a webhook refuses, in the words in which the API tells it.

The messages of the conditions hold these texts, so their form is part of parity.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ....kube.go_json import go_json
from ....kube.problem import Problem
from ....kube.schema import ListOf, Object, Schema
from ...kserve.service import GROUP
from ..releases import NEWEST
from ..schema import STORED_VERSION, spec_schema

_CONTAINER = frozenset({"image", "command", "resources"})
_POD = frozenset({"containers", "initContainers"})
Kind = Literal["Invalid", "Required", "Forbidden", "Unsupported"]


class Shown(str):
    """A value that is in the message as it is."""


@dataclass(frozen=True, slots=True)
class FieldError:
    """One error. value: what is in the field, shown where the kind of error shows it."""

    kind: Kind
    field: str
    detail: str
    value: Any = None

    def __str__(self) -> str:
        if self.kind == "Forbidden":
            return f"{self.field}: Forbidden: {self.detail}"
        if self.kind == "Required":
            return f"{self.field}: Required value: {self.detail}"
        known = isinstance(self.value, Shown)
        shown = self.value if known else _go_json(_schema_of(self.field), self.value)
        return f"{self.field}: {self.kind} value: {shown}: {self.detail}"

    def as_problem(self) -> Problem:
        """Return the error as our own messages tell it."""
        return Problem(self.field, self.detail, rule="webhook")


def refusal(kind: str, name: str, errors: Sequence[FieldError]) -> str:
    """Return the text with which the API refuses an object."""
    texts = [str(error) for error in errors]
    told = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    return f"{kind}.{GROUP} {json.dumps(name)} is invalid: {told}"


def _go_json(schema: Schema | None, value: Any) -> str:
    """Return a value as Go writes it: no spaces, known fields in the order of their type, free keys sorted."""
    return go_json(_ordered(schema, value))


def _ordered(schema: Schema | None, value: Any) -> Any:
    if isinstance(value, list):
        items = schema.items if isinstance(schema, ListOf) else None
        return [_ordered(items, item) for item in value]
    if not isinstance(value, dict):
        return value
    if not isinstance(schema, Object):
        return {key: _ordered(None, value[key]) for key in sorted(value)}
    if schema.fields.keys() >= _CONTAINER:
        # Go writes the resources of a container, and the containers of a pod, also where there are none.
        value = {"resources": {}, **value}
    elif schema.fields.keys() >= _POD:
        value = {"containers": [], **value}
    return {
        key: _ordered(inner, value[key]) for key, inner in schema.fields.items() if key in value
    }


def _schema_of(path: str) -> Schema | None:
    """Return the schema of a field of the stored version, None where it is not known."""
    schema: Schema | None = spec_schema(STORED_VERSION, NEWEST)
    for step in path.split(".")[1:]:
        schema = schema.fields.get(step) if isinstance(schema, Object) else None
    return schema
