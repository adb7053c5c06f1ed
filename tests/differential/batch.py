# SPDX-License-Identifier: GPL-3.0-or-later
"""Services given to the controller, many at a time, and what came of each."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tests.lab.client import ApiError

from .plane import Plane

Json = dict[str, Any]
Statuses = Callable[[Sequence[Json]], list[Json]]

#: Seconds without a new write after which the controller has come to an end: with nothing to do, and with more of the same, which
#: it has to have done so many times for each service. A machine that is busy with other things is slow, and not at an end: it gets so
#: many times as long as the controller's metrics take.
_QUIET = 6.0
_ENDLESS = 12.0
_OVER_AND_OVER = 3
_PATIENCE = 40
_CONFLICT = 409
IN_PATH = re.compile("/namespaces/([^/]+)/")
#: Addresses in memory, which the controller writes into a message anew each time and reacts to.
_POINTER = re.compile("0x[0-9a-f]{6,}")
_CHANGING = ("resourceVersion", "managedFields", "lastTransitionTime", "certificates.kserve.io")


@dataclass(frozen=True)
class Watched:
    """What a controller is about. kind: of its services. children: API version and kind of what is looked at.

    phases: after the start, how many rounds of statuses each phase has: what is made because of a status gets one in the next round.
    rounds_after_update: how many rounds of the first phase follow an update.
    """

    kind: str
    children: tuple[tuple[str, str], ...]
    phases: tuple[int, ...]
    rounds_after_update: int = 0


@dataclass
class Case:
    """One service in a namespace of its own. context: objects that are there before it. becomes: what is written over it in the end.

    models: TrainedModels that name it, which are created when it runs. later: what they are in the end, None where they stay.
    """

    namespace: str
    document: Json
    context: Sequence[Json] = ()
    account: bool = True
    mood: int = 0
    becomes: Case | None = None
    models: Sequence[Json] = ()
    later: Sequence[Json] | None = None


@dataclass
class Outcome:
    """What the controller did. refusal: the API server's answer where it was not admitted.

    kept_out: the answer where an update was not admitted. after: what was there after it. requests: what the controller asked for
    before the update, and since.
    answers: the API server's refusals of what was created when the service ran, by name; changes: those of what it was in the end.
    given: what was there after that, each time.
    looks: what was there whenever it was looked at, with the phase. snapshots: the last of each phase. pods: pods of it before and after the webhook for pods.
    """

    case: Case
    refusal: Json | None = None
    sent: list[Json] = field(default_factory=list)
    rejected: list[Json] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    looks: list[tuple[int, list[Json]]] = field(default_factory=list)
    snapshots: list[list[Json]] = field(default_factory=list)
    pods: list[tuple[Json, Json]] = field(default_factory=list)
    kept_out: str = ""
    after: list[Json] = field(default_factory=list)
    requests: tuple[list[Json], list[Json]] = field(default_factory=lambda: ([], []))
    answers: dict[str, str] = field(default_factory=dict)
    changes: dict[str, str] = field(default_factory=dict)
    given: list[list[Json]] = field(default_factory=list)

    def status(self, phase: int) -> Json:
        """Return the service's status of a phase."""
        return self.status_in(self.snapshots[phase] if phase < len(self.snapshots) else ())

    def status_in(self, objects: Iterable[Json]) -> Json:
        """Return the service's status among objects."""
        name = self.case.document["metadata"]["name"]
        for each in objects:
            if each["kind"] == self.case.document["kind"] and each["metadata"]["name"] == name:
                found: Json = each.get("status") or {}
                return found
        return {}


