# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is sent over a distance arrives whole, in order, and not before its time."""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.lab.distance import Distance
from tests.lab.kubeconfig import Access

ROUND_TRIP = 0.2


@dataclass
class _Server:
    access: Access


def _echo(listener: socket.socket) -> None:
    while True:
        try:
            connection, dummy = listener.accept()
        except OSError:
            return
        with connection:
            while data := connection.recv(1 << 16):
                connection.sendall(data)


def test_answers_come_later_and_whole() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_echo, args=(listener,), daemon=True).start()
        server = _Server(Access(f"https://127.0.0.1:{listener.getsockname()[1]}", ""))
        with Distance(server, ROUND_TRIP) as far:
            port = urlsplit(far.access.server).port
            assert str(port) in far.kubeconfig.read_text()
            with socket.create_connection(("127.0.0.1", port or 0)) as caller:
                caller.sendall(b"hello")
                assert caller.recv(5) == b"hello"
                began = time.monotonic()
                sent = bytes(range(256)) * 4000
                threading.Thread(target=caller.sendall, args=(sent,), daemon=True).start()
                received = bytearray()
                while len(received) < len(sent):
                    received += caller.recv(1 << 16)
                assert time.monotonic() - began >= ROUND_TRIP
                assert received == sent
                caller.shutdown(socket.SHUT_WR)
                assert caller.recv(1) == b""
        listener.shutdown(socket.SHUT_RDWR)
