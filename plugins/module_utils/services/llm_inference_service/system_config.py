# SPDX-License-Identifier: GPL-3.0-or-later
"""What the ConfigMap `inferenceservice-config` says, as far as LLMInferenceService reads it.

Source: KServe v0.17.0; reference/kserve-llmisvc.md §2.1.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..kserve.storage_config import Credentials, Storage


@dataclass(frozen=True, slots=True)
class Ingress:
    """The default gateway of managed routes. url_scheme: preferred where a service has several URLs."""

    gateway_name: str = ""
    gateway_namespace: str = ""
    url_scheme: str = "http"


@dataclass(frozen=True, slots=True)
class Certificates:
    """Annotations of the certificate Secret and of the pods that read it. The first expiration annotation is the one written."""

    expiration_annotations: tuple[str, ...] = ("certificates.kserve.io/expiration",)
    restart_annotation: str = "certificates.kserve.io/cert-hash"


@dataclass(frozen=True, slots=True)
class SystemConfig:
    """The whole ConfigMap."""

    ingress: Ingress
    storage: Storage
    credentials: Credentials
    certificates: Certificates
