# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading `inferenceservice-config`, with the checks and defaults of KServe's controller.

Source: KServe v0.17.0; reference/kserve-llmisvc.md §2.1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...kube.manifest import Json
from ...kube.names import check_namespace
from ...kube.quantity import canonical_quantity
from ...kube.reader import Reader
from ...kube.reference import Reference
from ..kserve.storage_config import Credentials, Storage
from .errors import Unbuildable
from .settings import Settings
from .system_config import CONFIG_MAP, Certificates, Ingress, SystemConfig

#: What KServe's default manifest holds; for clusters without KServe, which use the collection's presets.
DEFAULTS: Mapping[str, Json] = {
    "ingress": {
        "enableGatewayApi": True,
        "kserveIngressGateway": "kserve/kserve-ingress-gateway",
        "ingressGateway": "knative-serving/knative-ingress-gateway",
    },
    "storageInitializer": {
        "image": "kserve/storage-initializer:latest",
        "cpuRequest": "100m",
        "cpuLimit": "1",
        "memoryRequest": "100Mi",
        "memoryLimit": "1Gi",
        "enableModelcar": True,
        "cpuModelcar": "10m",
        "memoryModelcar": "15Mi",
        "uidModelcar": 1010,
        "caBundleVolumeMountPath": "/etc/ssl/custom-certs",
    },
    "credentials": {"storageSecretNameAnnotation": "serving.kserve.io/storageSecretName"},
}

_REQUIRED_AMOUNTS = ("cpuRequest", "cpuLimit", "memoryRequest", "memoryLimit")
_OPTIONAL_AMOUNTS = ("cpuModelcar", "memoryModelcar")
#: A gateway without a namespace is looked for where KServe is.
_GATEWAY_PARTS = 2


def read_system_config(settings: Settings, reader: Reader) -> SystemConfig:
    """Return what the ConfigMap says. Raises Unbuildable.

    Where there is none, there is no KServe, and its defaults are taken. The same goes for a part that is not there, unless the
    reader proves that it is missing: then the controller could not work either.
    """
    reference = Reference("v1", "ConfigMap", settings.kserve_namespace, CONFIG_MAP)
    found = reader.get(reference)
    by_default = found is None or not reader.complete
    data: Mapping[str, str] = (found or {}).get("data") or {}
    parts = {
        key: _part(key, data, settings, DEFAULTS.get(key, {}) if by_default else {})
        for key in ("ingress", "storageInitializer", "credentials", "scheduler")
    }
    ingress = Ingress(gateway_namespace=settings.kserve_namespace)
    return SystemConfig(
        ingress=_ingress(parts["ingress"], settings)
        if by_default or "ingress" in data
        else ingress,
        storage=_storage(parts["storageInitializer"], settings),
        credentials=_credentials(parts["credentials"]),
        certificates=_certificates(parts["scheduler"]),
    )


def _part(key: str, data: Mapping[str, str], settings: Settings, default: Json) -> Json:
    text = data.get(key)
    if text is None:
        return default
    try:
        value = json.loads(text)
    except ValueError as error:
        raise _unusable(f"unable to parse {key} config json: {error}", settings) from None
    if not isinstance(value, dict):
        raise _unusable(f"unable to parse {key} config json: it is not an object", settings)
    return value


def _ingress(part: Json, settings: Settings) -> Ingress:
    faults = _ingress_faults(part)
    if faults:
        wrong = f"failed to convert InferenceServiceConfigMap to IngressConfig: invalid ingress config - {faults[0]}"
        raise _unusable(wrong, settings)
    gateway = str(part.get("kserveIngressGateway") or "")
    parts = gateway.split("/")
    in_namespace = len(parts) == _GATEWAY_PARTS
    return Ingress(
        gateway_name=parts[1] if in_namespace else gateway,
        gateway_namespace=parts[0] if in_namespace else settings.kserve_namespace,
        url_scheme=part.get("urlScheme") or "http",
    )


def _ingress_faults(part: Json) -> list[str]:
    faults = []
    if not part.get("ingressGateway"):
        faults.append("ingressGateway is required")
    gateway = str(part.get("kserveIngressGateway") or "")
    if part.get("enableGatewayApi"):
        names = gateway.split("/")
        if not gateway:
            faults.append("kserveIngressGateway is required")
        elif len(names) != _GATEWAY_PARTS or any(check_namespace(name) for name in names):
            faults.append("kserveIngressGateway should be in the format <namespace>/<name>")
    if part.get("pathTemplate") and not part.get("ingressDomain"):
        faults.append("ingressDomain is required if pathTemplate is given")
    return faults


def _storage(part: Json, settings: Settings) -> Storage:
    required = {key: _amount(key, part, settings) for key in _REQUIRED_AMOUNTS}
    optional = {
        key: _amount(key, part, settings) if part.get(key) else "" for key in _OPTIONAL_AMOUNTS
    }
    uid = part.get("uidModelcar")
    return Storage(
        image=part.get("image") or "",
        cpu_request=required["cpuRequest"],
        cpu_limit=required["cpuLimit"],
        memory_request=required["memoryRequest"],
        memory_limit=required["memoryLimit"],
        enable_modelcar=bool(part.get("enableModelcar")),
        cpu_modelcar=optional["cpuModelcar"],
        memory_modelcar=optional["memoryModelcar"],
        uid_modelcar=uid if isinstance(uid, int) else None,
        ca_bundle_config_map=part.get("caBundleConfigMapName") or "",
        ca_bundle_mount_path=part.get("caBundleVolumeMountPath") or "",
    )


def _amount(key: str, part: Json, settings: Settings) -> str:
    try:
        return canonical_quantity(part.get(key) or "")
    except (ValueError, TypeError):
        wrong = (
            "failed to convert InferenceServiceConfigMap to StorageInitializerConfig: failed to parse resource "
            f'configuration for "storageInitializer"."{key}": quantities must match the regular expression '
            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
        )
        raise _unusable(wrong, settings) from None


def _credentials(part: Json) -> Credentials:
    s3 = part.get("s3")
    gcs = part.get("gcs")
    return Credentials(
        secret_annotation=part.get("storageSecretNameAnnotation") or "",
        gcs_file=_text(gcs, "gcsCredentialFileName"),
        s3={key: str(value) for key, value in (s3 or {}).items()},
    )


def _text(part: Any, key: str) -> str:
    return str(part.get(key) or "") if isinstance(part, dict) else ""


def _certificates(part: Json) -> Certificates:
    defaults = Certificates()
    return Certificates(
        tuple(part.get("expirationAnnotations") or defaults.expiration_annotations),
        part.get("restartAnnotation") or defaults.restart_annotation,
    )


def _unusable(message: str, settings: Settings) -> Unbuildable:
    place = f"ConfigMap {settings.kserve_namespace}/{CONFIG_MAP}"
    return Unbuildable(
        f"failed to load ingress config: {message}",
        condition="",
        reason="",
        advice=f"correct {place}",
        rule="system-config",
    )
