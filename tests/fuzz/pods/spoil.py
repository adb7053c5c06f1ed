# SPDX-License-Identifier: GPL-3.0-or-later
"""Spoiling an object: a field is changed, added, doubled or taken away, anywhere in its schema."""

from __future__ import annotations

from random import Random
from typing import Any

from module_utils.kube.route_schema import http_route_spec
from module_utils.kube.schema import (
    Anything,
    Boolean,
    Integer,
    IntOrText,
    ListOf,
    MapOf,
    Object,
    QuantityValue,
    Schema,
    Text,
)
from module_utils.kube.validation.object_schema import TYPES

Json = dict[str, Any]
SCHEMAS: dict[str, Schema] = {
    "Deployment": TYPES["DeploymentSpec"],
    "LeaderWorkerSet": TYPES["LeaderWorkerSetSpec"],
    "Service": TYPES["ServiceSpec"],
    "HorizontalPodAutoscaler": TYPES["HorizontalPodAutoscalerSpec"],
    "HTTPRoute": http_route_spec(),
}
#: Fields that our children do not have: addresses and ports that a server gives out, those of the Gateway API's experimental channel, and
#: those of nodes with Windows, those that hang on a feature gate, and those that groups of pods do not know yet.
LEFT_OUT = frozenset(
    {
        *(
            "clusterIPs",
            "externalIPs",
            "loadBalancerIP",
            "loadBalancerSourceRanges",
            "loadBalancerClass",
        ),
        *(
            "externalTrafficPolicy",
            "healthCheckNodePort",
            "ipFamilies",
            "ipFamilyPolicy",
            "nodePort",
        ),
        *(
            "allocateLoadBalancerNodePorts",
            "clusterIP",
            "trafficDistribution",
            "internalTrafficPolicy",
        ),
        *("retry", "sessionPersistence", "useDefaultGateways", "externalAuth"),
        *("windowsOptions", "os", "stopSignal", "gitRepo", "ephemeralContainers", "ephemeral"),
        *(
            "glusterfs",
            "rbd",
            "cephfs",
            "flocker",
            "storageos",
            "scaleIO",
            "quobyte",
            "photonPersistentDisk",
        ),
        *("podCertificate", "clusterTrustBundle", "seLinuxChangePolicy", "hostnameOverride"),
    }
)
_TEXTS = (
    *(
        "",
        " ",
        "a",
        "A",
        "a_b",
        "a b",
        "-a",
        "a-",
        "a.b",
        "a/b",
        "a/b/c",
        ".",
        "..",
        "../a",
        "/a",
        "a/../b",
        "..a",
        "~",
    ),
    *(
        "main",
        "model",
        "scratch",
        "http",
        "8000",
        "0",
        "-1",
        "Always",
        "None",
        "Never",
        "Exists",
        "In",
        "Localhost",
    ),
    *(
        "x" * 15,
        "x" * 16,
        "x" * 63,
        "x" * 64,
        "x" * 253,
        "x" * 254,
        "a.example.com",
        "*.example.com",
        "192.0.2.1",
        "::1",
    ),
    *(
        " vllm:1 ",
        "vllm:1",
        "{{ image }}",
        "=",
        "a=b",
        "ä",
        "nvidia.com/gpu",
        "hugepages-2Mi",
        "requests.a/b",
        "kubernetes.io/a",
    ),
    *(
        "metadata.name",
        "metadata.labels['a']",
        "limits.cpu",
        "status.podIP",
        "50%",
        "101%",
        "1m30s",
        "5s",
        "TCP",
        "iqn.2000-01.a:b",
    ),
)
_NUMBERS = (
    *(
        -1,
        0,
        1,
        2,
        3,
        100,
        101,
        255,
        256,
        299,
        300,
        400,
        511,
        512,
        599,
        600,
        601,
        1800,
        1801,
        3600,
        3601,
    ),
    *(8000, 65535, 65536, 86400, 86401, 1000000, 1000001, 2**31 - 1, 2**31, 2**63 - 1),
)
_AMOUNTS = (
    "0",
    "1",
    "2",
    "-1",
    "500m",
    "1.5",
    "1Gi",
    "2Mi",
    "3Mi",
    "1e3",
    "1Ki",
    "100",
    1,
    0,
    "a",
    "",
    "1 Gi",
    "0.5",
)
_KEYS = (
    "a",
    "a/b",
    "a b",
    "",
    "nvidia.com/gpu",
    "cpu",
    "memory",
    "hugepages-2Mi",
    "ephemeral-storage",
    "storage",
    "x" * 64,
    "a/b/c",
    "A",
    "-",
)


