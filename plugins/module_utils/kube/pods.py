# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a pod does not get ready, where waiting does not help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .manifest import Json

#: Why a container waits although nothing that is still to come will start it. `ErrImagePull` is not among them: a first
#: failure may pass, and a lasting one turns into `ImagePullBackOff` within seconds.
LASTING_REASONS = frozenset(
    {
        "CrashLoopBackOff",
        "CreateContainerConfigError",
        "CreateContainerError",
        "ErrImageNeverPull",
        "ImagePullBackOff",
        "InvalidImageName",
        "RunContainerError",
    }
)
_TEMPLATE_HASH = "pod-template-hash"


@dataclass(frozen=True, slots=True)
class Fault:
    """What keeps a workload from its work. reason: one word, as Kubernetes has it. message: which pod, and its own words."""

    reason: str
    message: str


def pod_fault(pod: Json) -> Fault | None:
    """Return the first lasting fault of a pod: of its scheduling, its init containers, its containers."""
    name = pod["metadata"].get("name", "")
    status: Mapping[str, Any] = pod.get("status") or {}
    for condition in status.get("conditions") or ():
        unscheduled = condition.get("type") == "PodScheduled" and condition.get("status") == "False"
        if unscheduled and condition.get("reason") == "Unschedulable":
            return Fault(
                "Unschedulable", f"pod {name}: Unschedulable: {condition.get('message', '')}"
            )
    for container in _container_statuses(status):
        waiting = (container.get("state") or {}).get("waiting") or {}
        if waiting.get("reason") in LASTING_REASONS:
            return Fault(waiting["reason"], _waiting_message(name, container, waiting))
    return None


def _container_statuses(status: Mapping[str, Any]) -> Iterator[Json]:
    yield from status.get("initContainerStatuses") or ()
    yield from status.get("containerStatuses") or ()


def _waiting_message(pod: str, container: Json, waiting: Mapping[str, Any]) -> str:
    text = f"pod {pod}, container {container.get('name', '')}: {waiting['reason']}"
    last = (container.get("lastState") or {}).get("terminated") or {}
    said = [
        waiting.get("message"),
        last.get("message"),
        last.get("reason") and f"ended with {last['reason']}",
    ]
    words = "; ".join(word for word in said if word)
    return f"{text}: {words}" if words else text


def newest(pods: Sequence[Json], selector: Mapping[str, str]) -> list[Json]:
    """Return the living pods of a workload's newest template.

    Pods of an older template may go on failing while the one that mends them is starting; they say nothing about it.
    """
    living = [pod for pod in pods if selector.items() <= _labels(pod).items() and _alive(pod)]
    if not living:
        return []
    youngest = max(living, key=lambda pod: str(pod["metadata"].get("creationTimestamp") or ""))
    template = _labels(youngest).get(_TEMPLATE_HASH)
    return [pod for pod in living if _labels(pod).get(_TEMPLATE_HASH) == template]


def _labels(pod: Json) -> Mapping[str, str]:
    return pod["metadata"].get("labels") or {}


def _alive(pod: Json) -> bool:
    ended = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
    return not ended and not pod["metadata"].get("deletionTimestamp")
