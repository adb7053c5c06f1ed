# SPDX-License-Identifier: GPL-3.0-or-later
"""How pod specs are merged and written: the merge keys of Kubernetes, and which of its fields are left out where they are zero.

Source: struct tags of k8s.io/api v0.36.3, core/v1.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from .manifest import Json
from .quantity import canonical_quantity
from .strategic_merge import PLAIN, Shape

CONTAINER = Shape(
    keyed={
        "env": ("name", PLAIN),
        "ports": ("containerPort", PLAIN),
        "volumeMounts": ("mountPath", PLAIN),
        "volumeDevices": ("devicePath", PLAIN),
    }
)

POD_SPEC = Shape(
    keyed={
        "containers": ("name", CONTAINER),
        "initContainers": ("name", CONTAINER),
        "ephemeralContainers": ("name", CONTAINER),
        "volumes": ("name", PLAIN),
        "imagePullSecrets": ("name", PLAIN),
        "resourceClaims": ("name", PLAIN),
        "schedulingGates": ("name", PLAIN),
        "hostAliases": ("ip", PLAIN),
        "topologySpreadConstraints": ("topologyKey", PLAIN),
    }
)

#: Maps whose keys are names that somebody chose, so that an empty value says something.
_FREE_MAPS = frozenset(
    {"labels", "annotations", "nodeSelector", "matchLabels", "options", "volumeAttributes"}
)
_QUANTITY_MAPS = frozenset({"requests", "limits", "overhead"})
_QUANTITIES = frozenset({"sizeLimit", "divisor"})

#: Go writes these as pointers, so that zero is a value; every other empty text is left out.
_TEXT_POINTERS = frozenset(
    {
        "exporter",
        "exporterEndpoint",
        "group",
        "namespace",
        "runtimeClassName",
        "sampler",
        "samplerArg",
        "service",
        "storageClassName",
    }
)

#: Numbers and booleans that are no pointers, so that zero and false say nothing. All others keep them.
_PLAIN_VALUES = frozenset(
    {
        "hostIPC",
        "hostNetwork",
        "hostPID",
        "hostPort",
        "failureThreshold",
        "initialDelaySeconds",
        "periodSeconds",
        "readOnly",
        "stdin",
        "stdinOnce",
        "successThreshold",
        "timeoutSeconds",
        "tty",
    }
)
#: Lists that are written even where they are empty. An empty list says nothing anywhere else.
_KEPT_LISTS = frozenset({"containers", "nodeSelectorTerms", "sources", "monitors"})
_RAW: Mapping[str, frozenset[str]] = MappingProxyType({"config": frozenset({"inline"})})


def as_go_writes(value: Any, field: str = "") -> Any:
    """Return JSON as it comes out of Kubernetes' Go types: without nulls and what is left out, quantities in short form.

    field: the name under which the value is.
    """
    if isinstance(value, list):
        return [as_go_writes(item) for item in value]
    if not isinstance(value, dict):
        return value
    if field in _QUANTITY_MAPS:
        return {
            name: canonical_quantity(amount) for name, amount in value.items() if amount is not None
        }
    if field in _FREE_MAPS:
        return {name: text for name, text in value.items() if text is not None}
    raw = _RAW.get(field, frozenset())
    written: Json = {}
    for name, inner in value.items():
        if inner is None or _is_left_out(name, inner):
            continue
        if name in _QUANTITIES:
            written[name] = canonical_quantity(inner)
        elif name in raw or not isinstance(inner, dict | list):
            written[name] = inner
        else:
            written[name] = as_go_writes(inner, name)
    return written


def _is_left_out(name: str, value: Any) -> bool:
    if value == "":
        return name not in _TEXT_POINTERS
    if value == []:
        return name not in _KEPT_LISTS
    return name in _PLAIN_VALUES and not value
