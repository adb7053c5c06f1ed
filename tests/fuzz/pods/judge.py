# SPDX-License-Identifier: GPL-3.0-or-later
"""What an API server says of an object, by a dry run of the same write, beside what we say of it."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from module_utils.kube.validation.objects import object_problems
from tests.lab.client import ApiError, Client

Json = dict[str, Any]
_GROUPS = "LeaderWorkerSet"
_TEMPLATES = ("leaderTemplate", "workerTemplate")


@dataclass(frozen=True, slots=True)
class Case:
    """One spoilt object, or a service that was spoilt. ours, theirs: what speaks against it, empty for nothing."""

    seed: int
    manifest: Json
    ours: str
    theirs: str

    @property
    def verdict(self) -> str:
        """`refused` and `taken` by both; `missed`: the server refuses what we take; `wrong`: we refuse what it takes."""
        if bool(self.ours) == bool(self.theirs):
            return "refused" if self.ours else "taken"
        return "missed" if self.theirs else "wrong"


def judged(client: Client, namespace: str, seed: int, manifest: Json) -> Case:
    """Return what both say of an object."""
    ours = "; ".join(str(problem) for problem in object_problems(manifest))
    theirs = refusal(client, namespace, manifest)
    if ours and not theirs:
        theirs = pod_refusal(client, namespace, manifest)
    return Case(seed, manifest, ours, theirs)


def refusal(client: Client, namespace: str, manifest: Json) -> str:
    """Return why a server refuses an object, or what its controller makes of it; empty where it does not."""
    return next(
        (told for each in _written(manifest) if (told := _dry_run(client, namespace, each))), ""
    )


def pod_refusal(client: Client, namespace: str, manifest: Json) -> str:
    """Return why a server refuses the pods of a workload that it takes: some rules are those of pods alone."""
    for template in _pods(manifest):
        # What the namespace does not have is not the pod's fault.
        spec = {
            key: value
            for key, value in (template.get("spec") or {}).items()
            if key not in ("serviceAccountName", "serviceAccount", "priorityClassName")
        }
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "fuzz", "labels": (template.get("metadata") or {}).get("labels")},
            "spec": spec,
        }
        told = _dry_run(client, namespace, pod)
        if told:
            return told
    return ""


def _written(manifest: Json) -> Iterator[Json]:
    """Yield an object, and what is made of a group of pods."""
    yield manifest
    if manifest["kind"] != _GROUPS:
        return
    for template in _pods(manifest):
        labels = {"app": "fuzz"}
        made = copy.deepcopy(template)
        metadata = made.setdefault("metadata", {}) or {}
        metadata["labels"] = {**(metadata.get("labels") or {}), **labels}
        made["metadata"] = metadata
        yield {
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "metadata": {"name": "fuzz"},
            "spec": {"serviceName": "a", "selector": {"matchLabels": labels}, "template": made},
        }


def _pods(manifest: Json) -> Iterator[Json]:
    spec = manifest.get("spec")
    spec = spec if isinstance(spec, dict) else {}
    group = spec.get("leaderWorkerTemplate")
    group = group if isinstance(group, dict) else {}
    found = [spec.get("template"), *(group.get(name) for name in _TEMPLATES)]
    yield from (each for each in found if isinstance(each, dict))


def _dry_run(client: Client, namespace: str, manifest: Json) -> str:
    metadata = {**manifest["metadata"], "namespace": namespace}
    try:
        client.apply({**manifest, "metadata": metadata}, dry_run=True)
    except ApiError as error:
        return error.message
    return ""
