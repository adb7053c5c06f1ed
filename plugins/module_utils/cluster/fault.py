# SPDX-License-Identifier: GPL-3.0-or-later
"""What an exception of urllib3, of TLS or of the system says about a request: the fault that decides whether it is sent again."""

from __future__ import annotations

import socket

from . import tls
from .call import TransportFault


def fault(error: BaseException, seconds: float) -> TransportFault:
    """Return what an exception means. seconds: how long the request took."""
    from urllib3 import exceptions as http

    text = _innermost(error)
    if isinstance(error, http.SSLError):
        return _of_tls(_root(error), seconds)
    if isinstance(error, http.ProxyError):
        return TransportFault("proxy", text, False, seconds)
    if isinstance(error, http.ConnectTimeoutError) and not isinstance(
        error, http.NewConnectionError
    ):
        return TransportFault("connect-timeout", "no connection", False, seconds)
    if isinstance(error, http.NewConnectionError):
        unknown = isinstance(_root(error), socket.gaierror)
        return TransportFault("name" if unknown else "connection", text, False, seconds)
    if isinstance(error, http.ClosedPoolError):
        return TransportFault("connection", "the connection was just replaced", False, seconds)
    if isinstance(error, http.ReadTimeoutError | TimeoutError):
        return TransportFault("stalled", "no complete answer", True, seconds)
    return TransportFault("dropped", text, True, seconds)


def _of_tls(error: BaseException, seconds: float) -> TransportFault:
    """Return the fault of a failed TLS session. A certificate stays wrong; the rest is what a server does that restarts."""
    what = tls.explain(error)
    if tls.lasting(error):
        return TransportFault("tls", "\n".join(what), False, seconds)
    return TransportFault("dropped", what[0], True, seconds)


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
