# SPDX-License-Identifier: GPL-3.0-or-later
"""A thread that lists one kind and then follows it, whatever happens to the connection."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from ..cluster.connection import Cluster
from ..cluster.errors import DeadlineExceeded, Gone, ServerError, TooManyRequests, Unreachable
from ..cluster.watch import Watch
from ..kube.manifest import Json
from ..kube.reference import Reference

#: How long one watch request runs before it is opened again, in seconds.
WATCH_S = 300.0
#: Seconds until a list or watch that failed is tried again; each request before was repeated with backoff already.
AGAIN_S = 2.0
#: How long a informer may take to end once its connection is closed, in seconds.
END_WITHIN_S = 2.0
#: What may pass while there is time: the server restarts, is overloaded, or forgets the place of a list.
TEMPORARY = (DeadlineExceeded, Gone, ServerError, TooManyRequests, Unreachable)


@dataclass(frozen=True, slots=True)
class Watched:
    """One kind to watch. namespaces: where; all of them where it is empty.

    Several namespaces are watched cluster-wide at once, or one by one where that is forbidden. optional: it may be forbidden.
    whole: whether objects are reported with their managed fields, which are half of them.
    """

    api_version: str
    kind: str
    namespaces: tuple[str, ...] = ()
    selector: str = ""
    optional: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """An object that is new or changed; gone where `live` is None."""

    reference: Reference
    live: Json | None


@dataclass(frozen=True, slots=True)
class Listed:
    """A informer has told of every object that there is, and is up to date."""

    informer: Informer


@dataclass(frozen=True, slots=True)
class Failed:
    """A informer is cut off. It keeps trying where the error is temporary, else it has ended."""

    informer: Informer
    error: Exception


class Informer(threading.Thread):
    """Lists a kind, then follows it; starts over where the server has forgotten the place (410).

    namespace: empty for all. tell: takes a Seen for each change, Listed after each list, Failed where something goes wrong.
    """

    def __init__(
        self,
        cluster: Cluster,
        what: Watched,
        namespace: str,
        tell: Callable[[Seen | Listed | Failed], object],
    ) -> None:
        super().__init__(name=f"watch-{what.kind}", daemon=True)
        self.what = what
        self.namespace = namespace
        self._cluster = cluster
        self._tell = tell
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._watch: Watch | None = None
        self._known: set[Reference] = set()

    def run(self) -> None:
        """Follow the kind until it is hung up, or fails for good."""
        while not self._over.is_set():
            try:
                self._follow()
            except TEMPORARY as error:
                self._fail(error)
                self._over.wait(AGAIN_S)
            except Exception as error:  # noqa: BLE001  # what goes wrong in a thread has to reach the run
                self._fail(error)
                return

    def hang_up(self) -> None:
        """Close the connection, so that the thread ends."""
        with self._lock:
            self._over.set()
            watch = self._watch
        if watch is not None:
            watch.close()

    def wait_for_end(self) -> None:
        """Wait for the thread; it is a daemon, so a list that is still open does not hold up the run."""
        self.join(timeout=END_WITHIN_S)

    def _fail(self, error: Exception) -> None:
        if not self._over.is_set():
            self._tell(Failed(self, error))

    def _follow(self) -> None:
        version = self._list()
        while not self._over.is_set():
            try:
                version = self._stream(version)
            except Gone:
                version = self._list()

    def _list(self) -> str:
        """Tell of every object, also of those that vanished unseen; return the place to watch from."""
        what = self.what
        version = ""
        there: set[Reference] = set()
        for page in self._cluster.pages(
            what.api_version, what.kind, namespace=self.namespace, selector=what.selector
        ):
            there.update(self._see(item) for item in page.items)
            version = page.resource_version
        for reference in self._known - there:
            self._tell(Seen(reference, None))
        self._known = there
        self._tell(Listed(self))
        return version

    def _stream(self, version: str) -> str:
        """Follow one watch request to its end and return the place to continue from."""
        what = self.what
        watch = self._cluster.watch(
            what.api_version,
            what.kind,
            namespace=self.namespace,
            selector=what.selector,
            resource_version=version,
            timeout=WATCH_S,
        )
        with self._lock:
            if self._over.is_set():
                return version
            self._watch = watch
        with watch:
            for event in watch:
                if self._over.is_set():
                    break
                if event.type == "DELETED":
                    reference = Reference.of(event.object)
                    self._known.discard(reference)
                    self._tell(Seen(reference, None))
                elif event.type != "BOOKMARK":
                    self._see(event.object)
        return watch.resource_version

    def _see(self, live: Json) -> Reference:
        """Tell of an object."""
        if not self.what.whole:
            live["metadata"].pop("managedFields", None)
        reference = Reference.of(live)
        self._known.add(reference)
        self._tell(Seen(reference, live))
        return reference
