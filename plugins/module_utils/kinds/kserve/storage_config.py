# SPDX-License-Identifier: GPL-3.0-or-later
"""What `inferenceservice-config` says about models and their credentials. Source: KServe pkg/apis/serving/v1beta1/configmap.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Storage:
    """How models get into pods. Amounts are quantities as text.

    uid_modelcar: user of the model container; None leaves it to the image.
    enable_images, image_mode: whether and how models in images are read, of which only later releases know. insecure_registry: whether
    images are fetched from registries without TLS.
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
    enable_images: bool = False
    image_mode: str = ""
    insecure_registry: bool = False


@dataclass(frozen=True, slots=True)
class Credentials:
    """Where storage credentials are found.

    secret_annotation: annotation of a service that names its Secret; empty for none. s3: defaults of S3 endpoints, as configured.
    spec_secret: Secret that a `storage` part of a service speaks of; empty for KServe's own default.
    """

    secret_annotation: str = ""
    gcs_file: str = ""
    s3: Mapping[str, str] = field(default_factory=dict)
    spec_secret: str = ""