class Batch:
    """Services on one plane."""

    def __init__(
        self,
        plane: Plane,
        watched: Watched,
        statuses: Callable[[Case, list[Json], int], list[Json]],
    ) -> None:
        self._plane = plane
        self._watched = watched
        self._client = plane.client
        self._statuses = statuses
        self._read = 0
        self._entries: list[Json] = []
        self._seen: set[str] = set()

    def system(self, manifests: Iterable[Json]) -> None:
        """Put what is there before every case."""
        self._client.apply(_namespace("kserve"))
        for manifest in manifests:
            self._put(manifest)

    def run(self, cases: Sequence[Case]) -> list[Outcome]:
        """Create all services, wait, set the status of their children, wait, and return what was done."""
        with ThreadPoolExecutor(4) as pool:
            outcomes = list(pool.map(self._create, cases))
            admitted = [each for each in outcomes if each.refusal is None]
            self._settle(len(admitted))
            list(pool.map(self._look, admitted))
            for phase, rounds in enumerate(self._watched.phases, 1):
                for dummy in range(rounds):
                    list(pool.map(lambda one, at=phase: self._set_statuses(one, at), admitted))
                    self._settle(len(admitted))
                    list(pool.map(lambda one, at=phase: self._look(one, at), admitted))
            self._collect(outcomes)
            updated = [each for each in admitted if each.case.becomes]
            if updated:
                entries = len(self._entries)
                list(pool.map(self._update, updated))
                self._settle(len(updated))
                for outcome in updated:
                    outcome.after = self._there(outcome.case.namespace)
                for dummy in range(self._watched.rounds_after_update):
                    list(pool.map(lambda one: self._report(one, one.after, 1), updated))
                    self._settle(len(updated))
                    for outcome in updated:
                        outcome.after = self._there(outcome.case.namespace)
                self._note_requests(updated, entries)
        return outcomes

    def _update(self, outcome: Outcome) -> None:
        """Write another service over one, as its author would."""
        other = outcome.case.becomes
        assert other is not None
        other.context = [manifest for manifest in other.context if self._is_put(manifest)]
        metadata, namespace = other.document["metadata"], outcome.case.namespace
        path = self._client.path(other.document["apiVersion"], self._watched.kind, namespace)
        path = f"{path}/{metadata['name']}"
        written = {key: metadata.get(key) or {} for key in ("labels", "annotations")}
        conflict = True
        while conflict:
            live = self._client.request("GET", path)["metadata"]
            body = {**other.document, "metadata": {**live, **written}}
            conflict = False
            try:
                self._client.request("PUT", path, body=body)
            except ApiError as error:
                # The controller wrote a status in between.
                conflict = error.code == _CONFLICT
                outcome.kept_out = "" if conflict else error.message or str(error.code)

    def _create(self, case: Case) -> Outcome:
        self._client.apply(_namespace(case.namespace))
        if case.account:
            self._put(
                {
                    "apiVersion": "v1",
                    "kind": "ServiceAccount",
                    "metadata": {"name": "default", "namespace": case.namespace},
                }
            )
        # What the API server refuses was never there.
        case.context = [manifest for manifest in case.context if self._is_put(manifest)]
        path = self._client.path(case.document["apiVersion"], self._watched.kind, case.namespace)
        outcome = Outcome(case)
        try:
            self._client.request(
                "POST", path, body=case.document, query={"fieldValidation": "Strict"}
            )
        except ApiError as error:
            outcome.refusal = {"code": error.code, "reason": error.reason, "message": error.message}
        return outcome

    def _is_put(self, manifest: Json) -> bool:
        try:
            self._put(manifest)
        except ApiError as error:
            if error.code not in (400, 403, 422):
                raise
            return False
        return True

    def _put(self, manifest: Json) -> None:
        if manifest["metadata"].get("namespace") not in (None, "kserve"):
            self._client.apply(_namespace(manifest["metadata"]["namespace"]))
        status = manifest.get("status")
        bare = {key: value for key, value in manifest.items() if key != "status"}
        self._client.apply(bare)
        if status:
            self._client.patch_status(manifest, status)

    def _settle(self, services: int, limit: float = 1800.0) -> None:
        """Wait until nothing new is written. A service that comes to no end writes the same over and over."""
        end = time.monotonic() + limit
        news = busy = time.monotonic()
        done, slowest = self._plane.reconciled(), 0.0
        while time.monotonic() < end:
            time.sleep(0.25)
            now = time.monotonic()
            if not self._plane.alive():
                raise RuntimeError(self._plane.log("controller").read_text()[-3000:])
            if self._news():
                news, done, slowest = now, self._plane.reconciled(), 0.0
            busy = now if self._plane.queue() > 0 else busy
            slowest = max(slowest, time.monotonic() - now)
            if now - max(news, busy) > max(_QUIET, _PATIENCE * slowest):
                return
            again = self._plane.reconciled() - done
            if now - news > _ENDLESS and again > _OVER_AND_OVER * services:
                return

    def _news(self) -> bool:
        """Tell whether something was written that was not written before in the same words."""
        with self._plane.recording.open("rb") as stream:
            stream.seek(self._read)
            lines = stream.readlines()
        news = False
        for line in lines:
            if not line.endswith(b"\n"):
                break
            self._read += len(line)
            entry = json.loads(line)
            self._entries.append(entry)
            if "/events" in entry["path"] or entry["code"] == 409:
                continue
            mark = f"{entry['method']} {entry['path']} {entry['code']} {_stable(entry.get('body'))}"
            digest = hashlib.sha256(mark.encode()).hexdigest()
            news |= digest not in self._seen and "/secrets" not in entry["path"]
            self._seen.add(digest)
        return news

    def _collect(self, outcomes: Sequence[Outcome]) -> None:
        by_namespace = {each.case.namespace: each for each in outcomes}
        # Two answers may be written down in another order than they were asked for.
        for entry in sorted(self._entries, key=lambda each: datetime.fromisoformat(each["time"])):
            body = entry.get("body") or {}
            outcome = by_namespace.get(_namespace_of(body))
            if outcome is None:
                continue
            if "/events" in entry["path"]:
                outcome.events.append(f"{body.get('reason')}: {body.get('message')}")
                continue
            if entry["code"] >= 400 and entry["code"] != 409:
                outcome.rejected.append(entry)
            posted = entry["method"] == "POST" and "dryRun" not in entry.get("query", "")
            if posted and entry["code"] < 300 and _key(body) not in map(_key, outcome.sent):
                outcome.sent.append(body)

    def _note_requests(self, outcomes: Sequence[Outcome], updated: int) -> None:
        """Note what was written. updated: how many entries there were before the updates."""
        by_namespace = {each.case.namespace: each for each in outcomes}
        for number, entry in enumerate(self._entries):
            named = IN_PATH.search(entry["path"])
            place = _namespace_of(entry.get("body") or {}) or (named[1] if named else "")
            if place in by_namespace:
                by_namespace[place].requests[number >= updated].append(entry)

    def _look(self, outcome: Outcome, phase: int = 0) -> None:
        """Note what is there, in place of what was noted in this phase before."""
        found = self._there(outcome.case.namespace)
        outcome.looks.append((phase, found))
        outcome.snapshots[phase:] = [found]

    def _there(self, home: str) -> list[Json]:
        """Return what is there in a namespace."""
        found = []
        for api_version, kind in self._watched.children:
            path = self._client.path(api_version, kind, "" if kind == "GatewayClass" else home)
            answer = self._client.request("GET", path, accept=(404,))
            items = answer.get("items", ()) if isinstance(answer, dict) else ()
            found += [{"apiVersion": api_version, "kind": kind, **item} for item in items]
        return found

    def _set_statuses(self, outcome: Outcome, phase: int) -> None:
        self._report(outcome, outcome.snapshots[-1], phase)

    def _report(self, outcome: Outcome, there: list[Json], phase: int) -> None:
        for manifest in self._statuses(outcome.case, there, phase):
            try:
                self._client.patch_status(manifest, manifest["status"])
            except ApiError as error:
                print("status refused", error)

    def others(self) -> list[Json]:
        """Return what is in the system namespace."""
        outcome = Outcome(Case("kserve", {}))
        self._look(outcome)
        return outcome.snapshots[0]


def _namespace(name: str) -> Json:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _namespace_of(body: Json) -> str:
    metadata = body.get("metadata") or {}
    if body.get("kind") == "ClusterRoleBinding":
        return str((body.get("subjects") or [{}])[0].get("namespace", ""))
    if "involvedObject" in body:
        return str(body["involvedObject"].get("namespace", ""))
    return str(metadata.get("namespace") or "")


def _key(body: Json) -> tuple[str, ...]:
    return (body["apiVersion"], body["kind"], body["metadata"]["name"])


def _stable(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _stable(each)
            for key, each in sorted(value.items())
            if not key.startswith(_CHANGING)
        }
    if isinstance(value, list):
        return [_stable(each) for each in value]
    return _POINTER.sub("0x", value) if isinstance(value, str) else value
