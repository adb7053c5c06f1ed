# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A TLS reverse proxy in front of an API server that counts what passes.

    with Proxy(lab) as proxy:
        run_playbook(kubeconfig=proxy.kubeconfig)
        assert proxy.writes == 0

It works in a thread with an event loop of its own, so that a test reads its records directly. Answers are streamed, so
watches work; connections are kept alive on both sides; the caller's Authorization goes through. `hooks` is the seam for
delays and faults; `faults.py` has those that tests share.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, Self

from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout, TCPConnector, web
from multidict import CIMultiDict
from yarl import URL

from . import kubeconfig, pki
from .cluster import Reachable
from .errors import LabError
from .kubeconfig import Access
from .ports import LOOPBACK
from .proxy_record import Record, record

_START_WITHIN = 10.0
#: Seconds that connections are given to close at the end.
_QUIET_WITHIN = 2.0

#: Headers that concern one connection only and are never passed on.
_HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "host",
    }
)
#: Sent by the caller of a proxy whose cluster knows the administrator by certificate: it stands for nobody.
_PLACEHOLDER = "lab-proxy"


class Hook(Protocol):
    """Comes between; part of a test. Both methods may wait, and may raise `ConnectionAbort`."""

    async def before(self, request: Record) -> web.StreamResponse | None:
        """Called before a request is passed on; an answer returned here is sent instead."""

    async def after(self, request: Record, status: int) -> web.StreamResponse | None:
        """Called when the server has answered, before the caller sees it; an answer returned here is sent instead."""


class ConnectionAbort(Exception):
    """Raised by a hook to break the caller's connection without an answer."""


