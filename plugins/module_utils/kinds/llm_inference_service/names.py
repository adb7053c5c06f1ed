# SPDX-License-Identifier: GPL-3.0-or-later
"""How the children of an LLMInferenceService are called. Source: KServe pkg/controller/v1alpha2/llmisvc/{workload,scheduler}.go@v0.17.0."""

from __future__ import annotations

from ...kube.names import child_name


def certificate_secret(service: str) -> str:
    """Return the name of the TLS Secret that all pods of a service mount."""
    return child_name(service, "-kserve-self-signed-certs")


def main(service: str) -> str:
    """Return the name of the single-node Deployment and of the account that its sidecar needs."""
    return child_name(service, "-kserve")


def prefill(service: str) -> str:
    """Return the name of the single-node prefill Deployment."""
    return child_name(service, "-kserve-prefill")


def multi_node(service: str) -> str:
    """Return the name of the LeaderWorkerSet and of its account."""
    return child_name(service, "-kserve-mn")


def multi_node_prefill(service: str) -> str:
    """Return the name of the prefill LeaderWorkerSet and of its account."""
    return child_name(service, "-kserve-mn-prefill")


def main_role(service: str) -> str:
    """Return the name of the Role that lets the sidecar of a single-node pod read pods and pools."""
    return child_name(service, "-kserve-role")


def main_role_binding(service: str) -> str:
    """Return the name of its binding."""
    return child_name(service, "-kserve-rb")


def multi_node_role(service: str) -> str:
    """Return the name of the Role that lets the sidecar of a multi-node pod read pods and pools."""
    return child_name(service, "-kserve-mn-role")


def multi_node_role_binding(service: str) -> str:
    """Return the name of its binding."""
    return child_name(service, "-kserve-mn-rb")


def workload_service(service: str) -> str:
    """Return the name of the Service in front of the model servers."""
    return child_name(service, "-kserve-workload-svc")


def picker(service: str) -> str:
    """Return the name of the endpoint picker's Deployment."""
    return child_name(service, "-kserve-router-scheduler")


def picker_account(service: str) -> str:
    """Return the name of the endpoint picker's ServiceAccount."""
    return child_name(service, "-epp-sa")


def picker_role(service: str) -> str:
    """Return the name of the endpoint picker's Role."""
    return child_name(service, "-epp-role")


def picker_role_binding(service: str) -> str:
    """Return the name of the binding of that Role."""
    return child_name(service, "-epp-rb")


def picker_cluster_role_binding(service: str, namespace: str) -> str:
    """Return the name of the binding that lets the picker ask the API server who its callers are.

    The separator may be in both parts: `team` with `a-chat` and `team-a` with `chat` give one name.
    """
    return child_name(namespace, f"-{service}-epp-auth-rb")


def picker_service(service: str) -> str:
    """Return the name of the endpoint picker's Service."""
    return child_name(service, "-epp-service")


def tokenizer(service: str) -> str:
    """Return the name of the tokenizer's Deployment and of its Service."""
    return child_name(service, "-tokenizer")


def inference_pool(service: str) -> str:
    """Return the name of both InferencePools."""
    return child_name(service, "-inference-pool")


def route(service: str) -> str:
    """Return the name of the managed HTTPRoute."""
    return child_name(service, "-kserve-route")


def variant(service: str) -> str:
    """Return the name of what llm-d's autoscaler works from."""
    return child_name(service, "-kserve-va")


def prefill_variant(service: str) -> str:
    """Return the same for the prefill pods."""
    return child_name(service, "-kserve-prefill-va")


def scaled_object(service: str) -> str:
    """Return the name of what KEDA works from."""
    return child_name(service, "-kserve-keda")


def prefill_scaled_object(service: str) -> str:
    """Return the same for the prefill pods."""
    return child_name(service, "-kserve-prefill-keda")


def pod_autoscaler(service: str) -> str:
    """Return the name of the HorizontalPodAutoscaler."""
    return child_name(service, "-kserve-hpa")


def prefill_pod_autoscaler(service: str) -> str:
    """Return the same for the prefill pods."""
    return child_name(service, "-kserve-prefill-hpa")


def managed_devices(service: str) -> str:
    """Return the name of the template of claims for devices that annotations ask for."""
    return child_name(service, "-managed-dra")


def published(namespace: str, model: str) -> str:
    """Return the name by which requests name a model of a namespace, for engine and routes alike."""
    return f"publishers/{namespace}/models/{model}"


def adapter_volume(adapter: str) -> str:
    """Return the name of the volume of an adapter that is in a claim."""
    return child_name("lora-pvc-", adapter)
