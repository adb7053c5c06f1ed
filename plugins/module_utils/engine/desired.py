# SPDX-License-Identifier: GPL-3.0-or-later
"""A child as it is applied: the manifest of its service plus what marks it as ours, held as canonical bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ..kube.apply_order import SetStage
from ..kube.canonical import canonical_json, digest
from ..kube.intent import Child, Stage
from ..kube.manifest import FieldPath, Json, put_at, value_at, without
from ..kube.reference import Reference
from . import (
    FIELD_MANAGER,
    FLEET_LABEL,
    INTENT_ANNOTATION,
    KINDS_ANNOTATION,
    OWNER_ANNOTATION,
    RELEASE_ANNOTATION,
    SETTLED_ANNOTATION,
    TAKEN_BACK_ANNOTATION,
)

#: Where it is what was taken back from whom, and how the object looks where it never looks as it was sent: beside the intent.
TAKEN_BACK: FieldPath = ("metadata", "annotations", TAKEN_BACK_ANNOTATION)
SETTLED: FieldPath = ("metadata", "annotations", SETTLED_ANNOTATION)
#: Annotations about how an object was made, which are no part of the intent either, and where they are.
_NOTES = (RELEASE_ANNOTATION, KINDS_ANNOTATION)
NOTES: tuple[FieldPath, ...] = tuple(("metadata", "annotations", name) for name in _NOTES)
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
    unclaimed: fields and values that are sent on create only; None where the server is to choose then, too.
    replaces: objects that are removed before it is applied.
    parent: apiVersion, kind and name for the owner reference, None where the object has none (other namespace than its own service, a set).
    manager: the field manager under which the object is applied.
    shared: whether it was there before and is others' as well, so that it never goes with what wants it.
    release: of the controller as which it is made, empty where that is not noted. kinds: of a custom resource, those of which only some
    services have children and this one has or had some; None where that is not noted.
    """

    reference: Reference
    service: Reference
    stage: Stage | SetStage
    body: bytes
    digest: str
    unclaimed: dict[FieldPath, Any]
    parent: Reference | None
    replaces: tuple[Reference, ...] = ()
    manager: str = FIELD_MANAGER
    shared: bool = False
    release: str = ""
    kinds: frozenset[str] | None = None

    @property
    def notes(self) -> dict[str, str]:
        """What is noted on it beside the intent, by annotation."""
        release = {RELEASE_ANNOTATION: self.release} if self.release else {}
        kinds = {} if self.kinds is None else {KINDS_ANNOTATION: " ".join(sorted(self.kinds))}
        return release | kinds

    def manifest(self, owner_uid: str = "", *, create: bool = False) -> Json:
        """Return the object as it is sent. create: with the unclaimed fields."""
        manifest: Json = json.loads(self.body)
        metadata = manifest["metadata"]
        metadata["annotations"] |= {INTENT_ANNOTATION: self.digest, **self.notes}
        if self.parent is not None:
            metadata["ownerReferences"] = [owner_reference(self.parent, owner_uid)]
        if create:
            for path, value in self.unclaimed.items():
                if value is not None:
                    put_at(manifest, path, value)
        return manifest

    def owned_by(self, parent: Reference) -> Desired:
        """Return the same object with its owner reference, where it has one, to another parent."""
        return self if self.parent in (None, parent) else replace(self, parent=parent)


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
    """Return a manifest with our label and owner annotation; it shares all other parts with the given one."""
    metadata = manifest["metadata"]
    labels = {**(metadata.get("labels") or {}), FLEET_LABEL: fleet}
    annotations = {**(metadata.get("annotations") or {}), OWNER_ANNOTATION: owner_value(service)}
    return {**manifest, "metadata": {**metadata, "labels": labels, "annotations": annotations}}


def desired(child: Child, service: Reference, fleet: str, release: str = "") -> Desired:
    """Return a child as it is applied for a fleet, owned by the custom resource. release: as which it is made."""
    return sealed(
        marked(child.manifest.to_dict(), service, fleet),
        service,
        child.stage,
        child.unclaimed,
        parent=service if service.namespace in ("", child.manifest.namespace) else None,
        replaces=child.replaces,
        # Services of several releases may share one.
        release="" if child.shared else release,
    )


def release_of(live: Json | None) -> str:
    """Return the release by which an object of ours says it was made, empty where it does not say so."""
    return notes_of(live).get(RELEASE_ANNOTATION, "")


def kinds_of(live: Json | None) -> frozenset[str] | None:
    """Return the kinds of which a custom resource of ours says that it has or had children, None where it does not say."""
    noted = notes_of(live).get(KINDS_ANNOTATION)
    return None if noted is None else frozenset(noted.split())


def notes_of(live: Json | None) -> dict[str, str]:
    """Return what is noted on an object of ours beside the intent."""
    annotations = (live["metadata"].get("annotations") or {}) if live else {}
    return {name: str(annotations[name]) for name in _NOTES if name in annotations}


def sealed(
    manifest: Json,
    service: Reference,
    stage: Stage | SetStage,
    unclaimed: Iterable[FieldPath] = (),
    **more: Any,
) -> Desired:
    """Return an object with its marks as it is applied. unclaimed: paths that are sent on create only. more: see `Desired`."""
    reference, held = Reference.of(manifest), {}
    for path in unclaimed:
        held[path] = value_at(manifest, path)
        manifest = without(manifest, path)
    body = canonical_json(manifest)
    return Desired(reference, service, stage, body, digest(body), held, **{"parent": None, **more})
