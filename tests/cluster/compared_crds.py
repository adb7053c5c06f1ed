# SPDX-License-Identifier: GPL-3.0-or-later
"""Definitions of ours and of KServe as they compare: what each says of a field, in whatever words."""

from __future__ import annotations

from typing import Any

from module_utils.kube.manifest import Json

#: Said by functions beside the schema, or without a meaning of its own.
_NOT_IN_OURS = ("description", "x-kubernetes-validations")


def bare(schema: Any) -> Any:
    """Return a schema without what ours says elsewhere, and without an order that has no meaning."""
    if isinstance(schema, list):
        return [bare(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept: Json = {}
    for key, value in schema.items():
        described = isinstance(value, str | list) and key in _NOT_IN_OURS
        # Atomic is what the API server takes a list for that says nothing.
        atomic = (key, value) == ("x-kubernetes-list-type", "atomic")
        # A number without a format takes any size; the numbers in question have a smallest and a largest, or are small.
        plain = key == "format" and value == "int32"
        if not (described or atomic or plain or (key, value) == ("minLength", 0)):
            kept[key] = (
                sorted(value) if key == "required" and isinstance(value, list) else bare(value)
            )
    if kept.pop("enum", None) == [301, 302]:
        kept |= {"minimum": 301, "maximum": 302}
    elif "enum" in schema and schema["enum"] != [301, 302]:
        kept["enum"] = bare(schema["enum"])
    return kept
