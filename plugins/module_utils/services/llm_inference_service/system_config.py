# SPDX-License-Identifier: GPL-3.0-or-later
"""What the ConfigMap `inferenceservice-config` says, as far as LLMInferenceService reads it.

Source: KServe v0.17.0; reference/kserve-llmisvc.md §2.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

CONFIG_MAP = "inferenceservice-config"


@dataclass(frozen=True, slots=True)
class Ingress:
    """The default gateway of managed routes. url_scheme: preferred where a service has several URLs."""

    gateway_name: str = ""
    gateway_namespace: str = ""
    url_scheme: str = "http"


@dataclass(frozen=True, slots=True)
class Storage:
    """How models get into pods. Amounts are quantities as text.

    uid_modelcar: user of the model container; None leaves it to the image.
    ca_bundle_config_map: ConfigMap with the certificates of S3 endpoints; empty for none.
    """

    cpu_request: str
    cpu_limit: str
    memory_request: str
    memory_limit: str
    image: str = ""
    enable_modelcar: bool = False
    cpu_modelcar: str = ""
    memory_modelcar: str = ""
    uid_modelcar: int | None = None
    ca_bundle_config_map: str = ""
    ca_bundle_mount_path: str = ""


@dataclass(frozen=True, slots=True)
class Credentials:
    """Where storage credentials are found.

    secret_annotation: annotation of a service that names its Secret; empty for none. s3: defaults of S3 endpoints, as configured.
    """

    secret_annotation: str = ""
    gcs_file: str = ""
    s3: Mapping[str, str] = field(default_factory=dict)


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
