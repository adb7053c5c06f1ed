# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""KServe as its LLMInferenceServices find it on the live lab: its configuration, and a mesh that speaks TLS to them."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import urllib3

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.defaults import (
    DEFAULTS,
)

from ..lab.client import Client
from . import gateway, images
from .asking import Answer, chat

Json = dict[str, Any]
READY_WITHIN = 240.0
#: What the modules are told beside the services.
OPTIONS: Json = {"releases": {"kserve": "0.19"}, "settings": {"config_prefix": "modelops-"}}
#: What suffices for a model server, and how it says that it is ready.
SMALL: Json = {"requests": {"cpu": "50m", "memory": "128Mi"}}
PROBE: Json = {"httpGet": {"path": "/v2/health/ready", "port": 8080}, "periodSeconds": 2}
#: What a KServe installation says to its services.
CONFIGURATION: Json = {
    **DEFAULTS,
    "ingress": {
        **DEFAULTS["ingress"],
        "enableGatewayApi": True,
        "ingressGateway": "knative-serving/knative-ingress-gateway",
        "kserveIngressGateway": f"{gateway.NAMESPACE}/{gateway.NAME}",
        "enableLLMInferenceServiceTLS": True,
    },
    "storageInitializer": {
        "cpuRequest": "20m",
        "cpuLimit": "1",
        "memoryRequest": "32Mi",
        "memoryLimit": "256Mi",
    },
}


def configure(client: Client, initializer: str = images.INITIALIZER, **more: Json) -> None:
    """Write the ConfigMap that every service reads. initializer: the image that fetches models. more: blocks in place of the usual ones."""
    storage = {**CONFIGURATION["storageInitializer"], "image": initializer}
    blocks = {**CONFIGURATION, "storageInitializer": storage, **more}
    client.apply(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "inferenceservice-config", "namespace": gateway.KSERVE},
            "data": {name: json.dumps(block) for name, block in blocks.items()},
        }
    )


def over_tls(client: Client, service: Json) -> None:
    """Have Istio speak TLS to engine and picker of a service, as who runs the mesh would."""
    name, namespace = service["metadata"]["name"], service["metadata"]["namespace"]
    pool = shadow(f"{name}-inference-pool")
    for host in (pool, f"{name}-epp-service", f"{name}-kserve-workload-svc"):
        client.apply(
            {
                "apiVersion": "networking.istio.io/v1",
                "kind": "DestinationRule",
                "metadata": {"name": host, "namespace": namespace},
                "spec": {
                    "host": f"{host}.{namespace}.svc.cluster.local",
                    "trafficPolicy": {"tls": {"mode": "SIMPLE", "insecureSkipVerify": True}},
                },
            }
        )


def shadow(pool: str) -> str:
    """The Service that Istio makes for a pool (istio, InferencePoolServiceName)."""
    return f"{pool}-ip-{hashlib.sha256(pool.encode()).hexdigest()[:8]}"


def ask(service: Json) -> Answer:
    """Ask a service by its path."""
    meta = service["metadata"]
    return chat(service["spec"]["model"]["name"], prefix=f"/{meta['namespace']}/{meta['name']}")


def trusting(client: Client, service: Json) -> tuple[urllib3.PoolManager, str]:
    """A client that verifies the certificate of a service's pods, and the address of the Service in front of them."""
    meta = service["metadata"]
    name, namespace = f"{meta['name']}-kserve-workload-svc", meta["namespace"]
    secret = client.get("v1", "Secret", f"{meta['name']}-kserve-self-signed-certs", namespace)
    found = client.get("v1", "Service", name, namespace)
    assert secret is not None, meta
    assert found is not None, meta
    pool = urllib3.PoolManager(
        ca_cert_data=base64.b64decode(secret["data"]["ca.crt"]).decode(),
        assert_hostname=f"{name}.{namespace}.svc.cluster.local",
        retries=False,
        timeout=10,
    )
    return pool, f"https://{found['spec']['clusterIP']}:8000"
