# SPDX-License-Identifier: GPL-3.0-or-later
"""What the ConfigMap `inferenceservice-config` says, as far as LLMInferenceService reads it.

Source: KServe pkg/controller/v1alpha2/llmisvc/config_loader.go@v0.17.0 to v0.19.0.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..kserve.storage_config import Credentials, Storage


@dataclass(frozen=True, slots=True)
class Ingress:
    """The default gateway of managed routes, and what is spoken behind it.

    url_scheme: preferred where a service has several URLs. tls: whether pods speak TLS, where the release asks.
    model_header: in which requests may name their model. model_mode: `enabled`, `forced` or `disabled`.
    """

    gateway_name: str = ""
    gateway_namespace: str = ""
    url_scheme: str = "http"
    tls: bool = False
    model_header: str = "X-Gateway-Model-Name"
    model_mode: str = "enabled"


@dataclass(frozen=True, slots=True)
class Certificates:
    """Annotations of the certificate Secret and of the pods that read it. The first expiration annotation is the one written."""

    expiration_annotations: tuple[str, ...] = ("certificates.kserve.io/expiration",)
    restart_annotation: str = "certificates.kserve.io/cert-hash"


@dataclass(frozen=True, slots=True)
class Prometheus:
    """Where KEDA reads how many pods llm-d's autoscaler wants. login_name, login_kind: KEDA's object with the credentials."""

    url: str = ""
    insecure: bool = False
    auth_modes: str = ""
    login_name: str = ""
    login_kind: str = ""


@dataclass(frozen=True, slots=True)
class SystemConfig:
    """The whole ConfigMap. local_models: whether models may be on the nodes already."""

    ingress: Ingress
    storage: Storage
    credentials: Credentials
    certificates: Certificates
    prometheus: Prometheus = Prometheus()
    local_models: bool = False
