# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates by which the init container trusts an S3 endpoint. Source: KServe v0.17.0; reference/kserve-llmisvc.md §3.7."""

from __future__ import annotations

from posixpath import dirname

from ....kube.manifest import Json
from ..resolved import Resolved
from .init_container import init_env, with_env, with_mount

GLOBAL_CONFIG_MAP = "global-ca-bundle"
_DEFAULT_PATH = "/etc/ssl/custom-certs"
_VOLUME = "cabundle-cert"


def with_ca_bundle(pod: Json, resolved: Resolved) -> Json:
    """Return a pod whose init container mounts the certificates, where any are configured."""
    storage = resolved.config.storage
    env = init_env(pod)
    given = {variable["name"]: variable.get("value") or "" for variable in env}
    own = given.get("AWS_CA_BUNDLE_CONFIGMAP")
    if not storage.ca_bundle_config_map and own is None:
        return pod
    name = storage.ca_bundle_config_map
    if resolved.namespace != resolved.settings.kserve_namespace:
        name = GLOBAL_CONFIG_MAP
    name = own or name
    bundle = given.get("AWS_CA_BUNDLE")
    path = dirname(bundle) if bundle else storage.ca_bundle_mount_path or _DEFAULT_PATH
    wanted = {"CA_BUNDLE_CONFIGMAP_NAME": name, "CA_BUNDLE_VOLUME_MOUNT_POINT": path}
    env += [{"name": key, "value": value} for key, value in wanted.items() if key not in given]
    volume = {"name": _VOLUME, "configMap": {"name": name}}
    return with_mount(
        with_env(pod, env), volume, {"name": _VOLUME, "mountPath": path, "readOnly": True}
    )
