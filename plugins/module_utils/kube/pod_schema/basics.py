# SPDX-License-Identifier: GPL-3.0-or-later
"""What many parts of a pod refer to: labels, keys, files, security profiles.

The order of the fields is that of the Go types, in which messages of controllers show values.
Source: k8s.io/api v0.34, as the CRDs of KServe v0.17 embed it.
"""

from __future__ import annotations

from ..schema import Boolean, Integer, IntOrText, ListOf, MapOf, Object, QuantityValue, Text

TEXT = Text()
TEXTS = ListOf(items=TEXT)
TEXT_MAP = MapOf(values=TEXT)
BOOL = Boolean()
INT32 = Integer()
INT64 = Integer(bits=64)
QUANTITY = QuantityValue()
INT_OR_TEXT = IntOrText()

SELECTOR_TERM = Object(
    fields={
        "key": TEXT,
        "operator": TEXT,
        "values": TEXTS,
    },
    required=("key", "operator"),
)

LABEL_SELECTOR = Object(
    fields={
        "matchLabels": TEXT_MAP,
        "matchExpressions": ListOf(items=SELECTOR_TERM),
    },
    atomic=True,
)

LOCAL_REFERENCE = Object(fields={"name": Text(default="")}, atomic=True)

OPTIONAL_REFERENCE = Object(
    fields={
        "name": Text(default=""),
        "optional": BOOL,
    },
    atomic=True,
)

KEY_TO_PATH = Object(
    fields={
        "key": TEXT,
        "path": TEXT,
        "mode": INT32,
    },
    required=("key", "path"),
)

NAMED_VALUE = Object(
    fields={
        "name": TEXT,
        "value": TEXT,
    },
    required=("name", "value"),
)

FIELD_REFERENCE = Object(
    fields={
        "apiVersion": TEXT,
        "fieldPath": TEXT,
    },
    required=("fieldPath",),
    atomic=True,
)

RESOURCE_FIELD_REFERENCE = Object(
    fields={
        "containerName": TEXT,
        "resource": TEXT,
        "divisor": QUANTITY,
    },
    required=("resource",),
    atomic=True,
)

SECURITY_PROFILE = Object(
    fields={
        "type": TEXT,
        "localhostProfile": TEXT,
    },
    required=("type",),
)

SE_LINUX = Object(
    fields={
        "user": TEXT,
        "role": TEXT,
        "type": TEXT,
        "level": TEXT,
    }
)

WINDOWS = Object(
    fields={
        "gmsaCredentialSpecName": TEXT,
        "gmsaCredentialSpec": TEXT,
        "runAsUserName": TEXT,
        "hostProcess": BOOL,
    }
)
