# SPDX-License-Identifier: GPL-3.0-or-later
"""One case: what we decide about an object as it was listed, and what the API server makes of the apply, as a dry run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from module_utils.engine import FIELD_MANAGER, METADATA_ONLY
from module_utils.engine.desired import SETTLED, Desired
from module_utils.engine.noop_proof import doubt
from module_utils.engine.unstable_fields import unstable_mark
from module_utils.kube import managed_fields
from module_utils.kube.manifest import put_at, value_at
from tests.lab.client import ApiError, Client

from .edits import copy

Json = dict[str, Any]
#: proved: rightly left alone. sent: rightly sent. unsound and needless: the two mistakes. refused: by the API server.
Verdict = Literal["proved", "sent", "unsound", "needless", "refused"]


@dataclass(frozen=True, slots=True)
class Judged:
    """A case that was decided. reason: ours for sending. after: what the server would make of the object."""

    verdict: Verdict
    reason: str | None
    after: Json | str


def judge(client: Client, desired: Desired, live: Json, uid: str) -> Judged:
    """Decide, and let the server decide."""
    reason = doubt(desired, listed(live), uid)
    try:
        after = apply(client, sent(desired, live, uid), dry_run=True)
    except ApiError as error:
        return Judged("refused", reason, str(error))
    if seen(after) == seen(live):
        return Judged("proved" if reason is None else "needless", reason, after)
    return Judged("unsound" if reason is None else "sent", reason, after)


def settle(client: Client, desired: Desired, uid: str) -> Json:
    """Apply an object as the engine does, its mark included, and return it."""
    live = apply(client, desired.manifest(uid), dry_run=False)
    if doubt(desired, listed(live), uid) is None:
        return live
    mark = unstable_mark(desired, listed(live), uid)
    manifest = desired.manifest(uid)
    put_at(manifest, SETTLED, mark)
    return apply(client, manifest, dry_run=False)


def sent(desired: Desired, live: Json, uid: str) -> Json:
    """Return what an apply would send: the mark, and what nobody claims, as they are where we hold them still."""
    manifest = desired.manifest(uid)
    entry = managed_fields.apply_entry(live, FIELD_MANAGER) or {}
    for path in (SETTLED, *desired.unclaimed):
        held = value_at(live, path)
        if held is not None and managed_fields.owns(entry.get("fieldsV1") or {}, path):
            put_at(manifest, path, held)
    return manifest


def apply(client: Client, manifest: Json, *, dry_run: bool) -> Json:
    """Apply as the engine does."""
    metadata = manifest["metadata"]
    path = client.path(
        manifest["apiVersion"], manifest["kind"], metadata.get("namespace", ""), metadata["name"]
    )
    query = {"fieldManager": FIELD_MANAGER, "force": "true"}
    if dry_run:
        query["dryRun"] = "All"
    answer: Json = client.request(
        "PATCH", path, query=query, body=manifest, content_type="application/apply-patch+yaml"
    )
    return answer


def listed(live: Json) -> Json:
    """Return an object as a run lists it: of some kinds its metadata only."""
    if (live["apiVersion"], live["kind"]) not in METADATA_ONLY:
        return live
    return {name: live[name] for name in ("apiVersion", "kind", "metadata")}


def seen(live: Json) -> Json:
    """Return all of an object that an apply of ours decides about: its content, and which of its fields are ours."""
    shown: Json = copy(live)
    shown.pop("status", None)
    metadata = shown["metadata"]
    entry = managed_fields.apply_entry(live, FIELD_MANAGER) or {}
    for name in ("resourceVersion", "generation", "managedFields"):
        metadata.pop(name, None)
    for name in [*(metadata.get("annotations") or {})]:
        # Written by a controller that may be at work meanwhile.
        if name.startswith("deployment.kubernetes.io/"):
            del metadata["annotations"][name]
    return {**shown, "ours": [entry.get("apiVersion"), entry.get("fieldsV1")]}
