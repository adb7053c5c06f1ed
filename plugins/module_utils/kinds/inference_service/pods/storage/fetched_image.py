# SPDX-License-Identifier: GPL-3.0-or-later
"""Models in images that the init container fetches, as it fetches others. Source: KServe pkg/webhook/admission/pod/oci_fetch.go at aaac4e294dae."""

from __future__ import annotations

from .....kube.manifest import Json
from ....kserve.pod import appended, changed, container_of, mounted
from ....kserve.storage.ca_bundle import ca_bundle_of, with_ca_bundle
from ....kserve.storage.initializer import NAME, initializer
from ....kserve.storage.model_image import SCHEME
from ....kserve.storage.target import Target, in_pod
from .context import Surroundings

#: The init container reads here how it is let in at a registry.
_LOGIN_VOLUME, _LOGIN_PATH = "kserve-oci-fetch-docker-config", "/mnt/oci-fetch-auth"
_LOGIN, _INSECURE = "KSERVE_OCI_DOCKER_CONFIG", "KSERVE_OCI_INSECURE_REGISTRY"


def with_fetched_image(pod: Json, server: str, image: str, path: str, around: Surroundings) -> Json:
    """Return a pod spec whose server reads a model that is fetched from an image. path: where the server looks for it.

    One init container fetches all such models of a pod, with the first of its pull secrets.
    """
    wanted = [f"{SCHEME}{image}", path]
    fetcher = container_of(pod, NAME, "initContainers")
    if fetcher is None:
        pod = _with_fetcher(pod, wanted, around)
    elif wanted not in _pairs(fetcher):
        args = [*(fetcher.get("args") or ()), *wanted]
        pod = changed(pod, NAME, lambda one: {**one, "args": args}, "initContainers")
    volume: Json = {"name": path.strip("/").replace("/", "-") or "oci-fetch-model", "emptyDir": {}}
    mount = {"name": volume["name"], "mountPath": path}
    pod = mounted(pod, NAME, volume, mount, "initContainers")
    return mounted(pod, server, volume, mount)


def _with_fetcher(pod: Json, wanted: list[str], around: Surroundings) -> Json:
    storage = around.config.storage
    target = Target(initializer(wanted, storage), tuple(pod.get("volumes") or ()))
    secrets = pod.get("imagePullSecrets") or ()
    if secrets:
        item = {"key": ".dockerconfigjson", "path": "config.json"}
        secret = {"secretName": secrets[0].get("name"), "defaultMode": 0o400, "items": [item]}
        target = target.with_mount({"name": _LOGIN_VOLUME, "secret": secret}, _LOGIN_PATH)
        target = target.with_env({"name": _LOGIN, "value": f"{_LOGIN_PATH}/config.json"})
    at_home = around.namespace == around.kserve_namespace
    bundle = ca_bundle_of(target.container, storage, kserve_namespace=at_home)
    target = with_ca_bundle(target, bundle)
    if storage.insecure_registry:
        target = target.with_env({"name": _INSECURE, "value": "true"})
    return appended(in_pod(pod, target), "initContainers", target.container)


def _pairs(fetcher: Json) -> list[list[str]]:
    """Return what an init container fetches: each address with its folder."""
    args = fetcher.get("args") or []
    return [list(args[place : place + 2]) for place in range(0, len(args), 2)]
