# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a pod does not get ready, where waiting does not help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import gvk, leader_worker_set
from .fault import WorkloadFault
from .manifest import Json
from .reference import Reference

#: Why a container waits although nothing that is still to come will start it. One of them may pass, so who waits lets it last.
LASTING_REASONS = frozenset(
    {
        "CrashLoopBackOff",
        "CreateContainerConfigError",
        "CreateContainerError",
        "ErrImageNeverPull",
        "ErrImagePull",
        "ImagePullBackOff",
        "InvalidImageName",
        "RunContainerError",
    }
)
_TEMPLATE_HASH = "pod-template-hash"
_TEMPLATE_LABELS = (_TEMPLATE_HASH, leader_worker_set.TEMPLATE_LABEL)


class Unread(tuple[Json, ...]):
    """No pods, since nobody looked: of a service that is ready they are not read."""

    __slots__ = ()


UNREAD = Unread()


def pod_fault(pod: Json) -> WorkloadFault | None:
    """Return the first lasting fault of a pod: of its scheduling, its init containers, its containers."""
    meta = pod["metadata"]
    name = meta.get("name", "")
    subject = Reference("v1", "Pod", meta.get("namespace") or "", name)
    status: Mapping[str, Any] = pod.get("status") or {}
    for condition in status.get("conditions") or ():
        if _unschedulable(condition) and not status.get("nominatedNodeName"):
            message = f"pod {name}: Unschedulable: {condition.get('message', '')}"
            return WorkloadFault("Unschedulable", message, subject)
    for container in _container_statuses(status):
        waiting = (container.get("state") or {}).get("waiting") or {}
        if waiting.get("reason") in LASTING_REASONS:
            return WorkloadFault(
                waiting["reason"], _waiting_message(name, container, waiting), subject
            )
    return None


def _unschedulable(condition: Mapping[str, Any]) -> bool:
    said = tuple(condition.get(key) for key in ("type", "status", "reason"))
    return said == ("PodScheduled", "False", "Unschedulable")


def _container_statuses(status: Mapping[str, Any]) -> Iterator[Json]:
    yield from status.get("initContainerStatuses") or ()
    yield from status.get("containerStatuses") or ()


def _waiting_message(pod: str, container: Json, waiting: Mapping[str, Any]) -> str:
    text = f"pod {pod}, container {container.get('name', '')}: {waiting['reason']}"
    last = (container.get("lastState") or {}).get("terminated") or {}
    said = [
        waiting.get("message"),
        last.get("message"),
        last.get("reason") and f"ended with {last['reason']}, exit code {last.get('exitCode')}",
    ]
    words = "; ".join(word for word in said if word)
    return f"{text}: {words}" if words else text


def newest(pods: Sequence[Json], selector: Mapping[str, str]) -> list[Json]:
    """Return the living pods of a workload's newest template.

    Pods of an older template may keep failing while the one that mends them is starting; they say nothing about it.
    """
    living = [pod for pod in pods if selector.items() <= _labels(pod).items() and _alive(pod)]
    if not living:
        return []
    youngest = max(living, key=lambda pod: str(pod["metadata"].get("creationTimestamp") or ""))
    return [pod for pod in living if _template(pod) == _template(youngest)]


def is_waited_for(pod: Json) -> bool:
    """Tell whether a pod lives and is not ready."""
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return _alive(pod) and not any(
        each.get("type") == "Ready" and each.get("status") == "True" for each in conditions
    )


def _template(pod: Json) -> list[str | None]:
    return [_labels(pod).get(label) for label in _TEMPLATE_LABELS]


def _labels(pod: Json) -> Mapping[str, str]:
    return pod["metadata"].get("labels") or {}


def _alive(pod: Json) -> bool:
    ended = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
    return not ended and not pod["metadata"].get("deletionTimestamp")


def workload_of(pod: Json) -> Reference | None:
    """Return the Deployment or LeaderWorkerSet that a pod belongs to, whatever is between; else what owns it, None for a bare pod."""
    meta = pod["metadata"]
    if of_groups := _labels(pod).get(leader_worker_set.SET_LABEL):
        return Reference(
            leader_worker_set.API_VERSION,
            leader_worker_set.KIND,
            meta.get("namespace") or "",
            of_groups,
        )
    owners = meta.get("ownerReferences") or ()
    owner = next((each for each in owners if each.get("controller")), None)
    if owner is None:
        return None
    namespace, name = meta.get("namespace") or "", owner["name"]
    if owner["kind"] != "ReplicaSet":
        return Reference(owner["apiVersion"], owner["kind"], namespace, name)
    suffix = f"-{_labels(pod).get(_TEMPLATE_HASH, '')}"
    return Reference(gvk.APPS, "Deployment", namespace, name.removesuffix(suffix))
