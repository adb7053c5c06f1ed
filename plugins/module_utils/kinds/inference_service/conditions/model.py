# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the predictor's model has come, by its pods. Source: KServe pkg/apis/serving/v1beta1/inference_service_status.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ....kube.fields import filled
from ....kube.manifest import Json

State = Literal["Pending", "Loading", "Loaded", "FailedToLoad"]

_TRANSITIONS: Mapping[State, str] = {
    "Pending": "InProgress",
    "Loading": "InProgress",
    "Loaded": "UpToDate",
    "FailedToLoad": "BlockedByFailedLoad",
}
_INITIALIZER, _SERVER = "storage-initializer", "kserve-container"


@dataclass(frozen=True, slots=True)
class Serving:
    """What is known beside the pods. loaded: whether the service is ready with its newest revision. failed: Knative says no."""

    loaded: bool
    failed: bool = False


@dataclass(frozen=True, slots=True)
class _Progress:
    state: State
    failure: Json | None = None


def model_status(before: Json, pods: Sequence[Json], serving: Serving) -> Json:
    """Return `status.modelStatus`. pods: those of the newest revision. What went wrong once is never forgotten."""
    progress = _progress(sorted(pods, key=_age, reverse=True), serving)
    ready = sum(_is_ready(pod) for pod in pods)
    copies = {"failedCopies": 0, **({"totalCopies": ready} if ready else {})}
    if progress is None:
        return {**before, "copies": copies}
    active = (before.get("states") or {}).get("activeModelState") or ""
    failure = progress.failure or before.get("lastFailureInfo")
    return {
        "copies": copies,
        **({"lastFailureInfo": failure} if failure else {}),
        "states": {
            "activeModelState": "Loaded" if progress.state == "Loaded" else active,
            "targetModelState": progress.state,
        },
        "transitionStatus": _TRANSITIONS[progress.state],
    }


def unread_status(before: Json, serving: Serving, ready: int | None) -> Json:
    """Return `status.modelStatus` where nobody looked at the pods, which is not needed of a service that is ready.

    ready: pods that the workload counts as ready, None where it counts none.
    """
    if not serving.loaded:
        return before or model_status(before, (), serving)
    copies = before.get("copies") or {"failedCopies": 0}
    if ready is not None:
        copies = {"failedCopies": 0, **({"totalCopies": ready} if ready else {})}
    states = {"activeModelState": "Loaded", "targetModelState": "Loaded"}
    return {
        **before,
        "copies": copies,
        "states": states,
        "transitionStatus": _TRANSITIONS["Loaded"],
    }


def _progress(pods: Sequence[Json], serving: Serving) -> _Progress | None:
    """Return the state that the newest pod tells, the first rule that holds; None where its server says nothing yet."""
    if not pods:
        return _Progress("FailedToLoad" if serving.failed else "Pending")
    status = pods[0].get("status") or {}
    initializer = _container(status.get("initContainerStatuses"), _INITIALIZER)
    if "running" in (initializer.get("state") or {}):
        return _Progress("Loading")
    failure = _failure(initializer)
    if failure is None and serving.loaded:
        return _Progress("Loaded")
    server = _container(status.get("containerStatuses"), _SERVER)
    failure = failure or _failure(server)
    if failure is not None:
        return _Progress("FailedToLoad", failure)
    return _Progress("Pending") if server else None


def _container(statuses: Sequence[Json] | None, name: str) -> Json:
    return next((one for one in statuses or () if one.get("name") == name), {})


def _failure(container: Json) -> Json | None:
    """Return why a container does not run, None where it does or may yet."""
    state: Mapping[str, Any] = container.get("state") or {}
    ended = state.get("terminated") or {}
    if ended.get("reason") == "Error":
        return _info(ended)
    if (state.get("waiting") or {}).get("reason") == "CrashLoopBackOff":
        return _info((container.get("lastState") or {}).get("terminated") or {})
    return None


def _info(ended: Mapping[str, Any]) -> Json:
    told = {"message": ended.get("message"), "exitCode": ended.get("exitCode")}
    return {"reason": "ModelLoadFailed", **filled(told)}


def _age(pod: Json) -> str:
    return pod["metadata"].get("creationTimestamp") or ""


def _is_ready(pod: Json) -> bool:
    status = pod.get("status") or {}
    return status.get("phase") == "Running" and any(
        (one.get("type"), one.get("status")) == ("Ready", "True")
        for one in status.get("conditions") or ()
    )
