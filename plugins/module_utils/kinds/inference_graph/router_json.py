# SPDX-License-Identifier: GPL-3.0-or-later
"""The graph as the router reads it: one line of JSON, byte for byte as Go's encoding/json writes the types of KServe.

Source: KServe pkg/apis/serving/v1alpha1/inference_graph.go, pkg/controller/v1alpha1/inferencegraph/raw_ig.go@v0.17.0.
"""

from __future__ import annotations

from typing import Any

from ...kube.go_json import go_json
from ...kube.manifest import Json
from ...kube.schema import ListOf, MapOf, Object, Schema
from .schema import SPEC

#: Fields that are no pointers in Go, so that nothing stands for them where they say nothing.
_ZERO = {"maxReplicas": 0, "mapPredictionsToInstances": False}


def router_json(spec: Json) -> str:
    """Return the JSON of a graph. spec: with the URL of each step. `resources` is there even where it says nothing."""
    return go_json(_ordered(SPEC, {"resources": {}, **spec}))


def _ordered(schema: Schema, value: Any) -> Any:
    """Return a value with the fields of each struct in their order, the keys of each map sorted, and nothing that says nothing."""
    match schema:
        case Object():
            return {
                name: _ordered(field, value[name])
                for name, field in schema.fields.items()
                if name in value and (name in schema.required or _says(name, value[name], field))
            }
        case MapOf():
            return {name: _ordered(schema.values, value[name]) for name in _sorted(value)}
        case ListOf():
            return [_ordered(schema.items, item) for item in value]
        case _:
            return value


def _says(name: str, value: Any, schema: Schema) -> bool:
    if isinstance(schema, MapOf | ListOf) or value == "":
        return bool(value)
    return name not in _ZERO or value != _ZERO[name]


def _sorted(value: Json) -> list[str]:
    """Return the keys of a map in Go's order: by their bytes in UTF-8."""
    return sorted(value, key=lambda name: name.encode(errors="surrogatepass"))
