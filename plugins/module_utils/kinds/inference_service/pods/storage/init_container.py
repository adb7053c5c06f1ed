# SPDX-License-Identifier: GPL-3.0-or-later
"""The init container that fetches models, with all that it needs. Source: KServe pkg/webhook/admission/pod/storage_initializer_injector.go@v0.17.0."""

from __future__ import annotations

from .....kube.manifest import Json
from .....kube.pod_merge_keys import CONTAINER, as_go_writes
from .....kube.reference import Reference
from .....kube.strategic_merge import MergeError, merge
from ....kserve.confidential import with_key
from ....kserve.container_merge import with_one_value_each
from ....kserve.pod import appended, variable_of
from ....kserve.releases import KServe
from ....kserve.storage.ca_bundle import ca_bundle_of, with_ca_bundle
from ....kserve.storage.credentials import SecretMissing, with_credentials
from ....kserve.storage.initializer import initializer
from ....kserve.storage.refused import StorageRefused
from ....kserve.storage.spec_secret import with_storage_spec
from ....kserve.storage.target import Target, in_pod
from ..annotations import CONFIDENTIAL, CONFIDENTIAL_KEY
from .context import Surroundings

_DEFAULT_ACCOUNT = "default"
#: How Hugging Face's client fetches fast, where nobody says otherwise.
_FAST = {
    "HF_HUB_ENABLE_HF_TRANSFER": "1",
    "HF_XET_HIGH_PERFORMANCE": "1",
    "HF_XET_NUM_CONCURRENT_RANGE_GETS": "8",
}


def with_init_container(
    pod: Json, args: list[str], mount: Json, storage_container: Json | None, around: Surroundings
) -> Json:
    """Return a pod spec that fetches models.

    args: address and folder, once for each model. mount: where it writes them.
    storage_container: what a ClusterStorageContainer says instead. Raises StorageRefused.
    """
    container = {**initializer(args, around.config.storage), "volumeMounts": [mount]}
    target = _with_credentials(Target(container, tuple(pod.get("volumes") or ())), pod, around)
    at_home = around.namespace == around.kserve_namespace
    bundle = ca_bundle_of(target.container, around.config.storage, kserve_namespace=at_home)
    container = _customised(target.container, storage_container, around.release)
    target = with_ca_bundle(Target(container, target.volumes), bundle)
    missing = {key: value for key, value in _FAST.items() if not variable_of(target.container, key)}
    target = target.with_env(*({"name": key, "value": value} for key, value in missing.items()))
    encrypted = around.annotations.get(CONFIDENTIAL) == "true"
    key = around.annotations.get(CONFIDENTIAL_KEY, "") if encrypted else None
    return appended(in_pod(pod, target), "initContainers", with_key(target.container, key))


def _with_credentials(target: Target, pod: Json, around: Surroundings) -> Target:
    if around.storage is not None:
        return with_storage_spec(
            target,
            around.storage,
            around.annotations,
            around.config.credentials,
            around.namespace,
            around.reader,
        )
    return account_credentials(target, str(pod.get("serviceAccountName") or ""), around)


def account_credentials(target: Target, account: str, around: Surroundings) -> Target:
    """Return a container with the credentials of an account; an account that is not there has none. Raises StorageRefused.

    Each namespace has an account `default`, and what cannot be looked at is taken to be there.
    """
    reference = Reference("v1", "ServiceAccount", around.namespace, account or _DEFAULT_ACCOUNT)
    found = around.reader.get(reference)
    if found is None and around.reader.complete and reference.name != _DEFAULT_ACCOUNT:
        return target
    config = around.config.credentials
    try:
        return with_credentials(
            target,
            found or {},
            around.annotations,
            config,
            around.namespace,
            around.reader,
            release=around.release,
            by_reference=around.template,
        )
    except SecretMissing as missing:
        named = missing.by_annotation
        raise StorageRefused(
            f'secrets "{missing.name}" not found',
            "annotations" if named else "serviceAccountName",
            f"create Secret {around.namespace}/{missing.name}, or do not name it in "
            + (config.secret_annotation if named else f"ServiceAccount {reference.name}"),
        ) from None


def _customised(container: Json, storage_container: Json | None, release: KServe) -> Json:
    """Return the container with what a ClusterStorageContainer says."""
    over = as_go_writes((storage_container or {}).get("container") or {})
    try:
        return with_one_value_each(merge(container, over, CONTAINER), over, release)
    except MergeError as error:
        raise StorageRefused(
            str(error), "storageUri", "correct the lists of the ClusterStorageContainer"
        ) from None
