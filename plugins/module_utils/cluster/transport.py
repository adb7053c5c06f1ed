# SPDX-License-Identifier: GPL-3.0-or-later
"""Sending one request over pooled connections, once: an answer, or a fault that says what failed."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from . import proxies, tls
from .call import Answer, TransportFault
from .deadline_socket import with_deadlines
from .endpoint import Credential, Endpoint
from .errors import LoginError
from .fault import fault
from .libraries import need

#: Seconds to look up the name, to connect and to agree on TLS.
CONNECT_TIMEOUT = 5.0
_SHORTEST = 0.01
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Transport:
    """The connections to one server with one credential; a renewed client certificate needs a new transport.

    connections: kept open and used at a time; one more request waits for a free one. Streams have connections of their
    own, since each holds one for minutes.
    """

    def __init__(self, endpoint: Endpoint, credential: Credential, *, connections: int) -> None:
        parts = urlsplit(endpoint.server)
        host = parts.hostname or ""
        if parts.scheme == "http" and credential.authorization and host not in _LOOPBACK:
            raise LoginError(
                f"a token or password would go to {endpoint.server} unencrypted; use https://"
            )
        self._prefix = parts.path.rstrip("/")
        options = _options(endpoint, credential) | {"maxsize": connections}
        self._free = threading.BoundedSemaphore(connections)
        self._pool = _pool(endpoint, options)
        self._streams = _pool(endpoint, options)

    def exchange(
        self,
        method: str,
        path: str,
        body: bytes | None,
        headers: Mapping[str, str],
        timeout: float,
        *,
        spare: bool = False,
        limit: int | None = None,
    ) -> Answer | TransportFault:
        """Send and read everything within `timeout` seconds.

        spare: do not wait for a busy connection. limit: bytes of an answer that are read; the rest is cut.
        """
        if spare:
            return self._exchange(self._streams, method, path, body, headers, timeout)
        started = time.monotonic()
        if not self._free.acquire(timeout=timeout):
            return TransportFault("connect-timeout", "no connection", False, timeout)
        try:
            left = max(_SHORTEST, timeout - (time.monotonic() - started))
            return self._exchange(self._pool, method, path, body, headers, left, limit)
        finally:
            self._free.release()

    def _exchange(
        self,
        pool: Any,
        method: str,
        path: str,
        body: bytes | None,
        headers: Mapping[str, str],
        timeout: float,
        limit: int | None = None,
    ) -> Answer | TransportFault:
        import urllib3

        started = time.monotonic()
        try:
            response = pool.request(
                method,
                self._prefix + path,
                body=body,
                headers=headers,
                retries=False,
                redirect=False,
                timeout=urllib3.Timeout(connect=min(CONNECT_TIMEOUT, timeout), total=timeout),
                preload_content=limit is None,
            )
            data = response.data if limit is None else _read(response, limit)
        except (urllib3.exceptions.HTTPError, OSError) as error:
            return fault(error, time.monotonic() - started)
        cut = limit is not None and len(data) > limit
        return Answer(response.status, _lower(response.headers), data[:limit], cut=cut)

    def stream(
        self, path: str, headers: Mapping[str, str], timeout: float
    ) -> tuple[Any, Answer] | TransportFault:
        """Open a long answer: urllib3's response and its head, the body of a refusal included."""
        import urllib3

        started = time.monotonic()
        try:
            response = self._streams.request(
                "GET",
                self._prefix + path,
                headers=headers,
                retries=False,
                redirect=False,
                timeout=urllib3.Timeout(connect=min(CONNECT_TIMEOUT, timeout), total=timeout),
                preload_content=False,
            )
            body = b"" if response.status == 200 else response.data
        except (urllib3.exceptions.HTTPError, OSError) as error:
            return fault(error, time.monotonic() - started)
        return response, Answer(response.status, _lower(response.headers), body)

    def close_idle(self) -> None:
        """Close the connections that no request uses now: where one was dead, those beside it are as well."""
        for pool in (self._pool, self._streams):
            waiting = pool.pool
            idle = []
            with contextlib.suppress(queue.Empty, AttributeError):  # None once the pool is closed
                while True:
                    idle.append(waiting.get_nowait())
            for connection in idle:
                if connection is not None:
                    connection.close()
                with contextlib.suppress(
                    queue.Full
                ):  # a request found none, and brought its own back
                    waiting.put_nowait(connection)

    def close(self) -> None:
        """Close the connections for good."""
        self._pool.close()
        self._streams.close()


def shown(url: str) -> str:
    """Return a URL without user name and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _options(endpoint: Endpoint, credential: Credential) -> dict[str, Any]:
    """Return what all connections to a server are made with: nothing for plain HTTP."""
    need("urllib3", "to reach a cluster")
    if not endpoint.server.startswith("https://"):
        return {}
    options: dict[str, Any] = {
        "ssl_context": tls.context(endpoint, credential.certificate),
        "cert_reqs": "CERT_REQUIRED" if endpoint.verify else "CERT_NONE",
    }
    if not endpoint.verify:
        options["assert_hostname"] = False
    if endpoint.server_name:
        options["server_hostname"] = endpoint.server_name
        if endpoint.verify:
            options["assert_hostname"] = endpoint.server_name
    return options


def _pool(endpoint: Endpoint, options: Mapping[str, Any]) -> Any:
    pool = proxies.pool(endpoint, options)
    # TLS, plain HTTP and SOCKS have classes of their own.
    pool.ConnectionCls = with_deadlines(pool.ConnectionCls)
    return pool


def _read(response: Any, limit: int) -> bytes:
    """Return a body, or a byte more than the limit of one that is longer; its connection is of no further use."""
    data = b""
    while len(data) <= limit and (part := response.read(limit + 1 - len(data))):
        data += part
    if len(data) > limit:
        response.close()
    response.release_conn()
    return data


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    # A name that comes several times is one entry here, its values joined with commas.
    return {name.lower(): headers[name] for name in headers}
