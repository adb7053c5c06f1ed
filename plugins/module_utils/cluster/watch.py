# SPDX-License-Identifier: GPL-3.0-or-later
"""One watch on one kind: events as they come, resumed when the connection drops, closed from any thread."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..kube.manifest import Json
from .call import Call
from .errors import ClusterError, DeadlineExceeded, NotFound, Unreachable
from .requests import Requests
from .status import event_refusal
from .timing import Deadline

#: Seconds that a server may take to end a connection after the time that was asked for.
GRACE = 2.0
#: Connections in a row that break before any event.
MOST_DROPS = 5


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """type: ADDED, MODIFIED, DELETED or BOOKMARK (whose object has a resourceVersion and nothing else)."""

    type: str
    object: Json


class Watch(Iterator[WatchEvent]):
    """Iterate to get the events; ends at the timeout, at `close`, or raises Gone: then list and watch again. The deadline of
    the task raises DeadlineExceeded.

    resource_version: that of the last event; a next watch starts there. A dropped connection is opened again from there.
    spell: seconds that one connection is asked for, as every request has its deadline. A watch is silent by nature, so that one whose
    server is gone is only known by not ending in time.
    """

    def __init__(
        self,
        requests: Requests,
        call: Call,
        resource_version: str,
        timeout: float,
        spell: float,
        explain: Callable[[NotFound], ClusterError],
    ) -> None:
        self.resource_version = resource_version
        self._requests = requests
        self._call = call
        self._spell = spell
        self._explain = explain
        self._end = Deadline.after(timeout, requests.timing)
        self._lock = threading.Lock()
        self._closed = False
        self._response: Any = None
        self._events = self._run()

    def __next__(self) -> WatchEvent:
        return next(self._events)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End the iteration, also one that waits in another thread."""
        with self._lock:
            self._closed = True
            if self._response is not None:
                _hang_up(self._response)
        with contextlib.suppress(ValueError):  # another thread is in it, and ends it
            self._events.close()

    def _run(self) -> Generator[WatchEvent, None, None]:
        drops = 0
        while not self._over():
            connection = self._deadline_of_one()
            try:
                for event in self._connection(connection):
                    drops = 0
                    yield event
                if (
                    connection.left() < connection.seconds / 10
                ):  # the server ended it when it was asked to
                    drops = 0
                    continue
            except _Dropped as error:
                if drops >= MOST_DROPS:
                    raise Unreachable(
                        self._requests.server, self._call.subject, f"the watch breaks off: {error}"
                    ) from None
            except NotFound as error:
                raise self._explain(error) from None
            except DeadlineExceeded:
                if not self._over():
                    raise
            if not self._over():
                drops += 1
                self._back_off(drops)
        if not self._closed and self._requests.deadline.left() <= 0:
            raise self._requests.too_late(self._call)

    def _back_off(self, drops: int) -> None:
        delay = self._requests.timing.random() * min(5.0, 0.1 * 2**drops)
        self._requests.pause(max(0.0, min(delay, self._end.left())))

    def _over(self) -> bool:
        return self._closed or self._requests.stopped or self._left() <= 0

    def _left(self) -> float:
        return min(self._end.left(), self._requests.deadline.left())

    def _deadline_of_one(self) -> Deadline:
        return Deadline.after(min(self._spell, self._left()), self._requests.timing)

    def _connection(self, until: Deadline) -> Iterator[WatchEvent]:
        """Give the events of one connection."""
        query = {
            **self._call.query,
            "watch": "1",
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(max(1, round(until.seconds))),
            "resourceVersion": self.resource_version,
        }
        response = self._requests.open_stream(replace(self._call, query=query))
        with self._lock:
            self._response = response
            if self._closed:
                _hang_up(response)
        try:
            for line in self._lines(response, until):
                yield self._event(line)
        finally:
            with self._lock:
                self._response = None
            # One that was read to its end has given its connection back; any other one takes it along.
            response.close()

    def _event(self, line: bytes) -> WatchEvent:
        try:
            parsed = json.loads(line)
            kind, found = parsed["type"], parsed["object"]
        except (ValueError, KeyError, TypeError):
            raise _Dropped("the server sent something that is no event") from None
        if kind == "ERROR":
            raise event_refusal(self._call, found)
        self.resource_version = found["metadata"]["resourceVersion"]
        facts = self._call.facts
        if facts is not None:
            found["apiVersion"], found["kind"] = facts.api_version, facts.kind
        return WatchEvent(kind, found)

    def _lines(self, response: Any, until: Deadline) -> Iterator[bytes]:
        import urllib3

        rest = b""
        try:
            _allow(response, until)
            for chunk in response.stream():
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    if line.strip():
                        yield line
                if self._over():
                    return
                _allow(response, until)
        except (urllib3.exceptions.HTTPError, OSError, ValueError, AttributeError) as error:
            # A connection that is closed under a reader breaks it in many ways.
            if not self._over():
                raise _Dropped(type(error).__name__) from None


class _Dropped(Exception):
    """The connection of a watch broke."""


def _allow(response: Any, until: Deadline) -> None:
    """Give the next read its time."""
    connection = response.connection
    if connection is not None and connection.wire is not None:
        connection.wire.settimeout(max(0.01, until.left() + GRACE))


def _hang_up(response: Any) -> None:
    connection = response.connection
    if connection is not None and connection.wire is not None:
        with contextlib.suppress(OSError):
            connection.wire.shutdown(socket.SHUT_RDWR)
