# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting by watch: one per kind, whatever the number of services, until an observer is content or the time is up."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from ..cluster.connection import Cluster
from ..cluster.errors import Forbidden, KindMissing
from ..kube.manifest import Json
from ..kube.reference import Reference
from .informer import TEMPORARY, Failed, Informer, Listed, Seen, Watched

#: How often an observer is asked although nothing happened, since it may wait for something to last. In seconds.
ASK_EVERY_S = 1.0

Message: TypeAlias = "Seen | Listed | Failed"


class Observer(Protocol):
    """Follows what is watched, and says when it has seen enough."""

    def see(self, reference: Reference, live: Json | None) -> None:
        """Take note of an object that is new or changed; None where it is gone."""

    def content(self) -> bool:
        """Tell whether the wait is over. Asked once all was listed, after each change, and once a second."""


@dataclass(slots=True)
class _Watchers:
    """The watchers of one wait. unlisted: those whose first list is not complete. failed: those that are cut off now."""

    cluster: Cluster
    messages: queue.Queue[Message]
    everyone: list[Informer]
    unlisted: set[Informer]
    failed: dict[Informer, Exception]

    def start(self, what: Watched, namespace: str) -> None:
        informer = Informer(self.cluster, what, namespace, self.messages.put)
        self.everyone.append(informer)
        self.unlisted.add(informer)
        informer.start()

    def take(self, message: Listed | Failed) -> None:
        """Note how a informer is. Raises ClusterError where it failed for good."""
        informer = message.informer
        if isinstance(message, Listed):
            self.unlisted.discard(informer)
            self.failed.pop(informer, None)
            return
        error, what = message.error, informer.what
        if isinstance(error, TEMPORARY):
            self.failed[informer] = error
            return
        if isinstance(error, Forbidden) and not informer.namespace and what.namespaces:
            for namespace in what.namespaces:
                self.start(what, namespace)
        elif not isinstance(error, KindMissing) and not (
            isinstance(error, Forbidden) and what.optional
        ):
            raise error
        self.unlisted.discard(informer)

    def end(self) -> None:
        for informer in self.everyone:
            informer.hang_up()
        for informer in self.everyone:
            informer.wait_for_end()


def wait(
    cluster: Cluster,
    watched: Sequence[Watched],
    observer: Observer,
    timeout: float,
    clock: Callable[[], float],
) -> bool:
    """Watch until the observer is content. Return False where the time (seconds) was up first, or the task's deadline.

    A kind that is not served counts as empty, and so does an optional one that we may not see. What may pass, such as a server
    that restarts, is tried again until the time is up. Raises ClusterError where a kind cannot be watched.
    """
    deadline = clock() + min(timeout, cluster.requests.deadline.left())
    messages: queue.Queue[Message] = queue.Queue()
    watchers = _Watchers(cluster, messages, [], set(), {})
    try:
        for what in watched:
            watchers.start(what, what.namespaces[0] if len(what.namespaces) == 1 else "")
        while (left := deadline - clock()) > 0:
            _take_all(messages, observer, watchers, min(left, ASK_EVERY_S))
            if not watchers.unlisted and observer.content():
                return True
        if not watchers.unlisted and observer.content():
            return True
        for error in watchers.failed.values():
            raise error
        return False
    finally:
        watchers.end()


def _take_all(
    messages: queue.Queue[Message], observer: Observer, watchers: _Watchers, patience: float
) -> None:
    """Take what has arrived; wait at most `patience` seconds for the first message."""
    try:
        message = messages.get(timeout=patience)
        while True:
            if isinstance(message, Seen):
                observer.see(message.reference, message.live)
            else:
                watchers.take(message)
            message = messages.get_nowait()
    except queue.Empty:
        return
