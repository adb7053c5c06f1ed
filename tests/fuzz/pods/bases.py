# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that are spoilt: those that real controllers made of recorded services of all kinds, as ours are byte for byte."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

Json = dict[str, Any]
RECORDINGS = Path(__file__).parents[2] / "parity" / "recordings"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
#: What is judged, by group and kind.
KINDS = (
    ("", "Service"),
    ("apps", "Deployment"),
    ("autoscaling", "HorizontalPodAutoscaler"),
    ("gateway.networking.k8s.io", "HTTPRoute"),
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"),
)
#: A pod with much of what authors may write, since few recordings have it.
RICH: Json = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "rich"},
    "spec": {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "rich"}},
        "template": {
            "metadata": {"labels": {"app": "rich"}, "annotations": {"a": "b"}},
            "spec": {
                "volumes": [
                    {"name": "scratch", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
                    {
                        "name": "config",
                        "configMap": {"name": "c", "items": [{"key": "a", "path": "a"}]},
                    },
                    {"name": "secret", "secret": {"secretName": "s", "defaultMode": 256}},
                    {"name": "claim", "persistentVolumeClaim": {"claimName": "models"}},
                    {"name": "host", "hostPath": {"path": "/dev", "type": "Directory"}},
                    {
                        "name": "several",
                        "projected": {
                            "sources": [
                                {"secret": {"name": "s", "items": [{"key": "k", "path": "p"}]}},
                                {
                                    "serviceAccountToken": {
                                        "path": "token",
                                        "expirationSeconds": 3600,
                                    }
                                },
                                {
                                    "downwardAPI": {
                                        "items": [
                                            {
                                                "path": "name",
                                                "fieldRef": {"fieldPath": "metadata.name"},
                                            }
                                        ]
                                    }
                                },
                            ]
                        },
                    },
                ],
                "initContainers": [
                    {
                        "name": "first",
                        "image": "a:1",
                        "volumeMounts": [{"name": "scratch", "mountPath": "/mnt"}],
                    },
                    {
                        "name": "proxy",
                        "image": "a:1",
                        "restartPolicy": "Always",
                        "readinessProbe": {"tcpSocket": {"port": 8000}},
                    },
                ],
                "containers": [
                    {
                        "name": "main",
                        "image": "registry.example.com/vllm:1",
                        "imagePullPolicy": "IfNotPresent",
                        "command": ["serve"],
                        "args": ["--port", "8000"],
                        "ports": [
                            {"name": "http", "containerPort": 8000, "protocol": "TCP"},
                            {"name": "nixl", "containerPort": 5600},
                        ],
                        "env": [
                            {"name": "A", "value": "1"},
                            {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
                            {"name": "C", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
                            {
                                "name": "D",
                                "valueFrom": {"resourceFieldRef": {"resource": "limits.memory"}},
                            },
                        ],
                        "envFrom": [{"prefix": "P_", "configMapRef": {"name": "c"}}],
                        "resources": {
                            "limits": {"cpu": "2", "memory": "4Gi", "nvidia.com/gpu": "1"},
                            "requests": {"cpu": "1", "memory": "4Gi", "nvidia.com/gpu": "1"},
                        },
                        "volumeMounts": [
                            {"name": "scratch", "mountPath": "/dev/shm"},
                            {"name": "claim", "mountPath": "/models", "readOnly": True},
                        ],
                        "livenessProbe": {
                            "httpGet": {
                                "path": "/health",
                                "port": "http",
                                "scheme": "HTTP",
                                "httpHeaders": [{"name": "X-A", "value": "b"}],
                            },
                            "periodSeconds": 10,
                        },
                        "readinessProbe": {"grpc": {"port": 9003}, "successThreshold": 2},
                        "startupProbe": {"exec": {"command": ["true"]}, "failureThreshold": 60},
                        "lifecycle": {"preStop": {"sleep": {"seconds": 5}}},
                        "securityContext": {
                            "runAsUser": 1000,
                            "runAsNonRoot": True,
                            "allowPrivilegeEscalation": False,
                            "capabilities": {"drop": ["ALL"]},
                            "seccompProfile": {"type": "RuntimeDefault"},
                        },
                    },
                    {"name": "beside", "image": "b:1"},
                ],
                "terminationGracePeriodSeconds": 60,
                "nodeSelector": {"gpu": "a100"},
                "serviceAccountName": "rich",
                "securityContext": {
                    "fsGroup": 1000,
                    "runAsUser": 1000,
                    "supplementalGroups": [44],
                    "sysctls": [{"name": "net.core.somaxconn", "value": "1"}],
                },
                "imagePullSecrets": [{"name": "registry"}],
                "affinity": {
                    "nodeAffinity": {
                        "requiredDuringSchedulingIgnoredDuringExecution": {
                            "nodeSelectorTerms": [
                                {
                                    "matchExpressions": [
                                        {"key": "a", "operator": "In", "values": ["b"]}
                                    ]
                                }
                            ]
                        },
                        "preferredDuringSchedulingIgnoredDuringExecution": [
                            {
                                "weight": 1,
                                "preference": {
                                    "matchExpressions": [{"key": "a", "operator": "Exists"}]
                                },
                            }
                        ],
                    },
                    "podAntiAffinity": {
                        "requiredDuringSchedulingIgnoredDuringExecution": [
                            {
                                "labelSelector": {"matchLabels": {"app": "rich"}},
                                "topologyKey": "kubernetes.io/hostname",
                            }
                        ]
                    },
                },
                "tolerations": [
                    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
                    {
                        "key": "a",
                        "operator": "Equal",
                        "value": "b",
                        "effect": "NoExecute",
                        "tolerationSeconds": 3,
                    },
                ],
                "topologySpreadConstraints": [
                    {
                        "maxSkew": 1,
                        "topologyKey": "zone",
                        "whenUnsatisfiable": "DoNotSchedule",
                        "labelSelector": {"matchLabels": {"app": "rich"}},
                        "minDomains": 2,
                    }
                ],
                "hostAliases": [{"ip": "192.0.2.1", "hostnames": ["a.example.com"]}],
                "dnsConfig": {
                    "nameservers": ["192.0.2.2"],
                    "options": [{"name": "ndots", "value": "1"}],
                },
                "resourceClaims": [{"name": "gpus", "resourceClaimTemplateName": "gpus"}],
                "readinessGates": [{"conditionType": "example.com/ready"}],
            },
        },
    },
}
#: An autoscaler with every form of metric, and rules of its own.
SCALED: Json = {
    "apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "scaled"},
    "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"},
        "minReplicas": 1,
        "maxReplicas": 3,
        "metrics": [
            {
                "type": "Resource",
                "resource": {
                    "name": "cpu",
                    "target": {"type": "Utilization", "averageUtilization": 80},
                },
            },
            {
                "type": "External",
                "external": {"metric": {"name": "q"}, "target": {"type": "Value", "value": "1"}},
            },
            {
                "type": "Pods",
                "pods": {
                    "metric": {"name": "q", "selector": {"matchLabels": {"a": "b"}}},
                    "target": {"type": "AverageValue", "averageValue": "500m"},
                },
            },
        ],
        "behavior": {
            "scaleUp": {
                "stabilizationWindowSeconds": 10,
                "policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}],
            },
            "scaleDown": {"selectPolicy": "Min"},
        },
    },
}


@cache
def bases() -> tuple[Json, ...]:
    """Return the objects, one of each make, without what a namespace gives them."""
    found = {yaml.safe_dump(_form(each)): each for each in _recorded()}
    return (*(RICH for dummy in range(40)), *(SCALED for dummy in range(15)), *found.values())


def _recorded() -> Iterator[Json]:
    for file in sorted(RECORDINGS.glob("*/*/intent.yaml")):
        for manifest in yaml.load_all(file.read_text(encoding="utf-8"), _LOADER):
            group = str((manifest or {}).get("apiVersion")).rpartition("/")[0]
            if manifest and (group, manifest["kind"]) in KINDS:
                metadata = {
                    key: manifest["metadata"][key]
                    for key in ("name", "labels", "annotations")
                    if key in manifest["metadata"]
                }
                yield {**manifest, "metadata": metadata}


def _form(value: Any) -> Any:
    """Return what tells makes of objects apart: their fields, whatever the names in them."""
    if isinstance(value, dict):
        return {
            key: _form(part) for key, part in value.items() if key not in ("labels", "annotations")
        }
    if isinstance(value, list):
        return [_form(part) for part in value]
    return None
