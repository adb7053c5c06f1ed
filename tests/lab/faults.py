# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What goes wrong between a client and an API server: a hook of the proxy that strikes chosen requests.

    lost = Fault(writes("deployments"), hang_up, moment=AFTER)     # executed, and the answer is lost
    busy = Fault(every(5), refuse(429, retry_after=1))
    with Proxy(lab, hooks=[lost, busy]) as proxy:
        run_playbook(kubeconfig=proxy.kubeconfig)
    assert lost.struck

Faults below HTTP, such as a handshake that breaks off, are those of `line.py`.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Awaitable, Callable
from typing import Any, Literal

from aiohttp import web
from aiohttp.abc import AbstractStreamWriter

from .proxy import ConnectionAbort
from .proxy_record import Record

Match = Callable[[Record], object]
#: What a struck request meets: an answer instead of the server's, None where it continues, or a raised ConnectionAbort.
Effect = Callable[[Record], Awaitable[web.StreamResponse | None]]
#: Before the server sees the request, or after it has executed it.
Moment = Literal["before", "after"]
BEFORE: Moment = "before"
AFTER: Moment = "after"


class Fault:
    """Strikes requests that match: not the first `skip` of them, and at most `times`. struck: those that it met."""

    def __init__(
        self,
        match: Match,
        *effects: Effect,
        moment: Moment = BEFORE,
        skip: int = 0,
        times: float | None = None,
    ) -> None:
        """effects: one for each request that is struck, in turn; `times` beyond their number begins with the first again."""
        self.struck: list[Record] = []
        self._match = match
        self._effects = effects
        self._moment = moment
        self._skip = skip
        self._times = len(effects) if times is None else times

    async def before(self, request: Record) -> web.StreamResponse | None:
        """Strike where the moment is before the server."""
        return await self._strike(request) if self._moment == BEFORE else None

    async def after(self, request: Record, _status: int) -> web.StreamResponse | None:
        """Strike where the moment is after the server."""
        return await self._strike(request) if self._moment == AFTER else None

    async def _strike(self, request: Record) -> web.StreamResponse | None:
        if len(self.struck) >= self._times or not self._match(request):
            return None
        if self._skip:
            self._skip -= 1
            return None
        effect = self._effects[len(self.struck) % len(self._effects)]
        self.struck.append(request)
        return await effect(request)


ALWAYS = math.inf


def anything(_request: Record) -> bool:
    """Match each request."""
    return True


def every(number: int) -> Match:
    """Match each n-th request that arrives."""
    return lambda request: request.number % number == 0


def seen(verb: str, plural: str = "", subresource: str | None = None) -> Match:
    """Match requests of a verb, as the proxy names it (`apply`, `list`, `watch`, ...), for a kind or for all."""

    def match(request: Record) -> bool:
        found = request.resource
        return (
            request.verb == verb
            and plural in ("", found.plural)
            and subresource in (None, found.subresource)
        )

    return match


def writes(plural: str = "") -> Match:
    """Match writes of objects, Leases apart unless they are named."""

    def match(request: Record) -> bool:
        found = request.resource.plural
        return request.is_write and (found == plural or (not plural and found != "leases"))

    return match


def refuse(
    status: int,
    reason: str = "",
    message: str = "refused by a test",
    *,
    retry_after: float | None = None,
    **details: Any,
) -> Effect:
    """Answer with the API's own refusal."""
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "code": status,
        "reason": reason,
        "message": message,
        "details": details,
    }
    headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
    return _answer(status, json.dumps(body), "application/json", headers)


def page(status: int) -> Effect:
    """Answer as a load balancer does that reaches no API server: with a web page."""
    text = f"<html><head><title>{status}</title></head><body>no healthy upstream</body></html>"
    return _answer(status, text, "text/html", {})


def event(kind: str, found: Any) -> Effect:
    """Answer a watch with one event, and end it."""
    return _answer(200, json.dumps({"type": kind, "object": found}) + "\n", "application/json", {})


async def hang_up(_request: Record) -> web.StreamResponse | None:
    """Break the connection without an answer."""
    raise ConnectionAbort


async def silence(_request: Record) -> web.StreamResponse | None:
    """Say nothing, for ever."""
    await _for_ever()
    return None


async def cut(_request: Record) -> web.StreamResponse | None:
    """Begin an answer and break the connection in the middle of its body."""
    return _Torn(end=_break)


async def stall(_request: Record) -> web.StreamResponse | None:
    """Begin an answer and say nothing more in the middle of its body."""
    return _Torn(end=_keep_silent)


async def drip(_request: Record) -> web.StreamResponse | None:
    """Send a body that never ends, a byte at a time."""
    return _Torn(end=_drip)


def delay(seconds: float) -> Effect:
    """Take longer, and continue."""

    async def act(_request: Record) -> web.StreamResponse | None:
        await asyncio.sleep(seconds)
        return None

    return act


def do(work: Callable[[], object]) -> Effect:
    """Do something while the request waits, in a thread, and continue."""

    async def act(_request: Record) -> web.StreamResponse | None:
        await asyncio.to_thread(work)
        return None

    return act


def _answer(status: int, text: str, content_type: str, headers: dict[str, str]) -> Effect:
    async def act(_request: Record) -> web.StreamResponse | None:
        return web.Response(status=status, text=text, content_type=content_type, headers=headers)

    return act


class _Torn(web.StreamResponse):
    """An answer whose head promises more than its body gives."""

    def __init__(self, end: Callable[[web.StreamResponse], Awaitable[None]]) -> None:
        super().__init__(headers={"Content-Type": "application/json"})
        self.content_length = 1_000_000
        self._end = end
        self._asked: web.BaseRequest | None = None

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Send the head."""
        self._asked = request
        return await super().prepare(request)

    async def write_eof(self, _data: bytes = b"") -> None:
        """Send the beginning of the body, and what this is about."""
        await self.write(b'{"kind":"List","items":[')
        await self._end(self)
        if self._asked is not None and self._asked.transport is not None:
            self._asked.transport.abort()


async def _break(_answer: web.StreamResponse) -> None:
    return


async def _keep_silent(_answer: web.StreamResponse) -> None:
    await _for_ever()


async def _drip(answer: web.StreamResponse) -> None:
    while True:
        await answer.write(b" ")
        await asyncio.sleep(0.05)


async def _for_ever() -> None:
    await asyncio.Event().wait()
