# SPDX-License-Identifier: GPL-3.0-or-later
"""The ConfigMap that holds a picker's configuration, and the Deployment that has to notice that it changed."""

from __future__ import annotations

from dataclasses import dataclass

from ..cluster.connection import Cluster
from ..engine import OWNER_ANNOTATION, PREFIX
from ..kube import managed_fields
from ..kube.manifest import Json
from ..kube.problem import InputError
from ..kube.reference import Reference

#: The field manager of both; it owns one key, and one annotation.
MANAGER = "modelops.inference.epp"
#: On the pod template of the picker: the hash of the configuration that its pods have read.
ANNOTATION = f"{PREFIX}epp-config"


@dataclass(frozen=True, slots=True)
class Stored:
    """changed: whether a write was needed. before: the text that was there, empty for none."""

    changed: bool
    before: str


def config_map(namespace: str, name: str) -> Reference:
    """Return the name of a ConfigMap."""
    return Reference("v1", "ConfigMap", namespace, name)


def text_of(live: Json | None, key: str) -> str:
    """Return what a ConfigMap holds under a key, empty for nothing."""
    return str(((live or {}).get("data") or {}).get(key, ""))


def store(
    cluster: Cluster, reference: Reference, key: str, text: str, *, force: bool, dry_run: bool
) -> Stored:
    """Put a text into a ConfigMap; what others keep there stays. Raises InputError and ClusterError."""
    live = cluster.get(reference)
    refuse_service(live, reference)
    before = text_of(live, key)
    if live is not None and key in (live.get("data") or {}) and before == text:
        return Stored(False, before)
    data = {**_ours(live), key: text}
    cluster.apply(_manifest(reference, data=data), manager=MANAGER, force=force, dry_run=dry_run)
    return Stored(True, before)


def remove(cluster: Cluster, reference: Reference, key: str, *, dry_run: bool) -> Stored:
    """Remove a key; the ConfigMap too, where it holds nothing else. Raises InputError and ClusterError."""
    live = cluster.get(reference)
    if live is None or key not in (live.get("data") or {}):
        return Stored(False, "")
    refuse_service(live, reference)
    metadata = live["metadata"]
    if set(live["data"]) == {key} and not live.get("binaryData"):
        cluster.delete(
            reference,
            uid=metadata["uid"],
            resource_version=metadata["resourceVersion"],
            dry_run=dry_run,
        )
    else:
        body = {"metadata": {"resourceVersion": metadata["resourceVersion"]}, "data": {key: None}}
        cluster.patch(reference, body, kind="merge", dry_run=dry_run)
    return Stored(True, text_of(live, key))


def restart(
    cluster: Cluster, live: Json, reference: Reference, value: str, *, dry_run: bool
) -> bool:
    """Note the hash on the pod template of a Deployment, which restarts its pods; return whether it was another one."""
    template = (live["spec"].get("template") or {}).get("metadata") or {}
    if (template.get("annotations") or {}).get(ANNOTATION) == value:
        return False
    spec = {"template": {"metadata": {"annotations": {ANNOTATION: value}}}}
    # Nobody else writes this annotation for a reason; a restored or copied Deployment may carry an old one.
    cluster.apply(_manifest(reference, spec=spec), manager=MANAGER, force=True, dry_run=dry_run)
    return True


def _manifest(reference: Reference, **body: Json) -> Json:
    return {
        "apiVersion": reference.api_version,
        "kind": reference.kind,
        "metadata": {"name": reference.name, "namespace": reference.namespace},
        **body,
    }


def _ours(live: Json | None) -> dict[str, str]:
    """Return the keys that earlier tasks put there: an apply without them would remove them."""
    entry = managed_fields.apply_entry(live, MANAGER) if live else None
    fields = ((entry or {}).get("fieldsV1") or {}).get("f:data") or {}
    data: dict[str, str] = (live or {}).get("data") or {}
    return {key: value for key, value in data.items() if f"f:{key}" in fields}


#: Where a service says what its picker reads, by the service's kind.
_FIELDS = {
    "LLMInferenceService": "spec.router.scheduler.config",
    "ModelService": "spec.prefill, which chooses the configuration, and spec.inferencePool.endpointPicker",
}


def refuse_service(live: Json | None, reference: Reference) -> None:
    """Raise InputError for an object that belongs to a service of ours."""
    owner = (((live or {}).get("metadata") or {}).get("annotations") or {}).get(OWNER_ANNOTATION)
    if owner:
        kind = str(owner).partition("/")[0]
        field = f": its {_FIELDS[kind]}" if kind in _FIELDS else ""
        raise InputError.single(
            "epp_config",
            "name" if reference.kind == "ConfigMap" else "restart",
            f"{reference} belongs to {owner}, which would overwrite it; change that service instead{field}",
        )
