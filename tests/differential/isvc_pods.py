# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods of InferenceServices, as a ReplicaSet or Knative would create them, before and after KServe's webhook for pods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tests.lab.client import ApiError

from .batch import Outcome
from .json_patch import patched
from .plane import Plane

Json = dict[str, Any]
_PATH = "/mutate-pods"
_KIND = {"group": "", "version": "v1", "kind": "Pod"}
#: What Knative's template has beside the fields of a pod.
_OF_REVISIONS = (
    "containerConcurrency",
    "timeoutSeconds",
    "responseStartTimeoutSeconds",
    "idleTimeoutSeconds",
)
_PART_OF = "serving.kserve.io/inferenceservice"


def add_pods(plane: Plane, outcomes: Iterable[Outcome]) -> None:
    """Ask the webhook about a pod of each workload: `{"pod": …}` is what it makes of it, `{"refusal": …}` why it does not take it."""
    for outcome in outcomes:
        _add_pods(plane, outcome)


def _add_pods(plane: Plane, outcome: Outcome) -> None:
    for pod in _pods(plane, outcome):
        answer = plane.review(_PATH, _KIND, pod)
        if "patch" in answer:
            answer = {"pod": patched(pod, answer["patch"])}
        outcome.pods.append((pod, answer))


def _pods(plane: Plane, outcome: Outcome) -> Iterator[Json]:
    for one in outcome.snapshots[-1] if outcome.snapshots else ():
        template = (one.get("spec") or {}).get("template")
        if one["kind"] not in ("Deployment", "Service") or not template:
            continue
        metadata = template.get("metadata") or {}
        if _PART_OF in (metadata.get("labels") or {}):
            spec = {key: each for key, each in template["spec"].items() if key not in _OF_REVISIONS}
            namespace = one["metadata"]["namespace"]
            yield {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "generateName": f"{one['metadata']['name']}-",
                    "namespace": namespace,
                    "labels": metadata["labels"],
                    "annotations": metadata.get("annotations") or {},
                },
                "spec": spec if one["kind"] == "Deployment" else _filled(plane, namespace, spec),
            }


def _filled(plane: Plane, namespace: str, spec: Json) -> Json:
    """Return a pod's spec with the API server's defaults, which every webhook sees; Knative's own templates are stored without."""
    template = {
        "apiVersion": "v1",
        "kind": "PodTemplate",
        "metadata": {"name": "filled", "namespace": namespace},
        "template": {"spec": spec},
    }
    try:
        filled: Json = plane.client.create(template, dryRun="All")["template"]["spec"]
    except ApiError:
        # Webhooks are asked before a pod is checked, and may complete it.
        return spec
    return filled
