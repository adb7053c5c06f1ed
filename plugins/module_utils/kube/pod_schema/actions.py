# SPDX-License-Identifier: GPL-3.0-or-later
"""What the kubelet does with a container: probes and lifecycle handlers.

The order of the fields is that of the Go types, in which messages of controllers show values.
Source: k8s.io/api v0.34, as the CRDs of KServe v0.17 embed it.
"""

from __future__ import annotations

from ..schema import ListOf, Object, Text
from .basics import INT32, INT64, INT_OR_TEXT, NAMED_VALUE, TEXT, TEXTS

EXEC = Object(fields={"command": TEXTS})

HTTP_GET = Object(
    fields={
        "path": TEXT,
        "port": INT_OR_TEXT,
        "host": TEXT,
        "scheme": TEXT,
        "httpHeaders": ListOf(items=NAMED_VALUE),
    },
    required=("port",),
)

TCP_SOCKET = Object(
    fields={
        "port": INT_OR_TEXT,
        "host": TEXT,
    },
    required=("port",),
)

HANDLER = Object(
    fields={
        "exec": EXEC,
        "httpGet": HTTP_GET,
        "tcpSocket": TCP_SOCKET,
        "sleep": Object(fields={"seconds": INT64}, required=("seconds",)),
    }
)

LIFECYCLE = Object(
    fields={
        "postStart": HANDLER,
        "preStop": HANDLER,
        "stopSignal": TEXT,
    }
)

PROBE = Object(
    fields={
        "exec": EXEC,
        "httpGet": HTTP_GET,
        "tcpSocket": TCP_SOCKET,
        "grpc": Object(
            fields={
                "port": INT32,
                "service": Text(default=""),
            },
            required=("port",),
        ),
        "initialDelaySeconds": INT32,
        "timeoutSeconds": INT32,
        "periodSeconds": INT32,
        "successThreshold": INT32,
        "failureThreshold": INT32,
        "terminationGracePeriodSeconds": INT64,
    }
)
