# SPDX-License-Identifier: GPL-3.0-or-later
"""What releases after 0.17 read of a service, added to services that 0.17 reads, too. Each case gets a few of these features."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe

from .llm_later_picker import Given, rewrites

Json = dict[str, Any]
Feature = Callable[[Given], None]
_ADAPTERS = (
    "hf://acme/adapter",
    "hf://acme/adapter:v2",
    "s3://bucket/adapter",
    "s3://bucket/models/tiny-ad",
    "pvc://claim/adapters/one",
    "pvc://other/two",
    "oci://registry.example.com/ad:1",
    "gs://bucket/ad",
    "",
)
_ADAPTER_NAMES = ("sql", "chat", "a/b c", "Ünï", "..", "", "tiny", "demo", "sql")
_BEHAVIOR = {"scaleDown": {"stabilizationWindowSeconds": 60}}
_LABELS = {
    "one": {"internal.serving.kserve.io/localmodel": "by-hand"},
    "two": {"inference.optimization/acceleratorName": "H100"},
    "three": {"serving.kserve.io/routing-group": "by-hand"},
}


def add_features(document: Json, context: list[Json], release: KServe, seed: str) -> None:
    """Add features of later releases to a service. context: objects that are there before it. seed: of the chance."""
    chance = random.Random(f"later {seed}")
    features = [one for since, one in _FEATURES if since <= release]
    if not features:
        return
    for feature in chance.sample(features, chance.choice((0, 1, 1, 2, 2, 3, 4))):
        feature(Given(chance, document, context))


def _workloads(document: Json) -> list[Json]:
    spec = document["spec"]
    return [spec, *([spec["prefill"]] if spec.get("prefill") is not None else [])]


def _lora(given: Given) -> None:
    adapters = [
        {"name": given.chance.choice(_ADAPTER_NAMES), "uri": given.chance.choice(_ADAPTERS)}
        for dummy in range(given.chance.choice((0, 1, 1, 2, 3)))
    ]
    if given.chance.random() < 0.7:
        # Mostly such as may be.
        for number, one in enumerate(adapters):
            one |= {
                "name": f"ad-{number}-{given.chance.choice('xyz')}",
                "uri": _ADAPTERS[number % 6],
            }
    for one in adapters:
        if given.chance.random() < 0.1:
            del one["name"]
    lora: Json = {"adapters": adapters}
    for key in ("maxRank", "maxAdapters", "maxCpuAdapters"):
        if given.chance.random() < 0.3:
            lora[key] = given.chance.choice((1, 8, 64, 0))
    given.document["spec"]["model"]["lora"] = lora
    if given.chance.random() < 0.2:
        for workload in _workloads(given.document):
            for container in (workload.get("template") or {}).get("containers") or ():
                if container["name"] == "main":
                    key, text = given.chance.choice(
                        (("args", ["--lora-modules", "x=y"]), ("command", ["vllm --lora-modules"]))
                    )
                    container[key] = text


def _local_model(given: Given) -> None:
    meta, uri = given.document["metadata"], given.document["spec"]["model"]["uri"]
    source = given.chance.choice((uri, uri.rpartition("/")[0], f"{uri}/", "hf://acme"))
    if source:
        groups = given.chance.choice((["gpus"], ["gpus", "cpus"]))
        given.context.append(
            {
                "apiVersion": "serving.kserve.io/v1alpha1",
                "kind": "LocalModelNamespaceCache",
                "metadata": {"name": "kept", "namespace": meta["namespace"]},
                "spec": {"sourceModelUri": source, "modelSize": "1Gi", "nodeGroups": groups},
            }
        )
    if given.chance.random() < 0.3:
        note = given.chance.choice(("gpus", "cpus", "none"))
        meta.setdefault("annotations", {})["serving.kserve.io/nodegroup"] = note
    if given.chance.random() < 0.15:
        meta.setdefault("annotations", {})["serving.kserve.io/disable-localmodel"] = "true"


def _odd_labels(given: Given) -> None:
    kind, found = given.chance.choice(sorted(_LABELS.items()))
    place = given.document["spec"] if kind == "two" else given.document["metadata"]
    place.setdefault("labels", {}).update(found)
    prefill = given.document["spec"].get("prefill")
    if kind == "two" and prefill is not None and given.chance.random() < 0.5:
        prefill.setdefault("labels", {})["inference.optimization/acceleratorName"] = "L4"


def _scaling(given: Given) -> None:
    keda: tuple[Json, ...] = (
        {"keda": {}},
        {"keda": {"pollingInterval": 10, "cooldownPeriod": 5, "initialCooldownPeriod": 0}},
        {"keda": {"fallback": {"failureThreshold": 3, "replicas": 2}}},
        {"keda": {"idleReplicaCount": 0}},
        {
            "keda": {
                "fallback": {"failureThreshold": 1, "replicas": 1, "behavior": "currentReplicas"}
            }
        },
        {"keda": {"advanced": {"restoreToOriginalReplicaCount": True}}},
        {"keda": {"advanced": {"horizontalPodAutoscalerConfig": {"behavior": _BEHAVIOR}}}},
    )
    hpa: tuple[Json, ...] = (
        {"hpa": {}},
        {"hpa": {"behavior": _BEHAVIOR}},
    )
    actuators = given.chance.choice((keda, hpa, keda + hpa))
    for workload in _workloads(given.document):
        if given.chance.random() < 0.8:
            workload.pop("replicas", None)
            found: Json = {"maxReplicas": given.chance.choice((1, 4))}
            found["wva"] = dict(given.chance.choice(actuators))
            if given.chance.random() < 0.5:
                found["minReplicas"] = given.chance.choice((1, 2))
            if given.chance.random() < 0.3:
                found["wva"]["variantCost"] = given.chance.choice(("5.0", "10", "x"))
            workload["scaling"] = found


def _gateway_section(given: Given) -> None:
    gateway = given.document["spec"].setdefault("router", {}).setdefault("gateway", {})
    if not gateway.get("refs"):
        gateway["refs"] = [{"name": "kserve-ingress-gateway", "namespace": "kserve"}]
        given.document["spec"]["router"].setdefault("route", {})
    for reference in gateway["refs"]:
        if given.chance.random() < 0.7:
            reference["sectionName"] = given.chance.choice(("http", "https", "none", "a.b"))
        if given.chance.random() < 0.3:
            reference.pop("namespace", None)


def _gateway_notes(given: Given) -> None:
    for one in given.context:
        if one["kind"] == "Gateway":
            text = given.chance.choice(("false", "true", "False", ""))
            notes = {"serving.kserve.io/model-based-routing-enabled": text}
            one["metadata"]["annotations"] = notes


def _header_matches(given: Given) -> None:
    """Let the rules of routes ask for a model by its header."""
    name = given.document["metadata"]["name"]
    place = given.document["metadata"]["namespace"]
    text = given.chance.choice((f"publishers/{place}/models/{name}", "tiny", "other"))
    header = {
        "name": given.chance.choice(("X-Gateway-Model-Name", "x-gateway-model-name")),
        "value": text,
    }
    http = ((given.document["spec"].get("router") or {}).get("route") or {}).get("http") or {}
    specs = [
        http.get("spec") or {},
        *(one["spec"] for one in given.context if one["kind"] == "HTTPRoute"),
    ]
    for spec in specs:
        for rule in spec.get("rules") or ():
            if given.chance.random() < 0.7:
                matches = rule.setdefault(
                    "matches", [{"path": {"type": "PathPrefix", "value": "/"}}]
                )
                given.chance.choice(matches)["headers"] = [dict(header, type="Exact")]


def _publisher_paths(given: Given) -> None:
    http = ((given.document["spec"].get("router") or {}).get("route") or {}).get("http") or {}
    place, name = given.document["metadata"]["namespace"], given.document["metadata"]["name"]
    for spec in (
        http.get("spec") or {},
        *(one["spec"] for one in given.context if one["kind"] == "HTTPRoute"),
    ):
        for rule in spec.get("rules") or ():
            value = given.chance.choice(
                (f"/publishers/{place}/models/{name}", "/publishers/x", f"/{place}/{name}", "/v1")
            )
            rule["matches"] = [{"path": {"type": "PathPrefix", "value": value}}]


def _enabled_by_model(given: Given) -> None:
    text = given.chance.choice(("true", "true", "false", "True"))
    notes = {"serving.kserve.io/model-based-routing-enabled": text}
    given.document["spec"].setdefault("annotations", {}).update(notes)


def _bare_scheduler(given: Given) -> None:
    scheduler = given.document["spec"].setdefault("router", {}).setdefault("scheduler", {})
    scheduler["template"] = given.chance.choice(
        ({}, {"containers": []}, {"priorityClassName": "high"})
    )


def _fetcher(given: Given) -> None:
    """Let the author have a container of the name that fetches the model."""
    own: tuple[Json, ...] = (
        {"resources": {"limits": {"memory": "8Gi"}}},
        {
            "env": [
                {"name": "HF_HUB_DISABLE_TELEMETRY", "value": "1"},
                {"name": "HF_XET_HIGH_PERFORMANCE", "value": "0"},
            ]
        },
        {"image": "registry.example.com/own-fetch:2", "args": ["x"], "command": ["y"]},
        {"securityContext": {"runAsNonRoot": True}},
        {"volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}]},
    )
    for workload in _workloads(given.document):
        for key in ("template", "worker"):
            pod = workload.get(key)
            if (
                pod is not None
                and pod.get("containers") is not None
                and given.chance.random() < 0.8
            ):
                pod["initContainers"] = [
                    {"name": "storage-initializer", **given.chance.choice(own)}
                ]
                if given.chance.random() < 0.3:
                    other = {"name": "zz", "image": "registry.example.com/prep:1"}
                    pod["initContainers"].insert(given.chance.randrange(2), other)


def _no_secure_context(given: Given) -> None:
    given.document["spec"]["model"]["uri"] = given.chance.choice(
        ("oci://registry.example.com/models/tiny:1", "hf://acme/tiny-llm")
    )
    for workload in _workloads(given.document):
        for container in (workload.get("template") or {}).get("containers") or ():
            if container["name"] == "main":
                container["securityContext"] = {"runAsNonRoot": True, "runAsUser": 5}


def _own_accounts(given: Given) -> None:
    """Give the default account what managed accounts take over."""
    place = given.document["metadata"]["namespace"]
    given.context.append(
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "default", "namespace": place, "annotations": {"a/b": "c"}},
            "imagePullSecrets": [{"name": "pull"}],
            "secrets": [{"name": "login"}],
        }
    )


def _native_image(given: Given) -> None:
    given.document["spec"]["model"]["uri"] = given.chance.choice(
        (
            "oci+native://registry.example.com/models/tiny:1",
            "oci+native://tiny",
            "oci+fetch://registry.example.com/x:1",
            "oci://registry.example.com/models/tiny@sha256:aaaa",
        )
    )


def _tracing(given: Given) -> None:
    found: Json = {}
    for key, values in (
        ("exporterEndpoint", ("http://collector:4317", "")),
        ("sampler", ("always_on", "")),
        ("samplerArg", ("0.1",)),
        ("exporter", ("otlp", "console")),
    ):
        if given.chance.random() < 0.4:
            found[key] = given.chance.choice(values)
    given.document["spec"]["tracing"] = found


def _offloading(given: Given) -> None:
    tiers: tuple[Json, ...] = (
        {"fileSystem": {"emptyDir": {"size": "100Gi"}}},
        {"fileSystem": {"pvc": {"ref": {"name": "cache"}}}},
        {"fileSystem": {"pvc": {"ref": {"name": "cache", "path": "kv"}}}},
        {
            "fileSystem": {
                "pvc": {
                    "spec": {
                        "accessModes": ["ReadWriteOnce"],
                        "resources": {"requests": {"storage": "1Ti"}},
                    }
                }
            }
        },
        {"fileSystem": {"emptyDir": {"size": "1Gi"}, "pvc": {"ref": {"name": "x"}}}},
        {"fileSystem": {}},
        {},
    )
    for workload in _workloads(given.document):
        if given.chance.random() < 0.7:
            found: Json = {"cpu": given.chance.choice(("10Gi", "0.5Gi", "1000000", 5))}
            if given.chance.random() < 0.3:
                found["evictionPolicy"] = given.chance.choice(("arc", "lru"))
            if given.chance.random() < 0.6:
                most = tiers[:4] if given.chance.random() < 0.8 else tiers
                found["secondary"] = [
                    given.chance.choice(most) for dummy in range(given.chance.choice((1, 1, 2)))
                ]
            if given.chance.random() < 0.06:
                del found["cpu"]
            workload["kvCacheOffloading"] = found


def _picker_port(given: Given) -> None:
    scheduler = given.document["spec"].setdefault("router", {}).setdefault("scheduler", {})
    reference: Json = {"name": "own-epp"}
    if given.chance.random() < 0.4:
        reference["kind"] = given.chance.choice(("Service", "Other"))
    if given.chance.random() < 0.2:
        reference["port"] = {"number": 9010}
    pool: Json = {
        "endpointPickerRef": reference,
        "selector": {"matchLabels": {"app": "x"}},
        "targetPorts": [{"number": 8000}],
    }
    if given.chance.random() < 0.4:
        pool["appProtocol"] = given.chance.choice(("http", "kubernetes.io/h2c", "odd"))
    scheduler["pool"] = {"spec": pool}


def _newer_route(given: Given) -> None:
    rule: Json = {"backendRefs": [{"name": "other", "port": 80}]}
    rule["filters"] = [
        given.chance.choice(
            (
                {"type": "CORS", "cors": {"allowOrigins": ["https://example.com"], "maxAge": 5}},
                {"type": "RequestRedirect", "requestRedirect": {"statusCode": 308}},
                {"type": "ResponseHeaderModifier", "responseHeaderModifier": {"remove": ["a"]}},
            )
        )
    ]
    route = given.document["spec"].setdefault("router", {}).setdefault("route", {})
    rules = given.chance.choice(([rule], [rule], []))
    route["http"] = {"spec": {"rules": rules}}


def _confidential(given: Given) -> None:
    found: Json = {"enabled": given.chance.random() < 0.8}
    if given.chance.random() < 0.7:
        found["resourceId"] = given.chance.choice(
            ("kbs:///default/key/one", "kbs:///a.b/c_d/e-f", "kbs://host/default/key/one", "")
        )
    given.document["spec"]["model"]["confidential"] = found


def _devices(given: Given) -> None:
    """Ask for devices by annotations."""
    notes = given.document["metadata"].setdefault("annotations", {})
    for key, likely, values in (
        ("device-class", 0.95, ("gpu.example.com", " gpu.example.com ", "Not A Class")),
        ("device-count", 0.4, ("1", "4", " 2 ", "0", "two", "")),
        ("cel-selector", 0.4, ("device.attributes['x'].y == 1", "true\n\n  false  ", " ")),
        ("container-name", 0.3, ("main", "logger", "", "A")),
    ):
        if given.chance.random() < likely:
            # Mostly such as may be.
            best = values[:2] if given.chance.random() < 0.85 else values
            notes[f"serving.kserve.io/exp-dra-{key}"] = given.chance.choice(best)


def _shared_route(given: Given) -> None:
    """Let a service share requests with a group in which it is alone."""
    route = given.document["spec"].setdefault("router", {}).setdefault("route", {})
    if given.chance.random() < 0.9:
        route["group"] = given.chance.choice(("chat", "chat", "a" * 63, "Chat"))
    if given.chance.random() < 0.9:
        route["weight"] = given.chance.choice((0, 1, 90, 1000000, 1000001))


def _presets_by_name(given: Given) -> None:
    refs = given.document["spec"].setdefault("baseRefs", [])
    refs.append({"name": given.chance.choice(("kserve-config-llm-tracing", "not-there"))})


def _router(given: Given) -> None:
    if "router" not in given.document["spec"]:
        given.document["spec"]["router"] = {"route": {}, "gateway": {}, "scheduler": {}}


_FEATURES: tuple[tuple[KServe, Feature], ...] = (
    (KServe.V0_18, _scaling),
    (KServe.V0_18, _scaling),
    (KServe.V0_18, _gateway_section),
    (KServe.V0_18, _own_accounts),
    (KServe.V0_18, _no_secure_context),
    (KServe.V0_18, rewrites),
    (KServe.V0_18, rewrites),
    (KServe.V0_19, _router),
    (KServe.V0_19, _lora),
    (KServe.V0_19, _lora),
    (KServe.V0_19, _local_model),
    (KServe.V0_19, _odd_labels),
    (KServe.V0_19, _gateway_notes),
    (KServe.V0_19, _header_matches),
    (KServe.V0_19, _bare_scheduler),
    (KServe.V0_19, _fetcher),
    (KServe.V0_20, _publisher_paths),
    (KServe.V0_20, _enabled_by_model),
    (KServe.V0_20, _native_image),
    (KServe.V0_20, _tracing),
    (KServe.V0_20, _offloading),
    (KServe.V0_20, _picker_port),
    (KServe.V0_20, _newer_route),
    (KServe.V0_20, _presets_by_name),
    (KServe.V0_20, _confidential),
    (KServe.V0_20, _devices),
    (KServe.V0_20, _shared_route),
)
