# SPDX-License-Identifier: GPL-3.0-or-later
"""Routers as authors write them, and the gateways, routes, pools and configurations that they may refer to."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from .llm_pods import Pods

Json = dict[str, Any]
_GATEWAY_API = "gateway.networking.k8s.io/v1"
_TIME = "2026-01-01T00:00:00Z"
_CONFIG = {
    "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
    "kind": "EndpointPickerConfig",
    "plugins": [{"type": "queue-scorer", "parameters": {"w": 1.5, "b": True, "t": "<&>"}}],
}


def _condition(kind: str, status: str, generation: int = 1) -> Json:
    return {
        "type": kind,
        "status": status,
        "reason": kind,
        "message": kind.lower(),
        "lastTransitionTime": _TIME,
        "observedGeneration": generation,
    }


class Router:
    """One router at random."""

    def __init__(self, chance: random.Random, maybe: Callable[[float], bool], pods: Pods) -> None:
        self._chance = chance
        self._maybe = maybe
        self._pods = pods

    def router(self, context: list[Json], namespace: str, name: str) -> Json:
        """Return a router; what it refers to is added to the context, or not."""
        chance = self._chance
        found: Json = {}
        if chance.random() < 0.7:
            found["route"] = self._route(context, namespace, name)
        if chance.random() < 0.6:
            found["gateway"] = self._gateway(context, namespace)
        if chance.random() < 0.7:
            found["scheduler"] = self._scheduler(context, namespace)
        if self._maybe(0.03):
            found["ingress"] = chance.choice(
                ({}, {"refs": [{"name": "i", "namespace": namespace}]})
            )
        return found

    def _gateway(self, context: list[Json], namespace: str) -> Json:
        chance = self._chance
        if not self._maybe(0.4):
            return {}
        refs = []
        for number in range(chance.randint(1, 2)):
            own = f"gw-{number}"
            if chance.random() < 0.9:
                context.append(self._a_gateway(own, namespace))
            refs.append({"name": own, "namespace": namespace})
        if chance.random() < 0.2:
            refs.append({"name": "kserve-ingress-gateway", "namespace": "kserve"})
        if chance.random() < 0.1:
            refs = []
        return {"refs": refs}

    def _a_gateway(self, name: str, namespace: str) -> Json:
        chance = self._chance
        listeners = [self._listener("http", 80, "HTTP")]
        form = chance.random()
        if form < 0.25:
            listeners = [self._listener("https", 443, "HTTPS")]
        elif form < 0.45:
            listeners.append(self._listener("https", chance.choice((443, 8443)), "HTTPS"))
        elif form < 0.55:
            listeners = [self._listener("alt", 8080, "HTTP"), self._listener("b", 80, "HTTP")]
        if chance.random() < 0.3:
            chance.shuffle(listeners)
        addresses = chance.choice(
            (
                [{"type": "IPAddress", "value": "198.51.100.4"}],
                [
                    {"type": "IPAddress", "value": "198.51.100.4"},
                    {"type": "Hostname", "value": "gw.example.com"},
                ],
                [{"type": "Hostname", "value": "gw.ns.svc.cluster.local"}],
                [
                    {"type": "IPAddress", "value": "10.1.2.3"},
                    {"type": "IPAddress", "value": "198.51.100.9"},
                ],
                [{"type": "IPAddress", "value": "2001:db8::1"}],
                [{"value": "198.51.100.7"}],
                [],
            )
        )
        programmed = chance.choice(("True", "True", "True", "False", "Unknown"))
        status: Json = {
            "conditions": [
                _condition("Accepted", "True"),
                _condition("Programmed", programmed, chance.choice((1, 1, 0))),
            ]
        }
        if addresses:
            status["addresses"] = addresses
        gateway: Json = {
            "apiVersion": _GATEWAY_API,
            "kind": "Gateway",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {
                "gatewayClassName": chance.choice(
                    ("example-class", "example-class", "missing-class")
                ),
                "listeners": listeners,
            },
        }
        if chance.random() < 0.85:
            gateway["status"] = status
        return gateway

    def _listener(self, name: str, port: int, protocol: str) -> Json:
        found: Json = {
            "name": name,
            "port": port,
            "protocol": protocol,
            "allowedRoutes": {"namespaces": {"from": "All"}},
        }
        if protocol == "HTTPS":
            found["tls"] = {"certificateRefs": [{"name": "cert"}]}
        if self._chance.random() < 0.2:
            found["hostname"] = self._chance.choice(
                ("gw.example.com", "*.example.com", "llm.example.com")
            )
        return found

    def _route(self, context: list[Json], namespace: str, name: str) -> Json:
        chance = self._chance
        if not self._maybe(0.45):
            return chance.choice(({}, {}, {"http": {}}))
        if chance.random() < 0.5:
            refs = []
            for number in range(chance.randint(1, 2)):
                own = f"route-{number}"
                if chance.random() < 0.9:
                    context.append(self._a_route(own, namespace, name, context))
                refs.append({"name": own})
            return {"http": {"refs": refs}}
        return {"http": {"spec": self._route_spec(namespace, name, context)}}

    def _a_route(self, own: str, namespace: str, name: str, context: list[Json]) -> Json:
        chance = self._chance
        route: Json = {
            "apiVersion": _GATEWAY_API,
            "kind": "HTTPRoute",
            "metadata": {"name": own, "namespace": namespace},
            "spec": self._route_spec(namespace, name, context),
        }
        if chance.random() < 0.4:
            parents = [
                {
                    "parentRef": dict(each),
                    "controllerName": "example.com/c",
                    "conditions": [
                        _condition("Accepted", chance.choice(("True", "False"))),
                        _condition("ResolvedRefs", "True"),
                    ],
                }
                for each in route["spec"].get("parentRefs") or ()
            ]
            route["status"] = {"parents": parents}
        return route

    def _route_spec(self, namespace: str, name: str, context: list[Json]) -> Json:
        chance = self._chance
        spec: Json = {}
        if chance.random() < 0.8:
            parents = []
            for number in range(chance.choice((1, 1, 2))):
                parent: Json = {"name": "kserve-ingress-gateway", "namespace": "kserve"}
                if chance.random() < 0.4:
                    own = f"rg-{number}"
                    if chance.random() < 0.85:
                        context.append(self._a_gateway(own, namespace))
                    parent = {"name": own}
                    if chance.random() < 0.3:
                        parent["namespace"] = namespace
                if chance.random() < 0.15:
                    parent["sectionName"] = chance.choice(("http", "https", "none"))
                if chance.random() < 0.1:
                    parent["port"] = chance.choice((80, 443))
                if chance.random() < 0.1:
                    parent |= {"group": "gateway.networking.k8s.io", "kind": "Gateway"}
                if chance.random() < 0.06:
                    parent = {"group": "", "kind": "Service", "name": "mesh"}
                parents.append(parent)
            spec["parentRefs"] = parents
        if chance.random() < 0.35:
            spec["hostnames"] = chance.sample(
                ("llm.example.com", "*.example.com", "api.example.org"), chance.randint(1, 2)
            )
        if chance.random() < 0.8:
            spec["rules"] = [self._rule(name) for dummy in range(chance.choice((1, 1, 2)))]
        return spec

    def _rule(self, name: str) -> Json:
        chance = self._chance
        rule: Json = {}
        if chance.random() < 0.8:
            rule["backendRefs"] = [
                chance.choice(
                    (
                        {"name": f"{name[:40]}-kserve-workload-svc", "port": 8000},
                        {
                            "group": "inference.networking.k8s.io",
                            "kind": "InferencePool",
                            "name": f"{name[:40]}-inference-pool",
                        },
                        {
                            "group": "inference.networking.x-k8s.io",
                            "kind": "InferencePool",
                            "name": f"{name[:40]}-inference-pool",
                            "port": 8000,
                            "weight": 2,
                        },
                        {"name": "other", "port": 80, "weight": 0},
                    )
                )
                for dummy in range(chance.choice((1, 1, 2)))
            ]
        if chance.random() < 0.6:
            rule["matches"] = [
                {
                    "path": {
                        "type": "PathPrefix",
                        "value": chance.choice(("/", "/x", "/x/y", "/a/b/c")),
                    }
                }
                for dummy in range(chance.choice((1, 1, 2)))
            ]
        if chance.random() < 0.1:
            rule["matches"] = [
                chance.choice(
                    (
                        {"headers": [{"name": "a", "value": "b"}]},
                        {"method": "POST"},
                        {"path": {"type": "Exact", "value": "/e"}},
                        {"path": {"type": "RegularExpression", "value": "/r[a-z]+(x|y)?z #f^"}},
                    )
                )
            ]
        if chance.random() < 0.15:
            rule["timeouts"] = {"request": "10s"}
        if chance.random() < 0.15:
            rule["filters"] = [
                {
                    "type": "RequestHeaderModifier",
                    "requestHeaderModifier": {"set": [{"name": "X-A", "value": "b"}]},
                }
            ]
        if chance.random() < 0.08:
            rule["name"] = "named"
        return rule

    def _scheduler(self, context: list[Json], namespace: str) -> Json:
        chance = self._chance
        found: Json = {}
        if self._maybe(0.2):
            found["template"] = self._pods.pod()
        if self._maybe(0.2):
            found["config"] = self._config(context, namespace)
        if self._maybe(0.12):
            found["replicas"] = chance.choice((1, 1, 2, 3))
        if self._maybe(0.1):
            found["labels"] = {"tier": "edge", "app.kubernetes.io/name": "mine"}
        if self._maybe(0.1):
            found["annotations"] = {"note": "s", "prometheus.io/scrape": "false"}
        if self._maybe(0.2):
            found["pool"] = self._pool(context, namespace)
        return found

    def _config(self, context: list[Json], namespace: str) -> Json:
        chance = self._chance
        if chance.random() < 0.6:
            return {
                "inline": _CONFIG
                if chance.random() < 0.8
                else {"any": [1, {"z": None, "a": "100%"}]}
            }
        key = chance.choice(("epp", "config.yaml", "absent"))
        if chance.random() < 0.85:
            text = chance.choice(
                (json.dumps(_CONFIG), "kind: EndpointPickerConfig\nplugins: []\n", "not: [yaml", "")
            )
            context.append(
                {
                    "apiVersion": "v1",
                    "kind": "ConfigMap",
                    "metadata": {"name": "epp-conf", "namespace": namespace},
                    "data": {"epp": text, "config.yaml": text},
                }
            )
        reference: Json = {"name": "epp-conf", "key": key}
        if chance.random() < 0.2:
            reference["optional"] = chance.random() < 0.5
        return {"ref": reference}

    def _pool(self, context: list[Json], namespace: str) -> Json:
        chance = self._chance
        picker = {
            "name": chance.choice(("own-epp", "demo-epp-service")),
            "port": {"number": chance.choice((9002, 9999))},
        }
        if chance.random() < 0.4:
            picker["failureMode"] = chance.choice(("FailOpen", "FailClose"))
        spec: Json = {
            "endpointPickerRef": picker,
            "selector": {
                "matchLabels": chance.choice(
                    ({"app": "x"}, {"extra": "1", "kserve.io/component": "workload"})
                )
            },
            "targetPorts": [
                {"number": port} for port in chance.choice(((8000,), (7000,), (8000, 8001)))
            ],
        }
        form = chance.random()
        if form < 0.5:
            there = [version for version in ("v1", "old") if chance.random() < 0.8]
            context += [self._a_pool(version, namespace, spec) for version in there]
            return {"ref": {"name": "their-pool"}}
        if form < 0.9:
            return {"spec": spec}
        return {}

    def _a_pool(self, version: str, namespace: str, spec: Json) -> Json:
        chance = self._chance
        metadata = {"name": "their-pool", "namespace": namespace}
        reference = {
            "group": "gateway.networking.k8s.io",
            "kind": "Gateway",
            "name": "kserve-ingress-gateway",
            "namespace": "kserve",
        }
        parents = [
            {
                "parentRef": reference,
                "conditions": [
                    _condition("Accepted", chance.choice(("True", "True", "False"))),
                    _condition("ResolvedRefs", "True"),
                ],
            }
        ]
        if version == "v1":
            pool: Json = {
                "apiVersion": "inference.networking.k8s.io/v1",
                "kind": "InferencePool",
                "metadata": metadata,
                "spec": spec,
            }
            key = "parents"
        else:
            pool = {
                "apiVersion": "inference.networking.x-k8s.io/v1alpha2",
                "kind": "InferencePool",
                "metadata": metadata,
                "spec": {
                    "extensionRef": {"name": spec["endpointPickerRef"]["name"], "portNumber": 9002},
                    "selector": spec["selector"]["matchLabels"],
                    "targetPortNumber": 8000,
                },
            }
            key = "parent"
        if chance.random() < 0.6:
            pool["status"] = {key: parents}
        return pool
