# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods as authors write them over those of presets."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]

_CONTAINER: tuple[tuple[str, Any], ...] = (
    ("image", "registry.example.com/own:2"),
    ("args", ["--own", "{{ .Spec.Model.Name }}"]),
    ("command", ["own"]),
    ("env", [{"name": "HOME", "value": "/own"}, {"name": "X", "value": "y"}]),
    (
        "env",
        [
            {"name": "INFERENCE_POOL_NAME", "value": "z"},
            {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        ],
    ),
    (
        "env",
        [
            {
                "name": "HF_TOKEN",
                "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": True}},
            }
        ],
    ),
    ("env", [{"name": "HF_HUB_CACHE"}]),
    ("envFrom", [{"configMapRef": {"name": "c"}}]),
    (
        "resources",
        {"limits": {"nvidia.com/gpu": "1", "memory": "0.5Gi"}, "requests": {"cpu": "1000m"}},
    ),
    ("resources", {"limits": {"nvidia.com/gpu": 2, "cpu": "1.5"}}),
    ("volumeMounts", [{"name": "home", "mountPath": "/other"}]),
    ("volumeMounts", [{"name": "cache", "mountPath": "/mnt/models"}]),
    (
        "volumeMounts",
        [
            {"name": "m", "mountPath": "/mnt/models", "readOnly": True},
            {"name": "home", "mountPath": "/home2", "subPath": "x"},
        ],
    ),
    ("volumeMounts", [{"name": "kserve-provision-location", "mountPath": "/elsewhere"}]),
    ("ports", [{"containerPort": 8000, "name": "http"}]),
    ("ports", [{"containerPort": 9100, "protocol": "UDP"}, {"containerPort": 8000}]),
    ("securityContext", {"runAsUser": 1000, "capabilities": {"drop": ["NET_RAW"]}}),
    ("securityContext", {"readOnlyRootFilesystem": True}),
    ("imagePullPolicy", "Always"),
    ("livenessProbe", {"initialDelaySeconds": 7}),
    ("readinessProbe", {"httpGet": {"path": "/ready", "port": 8000}, "failureThreshold": 1}),
    ("startupProbe", {"httpGet": {"path": "/s", "port": "http", "scheme": "HTTPS"}}),
    ("lifecycle", {"preStop": {"exec": {"command": ["sleep", "5"]}}}),
    ("workingDir", "/w"),
    ("terminationMessagePolicy", "File"),
    ("tty", True),
)
_POD: tuple[tuple[str, Any], ...] = (
    ("serviceAccountName", "runner"),
    ("serviceAccountName", "other"),
    ("nodeSelector", {"gpu": "h100"}),
    ("tolerations", [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]),
    ("volumes", [{"name": "home", "emptyDir": {"sizeLimit": "1Gi"}}]),
    (
        "volumes",
        [
            {"name": "cache", "emptyDir": {}},
            {"name": "m", "persistentVolumeClaim": {"claimName": "m"}},
        ],
    ),
    ("volumes", [{"name": "tls-certs", "secret": {"secretName": "own"}}]),
    ("volumes", [{"name": "home", "configMap": {"name": "c"}}]),
    ("volumes", [{"name": "kserve-provision-location", "emptyDir": {"medium": "Memory"}}]),
    ("volumes", [{"name": "kserve-pvc-source", "hostPath": {"path": "/x"}}]),
    ("terminationGracePeriodSeconds", 5),
    ("terminationGracePeriodSeconds", 0),
    ("securityContext", {"fsGroup": 1000, "runAsNonRoot": True}),
    ("imagePullSecrets", [{"name": "pull"}]),
    ("priorityClassName", "system-node-critical"),
    ("hostNetwork", True),
    ("hostIPC", True),
    ("shareProcessNamespace", False),
    ("shareProcessNamespace", True),
    ("dnsPolicy", "ClusterFirst"),
    ("schedulerName", "volcano"),
    ("runtimeClassName", "nvidia"),
    ("automountServiceAccountToken", False),
    ("restartPolicy", "Always"),
    ("enableServiceLinks", False),
    (
        "topologySpreadConstraints",
        [
            {
                "maxSkew": 1,
                "topologyKey": "zone",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": {"a": "b"}},
            }
        ],
    ),
    (
        "affinity",
        {
            "podAntiAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {"weight": 1, "podAffinityTerm": {"topologyKey": "zone", "labelSelector": {}}}
                ]
            }
        },
    ),
    ("hostAliases", [{"ip": "192.0.2.1", "hostnames": ["a"]}]),
    ("resourceClaims", [{"name": "gpu", "resourceClaimName": "claim"}]),
    ("overhead", {"cpu": "1"}),
    ("subdomain", "sub"),
    ("preemptionPolicy", "Never"),
)
_INIT: tuple[Json, ...] = (
    {"name": "prepare", "image": "registry.example.com/prep:1", "command": ["prep"]},
    {"name": "storage-initializer", "image": "registry.example.com/own-fetch:1"},
    {
        "name": "llm-d-routing-sidecar",
        "args": ["--own"],
        "env": [{"name": "INFERENCE_POOL_NAME", "value": "mine"}],
    },
    {
        "name": "llm-d-routing-sidecar",
        "image": "registry.example.com/proxy:3",
        "restartPolicy": "Always",
    },
    {"name": "modelcar-init", "image": "registry.example.com/own:1"},
)


class Pods:
    """Pod specs at random."""

    def __init__(self, chance: random.Random, maybe: Callable[[float], bool]) -> None:
        self._chance = chance
        self._maybe = maybe

    def _some(self, options: tuple[tuple[str, Any], ...], most: int) -> Json:
        return dict(self._chance.sample(options, self._chance.randint(0, min(most, len(options)))))

    def container(self, name: str) -> Json:
        """Return a container."""
        found = {"name": name, **self._some(_CONTAINER, 4)}
        if name != "main":
            found.setdefault("image", "registry.example.com/tools:1")
        return found

    def pod(self, *, worker: bool = False) -> Json:
        """Return a pod."""
        chance = self._chance
        found: Json = self._some(_POD, 3)
        form = chance.random()
        if form < 0.1:
            found["containers"] = []
        elif form < 0.9:
            names = ["main"] if chance.random() < 0.85 else []
            if self._maybe(0.2):
                names.insert(
                    chance.randrange(2),
                    chance.choice(("logger", "storage-initializer", "modelcar", "tokenizer")),
                )
            found["containers"] = [self.container(name) for name in names]
        if self._maybe(0.15):
            found["initContainers"] = [dict(chance.choice(_INIT))]
        if worker and chance.random() < 0.3:
            found.pop("serviceAccountName", None)
        return found
