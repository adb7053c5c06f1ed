# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn a schema into the structural OpenAPI schema of a CustomResourceDefinition."""

from __future__ import annotations

from typing import Any

from .manifest import Json
from .schema import (
    QUANTITY_PATTERN,
    Anything,
    Boolean,
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


def openapi(schema: Schema) -> Json:
    """Return the `openAPIV3Schema` of a node, with descriptions and defaults."""
    body = _body(schema)
    if schema.description:
        body["description"] = schema.description
    return body


def _body(schema: Schema) -> Json:
    match schema:
        case Object():
            return _object(schema)
        case ListOf():
            return _list(schema)
        case MapOf():
            return _map(schema)
        case Text():
            return _text(schema)
        case Integer():
            return _integer(schema)
        case Boolean():
            return _said(type="boolean", default=schema.default)
        case Anything():
            return {
                **_said(type=schema.type or None),
                "x-kubernetes-preserve-unknown-fields": True,
            }
        case IntOrText():
            return {
                "anyOf": [{"type": "integer"}, {"type": "string"}],
                "x-kubernetes-int-or-string": True,
            }
        case QuantityValue():
            return {
                "anyOf": [{"type": "integer"}, {"type": "string"}],
                "pattern": QUANTITY_PATTERN,
                "x-kubernetes-int-or-string": True,
            }


def _said(**entries: Any) -> Json:
    return {key: value for key, value in entries.items() if value is not None}


def _map(schema: MapOf) -> Json:
    body = _said(
        type="object",
        additionalProperties=openapi(schema.values),
        minProperties=schema.min_items or None,
        maxProperties=schema.max_items,
    )
    if schema.atomic:
        body["x-kubernetes-map-type"] = "atomic"
    return body


def _object(schema: Object) -> Json:
    body: Json = {"type": "object"}
    if schema.fields:
        body["properties"] = {name: openapi(child) for name, child in schema.fields.items()}
    if schema.required:
        body["required"] = list(schema.required)
    if schema.atomic:
        body["x-kubernetes-map-type"] = "atomic"
    return {**body, **_said(default=default_of(schema))}


def _list(schema: ListOf) -> Json:
    body = _said(
        type="array",
        items=openapi(schema.items),
        minItems=schema.min_items or None,
        maxItems=schema.max_items,
        default=default_of(schema),
    )
    if schema.unique:
        body["x-kubernetes-list-type"] = "set"
    if schema.keys:
        body["x-kubernetes-list-type"] = "map"
        body["x-kubernetes-list-map-keys"] = list(schema.keys)
    return body


def _text(schema: Text) -> Json:
    return _said(
        type="string",
        default=schema.default,
        enum=list(schema.enum) or None,
        minLength=schema.min_length or None,
        maxLength=schema.max_length,
        pattern=schema.pattern or None,
        format=schema.format or None,
    )


def _integer(schema: Integer) -> Json:
    return _said(
        type="integer",
        format=f"int{schema.bits}",
        default=schema.default,
        minimum=schema.minimum,
        maximum=schema.maximum,
    )
