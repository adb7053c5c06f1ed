# SPDX-License-Identifier: GPL-3.0-or-later
"""Connecting keeps to its time whatever the resolver and the network do."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from module_utils.cluster.connection import connect
from module_utils.cluster.dial import dial
from module_utils.cluster.errors import DeadlineExceeded, Unreachable
from module_utils.kube.reference import Reference
from tests.unit.cluster.faulty import FakeTime

POD = Reference("v1", "Pod", "team-a", "one")

Places = list[tuple[Any, ...]]


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


@pytest.fixture
def full() -> Iterator[socket.socket]:
    """A server that takes no connection, and refuses none: its queue is full, and what comes is dropped."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listening:
        waiting = [socket.socket() for dummy in range(8)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(listening.getsockname())
        yield listening
        for each in waiting:
            each.close()


def place(server: socket.socket) -> tuple[Any, ...]:
    return (socket.AF_INET, socket.SOCK_STREAM, 0, "", server.getsockname())


def resolving(monkeypatch: pytest.MonkeyPatch, resolver: Callable[[], Places]) -> None:
    """Put a resolver in the system's place; numbers need none."""
    system = socket.getaddrinfo

    def look_up(host: str, port: int, *wanted: Any, flags: int = 0) -> Places:
        if flags:
            return list(system(host, port, *wanted, flags=flags))
        return resolver()

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A resolver that does not answer."""
    end = threading.Event()

    def hang() -> Places:
        end.wait(60)
        return []

    resolving(monkeypatch, hang)
    yield
    end.set()


@pytest.mark.usefixtures("hanging")
def test_an_address_needs_no_resolver(server: socket.socket) -> None:
    with dial("127.0.0.1", server.getsockname()[1], 20.0, ()) as made:
        assert made.getpeername() == server.getsockname()


@pytest.mark.usefixtures("hanging")
def test_a_hanging_resolver_is_not_waited_for() -> None:
    started = time.monotonic()
    auth = {"host": "http://api.example:6443", "environment": {}}
    with (
        connect(auth, timing=FakeTime().timing(), deadline=0.5) as cluster,
        pytest.raises(DeadlineExceeded, match="Pod team-a/one"),
    ):
        cluster.get(POD)
    assert time.monotonic() - started < 20


def test_a_dead_address_does_not_hide_the_others(
    server: socket.socket, full: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolving(monkeypatch, lambda: [place(full), place(server)])
    with dial("api.example", 443, 2.0, [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]) as made:
        assert made.getpeername() == server.getsockname()
        assert made.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        assert 0 < (made.gettimeout() or 0) < 2.0


def test_no_address_answers_in_time(full: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, lambda: [place(full), place(full)])
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        dial("api.example", 443, 0.4, ())
    assert time.monotonic() - started < 20


def test_a_name_that_is_not_known_is_said_to_be_so() -> None:
    auth = {"host": "https://not-there.invalid", "environment": {}}
    with (
        connect(auth, timing=FakeTime().timing()) as cluster,
        pytest.raises(Unreachable, match="its name is not known"),
    ):
        cluster.get(POD)
