# SPDX-License-Identifier: GPL-3.0-or-later
"""What others do to an object of ours: each deed writes to the cluster and returns the object as it then is.

A deed that the API server refuses raises ApiError; nothing was changed then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from module_utils.engine import FIELD_MANAGER, INTENT_ANNOTATION, PREFIX
from module_utils.engine.desired import Desired
from tests.lab.client import Client

from .edits import EDITS, copy

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scene:
    """An object of ours in a cluster. live: as it is now."""

    client: Client
    random: Random
    desired: Desired
    uid: str
    live: Json

    def put(self, changed: Json, manager: str = "kubectl-edit") -> Json:
        """Replace the object."""
        answer: Json = self.client.request(
            "PUT", self.path, query={"fieldManager": manager}, body=changed
        )
        return answer

    def put_without_trace(self, changed: Json) -> Json:
        """Replace the object as admission does: nobody is recorded for it."""
        records = copy(self.live["metadata"].get("managedFields") or [{}])
        stored = self.put(changed)
        stored["metadata"]["managedFields"] = records
        return self.put(stored)

    def apply(self, manifest: Json, manager: str) -> Json:
        """Apply as somebody else, taking every conflict."""
        return self.client.apply(manifest, manager=manager)

    @property
    def path(self) -> str:
        """The object's URL path."""
        wanted = self.desired.reference
        return self.client.path(wanted.api_version, wanted.kind, wanted.namespace, wanted.name)


Deed = Callable[[Scene], Json]


def edit(name: str, *, traced: bool) -> Deed:
    """Return the deed of changing something in the live object, with or without a trace in its managed fields."""

    def act(scene: Scene) -> Json:
        changed = EDITS[name](scene.random, scene.live)
        return scene.put(changed) if traced else scene.put_without_trace(changed)

    return act


def co_own(scene: Scene) -> Json:
    """Apply what we applied."""
    return scene.apply(scene.desired.manifest(scene.uid), "co-owner")


def take(scene: Scene) -> Json:
    """Apply what we applied with something of it changed, by force."""
    edited = EDITS[scene.random.choice(["vary", "drop", "reorder", "extend", "empty"])]
    return scene.apply(edited(scene.random, scene.desired.manifest(scene.uid)), "taker")


def withdraw(scene: Scene) -> Json:
    """Apply nothing any more as one who had applied."""
    manager = scene.random.choice(["co-owner", "taker"])
    return scene.apply(scene.desired.reference.to_manifest(), manager)


def wipe(scene: Scene) -> Json:
    """Wipe the managed fields."""
    changed = copy(scene.live)
    changed["metadata"]["managedFields"] = [{}]
    return scene.put(changed)


def forge(scene: Scene) -> Json:
    """Change our own record."""
    changed = copy(scene.live)
    entries = changed["metadata"].get("managedFields") or []
    ours = [entry for entry in entries if entry["manager"] == FIELD_MANAGER]
    if not ours:
        return wipe(scene)
    entry = scene.random.choice(ours)
    what = scene.random.choice(["lose", "lose", "lose", "rename", "operation", "drop"])
    if what == "lose":
        _lose(scene.random, entry["fieldsV1"])
    elif what == "rename":
        entry["manager"] = "renamed"
    elif what == "operation":
        entry["operation"] = "Update"
    else:
        entries.remove(entry)
    return scene.put(changed)


def _lose(random: Random, fields: Json) -> None:
    """Take fields out of a record, and what holds nothing else then, as the server does."""
    step = random.choice(sorted(fields))
    if fields[step] and random.random() < 0.8:
        _lose(random, fields[step])
    if not fields[step] or random.random() < 0.2:
        del fields[step]


#: Kinds that are served at an older version too.
OLDER = {"gateway.networking.k8s.io/v1": "gateway.networking.k8s.io/v1beta1"}


def older_version(scene: Scene) -> Json:
    """Let our record be of an older version of the kind."""
    changed = copy(scene.live)
    for entry in changed["metadata"].get("managedFields") or []:
        if entry["manager"] == FIELD_MANAGER and not entry.get("subresource"):
            entry["apiVersion"] = OLDER.get(entry["apiVersion"], entry["apiVersion"])
    return scene.put(changed)


def restore(scene: Scene) -> Json:
    """Delete the object and create it again from a copy, as a backup tool does."""
    copied = copy(scene.live)
    copied.pop("status", None)
    for name in ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"):
        copied["metadata"].pop(name, None)
    if scene.desired.reference.kind == "Service":
        for name in ("clusterIP", "clusterIPs"):
            copied["spec"].pop(name, None)
    scene.client.delete(scene.live)
    scene.client.wait_for(scene.live, lambda found: found is None)
    return scene.client.create(copied, fieldManager="backup")


def lose_annotations(scene: Scene) -> Json:
    """Take our annotations away."""
    changed = copy(scene.live)
    annotations = changed["metadata"].get("annotations") or {}
    for name in [*annotations]:
        if name.startswith(PREFIX) and scene.random.random() < 0.6:
            del annotations[name]
    if scene.random.random() < 0.5:
        return scene.put(changed)
    return scene.put_without_trace(changed)


def old_hash(scene: Scene) -> Json:
    """Put the hash of another intent into the annotation."""
    changed = copy(scene.live)
    changed["metadata"].setdefault("annotations", {})[INTENT_ANNOTATION] = "0" * 64
    return scene.put_without_trace(changed)


def own(scene: Scene) -> Json:
    """Add, change or take away an owner reference."""
    changed = copy(scene.live)
    owners = changed["metadata"].get("ownerReferences") or []
    what = scene.random.choice(["add", "flag", "clear"])
    if what == "add" or not owners:
        owners = [*owners, {"apiVersion": "v1", "kind": "Namespace", "name": "x", "uid": "x"}]
    elif what == "flag":
        owners[0]["blockOwnerDeletion"] = not owners[0].get("blockOwnerDeletion")
    else:
        owners = []
    changed["metadata"]["ownerReferences"] = owners
    return scene.put(changed) if scene.random.random() < 0.5 else scene.put_without_trace(changed)


def report(scene: Scene) -> Json:
    """Write a status, where the kind has one."""
    status = {"observedGeneration": scene.random.randrange(9)}
    body = {"status": status}
    answer: Json = scene.client.request(
        "PATCH", f"{scene.path}/status", body=body, content_type="application/merge-patch+json"
    )
    return answer


def annotate(scene: Scene) -> Json:
    """Add a label and an annotation."""
    added = {"example.com/theirs": f"x{scene.random.randrange(9)}"}
    return scene.client.patch(scene.live, {"metadata": {"labels": added, "annotations": added}})


def nothing(scene: Scene) -> Json:
    """Leave the object alone."""
    return scene.live


DEEDS: dict[str, Deed] = {
    "nothing": nothing,
    **{f"update: {name}": edit(name, traced=True) for name in EDITS},
    **{f"no trace: {name}": edit(name, traced=False) for name in EDITS},
    "apply: co-owner": co_own,
    "apply: by force": take,
    "apply: withdrawn": withdraw,
    "managed fields: wiped": wipe,
    "managed fields: forged": forge,
    "managed fields: older version": older_version,
    "restored from a copy": restore,
    "annotations: lost": lose_annotations,
    "annotations: other hash": old_hash,
    "owners": own,
    "status": report,
    "labels": annotate,
}
