# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates by which the init container trusts an S3 endpoint.

Source: KServe pkg/controller/v1alpha2/llmisvc/workload_storage.go, pkg/webhook/admission/pod/storage_initializer_injector.go@v0.17.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from posixpath import dirname

from ....kube.manifest import Json
from ..storage_config import Storage
from .target import Target

GLOBAL_CONFIG_MAP = "global-ca-bundle"
_DEFAULT_PATH = "/etc/ssl/custom-certs"
_VOLUME = "cabundle-cert"


@dataclass(frozen=True, slots=True)
class CaBundle:
    """The ConfigMap with the certificates, and the folder where they are read."""

    config_map: str
    path: str


def ca_bundle_of(container: Json, storage: Storage, *, kserve_namespace: bool) -> CaBundle | None:
    """Return the certificates that a container needs by the configuration or by its own variables, None where it needs none.

    kserve_namespace: whether its pod is in KServe's own namespace; elsewhere KServe keeps a copy.
    """
    given = {
        variable["name"]: variable.get("value") or "" for variable in container.get("env") or ()
    }
    own = given.get("AWS_CA_BUNDLE_CONFIGMAP")
    if not storage.ca_bundle_config_map and own is None:
        return None
    name = storage.ca_bundle_config_map if kserve_namespace else GLOBAL_CONFIG_MAP
    bundle = given.get("AWS_CA_BUNDLE")
    path = dirname(bundle) if bundle else storage.ca_bundle_mount_path or _DEFAULT_PATH
    return CaBundle(own or name, path)


def with_ca_bundle(target: Target, bundle: CaBundle | None) -> Target:
    """Return a container that mounts the certificates."""
    if bundle is None:
        return target
    given = {variable["name"] for variable in target.container.get("env") or ()}
    wanted = {
        "CA_BUNDLE_CONFIGMAP_NAME": bundle.config_map,
        "CA_BUNDLE_VOLUME_MOUNT_POINT": bundle.path,
    }
    variables = [{"name": key, "value": value} for key, value in wanted.items() if key not in given]
    volume = {"name": _VOLUME, "configMap": {"name": bundle.config_map}}
    return target.with_env(*variables).with_mount(volume, bundle.path)
