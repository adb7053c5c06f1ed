# SPDX-License-Identifier: GPL-3.0-or-later
"""Volumes that are put together from parts of other objects.

The order of the fields is that of the Go types, in which messages of controllers show values.
Source: k8s.io/api v0.34, as the CRDs of KServe v0.17 embed it.
"""

from __future__ import annotations

from ..schema import ListOf, MapOf, Object, Text
from .basics import (
    BOOL,
    FIELD_REFERENCE,
    INT32,
    INT64,
    KEY_TO_PATH,
    LABEL_SELECTOR,
    QUANTITY,
    RESOURCE_FIELD_REFERENCE,
    TEXT,
    TEXTS,
)

CONFIG_MAP_FILES = Object(
    fields={
        "name": Text(default=""),
        "items": ListOf(items=KEY_TO_PATH),
        "optional": BOOL,
    },
    atomic=True,
)

DOWNWARD_FILE = Object(
    fields={
        "path": TEXT,
        "fieldRef": FIELD_REFERENCE,
        "resourceFieldRef": RESOURCE_FIELD_REFERENCE,
        "mode": INT32,
    },
    required=("path",),
)

PROJECTED = Object(
    fields={
        "sources": ListOf(
            items=Object(
                fields={
                    "secret": CONFIG_MAP_FILES,
                    "downwardAPI": Object(fields={"items": ListOf(items=DOWNWARD_FILE)}),
                    "configMap": CONFIG_MAP_FILES,
                    "serviceAccountToken": Object(
                        fields={
                            "audience": TEXT,
                            "expirationSeconds": INT64,
                            "path": TEXT,
                        },
                        required=("path",),
                    ),
                    "clusterTrustBundle": Object(
                        fields={
                            "name": TEXT,
                            "signerName": TEXT,
                            "labelSelector": LABEL_SELECTOR,
                            "optional": BOOL,
                            "path": TEXT,
                        },
                        required=("path",),
                    ),
                    "podCertificate": Object(
                        fields={
                            "signerName": TEXT,
                            "keyType": TEXT,
                            "maxExpirationSeconds": INT32,
                            "credentialBundlePath": TEXT,
                            "keyPath": TEXT,
                            "certificateChainPath": TEXT,
                        },
                        required=("keyType", "signerName"),
                    ),
                }
            )
        ),
        "defaultMode": INT32,
    }
)

VOLUME_CLAIM = Object(
    fields={
        "accessModes": TEXTS,
        "selector": LABEL_SELECTOR,
        "resources": Object(
            fields={
                "limits": MapOf(values=QUANTITY),
                "requests": MapOf(values=QUANTITY),
            }
        ),
        "volumeName": TEXT,
        "storageClassName": TEXT,
        "volumeMode": TEXT,
        "dataSource": Object(
            fields={
                "apiGroup": TEXT,
                "kind": TEXT,
                "name": TEXT,
            },
            required=("kind", "name"),
            atomic=True,
        ),
        "dataSourceRef": Object(
            fields={
                "apiGroup": TEXT,
                "kind": TEXT,
                "name": TEXT,
                "namespace": TEXT,
            },
            required=("kind", "name"),
        ),
        "volumeAttributesClassName": TEXT,
    }
)
