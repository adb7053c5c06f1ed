# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects to apply, made from recorded ones or from nothing, and live objects as an apply of ours leaves them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from module_utils.engine import FIELD_MANAGER
from module_utils.engine.desired import Desired, desired
from module_utils.kube import managed_fields
from module_utils.kube.canonical import canonical_json, digest
from module_utils.kube.intent import Child, FieldPath, Stage
from module_utils.kube.manifest import Json, Manifest
from module_utils.kube.reference import Reference

SERVICE = Reference("model.otterscale.io/v1alpha1", "ModelService", "team-a", "chat")
UID = "6ae6bf73-0000-4000-8000-000000000001"


def as_wanted(wanted: Desired) -> Json:
    """Return the body of an object to apply, to be changed."""
    body: Json = json.loads(wanted.body)
    return body


def applied(wanted: Desired, body: Json) -> Desired:
    """Return an object to apply with another body."""
    text = canonical_json(body)
    return replace(wanted, body=text, digest=digest(text))


def child(
    kind: str = "ConfigMap",
    name: str = "chat-config",
    *,
    api_version: str = "v1",
    namespace: str = "team-a",
    stage: Stage = Stage.CONFIG,
    unclaimed: tuple[FieldPath, ...] = (),
    **body: Any,
) -> Child:
    """Return a child of a service."""
    manifest = Manifest(api_version, kind, name, namespace, labels={"app": "chat"}, body=body)
    return Child(stage, manifest, unclaimed)


def wanted(made: Child, *, service: Reference = SERVICE, fleet: str = "default") -> Desired:
    """Return a child as it is applied, owned by its service."""
    return desired(made, service, fleet)


def live(made: Desired, *, manager: str = FIELD_MANAGER, uid: str = UID) -> Json:
    """Return an object as an apply of it leaves it, all lists and empty maps atomic."""
    manifest = made.manifest(uid, create=True)
    entry = {
        "manager": manager,
        "operation": "Apply",
        "apiVersion": made.reference.api_version,
        "fieldsType": "FieldsV1",
        "fieldsV1": _fields(managed_fields.tracked(manifest)),
    }
    manifest["metadata"] |= {"uid": f"uid-of-{made.reference.name}", "resourceVersion": "1"}
    manifest["metadata"]["managedFields"] = [entry]
    return manifest


def _fields(value: Any) -> Json:
    if not isinstance(value, dict):
        return {}
    fields = {f"f:{name}": _fields(inner) for name, inner in value.items()}
    owners = value.get("ownerReferences")
    if isinstance(owners, list):
        fields["f:ownerReferences"] = {
            f"k:{json.dumps({'uid': owner['uid']}, separators=(',', ':'))}": {} for owner in owners
        }
    return fields
