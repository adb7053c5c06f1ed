# SPDX-License-Identifier: GPL-3.0-or-later
"""A small cluster for the tables of these tests: KServe's configuration and presets of ours, and what a test adds."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from module_utils.kinds.llm_inference_service.compile import compile as compile_service
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.presets.resolve import resolve
from module_utils.kinds.llm_inference_service.resolved import Resolved
from module_utils.kinds.llm_inference_service.settings import Settings
from module_utils.kube.manifest import Json
from module_utils.kube.problem import Complaint, InputError
from tests.objects import Cluster, thing
from tests.unit.kinds.refusals import api_refusals

ROUTER: Json = {"route": {}, "gateway": {}, "scheduler": {}}
_IMAGE = "registry.example.com/engine:1"
_SIDECAR = {"name": "llm-d-routing-sidecar", "image": "registry.example.com/proxy:1"}
_STORAGE = {
    "image": "registry.example.com/fetcher:1",
    "cpuRequest": "100m",
    "cpuLimit": "1",
    "memoryRequest": "100Mi",
    "memoryLimit": "1Gi",
    "enableModelcar": True,
    "cpuModelcar": "10m",
    "memoryModelcar": "15Mi",
}
_INGRESS = {
    "enableGatewayApi": True,
    "kserveIngressGateway": "kserve/main",
    "ingressGateway": "kserve/x",
}
_CREDENTIALS = {
    "storageSecretNameAnnotation": "serving.kserve.io/secretName",
    "s3": {
        "s3AccessKeyIDName": "AWS_ACCESS_KEY_ID",
        "s3SecretAccessKeyName": "AWS_SECRET_ACCESS_KEY",
    },
}


def pod(*, sidecar: bool = False) -> Json:
    """Return a preset's pod."""
    container = {"name": "main", "image": _IMAGE, "args": ["{{ .Spec.Model.Name }}"]}
    return {"containers": [container], **({"initContainers": [_SIDECAR]} if sidecar else {})}


def scheduler_pod() -> Json:
    """Return the picker's pod."""
    ports = [{"containerPort": 9002, "name": "grpc"}, {"containerPort": 9090, "name": "metrics"}]
    return {"containers": [{"name": "main", "image": _IMAGE, "args": ["--grpc"], "ports": ports}]}


PRESETS: dict[str, Json] = {
    "template": {"template": pod()},
    "decode-template": {"template": pod(sidecar=True)},
    "prefill-template": {"prefill": {"template": pod()}},
    "worker-data-parallel": {"template": pod(), "worker": pod()},
    "decode-worker-data-parallel": {"template": pod(sidecar=True), "worker": pod()},
    "prefill-worker-data-parallel": {"prefill": {"template": pod(), "worker": pod()}},
    "scheduler": {
        "router": {
            "scheduler": {
                "template": scheduler_pod(),
                "pool": {
                    "spec": {
                        "selector": {},
                        "targetPorts": [{"number": 8000}],
                        "endpointPickerRef": {
                            "name": "{{ ChildName .Name `-epp-service` }}",
                            "port": {"number": 9002},
                        },
                    }
                },
            }
        }
    },
    "router-route": {
        "router": {
            "route": {
                "http": {
                    "spec": {
                        "parentRefs": [
                            {
                                "name": "{{ .GlobalConfig.IngressGatewayName }}",
                                "namespace": "{{ .GlobalConfig.IngressGatewayNamespace }}",
                            }
                        ],
                        "rules": [
                            {
                                "backendRefs": [
                                    {
                                        "group": "inference.networking.k8s.io",
                                        "kind": "InferencePool",
                                        "name": "{{ ChildName .Name `-inference-pool` }}",
                                        "port": 8000,
                                    }
                                ]
                            }
                        ],
                    }
                }
            }
        }
    },
}


def preset(name: str, spec: Json, namespace: str = "kserve") -> Json:
    """Return a preset."""
    return thing(
        "serving.kserve.io/v1alpha2", "LLMInferenceServiceConfig", name, namespace, spec=spec
    )


def config_map(name: str, data: dict[str, str], namespace: str = "team-a") -> Json:
    """Return a ConfigMap."""
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def system_config(**parts: Any) -> Json:
    """Return `inferenceservice-config` with some parts changed."""
    found = {"ingress": _INGRESS, "storageInitializer": _STORAGE, "credentials": _CREDENTIALS}
    for key, change in parts.items():
        found[key] = {**found.get(key, {}), **change}
    data = {key: json.dumps(value) for key, value in found.items()}
    return config_map("inferenceservice-config", data, "kserve")


def account(name: str, *secrets: str, annotations: dict[str, str] | None = None) -> Json:
    """Return a ServiceAccount of the service's namespace."""
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": name, "namespace": "team-a", "annotations": annotations or {}},
        "secrets": [{"name": secret} for secret in secrets],
    }


def secret(name: str, data: dict[str, str], annotations: dict[str, str] | None = None) -> Json:
    """Return a Secret of the service's namespace."""
    metadata = {"name": name, "namespace": "team-a", "annotations": annotations or {}}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": data}


def world(*manifests: Json, presets: Json | None = None) -> Cluster:
    """Return a cluster with the configuration, the presets and more. What comes later wins."""
    known = [
        preset(f"kserve-config-llm-{name}", spec) for name, spec in (presets or PRESETS).items()
    ]
    return Cluster([system_config(), *known, *manifests])


def resolved(document: Json, *manifests: Json, settings: Settings | None = None) -> Resolved:
    """Return a service resolved in the small cluster."""
    chosen = settings or Settings()
    loaded = load(document, chosen)
    assert loaded.service is not None, loaded.problems
    return resolve(loaded.service, chosen, world(*manifests))


def children(
    document: Json, *manifests: Json, settings: Settings | None = None
) -> dict[tuple[str, str], Json]:
    """Return the children of a service by kind and name."""
    chosen = settings or Settings()
    loaded = load(document, chosen)
    assert loaded.service is not None, loaded.problems
    intent = compile_service(loaded.service, chosen, world(*manifests))
    found = [child.manifest.to_dict() for child in intent.children]
    return {(each["kind"], each["metadata"]["name"]): each for each in found}


def refusal(document: Json, *manifests: Json, settings: Settings | None = None) -> str:
    """Return why a service cannot be built, or its objects are refused; empty where neither is so."""
    chosen = settings or Settings()
    loaded = load(document, chosen)
    assert loaded.service is not None, loaded.problems
    try:
        found = api_refusals(loaded.service, chosen, world(*manifests))
    except InputError as error:
        return str(error)
    return str(Complaint(loaded.service.subject, tuple(found))) if found else ""


def pods(found: dict[tuple[str, str], Json]) -> Iterable[Json]:
    """Yield the pods of all model servers."""
    for (kind, name), manifest in found.items():
        spec = manifest.get("spec") or {}
        if kind == "Deployment" and not name.endswith("scheduler"):
            yield spec["template"]["spec"]
        if kind == "LeaderWorkerSet":
            templates = spec["leaderWorkerTemplate"]
            yield from (templates[key]["spec"] for key in ("leaderTemplate", "workerTemplate"))
