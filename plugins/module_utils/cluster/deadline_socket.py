# SPDX-License-Identifier: GPL-3.0-or-later
"""A socket whose timeout covers all that is waited for together.

An ordinary timeout starts again with each byte, so a server that sends one byte a minute is waited for without end.
"""

from __future__ import annotations

import io
import socket
import time
from typing import Any

from .dial import dial
from .errors import MissingLibrary


class DeadlineSocket:
    """Wraps a connected socket, plain or TLS. `settimeout(s)` means: everything from now on, within s seconds."""

    def __init__(self, real: socket.socket) -> None:
        self._real = real
        self._until: float | None = None

    def settimeout(self, seconds: float | None) -> None:
        """Set the moment at which each send or receive, the one under way included, gives up."""
        self._until = None if seconds is None else time.monotonic() + seconds
        self._real.settimeout(seconds)

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Send all, within what is left. Raises TimeoutError."""
        self._allow()
        self._real.sendall(data, flags)

    def makefile(self, mode: str = "rb", buffering: int | None = None) -> io.BufferedReader:
        """Return the reading side, as http.client asks for it."""
        if mode != "rb" or buffering == 0:
            raise ValueError("only buffered reading is supported")
        return io.BufferedReader(_Reader(self, self._real.makefile("rb", buffering=0)))

    def _allow(self) -> None:
        if self._until is None:
            return
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._real.settimeout(left)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class _Reader(io.RawIOBase):
    def __init__(self, owner: DeadlineSocket, raw: Any) -> None:
        self._owner = owner
        self._raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._owner._allow()
        count: int | None = self._raw.readinto(buffer)
        return count

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


#: What is replaced of urllib3's connections though its documentation does not promise it. tests/unit/cluster/test_urllib3.py watches them.
HOOKS = ("_new_conn", "is_verified")
#: The release that they were tested with.
TESTED = "urllib3==2.8.0"


def with_deadlines(connection: type) -> type:
    """Return a class of urllib3's connections whose timeouts are deadlines. Raises MissingLibrary for an urllib3 that works otherwise."""
    lacking = [name for name in HOOKS if not hasattr(connection, name)]
    if lacking:
        state = f"has a version without {', '.join(lacking)}"
        raise MissingLibrary(TESTED, "to reach a cluster", state)
    return type("Connection", (WithDeadlines, connection), {})


class WithDeadlines:
    """Mixed into urllib3's connections: their timeouts become deadlines.

    urllib3 sets `timeout` before it sends, and gives the socket the read timeout before it reads; what is set on the
    socket from the request before has to be replaced before sending.
    """

    sock: Any
    #: The same socket, also where the server closes after its answer: then `sock` is None while the answer is read.
    wire: Any = None
    timeout: Any
    port: int
    socket_options: Any
    host: str

    def _new_conn(self) -> socket.socket:
        """Return a socket whose timeout is what connecting has left, for the handshake of TLS."""
        if hasattr(self, "_socks_options"):
            made: socket.socket = super()._new_conn()  # type: ignore[misc]
            return made
        from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

        connection: Any = self
        try:
            # urllib3 keeps the dot at the end of a name that stands for itself there.
            host = getattr(self, "_dns_host", self.host)
            return dial(host, self.port, self.timeout, self.socket_options or ())
        except TimeoutError as error:
            raise ConnectTimeoutError(connection, "timed out") from error
        except socket.gaierror as error:
            raise NewConnectionError(connection, "the name does not resolve") from error
        except OSError as error:
            raise NewConnectionError(connection, "no connection") from error

    def connect(self) -> None:
        """Connect as urllib3 does, and wrap what results.

        Its warning about an unverified server is left out: `Cluster.warnings` has a better one.
        """
        super().connect()  # type: ignore[misc]
        self.is_verified = True
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if hasattr(socket, "TCP_KEEPIDLE"):
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 20)
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 5)
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 4)
        self.sock = self.wire = DeadlineSocket(self.sock)

    def putrequest(self, *args: Any, **kwargs: Any) -> None:
        """Start a request with a fresh deadline for sending it."""
        if self.sock is not None:
            self.sock.settimeout(self.timeout)
        super().putrequest(*args, **kwargs)  # type: ignore[misc]
