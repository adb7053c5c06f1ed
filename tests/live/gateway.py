# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The gateway: Istio's control plane as a process, Envoy in a pod behind a Service with a load balancer's address.

Istio takes a Gateway whose address is the host name of a Service as one whose proxy somebody else runs (istio.io, "Kubernetes
Gateway API", manual deployment). Envoy is upstream's, so what only Istio's build knows is switched off.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..lab.client import Client, Manifest, wait_until
from . import build, images, network

NAMESPACE = "llm-d"
#: The default of the settings gateway_name and gateway_namespace.
NAME = "llm-d-infra-inference-gateway"
#: Where KServe keeps its configuration, which names the same gateway.
KSERVE = "kserve"
PROXY = "gateway"
_ISTIO_NAMESPACE = "istio-system"
_XDS_PORT, _ADMIN_PORT, _HTTP_PORT = 15010, 15000, 8080
_LABELS = {"app": PROXY}
#: A release's own start of Envoy takes about this long.
_PROGRAMMED_WITHIN = 120.0

#: What the control plane reads from its environment.
ISTIO_ENVIRONMENT = {
    "ENABLE_GATEWAY_API_INFERENCE_EXTENSION": "true",
    "PILOT_ENABLE_METADATA_EXCHANGE": "false",
    "POD_NAMESPACE": _ISTIO_NAMESPACE,
    "POD_NAME": "istiod",
    "CLUSTER_ID": "Kubernetes",
}


def istio(kubeconfig: Path) -> list[str]:
    """The command line of the control plane."""
    return [
        str(build.program("pilot-discovery")),
        "discovery",
        f"--kubeconfig={kubeconfig}",
        f"--grpcAddr={network.NODE}:{_XDS_PORT}",
        "--httpAddr=127.0.0.1:15080",
        "--httpsAddr=127.0.0.1:15017",
        "--secureGRPCAddr=",
        "--monitoringAddr=127.0.0.1:15014",
        "--log_output_level=default:info",
    ]


def namespaces() -> list[Manifest]:
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        for name in (NAMESPACE, KSERVE, _ISTIO_NAMESPACE)
    ]


def manifests() -> list[Manifest]:
    """Everything that the gateway is, but for the address of its Service."""
    return [_mesh(), _without_alpn(), _bootstrap(), _service(), _deployment(), _gateway()]


def give_address(client: Client) -> None:
    """Do what a cloud's load balancer does, and wait until the Gateway is programmed with that address."""
    client.patch_status(_service(), {"loadBalancer": {"ingress": [{"ip": network.GATEWAY}]}})

    def look() -> tuple[bool, Any]:
        found = client.get("gateway.networking.k8s.io/v1", "Gateway", NAME, NAMESPACE) or {}
        status = found.get("status") or {}
        conditions = {each["type"]: each["status"] for each in status.get("conditions") or ()}
        addresses = [each["value"] for each in status.get("addresses") or ()]
        ready = conditions.get("Programmed") == "True" and network.GATEWAY in addresses
        return ready, status

    wait_until(look, "the Gateway to be programmed", _PROGRAMMED_WITHIN)
    client.wait_for(
        _deployment(),
        lambda found: found and (found.get("status") or {}).get("readyReplicas"),
        deadline=_PROGRAMMED_WITHIN,
    )


def _meta(name: str, namespace: str = NAMESPACE) -> dict[str, Any]:
    return {"name": name, "namespace": namespace}


def _mesh() -> Manifest:
    # With mutual TLS Envoy waits for certificates that only Istio's own agent brings.
    mesh = "enableAutoMtls: false\naccessLogFile: /dev/stdout\n"
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _meta("istio", _ISTIO_NAMESPACE),
        "data": {"mesh": mesh, "meshNetworks": "networks: {}"},
    }


