# SPDX-License-Identifier: GPL-3.0-or-later
"""The option `settings` of a task as far as ModelService reads it, with the defaults of the operator's flags.

An empty text says something here: no init container, no default route, no version label.
Source: model-operator cmd/main.go@v0.9.0-alpha.2.
"""

from __future__ import annotations

from ...kube.schema import Boolean, Integer, Object, Text
from ...kube.trace_sampling import sampler_fault, share_fault

PROVIDERS = ("istio", "gke", "none")

IMAGES = Object(
    description="Images that are used where a service names none.",
    fields={
        "engine": Text(
            description="vLLM.", default="ghcr.io/llm-d/llm-d-cuda:v0.5.1", keep_empty=True
        ),
        "endpoint_picker": Text(
            description="Endpoint picker.",
            default="ghcr.io/llm-d/llm-d-inference-scheduler:v0.6.0",
            keep_empty=True,
        ),
        "routing_proxy": Text(
            description="Routing proxy.",
            default="ghcr.io/llm-d/llm-d-routing-sidecar:v0.6.0",
            keep_empty=True,
        ),
        "model_kit": Text(
            description="Init container that unpacks the weights; an empty text drops it.",
            default="ghcr.io/kitops-ml/kitops:v1.11.0",
            keep_empty=True,
        ),
    },
)

TRACING = Object(
    description="OpenTelemetry of picker and proxy.",
    fields={
        "enabled": Boolean(description="Whether traces are sent.", default=False),
        "otel_endpoint": Text(description="Where they are sent.", default="", keep_empty=True),
        "sampler": Text(
            description="OTEL_TRACES_SAMPLER; empty leaves it out.",
            default="parentbased_traceidratio",
            keep_empty=True,
            form=sampler_fault,
        ),
        "sampler_arg": Text(
            description="OTEL_TRACES_SAMPLER_ARG; empty leaves it out.",
            default="0.01",
            keep_empty=True,
            form=share_fault,
        ),
    },
)

MODEL_REGISTRY = Object(
    description="The registry from which weights are fetched.",
    fields={
        "plain_http": Boolean(
            description="Whether it is called without TLS, as the operator does.", default=True
        )
    },
)

SETTINGS = Object(
    description="What the operator takes as flags.",
    fields={
        "images": IMAGES,
        "gateway_name": Text(
            description="Gateway of the default route; an empty text switches the route off.",
            keep_empty=True,
        ),
        "gateway_namespace": Text(description="Namespace of that gateway.", default="llm-d"),
        "cluster_domain": Text(description="DNS domain of the cluster.", default="cluster.local"),
        "provider": Text(description="Gateway implementation.", default="istio", enum=PROVIDERS),
        "metrics_endpoint_auth": Boolean(
            description="Whether the picker's metrics ask for a token.", default=True
        ),
        "tracing": TRACING,
        "operator_version": Text(
            description="Value of the version label; `v<release>` where absent, none where empty.",
            keep_empty=True,
        ),
        "model_registry": MODEL_REGISTRY,
        "shared_memory": Text(
            description="Memory-backed /dev/shm for tensor parallel roles: true, its size limit, or false."
        ),
        "drain_seconds": Integer(
            description="Seconds that a serving pod keeps answering after it was told to end, while gateway and picker let go of it.",
            default=0,
            minimum=0,
            maximum=3600,
        ),
    },
)