class Spoiler:
    """Spoils objects with one source of chance."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def spoilt(self, manifest: Json) -> Json:
        """Return an object that was spoilt in one to three ways."""
        spec = manifest["spec"]
        for dummy in range(self._chance.choice((1, 1, 2, 3))):
            spec = self.changed(spec, SCHEMAS[manifest["kind"]])
        return {**manifest, "spec": spec}

    def changed(self, value: Any, schema: Schema) -> Any:
        """Return a value with something in it changed."""
        if self._chance.random() < 0.004:
            return self._chance.choice((True, 7, "text", [], {}, 1.5))
        match schema:
            case Object():
                return self._object(value, schema)
            case ListOf():
                return self._list(value, schema)
            case MapOf():
                return self._map(value, schema)
            case _:
                return self.odd(schema)

    def _object(self, value: Any, schema: Object) -> Any:
        if not isinstance(value, dict):
            return self.made(schema)
        known = [name for name in schema.fields if name not in LEFT_OUT]
        there = [name for name in known if name in value]
        absent = [name for name in known if name not in value]
        way = self._chance.random()
        if there and (way < 0.68 or not absent):
            # What has more in it is chosen more often, so that each field has its turn.
            weights = [1 + _size(value[name]) for name in there]
            name = self._chance.choices(there, weights)[0]
            return {**value, name: self.changed(value[name], schema.fields[name])}
        if absent and way < 0.93:
            name = self._chance.choice(absent)
            return {**value, name: self.made(schema.fields[name])}
        gone = self._chance.choice(there) if there else ""
        return {name: part for name, part in value.items() if name != gone}

    def _list(self, value: Any, schema: ListOf) -> Any:
        items = value if isinstance(value, list) else []
        way = self._chance.random()
        if not items or way < 0.15:
            return [*items, self.made(schema.items)]
        number = self._chance.choices(range(len(items)), [1 + _size(each) for each in items])[0]
        if way < 0.85:
            new = [self.changed(items[number], schema.items)]
        else:
            new = [] if way < 0.93 else [items[number], items[number]]
        return [*items[:number], *new, *items[number + 1 :]]

    def _map(self, value: Any, schema: MapOf) -> Any:
        items = dict(value) if isinstance(value, dict) else {}
        if items and self._chance.random() < 0.4:
            key = self._chance.choice(list(items))
            return {**items, key: self.odd(schema.values)}
        if items and self._chance.random() < 0.2:
            items.pop(self._chance.choice(list(items)))
            return items
        return {**items, self._chance.choice(_KEYS): self.made(schema.values)}

    def made(self, schema: Schema) -> Any:
        """Return a new value, more often a right one than not."""
        match schema:
            case Object():
                names = [name for name in schema.fields if name not in LEFT_OUT]
                share = min(0.5, 2 / (len(names) or 1))
                chosen = [
                    name
                    for name in names
                    if name in schema.required or self._chance.random() < share
                ]
                return {name: self.made(schema.fields[name]) for name in chosen}
            case ListOf():
                return [self.made(schema.items) for dummy in range(self._chance.choice((1, 1, 2)))]
            case MapOf():
                return {self._chance.choice(_KEYS[:2]): self.made(schema.values)}
            case Text() if schema.enum and self._chance.random() < 0.8:
                return self._chance.choice(schema.enum)
            case Text() if self._chance.random() < 0.5:
                return self._chance.choice(("a", "main", "model", "a.example.com", "/a", "1"))
            case Integer() if self._chance.random() < 0.6:
                return self._chance.choice((1, 2, 60, 8000))
            case QuantityValue() if self._chance.random() < 0.7:
                return self._chance.choice(("1", "2Gi", "500m"))
            case _:
                return self.odd(schema)

    def odd(self, schema: Schema) -> Any:
        """Return a value at the edge of what may be."""
        match schema:
            case Text():
                words = [*_TEXTS, *schema.enum, *schema.enum]
                return self._chance.choice(words)
            case Integer():
                edges = [
                    edge + step
                    for edge in (schema.minimum, schema.maximum)
                    if edge is not None
                    for step in (-1, 0, 1)
                ]
                return self._chance.choice([*_NUMBERS, *edges])
            case Boolean():
                return self._chance.random() < 0.5
            case QuantityValue():
                return self._chance.choice(_AMOUNTS)
            case IntOrText():
                return self._chance.choice((*_NUMBERS, *_TEXTS))
            case Anything():
                return {}
            case _:
                return self.made(schema)


def _size(value: Any) -> int:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(1 + _size(part) for part in parts)
