# SPDX-License-Identifier: GPL-3.0-or-later
"""Connecting within a time that covers everything: the look-up of a name, which the system bounds by no timeout, and each address."""

from __future__ import annotations

import queue
import socket
import threading
import time
from collections.abc import Sequence
from typing import Any

#: Where a socket can be connected to, as `socket.getaddrinfo` returns it.
Place = tuple[Any, ...]


def dial(host: str, port: int, seconds: float, options: Sequence[Any]) -> socket.socket:
    """Return a connected socket whose timeout is what is left of `seconds`. options: for `setsockopt`.

    Of several addresses each gets its share of the time, so that one that is dead does not hide the others.
    Raises OSError: socket.gaierror for a name that is not known, TimeoutError, or what connecting fails with.
    """
    until = time.monotonic() + seconds
    places = _look_up(host, port, seconds)
    failure: OSError = OSError(f"{host} has no address")
    for number, place in enumerate(places):
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        try:
            connected = _connect(place, left / (len(places) - number), options)
        except OSError as error:
            failure = error
        else:
            connected.settimeout(max(0.01, until - time.monotonic()))
            return connected
    raise failure


def _look_up(host: str, port: int, seconds: float) -> Sequence[Place]:
    """Return the addresses of a host. A resolver that hangs is left behind in its thread."""
    wanted = (host.strip("[]"), port, 0, socket.SOCK_STREAM)
    try:
        return socket.getaddrinfo(*wanted, flags=socket.AI_NUMERICHOST)
    except socket.gaierror:
        pass
    answers: queue.SimpleQueue[Sequence[Place] | OSError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(socket.getaddrinfo(*wanted))
        except OSError as error:
            answers.put(error)
        except UnicodeError:
            answers.put(socket.gaierror(socket.EAI_NONAME, "the name is not valid"))

    threading.Thread(target=ask, name="modelops-resolver", daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError("timed out") from None
    if isinstance(answer, OSError):
        raise answer
    return answer


def _connect(place: Place, seconds: float, options: Sequence[Any]) -> socket.socket:
    family, kind, protocol, dummy, address = place
    made = socket.socket(family, kind, protocol)
    try:
        for option in options:
            made.setsockopt(*option)
        made.settimeout(seconds)
        made.connect(address)
    except OSError:
        made.close()
        raise
    return made
