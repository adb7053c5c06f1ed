# SPDX-License-Identifier: GPL-3.0-or-later
"""A server on loopback for faults that a real API server does not give on demand, and a clock that nobody waits for."""

from __future__ import annotations

import json
import select
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from module_utils.cluster.timing import Timing

Handler = BaseHTTPRequestHandler
Behaviour = Callable[[Handler], None]


@dataclass
class Seen:
    """One request that arrived."""

    method: str
    path: str
    headers: Any
    body: bytes
    moment: float


@dataclass
class Script:
    """What the server does with its first requests, one after another; later ones get `always`."""

    steps: list[Behaviour] = field(default_factory=list)
    always: Behaviour = field(default_factory=lambda: answer({"kind": "Fine"}))
    seen: list[Seen] = field(default_factory=list)
    url: str = ""
    end: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)


def answer(body: Any = None, status: int = 200, **headers: str) -> Behaviour:
    """Answer with JSON, or with the given bytes."""

    def act(handler: Handler) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    return act


def status(code: int, reason: str, message: str = "no", **details: Any) -> Behaviour:
    """Answer with the API's Status object."""
    return answer(status_object(code, reason, message, **details), code)


def status_object(code: int, reason: str, message: str = "no", **details: Any) -> dict[str, Any]:
    """A Status as the API writes it."""
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "code": code,
        "reason": reason,
        "message": message,
        "details": details,
    }


def reset(handler: Handler) -> None:
    """Break the connection without an answer, as a crash does."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True
    handler.connection.close()


def drip(part: bytes, every: float) -> Behaviour:
    """Send an endless body, a few bytes at a time."""

    def act(handler: Handler) -> None:
        script = _script(handler)
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        while not script.end.wait(every):
            handler.wfile.write(part)
            handler.wfile.flush()

    return act


def drip_head(handler: Handler) -> None:
    """Send an endless head."""
    script = _script(handler)
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while not script.end.wait(0.05):
        handler.wfile.write(b"x")


def stall(handler: Handler) -> None:
    """Take the request and say nothing."""
    _script(handler).end.wait(30)
    handler.close_connection = True


def events(*lines: Any, then: Behaviour | None = None, **headers: str) -> Behaviour:
    """Send events of a watch as chunks, and end properly unless `then` does something else."""

    def act(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        for line in lines:
            data = json.dumps(line).encode() + b"\n"
            handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            handler.wfile.flush()
        if then is not None:
            then(handler)
        else:
            handler.wfile.write(b"0\r\n\r\n")

    return act


@contextmanager
def serving(
    *steps: Behaviour, always: Behaviour | None = None, tls: ssl.SSLContext | None = None
) -> Iterator[Script]:
    """Run a server with a script; nothing of it is left afterwards."""
    script = Script(list(steps))
    if always is not None:
        script.always = always

    class Faulty(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        rest = script

        def _do(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            seen = Seen(self.command, self.path, self.headers, body, time.monotonic())
            with script.lock:
                script.seen.append(seen)
                step = script.steps.pop(0) if script.steps else script.always
            try:
                step(self)
            except OSError:
                self.close_connection = True

        do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = _do  # noqa: N815

        def handle(self) -> None:
            try:
                super().handle()
            except OSError:
                self.close_connection = True

        def do_CONNECT(self) -> None:
            seen = Seen("CONNECT", self.path, self.headers, b"", time.monotonic())
            with script.lock:
                script.seen.append(seen)
            host, dummy, port = self.path.rpartition(":")
            with socket.create_connection((host, int(port))) as behind:
                self.connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                _pump(self.connection, behind)
            self.close_connection = True

        def log_message(self, *_args: Any) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Faulty)
    server.daemon_threads = True
    if tls is not None:
        # The handshake happens in the handler's thread, where its failure disturbs nobody.
        server.socket = tls.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    script.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield script
    finally:
        script.end.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _pump(one: socket.socket, other: socket.socket) -> None:
    """Carry bytes both ways until one side ends."""
    while True:
        for source in select.select([one, other], [], [])[0]:
            data = source.recv(65536)
            if not data:
                return
            (other if source is one else one).sendall(data)


def _script(handler: Handler) -> Script:
    script: Script = handler.rest  # type: ignore[attr-defined]
    return script


class HeldTime:
    """A clock that stands still until a test moves it; who pauses waits for that."""

    def __init__(self) -> None:
        self._now = 1000.0
        self._paused = 0
        self._changed = threading.Condition()

    def timing(self) -> Timing:
        """What a connection takes."""
        return Timing(monotonic=lambda: self._now, pause=self._pause, random=lambda: 0.5)

    def move(self, seconds: float) -> None:
        """Let time pass."""
        with self._changed:
            self._now += seconds
            self._changed.notify_all()

    def await_pauses(self, number: int) -> None:
        """Return once so many threads pause."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._paused == number, timeout=30)

    def _pause(self, wake: threading.Event, seconds: float) -> bool:
        with self._changed:
            until = self._now + seconds
            self._paused += 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._now >= until)
            self._paused -= 1
        return wake.is_set()


@dataclass
class FakeTime:
    """A clock that jumps ahead whenever somebody waits, and dice that always show the same."""

    now: float = 1000.0
    dice: float = 1.0 - 1e-9
    pauses: list[float] = field(default_factory=list)

    def timing(self) -> Timing:
        """What a connection takes."""
        return Timing(monotonic=lambda: self.now, pause=self._pause, random=lambda: self.dice)

    def _pause(self, wake: threading.Event, seconds: float) -> bool:
        self.pauses.append(seconds)
        self.now += seconds
        return wake.is_set()
