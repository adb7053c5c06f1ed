# SPDX-License-Identifier: GPL-3.0-or-later
"""Sending one request over pooled connections, once: an answer, or a fault that says what failed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from . import proxies, tls
from .call import Answer, Fault
from .deadline_socket import WithDeadlines
from .endpoint import Credential, Endpoint
from .errors import LoginError, MissingLibrary

CONNECT_TIMEOUT = 5.0
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
        self._pool = _pool(endpoint, options | {"block": True})
        self._streams = _pool(endpoint, options | {"block": False})

    def exchange(
        self,
        method: str,
        path: str,
        body: bytes | None,
        headers: Mapping[str, str],
        timeout: float,
        *,
        spare: bool = False,
    ) -> Answer | Fault:
        """Send and read everything within `timeout` seconds. spare: do not wait for a busy connection."""
        import urllib3

        pool = self._streams if spare else self._pool
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
                pool_timeout=timeout,
            )
        except (urllib3.exceptions.HTTPError, OSError) as error:
            return fault(error, time.monotonic() - started)
        return Answer(response.status, _lower(response.headers), response.data)

    def stream(
        self, path: str, headers: Mapping[str, str], timeout: float
    ) -> tuple[Any, Answer] | Fault:
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

    def close(self) -> None:
        """Close the connections that no request uses now."""
        self._pool.close()
        self._streams.close()


def shown(url: str) -> str:
    """Return a URL without user name and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def fault(error: BaseException, seconds: float) -> Fault:
    """Return what an exception of urllib3 or of the system means."""
    from urllib3 import exceptions as http

    text = _innermost(error)
    if isinstance(error, http.SSLError):
        return Fault("tls", "\n".join(tls.explain(_root(error))), False, seconds)
    if isinstance(error, http.ProxyError):
        return Fault("proxy", text, False, seconds)
    if isinstance(error, http.ConnectTimeoutError | http.EmptyPoolError) and not isinstance(
        error, http.NewConnectionError
    ):
        return Fault("connect-timeout", "no connection", False, seconds)
    if isinstance(error, http.NewConnectionError):
        # urllib3 1.26 has no class of its own for names that do not resolve.
        unknown = (
            "resolve" in str(error) or "Name or service" in str(error) or "getaddrinfo" in text
        )
        return Fault("name" if unknown else "connection", text, False, seconds)
    if isinstance(error, http.ClosedPoolError):
        return Fault("connection", "the connection was just replaced", False, seconds)
    if isinstance(error, http.ReadTimeoutError | TimeoutError):
        return Fault("stalled", "no complete answer", True, seconds)
    return Fault("dropped", text, True, seconds)


def _options(endpoint: Endpoint, credential: Credential) -> dict[str, Any]:
    """Return what all connections to a server are made with: nothing for plain HTTP."""
    try:
        import urllib3
    except ImportError as error:
        raise MissingLibrary("urllib3", "to reach a cluster") from error
    if not endpoint.server.startswith("https://"):
        return {}
    options: dict[str, Any] = {
        "ssl_context": tls.context(endpoint, credential.certificate),
        "cert_reqs": "CERT_REQUIRED" if endpoint.verify else "CERT_NONE",
    }
    if not endpoint.verify:
        options["assert_hostname"] = False
    if getattr(urllib3, "__version__", "").startswith("1."):
        # It gives Python no name to check where the host is an address; it checks by itself instead.
        options["ssl_context"].check_hostname = False
    if endpoint.server_name:
        options["server_hostname"] = endpoint.server_name
        if endpoint.verify:
            options["assert_hostname"] = endpoint.server_name
    return options


def _pool(endpoint: Endpoint, options: Mapping[str, Any]) -> Any:
    from urllib3.connection import HTTPConnection, HTTPSConnection

    class Plain(WithDeadlines, HTTPConnection):
        """HTTP with deadlines."""

    class Secure(WithDeadlines, HTTPSConnection):
        """HTTPS with deadlines."""

        def connect(self) -> None:
            """Connect, without urllib3's warning about an unverified server: `Cluster.warnings` has a better one."""
            super().connect()
            self.is_verified = True

    pool = proxies.pool(endpoint, options)
    pool.ConnectionCls = Secure if "ssl_context" in options else Plain
    return pool


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    # A name that comes several times is one entry here, its values joined with commas.
    return {name.lower(): headers[name] for name in headers}


def _root(error: BaseException) -> BaseException:
    """Return the exception that others were made from."""
    for inner in (*error.args, error.__cause__, getattr(error, "reason", None)):
        if isinstance(inner, BaseException):
            return _root(inner)
    return error


def _innermost(error: BaseException) -> str:
    root = _root(error)
    if isinstance(root, OSError) and root.strerror:
        return root.strerror.lower()
    text = str(root).rpartition(">: ")[2] or str(root).rpartition("] ")[2]
    return text.rpartition("] ")[2].lower() if "[Errno" in text else text or type(root).__name__
