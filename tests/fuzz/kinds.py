# SPDX-License-Identifier: GPL-3.0-or-later
"""One object of each kind that uses much of what its schema has, and a kind of our own with every form of list and map."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
_LABELS = {"app": "x", "tier": "y"}


def _object(api_version: str, kind: str, body: Json, *, clustered: bool = False) -> Json:
    place = {} if clustered else {"namespace": "any"}
    metadata = {"name": "x", "labels": dict(_LABELS), **place}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **body}


_CONTAINER: Json = {
    "name": "main",
    "image": "registry.example.com/main:1.0",
    "command": ["serve"],
    "args": ["--port", "8000", "--model=a"],
    "env": [
        {"name": "FIRST", "value": "1"},
        {"name": "SECOND", "value": "$(FIRST)"},
        {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
        {"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
        {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
    ],
    "envFrom": [{"configMapRef": {"name": "a"}}, {"secretRef": {"name": "b", "optional": True}}],
    "ports": [
        {"name": "http", "containerPort": 8000, "protocol": "TCP"},
        {"name": "dns", "containerPort": 53, "protocol": "UDP"},
        {"name": "dns-tcp", "containerPort": 53},
    ],
    "resources": {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "500m"}},
    "volumeMounts": [
        {"name": "tmp", "mountPath": "/tmp"},
        {"name": "config", "mountPath": "/config", "readOnly": True},
    ],
    "readinessProbe": {"httpGet": {"path": "/health", "port": "http"}, "periodSeconds": 2},
    "livenessProbe": {"grpc": {"port": 9003, "service": "x"}},
    "securityContext": {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL", "NET_RAW"], "add": ["SYS_PTRACE"]},
    },
}
_POD: Json = {
    "metadata": {"labels": dict(_LABELS), "annotations": {"note": "x"}},
    "spec": {
        "initContainers": [
            {"name": "first", "image": "first:1"},
            {"name": "proxy", "image": "proxy:1", "restartPolicy": "Always"},
        ],
        "containers": [_CONTAINER, {"name": "side", "image": "side:1"}],
        "volumes": [
            {"name": "tmp", "emptyDir": {}},
            {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
            {"name": "config", "configMap": {"name": "a", "items": [{"key": "k", "path": "p"}]}},
            {
                "name": "token",
                "projected": {
                    "sources": [
                        {"serviceAccountToken": {"path": "token"}},
                        {
                            "downwardAPI": {
                                "items": [
                                    {
                                        "path": "labels",
                                        "fieldRef": {"fieldPath": "metadata.labels"},
                                    }
                                ]
                            }
                        },
                    ]
                },
            },
        ],
        "imagePullSecrets": [{"name": "one"}, {"name": "two"}],
        "nodeSelector": {"disk": "fast"},
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "tolerations": [
            {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
            {"key": "spot", "value": "yes"},
        ],
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "zone",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": {"app": "x"}},
            }
        ],
        "affinity": {
            "podAntiAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "weight": 5,
                        "podAffinityTerm": {
                            "topologyKey": "zone",
                            "labelSelector": {"matchLabels": {"app": "x"}},
                        },
                    }
                ]
            }
        },
        "automountServiceAccountToken": False,
    },
}
_SELECTOR: Json = {"matchLabels": {"app": "x"}}
_RULES = [
    {"apiGroups": [""], "resources": ["pods", "services"], "verbs": ["get", "list"]},
    {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get"]},
]
_RBAC = "rbac.authorization.k8s.io/v1"
_MONITORED: Json = {"selector": _SELECTOR, "namespaceSelector": {"matchNames": ["a", "b"]}}
_ENDPOINTS = [
    {
        "port": "http",
        "path": "/metrics",
        "interval": "30s",
        "relabelings": [{"sourceLabels": ["a"], "targetLabel": "b"}],
    },
    {"port": "other"},
]

#: The kind of our own: lists that are atomic, sets, keyed by one field or by two of which one has a default; maps that are atomic;
#: what the schema does not know.
ODDITY: Json = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "oddities.fuzz.modelops.io"},
    "spec": {
        "group": "fuzz.modelops.io",
        "scope": "Namespaced",
        "names": {"kind": "Oddity", "plural": "oddities"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "properties": {
                                    "whole": {"type": "array", "items": {"type": "string"}},
                                    "set": {
                                        "type": "array",
                                        "x-kubernetes-list-type": "set",
                                        "items": {"type": "string"},
                                    },
                                    "numbers": {
                                        "type": "array",
                                        "x-kubernetes-list-type": "set",
                                        "items": {"type": "integer"},
                                    },
                                    "named": {
                                        "type": "array",
                                        "x-kubernetes-list-type": "map",
                                        "x-kubernetes-list-map-keys": ["name"],
                                        "items": {
                                            "type": "object",
                                            "required": ["name"],
                                            "properties": {
                                                "name": {"type": "string"},
                                                "value": {"type": "string"},
                                                "size": {"type": "integer", "default": 1},
                                                "tags": {
                                                    "type": "array",
                                                    "items": {"type": "string"},
                                                },
                                            },
                                        },
                                    },
                                    "ports": {
                                        "type": "array",
                                        "x-kubernetes-list-type": "map",
                                        "x-kubernetes-list-map-keys": ["port", "protocol"],
                                        "items": {
                                            "type": "object",
                                            "required": ["port"],
                                            "properties": {
                                                "port": {"type": "integer"},
                                                "protocol": {"type": "string", "default": "TCP"},
                                                "name": {"type": "string"},
                                            },
                                        },
                                    },
                                    "frozen": {
                                        "type": "object",
                                        "x-kubernetes-map-type": "atomic",
                                        "additionalProperties": {"type": "string"},
                                    },
                                    "open": {
                                        "type": "object",
                                        "x-kubernetes-preserve-unknown-fields": True,
                                    },
                                    "either": {"x-kubernetes-int-or-string": True},
                                    "rate": {"type": "number"},
                                    "flag": {"type": "boolean", "default": True},
                                    "nested": {
                                        "type": "array",
                                        "items": {
                                            "type": "object",
                                            "properties": {
                                                "a": {"type": "integer"},
                                                "b": {"type": "string", "default": "b"},
                                            },
                                        },
                                    },
                                    "block": {
                                        "type": "object",
                                        "default": {},
                                        "properties": {
                                            "on": {"type": "boolean", "default": False},
                                            "text": {"type": "string"},
                                        },
                                    },
                                },
                            }
                        },
                    }
                },
            }
        ],
    },
}

OBJECTS: tuple[Json, ...] = (
    _object(
        "apps/v1",
        "Deployment",
        {
            "spec": {
                "replicas": 0,
                "paused": True,
                "selector": _SELECTOR,
                "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "50%"}},
                "template": _POD,
            }
        },
    ),
    _object(
        "apps/v1",
        "StatefulSet",
        {
            "spec": {
                "replicas": 0,
                "serviceName": "x",
                "selector": _SELECTOR,
                "template": {
                    "metadata": {"labels": dict(_LABELS)},
                    "spec": {"containers": [{"name": "main", "image": "main:1"}]},
                },
                "volumeClaimTemplates": [
                    {
                        "metadata": {"name": "data"},
                        "spec": {
                            "accessModes": ["ReadWriteOnce"],
                            "resources": {"requests": {"storage": "1Gi"}},
                        },
                    }
                ],
            }
        },
    ),
    _object(
        "v1",
        "Service",
        {
            "spec": {
                "selector": {"app": "x"},
                "ports": [
                    {"name": "http", "port": 80, "protocol": "TCP", "targetPort": "http"},
                    {"name": "dns", "port": 53, "protocol": "UDP"},
                    {"name": "dns-tcp", "port": 53},
                ],
            }
        },
    ),
    _object("v1", "ConfigMap", {"data": {"key": "value", "text": "über <&> 日本", "empty": ""}}),
    _object(_RBAC, "Role", {"rules": []}),
    _object("v1", "ServiceAccount", {"imagePullSecrets": [{"name": "a"}, {"name": "b"}]}),
    _object(_RBAC, "Role", {"rules": _RULES}),
    _object(_RBAC, "ClusterRole", {"rules": _RULES}, clustered=True),
    _object(
        _RBAC,
        "RoleBinding",
        {
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "x"},
            "subjects": [
                {"kind": "ServiceAccount", "name": "x", "namespace": "any"},
                {"kind": "User", "name": "somebody", "apiGroup": "rbac.authorization.k8s.io"},
            ],
        },
    ),
    _object(
        "policy/v1",
        "PodDisruptionBudget",
        {"spec": {"minAvailable": "50%", "selector": _SELECTOR}},
    ),
    _object(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        {
            "spec": {
                "podSelector": {},
                "policyTypes": ["Ingress"],
                "ingress": [{"from": [{"podSelector": _SELECTOR}], "ports": [{"port": 80}]}],
            }
        },
    ),
    _object(
        "gateway.networking.k8s.io/v1",
        "HTTPRoute",
        {
            "spec": {
                "parentRefs": [{"name": "edge"}, {"name": "other", "namespace": "infra"}],
                "hostnames": ["a.example.com", "b.example.com"],
                "rules": [
                    {
                        "backendRefs": [
                            {"name": "a", "port": 80, "weight": 5},
                            {"name": "b", "port": 80},
                        ],
                        "matches": [
                            {"headers": [{"name": "model", "value": "x"}]},
                            {
                                "path": {"value": "/v1"},
                                "queryParams": [{"name": "q", "value": "1"}],
                            },
                        ],
                        "timeouts": {"request": "60s"},
                    },
                    {
                        "backendRefs": [{"name": "c", "port": 81}],
                        "filters": [
                            {
                                "type": "RequestHeaderModifier",
                                "requestHeaderModifier": {"add": [{"name": "a", "value": "b"}]},
                            },
                            {
                                "type": "RequestMirror",
                                "requestMirror": {"backendRef": {"name": "m", "port": 80}},
                            },
                        ],
                    },
                ],
            }
        },
    ),
    _object(
        "inference.networking.k8s.io/v1",
        "InferencePool",
        {
            "spec": {
                "selector": {"matchLabels": {"app": "x"}},
                "targetPorts": [{"number": 8000}],
                "endpointPickerRef": {"name": "epp", "port": {"number": 9002}},
            }
        },
    ),
    _object(
        "networking.istio.io/v1beta1",
        "DestinationRule",
        {
            "spec": {
                "host": "x.any.svc.cluster.local",
                "trafficPolicy": {"tls": {"mode": "SIMPLE", "insecureSkipVerify": True}},
                "subsets": [{"name": "a", "labels": {"v": "1"}}, {"name": "b"}],
            }
        },
    ),
    _object(
        "monitoring.coreos.com/v1",
        "PodMonitor",
        {"spec": {**_MONITORED, "podMetricsEndpoints": _ENDPOINTS}},
    ),
    _object(
        "monitoring.coreos.com/v1",
        "ServiceMonitor",
        {"spec": {**_MONITORED, "endpoints": _ENDPOINTS}},
    ),
    _object(
        "fuzz.modelops.io/v1",
        "Oddity",
        {
            "spec": {
                "whole": ["b", "a"],
                "set": ["y", "x", "z"],
                "numbers": [3, 1],
                "named": [
                    {"name": "b", "value": "1", "tags": ["t", "s"]},
                    {"name": "a", "size": 2},
                ],
                "ports": [
                    {"port": 80, "name": "http"},
                    {"port": 80, "protocol": "UDP", "name": "udp"},
                    {"port": 90, "protocol": "TCP"},
                ],
                "frozen": {"a": "1", "b": "2"},
                "open": {"a": {"b": [1, {"c": 2}]}, "d": {}},
                "either": "80",
                "rate": 1.5,
                "nested": [{"a": 1}, {"a": 2, "b": "c"}],
                "block": {"text": "x"},
            }
        },
    ),
)
