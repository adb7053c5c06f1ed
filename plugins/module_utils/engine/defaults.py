# SPDX-License-Identifier: GPL-3.0-or-later
"""What API servers add to values that are owned as a whole, where what somebody else added would be taken away by an apply.

Only what is inside atomic maps and lists has to be known: elsewhere a field that we do not send is not ours. A default that is
missing here costs a second write of the object, once (see `settled`). Tests compare the table with the CRDs and the API server.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kube import gvk

#: By the name of a map, or of the list of maps, and the field in it.
Defaults = Mapping[tuple[str, str], Any]

_POD: Defaults = {
    ("fieldRef", "apiVersion"): "v1",
    ("resourceFieldRef", "divisor"): "0",
    ("serviceAccountToken", "expirationSeconds"): 3600,
}
_PATH = {"type": "PathPrefix", "value": "/"}
_RBAC: Defaults = {
    ("roleRef", "apiGroup"): gvk.RBAC_GROUP,
    ("subjects", "apiGroup"): gvk.RBAC_GROUP,
}
_SECRET_KEYS = ("bearerTokenSecret", "clientSecret", "configMap", "credentials", "keySecret")
_MONITOR: Defaults = {
    ("relabelings", "action"): "replace",
    ("metricRelabelings", "action"): "replace",
    **{(place, "name"): "" for place in (*_SECRET_KEYS, "password", "secret", "username")},
}
_KINDS: Mapping[str, Defaults] = {
    "HTTPRoute": {
        ("parentRefs", "group"): gvk.GATEWAY_GROUP,
        ("parentRefs", "kind"): "Gateway",
        ("rules", "matches"): [{"path": _PATH}],
        ("matches", "path"): _PATH,
        ("path", "type"): "PathPrefix",
        ("path", "value"): "/",
        ("headers", "type"): "Exact",
        ("queryParams", "type"): "Exact",
        ("backendRefs", "group"): "",
        ("backendRefs", "kind"): "Service",
        ("backendRefs", "weight"): 1,
        ("backendRef", "group"): "",
        ("backendRef", "kind"): "Service",
        ("fraction", "denominator"): 100,
        ("requestRedirect", "statusCode"): 302,
        ("cors", "maxAge"): 5,
    },
    "PodMonitor": _MONITOR,
    "ServiceMonitor": _MONITOR,
    "RoleBinding": _RBAC,
    "ClusterRoleBinding": _RBAC,
    "StatefulSet": {
        **_POD,
        ("volumeClaimTemplates", "apiVersion"): "v1",
        ("volumeClaimTemplates", "kind"): "PersistentVolumeClaim",
        ("volumeClaimTemplates", "status"): {"phase": "Pending"},
        ("spec", "volumeMode"): "Filesystem",
    },
}


def defaults_of(kind: str) -> Defaults:
    """Return what the server adds to atomic values of a kind; for a kind that has no entry, to those of pods."""
    return _KINDS.get(kind, _POD)
