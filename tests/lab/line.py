# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The line to a server, for faults below HTTP: it carries TCP connections, and breaks those that a test chooses.

with Proxy(lab) as proxy, Line(proxy, {1: end_in_handshake}) as line:
    run_playbook(kubeconfig=line.kubeconfig)
"""

from __future__ import annotations

import select
import socket
import struct
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from . import kubeconfig
from .cluster import Reachable
from .kubeconfig import Access
from .ports import LOOPBACK

#: What becomes of a connection instead of being carried: it gets the caller's socket, and ends it by returning.
Treatment = Callable[["Line", socket.socket], None]
_LOOK_EVERY = 0.05


class Line:
    """Carries connections to a server. treatments: by number of the connection, from 1; the others are carried."""

    def __init__(
        self, server: Reachable, treatments: Mapping[int, Treatment] | None = None
    ) -> None:
        self.connections = 0
        self.ended = threading.Event()
        self._server = server
        self._treatments = dict(treatments or {})
        self._dead = threading.Event()
        self._socket = socket.create_server((LOOPBACK, 0))
        self._threads: list[threading.Thread] = []
        self._folder = tempfile.TemporaryDirectory(prefix="lab-line-")

    def __enter__(self) -> Self:
        kubeconfig.write(self.kubeconfig, self.access, context="lab-line")
        self._start(self._accept)
        return self

    def __exit__(self, *dummy: object) -> None:
        self.ended.set()
        for thread in self._threads:
            thread.join()
        self._socket.close()
        self._folder.cleanup()

    @property
    def access(self) -> Access:
        """How the administrator reaches the server along this line."""
        port = self._socket.getsockname()[1]
        return replace(self._server.access, server=f"https://{LOOPBACK}:{port}")

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig, along this line."""
        return Path(self._folder.name, "kubeconfig")

    def go_dead(self) -> None:
        """Carry nothing more on the connections that are open now, and tell nobody: what a firewall does that forgot them."""
        dead, self._dead = self._dead, threading.Event()
        dead.set()

    def _start(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, name="lab-line", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self.ended.is_set():
            if select.select([self._socket], [], [], _LOOK_EVERY)[0]:
                caller, dummy = self._socket.accept()
                self.connections += 1
                self._start(self._treat, caller, self._treatments.get(self.connections, _carry))

    def _treat(self, caller: socket.socket, treatment: Treatment) -> None:
        with caller:
            try:
                treatment(self, caller)
            except OSError:
                return

    def carry(self, caller: socket.socket) -> None:
        """Carry bytes both ways until one side ends, or the line goes dead."""
        dead = self._dead
        parts = urlsplit(self._server.access.server)
        with socket.create_connection((parts.hostname or LOOPBACK, parts.port or 443)) as behind:
            other = {caller: behind, behind: caller}
            while not self.ended.is_set():
                if dead.wait(0):
                    self.ended.wait()
                    return
                for source in select.select([caller, behind], [], [], _LOOK_EVERY)[0]:
                    data = source.recv(1 << 16)
                    if not data:
                        return
                    other[source].sendall(data)


def _carry(line: Line, caller: socket.socket) -> None:
    line.carry(caller)


def end_in_handshake(_line: Line, caller: socket.socket) -> None:
    """Take the client's hello and close, as a server does that is shutting down."""
    caller.recv(1 << 16)


def reset_in_handshake(_line: Line, caller: socket.socket) -> None:
    """Take the client's hello and reset the connection, as a crash does."""
    caller.recv(1 << 16)
    caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def alert_in_handshake(_line: Line, caller: socket.socket) -> None:
    """Answer the client's hello with the alert `internal_error`, as a server does that has no certificate yet."""
    caller.recv(1 << 16)
    caller.sendall(bytes([21, 3, 3, 0, 2, 2, 80]))


def silent(line: Line, _caller: socket.socket) -> None:
    """Take the connection and say nothing."""
    line.ended.wait()
