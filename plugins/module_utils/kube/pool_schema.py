# SPDX-License-Identifier: GPL-3.0-or-later
"""The schemas of an InferencePool's spec in both API groups.

Source: sigs.k8s.io/gateway-api-inference-extension v1.3.0, as the CRDs of KServe v0.17 embed it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from .route_filters import backend_fields
from .schema import FieldRule, Integer, ListOf, MapOf, Object, Schema, Text

_PORT = Integer(minimum=1, maximum=65535)
_NUMBER = Object(fields={"number": _PORT}, required=("number",))
_MODE = Text(
    description="What the gateway does when the picker does not answer.",
    default="FailClose",
    enum=("FailOpen", "FailClose"),
)

_PICKER_PORT = FieldRule(
    name="pool-picker-port",
    message="port is required when kind is 'Service' or unspecified (defaults to 'Service')",
    broken=lambda value: value["kind"] == "Service" and "port" not in value,
)
_PORTS_DIFFER = FieldRule(
    name="pool-ports",
    message="port number must be unique",
    broken=lambda value: len({port["number"] for port in value}) < len(value),
)


def _label_map(strict: bool, fewest: int = 0) -> MapOf:
    value = Text(max_length=63, pattern=r"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$")
    if not strict:
        return MapOf(values=Text())
    return MapOf(
        description="Labels of the pods.",
        values=value,
        min_items=fewest,
        max_items=64 if fewest else None,
    )


def _picker(port: Mapping[str, Schema], *rules: FieldRule) -> Object:
    named = backend_fields()
    fields: dict[str, Any] = {
        **{field: named[field] for field in ("group", "kind", "name")},
        **port,
        "failureMode": _MODE,
    }
    return Object(
        description="The endpoint picker.", fields=fields, required=("name",), rules=rules
    )


@cache
def v1_pool_spec(*, strict: bool = True) -> Object:
    """Return the schema of inference.networking.k8s.io/v1. Where it is not strict, label values may be templates."""
    selector = Object(
        description="Which pods are in the pool.",
        fields={"matchLabels": _label_map(strict, fewest=1)},
        required=("matchLabels",),
    )
    ports = ListOf(
        description="Ports of the model servers.",
        items=_NUMBER,
        min_items=1,
        max_items=8,
        rules=(_PORTS_DIFFER,),
    )
    return Object(
        description="The pool that is created for the service.",
        fields={
            "selector": selector,
            "targetPorts": ports,
            "endpointPickerRef": _picker({"port": _NUMBER}, _PICKER_PORT),
        },
        required=("endpointPickerRef", "selector", "targetPorts"),
    )


@cache
def v1alpha2_pool_spec() -> Object:
    """Return the schema of inference.networking.x-k8s.io/v1alpha2: one port, labels without a frame."""
    return Object(
        description="The pool that is created for the service.",
        fields={
            "selector": _label_map(strict=True),
            "targetPortNumber": _PORT,
            "extensionRef": _picker({"portNumber": _PORT}),
        },
        required=("extensionRef", "selector", "targetPortNumber"),
    )
