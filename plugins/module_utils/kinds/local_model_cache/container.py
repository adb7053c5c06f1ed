# SPDX-License-Identifier: GPL-3.0-or-later
"""What fetches a model onto a node: the container of a ClusterStorageContainer for that, else KServe's own, with credentials.

Source: KServe pkg/controller/v1alpha1/localmodelnode/controller.go@v0.17.0, @v0.19.0, @v0.20.0.
"""

from __future__ import annotations

from ...kube.manifest import Json
from ...kube.problem import Problem
from ...kube.reader import Reader
from ...kube.reference import Reference
from ...kube.release import Since
from ..kserve.local_models import storage_key
from ..kserve.releases import KServe
from ..kserve.storage.containers import API_VERSION, KIND, BadPattern, takes
from ..kserve.storage.credentials import SecretMissing, with_credentials
from ..kserve.storage.refused import StorageRefused
from ..kserve.storage.spec_secret import StorageSpec, with_storage_spec
from ..kserve.storage.target import Target
from ..kserve.system_config import SystemConfig
from .resolved import Download, NodeOfGroup
from .spec import LocalModelCache

MOUNT_PATH, VOLUME_NAME = "/mnt/models", "kserve-pvc-source"
#: The name of KServe's own container, and its image.
OWN_NAME, _IMAGE = "kserve-localmodel-download", "kserve/storage-initializer:latest"
_DOWNLOAD_JOB = "localModelDownloadJob"
_DEFAULT_ACCOUNT = "default"
#: Whether the image of `storageInitializer` fetches models, or always the same one.
_CONFIGURED: Since[bool] = Since({KServe.V0_17: False, KServe.V0_18: True})
#: Whether the folder of a model is called after its address, or after the cache.
_BY_ADDRESS: Since[bool] = Since({KServe.V0_17: False, KServe.V0_18: True})


class NoContainer(Exception):
    """Nothing can fetch a model. problem: why."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(str(problem))


def download_of(
    cache: LocalModelCache,
    node: NodeOfGroup,
    config: SystemConfig,
    release: KServe,
    reader: Reader,
) -> Download:
    """Return what fetches a model onto a node. Raises NoContainer."""
    container = {**_container(cache, config, release, reader), "args": [cache.source, MOUNT_PATH]}
    target = Target({key: value for key, value in container.items() if key != "volumeMounts"})
    target = _with_credentials(target, cache, config, release, reader)
    mount = {
        "name": VOLUME_NAME,
        "mountPath": MOUNT_PATH,
        "subPath": f"models/{folder(cache, release)}",
    }
    mounts = [mount, *(target.container.get("volumeMounts") or ())]
    made = {**target.container, "volumeMounts": mounts}
    return Download(node, made, target.volumes)


def folder(cache: LocalModelCache, release: KServe) -> str:
    """Return the name of the folder in which the model of a cache is."""
    return storage_key(cache.source) if _BY_ADDRESS.at(release) else cache.name


def _container(
    cache: LocalModelCache, config: SystemConfig, release: KServe, reader: Reader
) -> Json:
    manifests = reader.list(API_VERSION, KIND, "", {})
    try:
        for manifest in sorted(manifests, key=lambda each: str(each["metadata"]["name"])):
            spec: Json = manifest.get("spec") or {}
            meant = spec.get("workloadType") == _DOWNLOAD_JOB and not manifest.get("disabled")
            if meant and takes(manifest, cache.source):
                container: Json = spec["container"]
                return container
    except BadPattern as error:
        message = f"{error.pattern} is no regular expression ({error}); correct it"
        raise NoContainer(
            Problem(f"{KIND} {error.name}", message, rule="storage-container")
        ) from None
    configured = config.storage.image if _CONFIGURED.at(release) else ""
    return {
        "name": OWN_NAME,
        "image": configured or _IMAGE,
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }


def _with_credentials(
    target: Target,
    cache: LocalModelCache,
    config: SystemConfig,
    release: KServe,
    reader: Reader,
) -> Target:
    """Return the container with the credentials of the cache: of its storage Secret, else of its account, in the namespace of the Jobs."""
    account, storage = cache.spec.get("serviceAccountName"), cache.spec.get("storage")
    place = config.local_model.job_namespace
    if storage is not None and storage.get("key") is not None:
        return _with_storage_secret(target, storage, config, place, reader)
    if not account and storage is None:
        return target
    name = account or _DEFAULT_ACCOUNT
    live = reader.get(Reference("v1", "ServiceAccount", place, name))
    if live is None:
        if reader.complete and account:
            message = (
                f"ServiceAccount {place}/{account} does not exist; create it, or name another one"
            )
            raise NoContainer(Problem("spec.serviceAccountName", message, rule="account"))
        return target
    try:
        return with_credentials(
            target, live, {}, config.credentials, place, reader, release=release
        )
    except SecretMissing as error:
        message = f"Secret {place}/{error.name}, which the account {name} names, does not exist; create it"
        raise NoContainer(Problem("spec.serviceAccountName", message, rule="account")) from None


def _with_storage_secret(
    target: Target, storage: Json, config: SystemConfig, place: str, reader: Reader
) -> Target:
    """Return the container with what the storage Secret says under the key of the cache."""
    spec = StorageSpec(storage["key"], storage.get("parameters") or {})
    try:
        return with_storage_spec(target, spec, {}, config.credentials, place, reader)
    except StorageRefused as error:
        field = f"spec.{error.field.removeprefix('model.')}"
        message = f"{error}; {error.advice}"
        raise NoContainer(Problem(field, message, rule="cache-storage")) from None
