# SPDX-License-Identifier: GPL-3.0-or-later
"""Containers of a pod.

The order of the fields is that of the Go types, in which messages of controllers show values.
Source: k8s.io/api v0.34, as the CRDs of KServe v0.17 embed it.
"""

from __future__ import annotations

from ..core_schema import ENV_VAR, resources
from ..schema import ListOf, Object, Text
from .actions import LIFECYCLE, PROBE
from .basics import (
    BOOL,
    INT32,
    INT64,
    OPTIONAL_REFERENCE,
    SE_LINUX,
    SECURITY_PROFILE,
    TEXT,
    TEXTS,
    WINDOWS,
)

RESOURCES = resources("")

CONTAINER_PORT = Object(
    fields={
        "name": TEXT,
        "hostPort": INT32,
        "containerPort": INT32,
        "protocol": Text(default="TCP"),
        "hostIP": TEXT,
    },
    required=("containerPort",),
)

ENV_FROM = Object(
    fields={
        "prefix": TEXT,
        "configMapRef": OPTIONAL_REFERENCE,
        "secretRef": OPTIONAL_REFERENCE,
    }
)

RESIZE_POLICY = Object(
    fields={
        "resourceName": TEXT,
        "restartPolicy": TEXT,
    },
    required=("resourceName", "restartPolicy"),
)

RESTART_RULE = Object(
    fields={
        "action": TEXT,
        "exitCodes": Object(
            fields={
                "operator": TEXT,
                "values": ListOf(items=INT32, unique=True),
            },
            required=("operator",),
        ),
    },
    required=("action",),
)

VOLUME_MOUNT = Object(
    fields={
        "name": TEXT,
        "readOnly": BOOL,
        "recursiveReadOnly": TEXT,
        "mountPath": TEXT,
        "subPath": TEXT,
        "mountPropagation": TEXT,
        "subPathExpr": TEXT,
    },
    required=("mountPath", "name"),
)

VOLUME_DEVICE = Object(
    fields={
        "name": TEXT,
        "devicePath": TEXT,
    },
    required=("devicePath", "name"),
)

CONTAINER_SECURITY = Object(
    fields={
        "capabilities": Object(
            fields={
                "add": TEXTS,
                "drop": TEXTS,
            }
        ),
        "privileged": BOOL,
        "seLinuxOptions": SE_LINUX,
        "windowsOptions": WINDOWS,
        "runAsUser": INT64,
        "runAsGroup": INT64,
        "runAsNonRoot": BOOL,
        "readOnlyRootFilesystem": BOOL,
        "allowPrivilegeEscalation": BOOL,
        "procMount": TEXT,
        "seccompProfile": SECURITY_PROFILE,
        "appArmorProfile": SECURITY_PROFILE,
    }
)

CONTAINER = Object(
    fields={
        "name": TEXT,
        "image": TEXT,
        "command": TEXTS,
        "args": TEXTS,
        "workingDir": TEXT,
        "ports": ListOf(items=CONTAINER_PORT, keys=("containerPort", "protocol")),
        "envFrom": ListOf(items=ENV_FROM),
        "env": ListOf(items=ENV_VAR, keys=("name",), title="name"),
        "resources": RESOURCES,
        "resizePolicy": ListOf(items=RESIZE_POLICY),
        "restartPolicy": TEXT,
        "restartPolicyRules": ListOf(items=RESTART_RULE),
        "volumeMounts": ListOf(items=VOLUME_MOUNT, keys=("mountPath",)),
        "volumeDevices": ListOf(items=VOLUME_DEVICE, keys=("devicePath",)),
        "livenessProbe": PROBE,
        "readinessProbe": PROBE,
        "startupProbe": PROBE,
        "lifecycle": LIFECYCLE,
        "terminationMessagePath": TEXT,
        "terminationMessagePolicy": TEXT,
        "imagePullPolicy": TEXT,
        "securityContext": CONTAINER_SECURITY,
        "stdin": BOOL,
        "stdinOnce": BOOL,
        "tty": BOOL,
    },
    required=("name",),
)

EPHEMERAL_CONTAINER = Object(
    fields={
        "name": TEXT,
        "image": TEXT,
        "command": TEXTS,
        "args": TEXTS,
        "workingDir": TEXT,
        "ports": ListOf(items=CONTAINER_PORT, keys=("containerPort", "protocol")),
        "envFrom": ListOf(items=ENV_FROM),
        "env": ListOf(items=ENV_VAR, keys=("name",), title="name"),
        "resources": RESOURCES,
        "resizePolicy": ListOf(items=RESIZE_POLICY),
        "restartPolicy": TEXT,
        "restartPolicyRules": ListOf(items=RESTART_RULE),
        "volumeMounts": ListOf(items=VOLUME_MOUNT, keys=("mountPath",)),
        "volumeDevices": ListOf(items=VOLUME_DEVICE, keys=("devicePath",)),
        "livenessProbe": PROBE,
        "readinessProbe": PROBE,
        "startupProbe": PROBE,
        "lifecycle": LIFECYCLE,
        "terminationMessagePath": TEXT,
        "terminationMessagePolicy": TEXT,
        "imagePullPolicy": TEXT,
        "securityContext": CONTAINER_SECURITY,
        "stdin": BOOL,
        "stdinOnce": BOOL,
        "tty": BOOL,
        "targetContainerName": TEXT,
    },
    required=("name",),
)
