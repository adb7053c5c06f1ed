# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A server that is further away than it is: every byte on its connections comes later, none is looked at.

with Distance(lab, round_trip=0.020) as far:
    run_playbook(kubeconfig=far.kubeconfig)

TLS goes through untouched, so it costs little; many connections and much data can be delayed at the same time.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import threading
from asyncio import StreamReader, StreamWriter
from dataclasses import replace
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from . import kubeconfig
from .cluster import Reachable
from .errors import LabError
from .kubeconfig import Access
from .ports import LOOPBACK

_START_WITHIN = 10.0
_CHUNK = 1 << 18


class Distance:
    """Carries connections to a server. round_trip: seconds that a question and its answer take longer."""

    def __init__(self, server: Reachable, round_trip: float) -> None:
        parts = urlsplit(server.access.server)
        self._upstream = (parts.hostname or LOOPBACK, parts.port or 443)
        self._one_way = round_trip / 2
        self._access = server.access
        self._folder = tempfile.TemporaryDirectory(prefix="lab-distance-")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._work, name="lab-distance", daemon=True)
        self._ready = threading.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(_START_WITHIN):
            raise LabError(f"the delay did not start within {_START_WITHIN:.0f} s")
        kubeconfig.write(self.kubeconfig, self._access, context="lab-distance")
        return self

    def __exit__(self, *dummy: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._folder.cleanup()

    @property
    def access(self) -> Access:
        """How the administrator reaches the server from afar."""
        return self._access

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig, from afar."""
        return Path(self._folder.name, "kubeconfig")

    def _work(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._carry, LOOPBACK, 0))
        port = server.sockets[0].getsockname()[1]
        self._access = replace(self._access, server=f"https://{LOOPBACK}:{port}")
        self._ready.set()
        self._loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    async def _carry(self, reader: StreamReader, writer: StreamWriter) -> None:
        # Opening a connection is a question and an answer, too.
        await asyncio.sleep(2 * self._one_way)
        with contextlib.suppress(OSError):
            behind, ahead = await asyncio.open_connection(*self._upstream)
            await asyncio.gather(self._delay(reader, ahead), self._delay(behind, writer))

    async def _delay(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Pass on what is read, each piece `one_way` seconds after it came."""
        under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        sender = self._loop.create_task(self._send(under_way, writer))
        data = b"-"
        with contextlib.suppress(OSError):
            while data:
                data = await reader.read(_CHUNK)
                under_way.put_nowait((self._loop.time() + self._one_way, data))
        if data:
            under_way.put_nowait((self._loop.time(), b""))
        await sender

    async def _send(
        self, under_way: asyncio.Queue[tuple[float, bytes]], writer: StreamWriter
    ) -> None:
        with contextlib.suppress(OSError):
            while True:
                due, data = await under_way.get()
                await asyncio.sleep(max(0.0, due - self._loop.time()))
                if not data:
                    break
                writer.write(data)
                await writer.drain()
        writer.close()
