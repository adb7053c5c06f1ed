# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of services: read from their live children, written to their custom resources, waited for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError
from ..engine import FIELD_MANAGER
from ..engine.wait import Watched, wait
from ..kube import managed_fields
from ..kube.canonical import canonical_json
from ..kube.labels import selector_text
from ..kube.manifest import Json
from ..kube.reference import Reference
from ..services.kind import Observation
from .target import CONTROLLER, Target

Objects = Mapping[Reference, Json]
Progress = Callable[[str], None]

POD = ("v1", "Pod")
#: A failure has to last so long before it ends a wait, in seconds: one back-off of an image pull may pass.
FAILURE_LASTS_S = 20.0
STATUS_MANAGER = f"{FIELD_MANAGER}.status"


def observe(target: Target, objects: Objects) -> Observation:
    """Return the state of a service from whatever objects are known; pods among them give reasons for failures."""
    if target.reconciler == CONTROLLER:
        return _reported(objects.get(target.reference))
    namespace = target.reference.namespace
    pods = [
        item
        for reference, item in objects.items()
        if reference.kind == "Pod" and reference.namespace == namespace
    ]
    return target.service.kind.observe(target.service.typed, objects, pods)


def _reported(live: Json | None) -> Observation:
    """Return what a controller says of its custom resource; it counts only for the generation that it has seen."""
    status: Json = dict((live or {}).get("status") or {})
    ready = condition(status, "Ready")
    generation = ((live or {}).get("metadata") or {}).get("generation")
    seen = status.get("observedGeneration", (ready or {}).get("observedGeneration"))
    current = seen is None or generation is None or seen >= generation
    return Observation(
        status=status,
        ready=bool(current and ready and ready.get("status") == "True"),
        url=str(status.get("url") or ""),
    )


def condition(status: Json, kind: str) -> Json | None:
    """Return the condition of a type, None where the status has none."""
    return next((item for item in status.get("conditions") or [] if item.get("type") == kind), None)


def write_status(
    cluster: Cluster, target: Target, parent: Json, observation: Observation, now: str
) -> None:
    """Write the status of a service that this run reconciles, where it is another than before.

    now: the time for conditions whose status changes, RFC 3339 in UTC.
    """
    if parent.get("kind") == "ConfigMap":
        _write_record(cluster, parent, observation)
        return
    before = (_status_of_ours(parent) or {}).get("status") or {}
    status = {**observation.status, "conditions": _dated(observation.status, before, now)}
    if status == before:
        return
    manifest = {**target.reference.to_manifest(), "status": status}
    cluster.apply(manifest, manager=FIELD_MANAGER, force=True, subresource="status")


def _status_of_ours(parent: Json) -> Json | None:
    """Return the part of a live status that we wrote: fields that somebody else adds do not make us write again."""
    entry = managed_fields.apply_entry(parent, FIELD_MANAGER, "status")
    return managed_fields.project(parent, entry.get("fieldsV1") or {}) if entry else None


def _dated(status: Json, before: Json, now: str) -> list[Json]:
    dated = []
    for item in status.get("conditions") or []:
        last = condition(before, item["type"]) or {}
        same = last.get("status") == item["status"]
        dated.append(
            {**item, "lastTransitionTime": last["lastTransitionTime"] if same and last else now}
        )
    return dated


def _write_record(cluster: Cluster, parent: Json, observation: Observation) -> None:
    text = canonical_json(observation.status).decode()
    if (parent.get("data") or {}).get("status") == text:
        return
    manifest = {**Reference.of(parent).to_manifest(), "data": {"status": text}}
    cluster.apply(manifest, manager=STATUS_MANAGER, force=True)


def recorded_service(record: Json) -> Json:
    """Return the custom resource that a record holds."""
    document: Json = json.loads(record["data"]["service"])
    return document


@dataclass(slots=True)
class _State:
    """What was last seen of one service while waiting."""

    text: str = ""
    failing_since: float | None = None
    observation: Observation | None = None