def _without_alpn() -> Manifest:
    """Take out a filter that is in Istio's build of Envoy alone; a listener that names it is refused."""
    manager = "envoy.filters.network.http_connection_manager"
    chain = {"filter": {"name": manager, "subFilter": {"name": "istio.alpn"}}}
    return {
        "apiVersion": "networking.istio.io/v1alpha3",
        "kind": "EnvoyFilter",
        "metadata": _meta("without-alpn", _ISTIO_NAMESPACE),
        "spec": {
            "configPatches": [
                {
                    "applyTo": "HTTP_FILTER",
                    "match": {"context": "GATEWAY", "listener": {"filterChain": chain}},
                    "patch": {"operation": "REMOVE"},
                }
            ]
        },
    }


def _bootstrap() -> Manifest:
    """What Envoy starts with: where its control plane is, and what the proxy is called there."""
    address = {"socket_address": {"address": network.NODE, "port_value": _XDS_PORT}}
    grpc = {"envoy_grpc": {"cluster_name": "xds"}}
    source = {"ads": {}, "resource_api_version": "V3"}
    options = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"
    http2 = {
        "@type": f"type.googleapis.com/{options}",
        "explicit_http_config": {"http2_protocol_options": {}},
    }
    bootstrap = {
        "node": {
            "cluster": f"{PROXY}.{NAMESPACE}",
            "metadata": {"NAMESPACE": NAMESPACE, "LABELS": _LABELS, "CLUSTER_ID": "Kubernetes"},
        },
        "admin": {
            "address": {"socket_address": {"address": "127.0.0.1", "port_value": _ADMIN_PORT}}
        },
        "dynamic_resources": {
            "lds_config": source,
            "cds_config": source,
            "ads_config": {
                "api_type": "GRPC",
                "transport_api_version": "V3",
                "grpc_services": [grpc],
            },
        },
        "static_resources": {
            "clusters": [
                {
                    "name": "xds",
                    "type": "STATIC",
                    "typed_extension_protocol_options": {options: http2},
                    "load_assignment": {
                        "cluster_name": "xds",
                        "endpoints": [{"lb_endpoints": [{"endpoint": {"address": address}}]}],
                    },
                }
            ]
        },
    }
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _meta(PROXY),
        "data": {"envoy.json": json.dumps(bootstrap)},
    }


def _service() -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        # As Istio marks the Services of proxies that it runs itself.
        "metadata": {**_meta(PROXY), "labels": {"gateway.networking.k8s.io/gateway-name": NAME}},
        "spec": {
            "type": "LoadBalancer",
            "selector": _LABELS,
            "ports": [{"name": "http", "port": 80, "targetPort": _HTTP_PORT}],
        },
    }


def _deployment() -> Manifest:
    node = f"router~$(POD_IP)~$(POD_NAME).{NAMESPACE}~{NAMESPACE}.svc.cluster.local"
    container = {
        "name": "envoy",
        "image": images.ENVOY,
        "args": [
            "--config-path",
            "/etc/envoy/envoy.json",
            "--service-node",
            node,
            "--disable-hot-restart",
            "--concurrency",
            "1",
        ],
        "env": [_from_pod("POD_IP", "status.podIP"), _from_pod("POD_NAME", "metadata.name")],
        "ports": [{"containerPort": _HTTP_PORT}],
        # It listens once it has its configuration.
        "readinessProbe": {"tcpSocket": {"port": _HTTP_PORT}, "periodSeconds": 1},
        "volumeMounts": [{"name": "config", "mountPath": "/etc/envoy"}],
    }
    pod = {
        "terminationGracePeriodSeconds": 1,
        "containers": [container],
        "volumes": [{"name": "config", "configMap": {"name": PROXY}}],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": _meta(PROXY),
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": _LABELS},
            "template": {"metadata": {"labels": _LABELS}, "spec": pod},
        },
    }


def _from_pod(name: str, path: str) -> dict[str, Any]:
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


def _gateway() -> Manifest:
    # The Service has to be in the namespace of the Gateway.
    host = f"{PROXY}.{NAMESPACE}.svc.cluster.local"
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": _meta(NAME),
        "spec": {
            "gatewayClassName": "istio",
            "addresses": [{"type": "Hostname", "value": host}],
            "listeners": [
                {
                    "name": "http",
                    "port": 80,
                    "protocol": "HTTP",
                    "allowedRoutes": {"namespaces": {"from": "All"}},
                }
            ],
        },
    }
