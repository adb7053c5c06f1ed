# SPDX-License-Identifier: GPL-3.0-or-later
"""A ModelService after defaulting, as the child builders read it.

Source: github.com/otterscale/api model/v1alpha1/modelservice_types.go@v0.9.0-beta.2, as model-operator v0.9.0-alpha.2 and v1.0.1 uses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...kube.manifest import Json
from ...kube.reference import Reference

API_VERSION = "model.otterscale.io/v1alpha1"
KIND = "ModelService"


@dataclass(frozen=True, slots=True)
class Model:
    """The weights: what clients call them, where they come from, where they are mounted."""

    name: str
    image: str
    mount_path: str
    image_pull_secrets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Engine:
    """The vLLM server that both roles run. image: None leaves it to the settings."""

    image: str | None
    image_pull_policy: str | None
    args: tuple[str, ...]
    env: tuple[Json, ...]
    port: int


@dataclass(frozen=True, slots=True)
class Role:
    """Decode or prefill. replicas: pods; None where the author left the number to an autoscaler.

    tensor, data, data_local: parallel sizes, each at least 1.
    """

    replicas: int | None
    tensor: int = 1
    data: int = 1
    data_local: int = 1
    resources: Json = field(default_factory=dict)
    node_selector: Mapping[str, str] = field(default_factory=dict)
    tolerations: tuple[Json, ...] = ()
    annotations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RoutingProxy:
    """The sidecar that sends the prefill part of a request elsewhere. The two booleans are tri-state."""

    image: str | None
    connector: str
    target_port: int
    zap_encoder: str = ""
    zap_log_level: str = ""
    secure_proxy: bool | None = None
    prefiller_use_tls: bool | None = None
    cert_path: str = ""


@dataclass(frozen=True, slots=True)
class Pool:
    """The explicit inference pool and its endpoint picker. resources: None where neither requests nor limits are given."""

    image: str | None
    replicas: int
    port: int
    failure_mode: str
    resources: Json | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """The explicit HTTPRoute. gateway_namespace: empty for the service's own."""

    gateway: str
    gateway_namespace: str = ""
    hostnames: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PodMonitor:
    """How Prometheus scrapes the model servers. interval: a Prometheus duration."""

    enabled: bool
    port_name: str
    path: str
    interval: str


@dataclass(frozen=True, slots=True)
class ModelService:
    """One service. document: the custom resource as its author wrote it, which is what gets applied."""

    document: Json
    name: str
    namespace: str
    model: Model
    engine: Engine
    accelerator: str
    decode: Role
    prefill: Role | None = None
    routing_proxy: RoutingProxy | None = None
    pool: Pool | None = None
    route: Route | None = None
    pod_monitor: PodMonitor | None = None

    @property
    def reference(self) -> Reference:
        """The name of the custom resource."""
        return Reference(API_VERSION, KIND, self.namespace, self.name)


def roles(service: ModelService) -> tuple[tuple[str, Role], ...]:
    """Return the roles that a service has, each with its field's name."""
    decode = ("decode", service.decode)
    return (decode,) if service.prefill is None else (decode, ("prefill", service.prefill))