@dataclass(slots=True)
class Wait:
    """Waits until every service is ready, or fails for good. wait_for: `ready`, or the type of a condition."""

    targets: Sequence[Target]
    wait_for: str
    clock: Callable[[], float]
    progress: Progress
    _started: float = 0.0
    _states: dict[Reference, _State] = field(default_factory=dict)

    def run(self, cluster: Cluster, timeout: float) -> dict[Reference, Observation]:
        """Watch for at most `timeout` seconds and return the last state of each service. Raises ClusterError."""
        self._started = self.clock()
        self._states = {target.reference: _State() for target in self.targets}
        wait(cluster, self._watched(), self._judge, timeout, self.clock)
        return {
            reference: state.observation
            for reference, state in self._states.items()
            if state.observation is not None
        }

    def _watched(self) -> list[Watched]:
        namespaces = sorted({target.reference.namespace for target in self.targets})
        place = namespaces[0] if len(namespaces) == 1 else ""
        watched: dict[tuple[str, str], str] = {}
        for target in self.targets:
            kind = target.service.kind
            watched[kind.key] = ""
            if target.reconciler != CONTROLLER:
                watched |= dict.fromkeys(kind.observed_kinds, "")
            watched[POD] = selector_text(kind.pod_labels)
        return [
            Watched(api_version, kind, place, selector)
            for (api_version, kind), selector in watched.items()
        ]

    def _judge(self, objects: Objects) -> bool:
        settled = [self._settled(target, objects) for target in self.targets]
        return all(settled)

    def _settled(self, target: Target, objects: Objects) -> bool:
        state = self._states[target.reference]
        observation = observe(target, objects)
        state.observation = observation
        self._tell(target, state, observation)
        if reached(observation, self.wait_for):
            return True
        if not observation.failed:
            state.failing_since = None
            return False
        if state.failing_since is None:
            state.failing_since = self.clock()
        return self.clock() - state.failing_since >= FAILURE_LASTS_S

    def _tell(self, target: Target, state: _State, observation: Observation) -> None:
        text = summary(observation)
        if text != state.text:
            state.text = text
            elapsed = self.clock() - self._started
            self.progress(
                f"{target.reference.namespace}/{target.reference.name}: {text} ({elapsed:.0f} s)"
            )


def reached(observation: Observation | None, wait_for: str) -> bool:
    """Tell whether a service is what is waited for: `ready`, or a condition that is true."""
    if observation is None:
        return False
    if wait_for == "ready":
        return observation.ready
    found = condition(observation.status, wait_for)
    return found is not None and found.get("status") == "True"


def summary(observation: Observation) -> str:
    """Return one line about a service: its roles with ready and desired pods, and what it still lacks."""
    status = observation.status
    roles = [
        f"{role} {status.get(f'{role}Ready', 0)}/{status.get(f'{role}Replicas', 0)}"
        for role in ("decode", "prefill")
        if f"{role}Replicas" in status
    ]
    if observation.ready:
        return ", ".join([*roles, "ready"])
    return ", ".join([*roles, *lacking(observation)[:2]]) or "no status yet"


def lacking(observation: Observation) -> list[str]:
    """Return why a service is not ready, the first reason first: `<condition>: <reason>: <message>`."""
    wanting = [
        item for item in observation.status.get("conditions") or [] if item.get("status") != "True"
    ]
    wanting.sort(key=lambda item: item["type"] != "Ready")
    # Ready and a role's own condition often say the same; once is enough.
    first = {(item.get("reason"), item.get("message")): item for item in reversed(wanting)}
    return [
        f"{item['type']}: {item.get('reason')}: {item.get('message')}"
        for item in wanting
        if first[item.get("reason"), item.get("message")] is item
    ]


def read_objects(cluster: Cluster, targets: Sequence[Target]) -> dict[Reference, Json]:
    """Return the pods of services that are not ready, for the reasons of their failures; none where that is not allowed."""
    objects: dict[Reference, Json] = {}
    places = {
        (target.reference.namespace, selector_text(target.service.kind.pod_labels))
        for target in targets
    }
    for namespace, selector in places:
        try:
            listing = cluster.list(*POD, namespace=namespace, selector=selector)
        except ClusterError:
            continue
        objects |= {Reference.of(item): item for item in listing.items}
    return objects


def known_objects(
    snapshot: Mapping[Reference, Json], outcomes: Sequence[Any]
) -> dict[Reference, Json]:
    """Return the live objects after the writes: those listed, overlaid with what the server answered."""
    objects = dict(snapshot)
    for outcome in outcomes:
        if outcome.action == "deleted":
            objects.pop(outcome.reference, None)
        elif outcome.live is not None:
            objects[outcome.reference] = outcome.live
    return objects
