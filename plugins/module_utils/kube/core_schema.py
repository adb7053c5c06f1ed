# SPDX-License-Identifier: GPL-3.0-or-later
"""Schemas of the core/v1 types that custom resources embed. Source: k8s.io/api v0.36.3, as structural schemas show it."""

from __future__ import annotations

from .schema import Boolean, Integer, ListOf, MapOf, Object, QuantityValue, Text

_OPTIONAL = Boolean(description="Whether the pod may start without it.")


def _key_of(what: str) -> Object:
    return Object(
        description=f"A key of a {what} in the same namespace.",
        fields={
            "name": Text(description=f"The {what}.", default=""),
            "key": Text(description=f"The key in the {what}."),
            "optional": _OPTIONAL,
        },
        required=("key",),
        atomic=True,
    )


ENV_VAR = Object(
    description="One environment variable.",
    fields={
        "name": Text(description="The variable. Printable ASCII without an equals sign."),
        "value": Text(
            description="The value; `$(NAME)` refers to an earlier variable.",
            sensitive=True,
        ),
        "valueFrom": Object(
            description="Where the value comes from; exactly one source.",
            fields={
                "configMapKeyRef": _key_of("ConfigMap"),
                "secretKeyRef": _key_of("Secret"),
                "fieldRef": Object(
                    description="A field of the pod.",
                    fields={
                        "fieldPath": Text(description="The field, for example `status.podIP`."),
                        "apiVersion": Text(description="API version of the path; `v1` by default."),
                    },
                    required=("fieldPath",),
                    atomic=True,
                ),
                "resourceFieldRef": Object(
                    description="A request or limit of a container.",
                    fields={
                        "resource": Text(description="The resource, for example `limits.memory`."),
                        "containerName": Text(description="The container; by default this one."),
                        "divisor": QuantityValue(description="The unit of the value."),
                    },
                    required=("resource",),
                    atomic=True,
                ),
                "fileKeyRef": Object(
                    description="A variable in a file that an init container writes.",
                    fields={
                        "volumeName": Text(description="The emptyDir volume that holds the file."),
                        "path": Text(description="The file, relative to the volume."),
                        "key": Text(description="The variable in the file."),
                        "optional": Boolean(
                            description="Whether the pod may start without it.", default=False
                        ),
                    },
                    required=("key", "path", "volumeName"),
                    atomic=True,
                ),
            },
        ),
    },
    required=("name",),
)

TOLERATION = Object(
    description="One taint that the pods tolerate.",
    fields={
        "key": Text(description="Key of the taint; absent with `Exists` for all keys."),
        "operator": Text(description="`Equal` (default) or `Exists`."),
        "value": Text(description="Value of the taint; for `Equal` only."),
        "effect": Text(
            description="`NoSchedule`, `PreferNoSchedule` or `NoExecute`; absent for all effects."
        ),
        "tolerationSeconds": Integer(
            description="How long a `NoExecute` taint is tolerated, in seconds; forever if absent.",
            bits=64,
        ),
    },
)


def resources(description: str) -> Object:
    """Return the schema of ResourceRequirements."""
    return Object(
        description=description,
        fields={
            "limits": MapOf(
                description="The most that the container may use, by resource.",
                values=QuantityValue(),
            ),
            "requests": MapOf(
                description="What the scheduler sets aside for the container, by resource. Not more than the limit.",
                values=QuantityValue(),
            ),
            "claims": ListOf(
                description="Device claims of the pod. Pods of this kind have none, so claims cannot be used.",
                items=Object(
                    fields={
                        "name": Text(description="Name of an entry of the pod's `resourceClaims`."),
                        "request": Text(
                            description="Name of a request in the claim; by default all."
                        ),
                    },
                    required=("name",),
                ),
                keys=("name",),
                title="name",
            ),
        },
    )


def string_map(description: str) -> MapOf:
    """Return the schema of a map of strings, such as labels."""
    return MapOf(description=description, values=Text())
