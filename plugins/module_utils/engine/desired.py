# SPDX-License-Identifier: GPL-3.0-or-later
"""A child as it is applied: the manifest of its service plus what marks it as ours, held as canonical bytes."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from ..kube.canonical import canonical_json, digest
from ..kube.intent import Child, Stage
from ..kube.manifest import FieldPath, Json, put_at, take_at
from ..kube.reference import Reference
from . import (
    FLEET_LABEL,
    INTENT_ANNOTATION,
    OWNER_ANNOTATION,
    SETTLED_ANNOTATION,
    TAKEN_BACK_ANNOTATION,
)

#: Where it stands what was taken back from whom, and how the object looks where it never looks as it was sent: beside the intent.
TAKEN_BACK: FieldPath = ("metadata", "annotations", TAKEN_BACK_ANNOTATION)
SETTLED: FieldPath = ("metadata", "annotations", SETTLED_ANNOTATION)
#: The owner's uid in a dry run of a child whose parent does not exist yet.
PLACEHOLDER_UID = "00000000-0000-0000-0000-000000000000"


def owner_value(service: Reference) -> str:
    """Return the owner annotation's value, `<kind>/<namespace>/<name>`."""
    return f"{service.kind}/{service.namespace}/{service.name}"


@dataclass(frozen=True, slots=True)
class Desired:
    """One object to apply.

    body: canonical JSON with our label and owner annotation, without unclaimed fields, owner references and intent hash. 15,000
    manifests as dicts take over 100 MB, as bytes a third of that; they are parsed when they are needed.
    unclaimed: fields and values that are sent on create only.
    parent: apiVersion, kind and name for the owner reference, None where the object has none (other namespace, cluster scope).
    """

    reference: Reference
    service: Reference
    stage: Stage
    body: bytes
    digest: str
    unclaimed: dict[FieldPath, Any]
    parent: Reference | None

    def manifest(self, owner_uid: str, *, create: bool = False) -> Json:
        """Return the object as it is sent. create: with the unclaimed fields."""
        manifest: Json = json.loads(self.body)
        metadata = manifest["metadata"]
        metadata["annotations"][INTENT_ANNOTATION] = self.digest
        if self.parent is not None:
            metadata["ownerReferences"] = [owner_reference(self.parent, owner_uid)]
        if create:
            for path, value in self.unclaimed.items():
                put_at(manifest, path, value)
        return manifest


def owner_reference(parent: Reference, uid: str) -> Json:
    """Return the reference by which the garbage collector and other controllers know the parent."""
    return {
        "apiVersion": parent.api_version,
        "kind": parent.kind,
        "name": parent.name,
        "uid": uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def marked(manifest: Json, service: Reference, fleet: str) -> Json:
    """Return a copy of a manifest with our label and owner annotation."""
    copy = deepcopy(manifest)
    metadata = copy["metadata"]
    metadata["labels"] = {**(metadata.get("labels") or {}), FLEET_LABEL: fleet}
    metadata["annotations"] = {
        **(metadata.get("annotations") or {}),
        OWNER_ANNOTATION: owner_value(service),
    }
    return copy


def desired(child: Child, service: Reference, fleet: str, parent: Reference) -> Desired:
    """Return a child as it is applied for a fleet."""
    manifest = marked(child.manifest.to_dict(), service, fleet)
    unclaimed = {
        path: value for path in child.unclaimed if (value := take_at(manifest, path)) is not None
    }
    body = canonical_json(manifest)
    return Desired(
        reference=child.manifest.reference,
        service=service,
        stage=child.stage,
        body=body,
        digest=digest(body),
        unclaimed=unclaimed,
        parent=parent if child.manifest.namespace == parent.namespace else None,
    )
