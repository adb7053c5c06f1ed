# SPDX-License-Identifier: GPL-3.0-or-later
"""Every field of a ModelService: type, default, limits and meaning, for the releases that we reproduce.

Source: github.com/otterscale/api model/v1alpha1/modelservice_types.go@v0.9.0-beta.2, as model-operator v0.9.0-alpha.2 and v1.0.1 uses it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from ...kube.core_schema import ENV_VAR, TOLERATION, resources, string_map
from ...kube.schema import (
    Boolean,
    Integer,
    ListOf,
    Object,
    Row,
    Schema,
    Text,
    custom_resource,
    rows,
)
from ...kube.schema_release import at_release
from ..chart_fields import CHART_HINTS
from .releases import NEWEST, ModelOperator
from .spec import API_VERSION, KIND
from .status_schema import STATUS

ACCELERATORS = ("nvidia", "amd", "intel-gaudi", "google", "cpu")
FAILURE_MODES = ("FailOpen", "FailClose")


def _port(description: str, default: int) -> Integer:
    return Integer(description=description, default=default, minimum=1, maximum=65535)


def _parallel(description: str) -> Integer:
    return Integer(description=description, default=1, minimum=1)


MODEL = Object(
    description="The model that is served. Its weights are unpacked from an OCI artefact before the engine starts.",
    fields={
        "name": Text(
            description="The name that clients send as `model`. Free text, slashes and capitals allowed.",
            min_length=1,
            max_length=253,
        ),
        "image": Text(
            description="The OCI artefact with the weights, as for `kit unpack`.",
            min_length=1,
        ),
        "mountPath": Text(
            description="Absolute path of the weights in the engine container.", default="/models"
        ),
        "imagePullSecrets": ListOf(
            description="Secrets for pulling images. Only the first one is used to fetch the weights.",
            items=Object(
                fields={
                    "name": Text(description="Name of a Secret in the same namespace.", default="")
                },
                atomic=True,
            ),
        ),
    },
    required=("image", "name"),
)

ENGINE = Object(
    description="The vLLM server that both roles run.",
    fields={
        "image": Text(description="Engine image. By default, the setting `images.engine`."),
        "imagePullPolicy": Text(
            description="`Always`, `IfNotPresent` or `Never`. By default, the kubelet decides by the image's tag."
        ),
        "args": ListOf(
            description="More arguments for `vllm serve`, after those that follow from this object. One word per item.",
            items=Text(),
        ),
        "env": ListOf(
            description="Environment of the engine, after TP_SIZE, DP_SIZE and DP_SIZE_LOCAL.",
            items=ENV_VAR,
            title="name",
        ),
        "port": _port("Port for requests: the pool's target port.", 8000),
    },
    hints={
        "replicas": "it belongs in spec.decode.replicas and spec.prefill.replicas",
        "resources": "it belongs in spec.decode.resources and spec.prefill.resources",
    },
)

ACCELERATOR = Object(
    description="The devices on which both roles run.",
    fields={
        "type": Text(
            description="Vendor, which decides the device resource; `cpu` requests none. "
            "Devices per pod are tensor times dataLocal.",
            enum=ACCELERATORS,
        )
    },
    required=("type",),
)

PARALLELISM = Object(
    description="How the model is spread.",
    fields={
        "tensor": _parallel("Devices over which each layer is split."),
        "data": _parallel("Copies of the model that work as one server. It requests no devices."),
        "dataLocal": _parallel(
            "Copies of the model in one pod; multiplies the devices of the pod."
        ),
    },
)

ROUTING_PROXY = Object(
    description="The sidecar of decode pods that has prompts prefilled elsewhere. Needed with `spec.prefill`.",
    fields={
        "image": Text(description="Proxy image. By default, the setting `images.routing_proxy`."),
        "connector": Text(
            description="How the KV cache travels: `nixlv2`, `shared-storage` or `sglang`.",
            default="nixlv2",
        ),
        "targetPort": _port(
            "Port of the engine behind the proxy; the proxy takes `spec.engine.port`.", 8200
        ),
        "zapEncoder": Text(description="Format of the proxy's log: `json` or `console`."),
        "zapLogLevel": Text(description="Level of the proxy's log."),
        "secureProxy": Boolean(
            description="Whether the proxy serves TLS. Release 0.9.0-alpha.2 does by default."
        ),
        "prefillerUseTLS": Boolean(description="Whether the proxy calls prefill pods with TLS."),
        "certPath": Text(
            description="Folder with the proxy's certificate. Nothing is mounted there."
        ),
    },
)

INFERENCE_POOL = Object(
    description="The InferencePool and its endpoint picker. By default, a pool with defaults and FailClose is created.",
    fields={
        "endpointPicker": Object(
            description="The picker that chooses a pod for each request.",
            fields={
                "image": Text(
                    description="Picker image. By default, the setting `images.endpoint_picker`."
                ),
                "replicas": Integer(
                    description="Picker pods. With more than one, a leader is elected and only it is ready.",
                    default=1,
                    minimum=0,
                ),
                "resources": resources(
                    "Resources of the picker. Without requests and limits: requests of 4 CPU and 8Gi, "
                    "memory limit of 16Gi."
                ),
                "port": _port(
                    "gRPC port of the picker. 9003 and 9090 are taken by health and metrics.", 9002
                ),
                "failureMode": Text(
                    description="What the gateway does when the picker does not answer: send anywhere or fail.",
                    default="FailOpen",
                    enum=FAILURE_MODES,
                ),
            },
        )
    },
    required=("endpointPicker",),
)

HTTP_ROUTE = Object(
    description="The route to the pool. By default, a route to the Gateway of the setting `gateway_name` is created.",
    fields={
        "gatewayRef": Object(
            description="The Gateway of the route.",
            fields={
                "name": Text(description="Name of the Gateway.", min_length=1),
                "namespace": Text(
                    description="Namespace of the Gateway; by default the service's own."
                ),
            },
            required=("name",),
        ),
        "hostnames": ListOf(
            description="Host names of the route, at most 16, `*.` in front for a wildcard. By default all.",
            items=Text(keep_empty=True),
        ),
    },
    required=("gatewayRef",),
)

MONITORING = Object(
    description="Scraping by the Prometheus operator.",
    fields={
        "podMonitor": Object(
            description="PodMonitors for the engine pods; with an explicit pool also a ServiceMonitor for the picker.",
            fields={
                "enabled": Boolean(
                    description="Whether monitors are created. Release 1.0.1 creates them if `podMonitor` is absent.",
                    default=False,
                ),
                "portName": Text(
                    description="Name of the scraped port; the engine's is `http`.", default="http"
                ),
                "path": Text(description="Path of the metrics.", default="/metrics"),
                "interval": Text(
                    description="Time between two scrapes, a Prometheus duration.", default="30s"
                ),
            },
        )
    },
)


def _role(what: str) -> Object:
    fields: dict[str, Schema] = {
        "replicas": Integer(
            description="Pods. By default one is created, and a number that an autoscaler sets later is kept.",
            default=1,
            minimum=0,
        ),
        "parallelism": PARALLELISM,
        "resources": resources(
            "Resources of the engine; the devices are added from `parallelism`."
        ),
        "nodeSelector": string_map("Labels that a node must have."),
        "tolerations": ListOf(description="Taints that the pods tolerate.", items=TOLERATION),
        "annotations": replace(
            string_map("Annotations of the pods of this role."), since=ModelOperator.V1_0_1
        ),
    }
    hints = {
        "image": "it belongs in spec.engine.image, for both roles",
        "args": "it belongs in spec.engine.args, for both roles",
        "env": "it belongs in spec.engine.env, for both roles",
        "affinity": "this kind has nodeSelector and tolerations only",
        "tensor": "did you mean parallelism.tensor?",
        "data": "did you mean parallelism.data?",
        "dataLocal": "did you mean parallelism.dataLocal?",
    }
    return Object(description=what, fields=fields, hints=hints)


@cache
def spec_schema(release: ModelOperator) -> Object:
    """Return the schema of `spec` for a release."""
    spec = Object(
        description="What is wanted.",
        fields={
            "model": MODEL,
            "engine": ENGINE,
            "accelerator": ACCELERATOR,
            "decode": _role("The pods that answer requests."),
            "prefill": _role(
                "The pods that only read prompts. Its presence, also as `{}`, splits the work."
            ),
            "routingProxy": ROUTING_PROXY,
            "inferencePool": INFERENCE_POOL,
            "httpRoute": HTTP_ROUTE,
            "monitoring": MONITORING,
        },
        hints=CHART_HINTS,
        required=("accelerator", "decode", "engine", "model"),
    )
    return at_release(spec, release, NEWEST)


@cache
def root_schema(release: ModelOperator) -> Object:
    """Return the schema of the whole custom resource for a release, as its CRD shows it."""
    return custom_resource(
        "A model served by vLLM behind an inference gateway.",
        API_VERSION,
        KIND,
        spec_schema(release),
        STATUS,
        required=("spec",),
    )


def documentation(release: ModelOperator) -> tuple[Row, ...]:
    """Return every field below `spec` in order, for the documentation table."""
    return tuple(rows(spec_schema(release), "spec"))
