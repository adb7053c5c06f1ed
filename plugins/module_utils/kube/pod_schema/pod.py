# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole pod spec.

The order of the fields is that of the Go types, in which messages of controllers show values.
Source: k8s.io/api v0.34, as the CRDs of KServe v0.17 embed it.
"""

from __future__ import annotations

from ..core_schema import TOLERATION
from ..schema import ListOf, MapOf, Object
from .basics import (
    BOOL,
    INT32,
    INT64,
    LOCAL_REFERENCE,
    NAMED_VALUE,
    QUANTITY,
    SE_LINUX,
    SECURITY_PROFILE,
    TEXT,
    TEXTS,
    WINDOWS,
)
from .container import CONTAINER, EPHEMERAL_CONTAINER, RESOURCES
from .placement import AFFINITY, TOPOLOGY_SPREAD
from .volumes import VOLUME

POD_SECURITY = Object(
    fields={
        "seLinuxOptions": SE_LINUX,
        "windowsOptions": WINDOWS,
        "runAsUser": INT64,
        "runAsGroup": INT64,
        "runAsNonRoot": BOOL,
        "supplementalGroups": ListOf(items=INT64),
        "supplementalGroupsPolicy": TEXT,
        "fsGroup": INT64,
        "sysctls": ListOf(items=NAMED_VALUE),
        "fsGroupChangePolicy": TEXT,
        "seccompProfile": SECURITY_PROFILE,
        "appArmorProfile": SECURITY_PROFILE,
        "seLinuxChangePolicy": TEXT,
    }
)

POD_SPEC = Object(
    fields={
        "volumes": ListOf(items=VOLUME, keys=("name",), title="name"),
        "initContainers": ListOf(items=CONTAINER, keys=("name",), title="name"),
        "containers": ListOf(items=CONTAINER, keys=("name",), title="name"),
        "ephemeralContainers": ListOf(items=EPHEMERAL_CONTAINER, keys=("name",), title="name"),
        "restartPolicy": TEXT,
        "terminationGracePeriodSeconds": INT64,
        "activeDeadlineSeconds": INT64,
        "dnsPolicy": TEXT,
        "nodeSelector": MapOf(values=TEXT, atomic=True),
        "serviceAccountName": TEXT,
        "serviceAccount": TEXT,
        "automountServiceAccountToken": BOOL,
        "nodeName": TEXT,
        "hostNetwork": BOOL,
        "hostPID": BOOL,
        "hostIPC": BOOL,
        "shareProcessNamespace": BOOL,
        "securityContext": POD_SECURITY,
        "imagePullSecrets": ListOf(items=LOCAL_REFERENCE, keys=("name",), title="name"),
        "hostname": TEXT,
        "subdomain": TEXT,
        "affinity": AFFINITY,
        "schedulerName": TEXT,
        "tolerations": ListOf(items=TOLERATION),
        "hostAliases": ListOf(
            items=Object(
                fields={
                    "ip": TEXT,
                    "hostnames": TEXTS,
                },
                required=("ip",),
            ),
            keys=("ip",),
        ),
        "priorityClassName": TEXT,
        "priority": INT32,
        "dnsConfig": Object(
            fields={
                "nameservers": TEXTS,
                "searches": TEXTS,
                "options": ListOf(
                    items=Object(
                        fields={
                            "name": TEXT,
                            "value": TEXT,
                        }
                    )
                ),
            }
        ),
        "readinessGates": ListOf(
            items=Object(fields={"conditionType": TEXT}, required=("conditionType",))
        ),
        "runtimeClassName": TEXT,
        "enableServiceLinks": BOOL,
        "preemptionPolicy": TEXT,
        "overhead": MapOf(values=QUANTITY),
        "topologySpreadConstraints": ListOf(
            items=TOPOLOGY_SPREAD, keys=("topologyKey", "whenUnsatisfiable")
        ),
        "setHostnameAsFQDN": BOOL,
        "os": Object(fields={"name": TEXT}, required=("name",)),
        "hostUsers": BOOL,
        "schedulingGates": ListOf(
            items=Object(fields={"name": TEXT}, required=("name",)), keys=("name",), title="name"
        ),
        "resourceClaims": ListOf(
            items=Object(
                fields={
                    "name": TEXT,
                    "resourceClaimName": TEXT,
                    "resourceClaimTemplateName": TEXT,
                },
                required=("name",),
            ),
            keys=("name",),
            title="name",
        ),
        "resources": RESOURCES,
        "hostnameOverride": TEXT,
    }
)