class Proxy:
    """One proxy for one cluster, counting from its start or the last `reset`."""

    def __init__(
        self, cluster: Reachable, hooks: Sequence[Hook] = (), *, keep_bodies: bool = True
    ) -> None:
        self.hooks = list(hooks)
        self._upstream = cluster.access
        self._keep_bodies = keep_bodies
        self._records: list[Record] = []
        self._lock = threading.Lock()
        self._number = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._work, name="lab-proxy", daemon=True)
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._stop_asked = asyncio.Event()
        self._folder = tempfile.TemporaryDirectory(prefix="lab-proxy-")
        self._access = Access("", "")
        self._session: ClientSession | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(_START_WITHIN):
            raise LabError(f"the proxy did not start within {_START_WITHIN:.0f} s")
        if self._failure:
            raise LabError(f"the proxy did not start: {self._failure}") from self._failure
        return self

    def __exit__(self, *dummy: object) -> None:
        self._loop.call_soon_threadsafe(self._stop_asked.set)
        self._thread.join()
        self._folder.cleanup()

    @property
    def access(self) -> Access:
        """How the administrator reaches the cluster through the proxy."""
        return self._access

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig, by token, through the proxy."""
        return Path(self._folder.name, "kubeconfig")

    def kubeconfig_for(self, other: Path) -> Path:
        """The kubeconfig of a user known by a token (a ServiceAccount), pointed at the proxy."""
        token = kubeconfig.read(other).token
        if not token:
            raise LabError(
                f"{other}: a client certificate cannot pass a proxy; use a ServiceAccount's kubeconfig"
            )
        path = Path(self._folder.name, f"{other.name}-proxied")
        access = Access(self._access.server, self._access.authority, token=token)
        return kubeconfig.write(path, access, context="lab-proxy")

    @property
    def records(self) -> list[Record]:
        """What arrived, oldest first."""
        with self._lock:
            return list(self._records)

    @property
    def requests(self) -> int:
        with self._lock:
            return len(self._records)

    @property
    def writes(self) -> int:
        """Requests that may have changed something: no reads, no dry runs."""
        return sum(each.is_write for each in self.records)

    def count(self, wanted: Callable[[Record], object]) -> int:
        """How many records fulfil a condition."""
        return sum(bool(wanted(each)) for each in self.records)

    @property
    def connections(self) -> int:
        """How many connections the requests came on."""
        return len({each.port for each in self.records})

    def reset(self) -> None:
        """Forget what was counted."""
        with self._lock:
            self._records.clear()

    def _work(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        except Exception as error:  # noqa: BLE001 - handed to the thread that waits for the start
            self._failure = error
        finally:
            self._ready.set()
            self._loop.run_until_complete(_close_all(self._loop))
            self._loop.close()

    async def _serve(self) -> None:
        connector = TCPConnector(limit=0, ssl=self._client_context(), keepalive_timeout=60)
        # Watches live as long as the caller wants; what hangs is for the caller's own deadline.
        self._session = ClientSession(
            connector=connector,
            timeout=ClientTimeout(total=None, connect=10),
            auto_decompress=False,
            skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
            max_line_size=1 << 16,
            max_field_size=1 << 16,
        )
        server = web.Server(self._handle, handler_cancellation=True, access_log=None)
        runner = web.ServerRunner(server, shutdown_timeout=0.2)
        await runner.setup()
        listener = socket.create_server((LOOPBACK, 0))
        try:
            context, authority = self._server_context()
            await web.SockSite(runner, listener, ssl_context=context).start()
            port = runner.addresses[0][1]
            token = self._upstream.token or _PLACEHOLDER
            self._access = Access(f"https://{LOOPBACK}:{port}", authority, token=token)
            kubeconfig.write(self.kubeconfig, self._access, context="lab-proxy")
            self._ready.set()
            await self._stop_asked.wait()
        finally:
            # A connection that asyncio has accepted but not yet begun is lost, and stays open, where its server is closed.
            self._loop.remove_reader(listener)
            await asyncio.sleep(0)
            await runner.cleanup()
            await connector.close(abort_ssl=True)
            await self._session.close()

    def _server_context(self) -> tuple[ssl.SSLContext, str]:
        authority = pki.Authority.new("modelops-lab-proxy")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._load(context, authority.server("lab-proxy", (LOOPBACK, "localhost")))
        return context, authority.pair.certificate

    def _client_context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cadata=self._upstream.authority or None)
        if self._upstream.certificate and not self._upstream.token:
            self._load(context, pki.KeyPair(self._upstream.certificate, self._upstream.key))
        return context

    def _load(self, context: ssl.SSLContext, pair: pki.KeyPair) -> None:
        certificate, key = Path(self._folder.name, "tls.crt"), Path(self._folder.name, "tls.key")
        certificate.write_text(pair.certificate, encoding="utf-8")
        key.write_text(pair.key, encoding="utf-8")
        context.load_cert_chain(certificate, key)
        key.unlink()

    def _note(self, request: web.BaseRequest, body: bytes) -> Record:
        with self._lock:
            self._number += 1
            kept = body if self._keep_bodies else b""
            made = record(self._number, request.method, request.raw_path, request.headers, kept)
            if request.transport is not None:
                made.port = request.transport.get_extra_info("peername")[1]
            self._records.append(made)
        return made

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        body = await request.content.read() if request.body_exists else b""
        began = time.monotonic()
        made = self._note(request, body)
        try:
            for hook in self.hooks:
                instead = await hook.before(made)
                if instead is not None:
                    made.status = instead.status
                    return instead
            return await self._forward(request, made, body, began)
        except ConnectionAbort:
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=502)
        except (ClientError, OSError) as error:
            made.status = 502
            return web.Response(status=502, text=f"the proxy reached no API server: {error}")

    async def _forward(
        self, request: web.BaseRequest, made: Record, body: bytes, began: float
    ) -> web.StreamResponse:
        assert self._session is not None
        url = URL(self._upstream.server + request.raw_path, encoded=True)
        headers = self._request_headers(request)
        async with self._session.request(
            request.method, url, headers=headers, data=body or None, allow_redirects=False
        ) as answer:
            made.status, made.seconds = answer.status, time.monotonic() - began
            for hook in self.hooks:
                instead = await hook.after(made, answer.status)
                if instead is not None:
                    made.status = instead.status
                    return instead
            return await _stream(request, answer)

    def _request_headers(self, request: web.BaseRequest) -> CIMultiDict[str]:
        headers = _end_to_end(request.headers)
        if headers.get("Authorization") == f"Bearer {_PLACEHOLDER}":
            del headers["Authorization"]
        return headers


async def _close_all(loop: asyncio.AbstractEventLoop) -> None:
    """Close every connection before the loop ends, those included that are in a handshake, of which only the loop knows."""
    until = time.monotonic() + _QUIET_WITHIN
    while time.monotonic() < until:
        transports = [
            each
            for each in loop._transports.values()  # type: ignore[attr-defined]
            if each.get_extra_info("socket").fileno() >= 0
        ]
        if not transports and asyncio.all_tasks() == {asyncio.current_task()}:
            return
        for each in transports:
            each.abort()
        await asyncio.sleep(0.005)


async def _stream(request: web.BaseRequest, answer: ClientResponse) -> web.StreamResponse:
    response = web.StreamResponse(
        status=answer.status, reason=answer.reason, headers=_end_to_end(answer.headers)
    )
    await response.prepare(request)
    try:
        async for chunk in answer.content.iter_any():
            await response.write(chunk)
    except (ClientError, OSError):
        # The server broke off in the middle: so does the proxy, or a cut answer would look whole.
        if request.transport is not None:
            request.transport.abort()
        raise ConnectionAbort from None
    await response.write_eof()
    return response


def _end_to_end(headers: Mapping[str, str]) -> CIMultiDict[str]:
    kept: CIMultiDict[str] = CIMultiDict(headers)
    for name in _HOP_BY_HOP:
        kept.popall(name, None)
    return kept
