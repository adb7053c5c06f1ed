# SPDX-License-Identifier: GPL-3.0-or-later
"""The init container that fetches a model into a volume. Source: KServe pkg/controller/v1alpha2/llmisvc/workload_storage.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ....kube.manifest import Json
from ....kube.pod_merge_keys import CONTAINER, as_go_writes
from ....kube.reader import Reader
from ....kube.reference import Reference
from ....kube.release import Since, change
from ....kube.strategic_merge import MergeError, merge
from ...kserve.confidential import asked_key, with_key
from ...kserve.pod import (
    appended,
    container_of,
    mounted,
    variable_of,
    with_value,
    with_volume,
    without,
)
from ...kserve.releases import KServe
from ...kserve.storage.ca_bundle import ca_bundle_of, with_ca_bundle
from ...kserve.storage.credentials import SecretMissing, with_credentials
from ...kserve.storage.initializer import MODEL_PATH, NAME, VOLUME, common_folder, initializer
from ...kserve.storage.target import Target, in_pod
from ..resolved import Resolved
from .errors import ArtifactError
from .place import Place


@dataclass(frozen=True, slots=True)
class _Facts:
    """replaces_given: a container of that name in a template goes first. merges_given: what it says is kept, but for what it does.

    variables: of one that fetches from Hugging Face, name → value."""

    replaces_given: bool = False
    merges_given: bool = False
    variables: Mapping[str, str] = field(default_factory=dict, hash=False)


_FACTS: Since[_Facts] = Since(
    {
        KServe.V0_17: _Facts(),
        KServe.V0_18: change(
            variables={
                "HF_HUB_ENABLE_HF_TRANSFER": "1",
                "HF_XET_HIGH_PERFORMANCE": "1",
                "HF_XET_NUM_CONCURRENT_RANGE_GETS": "8",
            }
        ),
        KServe.V0_19: change(replaces_given=True),
        KServe.V0_20: change(merges_given=True),
    }
)


def with_storage_initializer(
    pod: Json, uri: str, resolved: Resolved, reader: Reader, account: Json | None, place: Place
) -> Json:
    """Return a pod spec that fetches its model. account: the live ServiceAccount, None for `default`. Raises ArtifactError."""
    facts = _FACTS.at(resolved.settings.release)
    volume = {"name": VOLUME, "emptyDir": {}}
    given = container_of(pod, NAME, "initContainers") if facts.merges_given else None
    if facts.replaces_given:
        pod = without(pod, NAME, "initContainers")
    mount = {**_mount(), "mountPath": place.path, "readOnly": True}
    pod = mounted(pod, place.container, volume, mount)
    # There may be no server to mount it: the fetching continues all the same, as with the controller.
    pod = with_volume(pod, volume)
    key = asked_key(resolved.at("model", "confidential"))
    container = _fetching([uri, MODEL_PATH], given, resolved, _mount(), key)
    target = _with_credentials(Target(container, tuple(pod["volumes"])), resolved, reader, account)
    if uri.startswith("s3://"):
        at_home = resolved.namespace == resolved.settings.kserve_namespace
        bundle = ca_bundle_of(target.container, resolved.config.storage, kserve_namespace=at_home)
        target = with_ca_bundle(target, bundle)
    variables = {**(facts.variables if uri.startswith("hf://") else {})}
    target = _with_variables(target, variables | place.fetch_variables)
    return appended(in_pod(pod, target), "initContainers", target.container)


def with_several_fetched(
    pod: Json,
    fetched: Sequence[tuple[str, str]],
    resolved: Resolved,
    reader: Reader,
    account: Json | None,
    place: Place,
) -> Json:
    """Return a pod spec that fetches several things at once, each into a folder. fetched: address and folder. Raises ArtifactError."""
    facts = _FACTS.at(resolved.settings.release)
    given = container_of(pod, NAME, "initContainers") if facts.merges_given else None
    pod = without(pod, NAME, "initContainers")
    folder = common_folder([path for dummy, path in fetched])
    volume, mount = {"name": VOLUME, "emptyDir": {}}, {"name": VOLUME, "mountPath": folder}
    pod = mounted(pod, place.container, volume, {**mount, "readOnly": True})
    pod = with_volume(pod, volume)
    args = [word for pair in fetched for word in pair]
    container = _fetching(args, given, resolved, mount)
    target = _with_credentials(Target(container, tuple(pod["volumes"])), resolved, reader, account)
    if any(uri.startswith("hf://") for uri, dummy in fetched):
        target = _with_variables(target, facts.variables)
    at_home = resolved.namespace == resolved.settings.kserve_namespace
    bundle = ca_bundle_of(target.container, resolved.config.storage, kserve_namespace=at_home)
    target = with_ca_bundle(target, bundle)
    return appended(in_pod(pod, target), "initContainers", target.container)


def without_given(pod: Json, release: KServe) -> Json:
    """Return the pod of a service that fetches nothing, without the container that its author meant to change."""
    return without(pod, NAME, "initContainers") if _FACTS.at(release).merges_given else pod


def _fetching(
    args: list[str], given: Json | None, resolved: Resolved, mount: Json, key: str | None = None
) -> Json:
    """Return the container with its mount. given: what its author says of it, which may change all but what it does.

    key: of an encrypted model, None for another one.
    """
    container = with_key(initializer(args, resolved.config.storage), key)
    if given is not None:
        try:
            merged = merge(container, as_go_writes(given), CONTAINER)
        except MergeError as error:
            raise ArtifactError(
                f"failed to merge user storage-initializer customizations: {error}",
                "spec.template.initContainers",
                "give each item of its lists its key",
            ) from None
        merged = {key: value for key, value in merged.items() if key != "command"}
        container = {**merged, "name": NAME, "args": args}
    return appended(container, "volumeMounts", mount)


def _with_variables(target: Target, variables: Mapping[str, str]) -> Target:
    """Return a container with variables that it does not have yet."""
    container = target.container
    for name, value in variables.items():
        if variable_of(container, name) is None:
            container = with_value(container, name, value)
    return Target(container, target.volumes)


def _mount() -> Json:
    return {"name": VOLUME, "mountPath": MODEL_PATH}


def _with_credentials(
    target: Target, resolved: Resolved, reader: Reader, account: Json | None
) -> Target:
    """Return the container with the credentials of an account. Raises ArtifactError where a Secret is proved missing."""
    of_default = account is None
    if account is None:
        account = reader.get(Reference("v1", "ServiceAccount", resolved.namespace, "default"))
    if account is None and reader.complete:
        return target
    # Each namespace has this account; one that is not given has no Secrets, and an annotation of the service may name one.
    account = account or {}
    config = resolved.config.credentials
    annotations = resolved.service.annotations
    try:
        return with_credentials(
            target,
            account,
            annotations,
            config,
            resolved.namespace,
            reader,
            release=resolved.settings.release,
        )
    except SecretMissing as missing:
        named = missing.by_annotation
        raise ArtifactError(
            f'secrets "{missing.name}" not found',
            "metadata.annotations" if named else "spec.template.serviceAccountName",
            f"create Secret {resolved.namespace}/{missing.name}, or do not name it"
            + (f" in {config.secret_annotation}" if named else ""),
            of_default_account=of_default and not named,
        ) from None
