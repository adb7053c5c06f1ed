# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting by watch: one per kind, whatever the number of services, until a judge is content or the time is up."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..cluster.connection import Cluster
from ..cluster.errors import Gone, KindMissing
from ..cluster.watch import Watch
from ..kube.manifest import Json
from ..kube.reference import Reference

#: How long one watch request runs before it is opened again, in seconds.
WATCH_S = 300.0
#: How long a watcher may take to end once its connection is closed, in seconds.
END_WITHIN_S = 2.0


@dataclass(frozen=True, slots=True)
class Watched:
    """One kind to watch. namespace: empty for all of them."""

    api_version: str
    kind: str
    namespace: str
    selector: str


Judge = Callable[[Mapping[Reference, Json]], bool]
"""Looks at everything that is watched and tells whether the wait is over."""

#: What the watchers put into the queue: a changed object, a vanished one (None), a first list that is complete, or what went wrong.
Message: TypeAlias = "tuple[Reference, Json | None] | int | Exception"


def wait(
    cluster: Cluster,
    watched: Sequence[Watched],
    judge: Judge,
    timeout: float,
    clock: Callable[[], float],
) -> bool:
    """Watch until the judge is content. Return False where the time (seconds) was up first.

    The judge is asked once everything was listed, after each change, and once a second, since it may wait for something to last.
    Raises ClusterError where a kind cannot be watched.
    """
    deadline = clock() + timeout
    messages: queue.Queue[Message] = queue.Queue()
    stop = threading.Event()
    watchers = [
        _Watcher(cluster, what, messages, stop, number) for number, what in enumerate(watched)
    ]
    for watcher in watchers:
        watcher.start()
    objects: dict[Reference, Json] = {}
    unlisted = set(range(len(watchers)))
    try:
        while (left := deadline - clock()) > 0:
            _take(messages, objects, unlisted, min(left, 1.0))
            if not unlisted and judge(objects):
                return True
        return not unlisted and judge(objects)
    finally:
        stop.set()
        for watcher in watchers:
            watcher.end()


def _take(
    messages: queue.Queue[Message],
    objects: dict[Reference, Json],
    unlisted: set[int],
    patience: float,
) -> None:
    """Apply what has arrived to the objects; wait at most `patience` seconds for the first message."""
    try:
        message = messages.get(timeout=patience)
        while True:
            if isinstance(message, Exception):
                raise message
            if isinstance(message, int):
                unlisted.discard(message)
            elif message[1] is None:
                objects.pop(message[0], None)
            else:
                objects[message[0]] = message[1]
            message = messages.get_nowait()
    except queue.Empty:
        return


class _Watcher(threading.Thread):
    """Lists one kind, then follows it; starts over where the server has forgotten the place (410)."""

    def __init__(
        self,
        cluster: Cluster,
        what: Watched,
        messages: queue.Queue[Message],
        stop: threading.Event,
        number: int,
    ) -> None:
        super().__init__(name=f"watch-{what.kind}", daemon=True)
        self._cluster = cluster
        self._what = what
        self._messages = messages
        self._stop_event = stop
        self._number = number
        self._lock = threading.Lock()
        self._watch: Watch | None = None

    def run(self) -> None:
        try:
            self._follow(self._what.namespace)
        except KindMissing:
            self._messages.put(self._number)
        except Exception as error:  # noqa: BLE001  # what goes wrong in a thread has to reach the run
            if not self._stop_event.is_set():
                self._messages.put(error)

    def end(self) -> None:
        """Hang up and let the thread end; it is a daemon, so a list that is still open does not hold up the run."""
        with self._lock:
            watch = self._watch
        if watch is not None:
            watch.close()
        self.join(timeout=END_WITHIN_S)

    def _follow(self, namespace: str) -> None:
        what = self._what
        known: set[Reference] = set()
        while not self._stop_event.is_set():
            listing = self._cluster.list(
                what.api_version, what.kind, namespace=namespace, selector=what.selector
            )
            there = {self._reference(item): item for item in listing.items}
            for reference in known - there.keys():
                self._messages.put((reference, None))
            for reference, item in there.items():
                self._messages.put((reference, item))
            known = set(there)
            self._messages.put(self._number)
            version = listing.resource_version
            try:
                while not self._stop_event.is_set():
                    version = self._stream(namespace, version, known)
            except Gone:
                continue

    def _stream(self, namespace: str, version: str, known: set[Reference]) -> str:
        """Follow one watch request to its end and return the place to go on from."""
        what = self._what
        watch = self._cluster.watch(
            what.api_version,
            what.kind,
            namespace=namespace,
            selector=what.selector,
            resource_version=version,
            timeout=WATCH_S,
        )
        with self._lock:
            if self._stop_event.is_set():
                return version
            self._watch = watch
        for event in watch:
            if self._stop_event.is_set():
                break
            version = str(event.object["metadata"]["resourceVersion"])
            if event.type == "BOOKMARK":
                continue
            reference = self._reference(event.object)
            if event.type == "DELETED":
                known.discard(reference)
                self._messages.put((reference, None))
            else:
                known.add(reference)
                self._messages.put((reference, event.object))
        return version

    def _reference(self, item: Json) -> Reference:
        meta = item["metadata"]
        return Reference(
            self._what.api_version, self._what.kind, meta.get("namespace") or "", meta["name"]
        )
