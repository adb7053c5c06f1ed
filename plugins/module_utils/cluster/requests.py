# SPDX-License-Identifier: GPL-3.0-or-later
"""Sending requests until they are answered: deadlines, repeats with backoff, one renewed credential, and the counting."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from ..kube.manifest import Json
from . import retry
from .call import Answer, Call, TransportFault
from .credentials import Credentials
from .endpoint import Credential, Endpoint
from .errors import ApiError, DeadlineExceeded, Stopped, Unreachable
from .list_text import read_list
from .stats import Stats
from .status import refusal
from .timing import Deadline, Timing
from .transport import Transport, shown

#: Called before each write; raises where nothing more may be written.
Fence = Callable[[Call], None]
USER_AGENT = "modelops.inference"
#: LISTs at a time: each is charged up to ten of the seats that a user shares with everybody else.
LISTS = 4
#: Seconds for one attempt of a Lease request: a renewal that comes late is worth nothing, and writes wait for it.
LEASE_TIMEOUT = 5.0
#: Warnings of the server that are kept.
_MOST_WARNINGS = 100
_WARNING = re.compile(r'299 \S+ "((?:[^"\\]|\\.)*)"')


class Requests:
    """Sends calls to one server; safe to use from several threads.

    request_timeout: seconds for one attempt, connecting and reading together. deadline: for everything.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        credentials: Credentials,
        *,
        concurrency: int,
        request_timeout: float,
        deadline: Deadline,
        timing: Timing,
    ) -> None:
        self.endpoint = endpoint
        self.server = shown(endpoint.server)
        self.stats = Stats()
        self.deadline = deadline
        self.timing = timing
        self.request_timeout = request_timeout
        self.warnings: dict[str, None] = {}
        self.list_slots = threading.BoundedSemaphore(LISTS)
        self._credentials = credentials
        self._concurrency = concurrency
        self._transport: tuple[Credential, Transport] | None = None
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._fences: list[Fence] = []
        self._met = False
        self._not_before = 0.0

    def send(self, call: Call) -> Answer:
        """Return the answer of a call that went well. Raises ApiError, Unreachable, DeadlineExceeded, LoginError, Stopped."""
        target = _target(call)
        body = None
        if call.body is not None:
            body = json.dumps(call.body, separators=(",", ":")).encode()

        def exchange(transport: Transport, headers: Any) -> Answer | TransportFault:
            spare = call.account == "lease"
            patience = min(self._patience(), LEASE_TIMEOUT) if spare else self._patience()
            return transport.exchange(call.method, target, body, headers, patience, spare=spare)

        return self._repeat(call, exchange)

    def send_for_object(self, call: Call) -> Json:
        """Return the JSON object that a call is answered with. Raises like `send`."""
        return self.object_of(call, self.send(call))

    def send_for_list(self, call: Call, keep: Callable[[Json], Json]) -> tuple[Json, list[Json]]:
        """Return the list that a call is answered with, without its items, and what is kept of each item. Raises like `send`."""
        answer = self.send(call)
        try:
            return read_list(answer.body, keep)
        except (json.JSONDecodeError, UnicodeDecodeError):
            raise self._not_kubernetes(call) from None

    def object_of(self, call: Call, answer: Answer) -> Json:
        """Return the JSON object in an answer. Raises Unreachable where it is the answer of something else."""
        found = answer.object()
        if found is None:
            raise self._not_kubernetes(call)
        return found

    def _not_kubernetes(self, call: Call) -> Unreachable:
        cause = "what answers there is not the Kubernetes API"
        return Unreachable(
            self.server, call.subject, cause, "is a proxy or a login page before it?"
        )

    def open_stream(self, call: Call) -> Any:
        """Return urllib3's response for a watch, once its head is there. Raises like `send`."""
        opened: list[Any] = []

        def open_one(transport: Transport, headers: Any) -> Answer | TransportFault:
            result = transport.stream(_target(call), headers, self._patience())
            if isinstance(result, TransportFault):
                return result
            opened.append(result[0])
            return result[1]

        self._repeat(call, open_one)
        return opened[-1]

    def ask(
        self, call: Call, body: bytes | None, headers: Mapping[str, str], timeout: float, limit: int
    ) -> Answer | TransportFault:
        """Send a call once and return whatever comes, refusals too. headers: beside ours. limit: bytes of the answer that are read."""

        def exchange(transport: Transport, ours: Any) -> Answer | TransportFault:
            for name, value in headers.items():
                ours[name] = value
            patience = min(timeout, self._patience())
            return transport.exchange(call.method, _target(call), body, ours, patience, limit=limit)

        self._wait_for_turn(call)
        return self._attempt(call, exchange, repeat=False)[1]

    def add_fence(self, fence: Fence) -> None:
        """Call `fence` before each write from now on."""
        with self._lock:
            self._fences = [*self._fences, fence]

    def remove_fence(self, fence: Fence) -> None:
        """Stop calling `fence`."""
        with self._lock:
            self._fences = [other for other in self._fences if other != fence]

    def pause(self, seconds: float) -> None:
        """Sleep, at most to the deadline; raises Stopped when the connection is closed meanwhile."""
        if self.timing.pause(self._stop, max(0.0, min(seconds, self.deadline.left()))):
            raise Stopped(f"{self.server}: the connection is closed")

    def stop(self) -> None:
        """Send nothing more; what is under way ends by itself."""
        self._stop.set()

    @property
    def stopped(self) -> bool:
        """Whether nothing more is sent."""
        return self._stop.is_set()

    def close(self) -> None:
        """Stop, and close the connections."""
        self.stop()
        with self._lock:
            if self._transport is not None:
                self._transport[1].close()
                self._transport = None

    def too_late(self, call: Call) -> DeadlineExceeded:
        """Return the error for what cannot be asked any more: the deadline of the task has passed."""
        seconds = self.deadline.seconds
        return DeadlineExceeded(
            f"{call.subject} at {self.server}", seconds, "the deadline of the whole task has passed"
        )

    def _repeat(
        self, call: Call, act: Callable[[Transport, Any], Answer | TransportFault]
    ) -> Answer:
        """Do something until it goes well, or is final."""
        attempt = 0
        uncertain = renewed = False
        failing_since: float | None = None
        while True:
            attempt += 1
            self._wait_for_turn(call)
            generation, outcome = self._attempt(call, act, repeat=attempt > 1)
            if isinstance(outcome, Answer):
                outcome = replace(outcome, uncertain=uncertain)
                if outcome.status < 300:
                    return outcome
                if (
                    outcome.status == 401
                    and not renewed
                    and self._credentials.renew(generation, self.deadline.left())
                ):
                    renewed = True
                    continue
            uncertain = uncertain or _maybe_executed(outcome)
            now = self.timing.monotonic()
            failing_since = now if failing_since is None else failing_since
            again = retry.decide(
                call,
                outcome,
                attempt,
                failing=now - failing_since,
                met=self._met,
                random=self.timing.random,
            )
            if again is None or again.delay >= self.deadline.left():
                raise self._error(call, outcome, again)
            self._hold(again)

    def _attempt(
        self, call: Call, act: Callable[[Transport, Any], Answer | TransportFault], *, repeat: bool
    ) -> tuple[int, Answer | TransportFault]:
        generation, credential = self._credentials.current(self.deadline.left())
        transport = self._transport_for(credential)
        if call.account == "write":
            for fence in self._fences:
                fence(call)
        self.stats.count(call.account, repeat=repeat)
        outcome = act(transport, self._headers(call, credential))
        if isinstance(outcome, Answer):
            self._notice(generation, outcome)
        elif outcome.sent:
            transport.close_idle()
        return generation, outcome

    def _patience(self) -> float:
        return max(0.01, min(self.request_timeout, self.deadline.left()))

    def _transport_for(self, credential: Credential) -> Transport:
        with self._lock:
            # A thread that outlives the run opens nothing that nobody would close.
            if self._stop.is_set():
                raise Stopped(f"the connection to {self.server} is closed")
            if self._transport is not None:
                used, transport = self._transport
                if used.certificate == credential.certificate:
                    return transport
                transport.close()
            transport = Transport(self.endpoint, credential, connections=self._concurrency)
            self._transport = (credential, transport)
            return transport

    def _headers(self, call: Call, credential: Credential) -> Any:
        from urllib3 import HTTPHeaderDict

        headers = HTTPHeaderDict(
            {
                "Accept": call.accept,
                "User-Agent": USER_AGENT,
                "Accept-Encoding": "identity",
            }
        )
        if call.body is not None:
            headers["Content-Type"] = call.content_type
        if credential.authorization:
            headers["Authorization"] = credential.authorization
        for name, value in self.endpoint.impersonation:
            headers.add(name, value)
        return headers

    def _notice(self, generation: int, answer: Answer) -> None:
        self._met = True
        if answer.status != 401:
            self._credentials.accepted(generation)
        for text in _WARNING.findall(answer.headers.get("warning", "")):
            if len(self.warnings) < _MOST_WARNINGS:
                self.warnings.setdefault(re.sub(r"\\(.)", r"\1", text))

    def _hold(self, again: retry.Again) -> None:
        """Wait before a repeat. A delay that the server ordered holds back everything: it means all that we send."""
        if not again.ordered:
            self.pause(again.delay)
            return
        with self._lock:
            until = self.timing.monotonic() + again.delay
            self._not_before = max(self._not_before, until)

    def _wait_for_turn(self, call: Call) -> None:
        """Return when a request may be sent. Raises Stopped and DeadlineExceeded."""
        while True:
            if self._stop.is_set():
                raise Stopped(f"{call.subject}: the connection to {self.server} is closed")
            if self.deadline.left() <= 0:
                raise self.too_late(call)
            early = self._not_before - self.timing.monotonic()
            if early <= 0:
                return
            # All that were held back do not come back in the same moment.
            self.pause(early + self.timing.random() * min(0.25, 0.1 * early))

    def _error(
        self, call: Call, outcome: Answer | TransportFault, again: retry.Again | None = None
    ) -> Unreachable | DeadlineExceeded | ApiError:
        """Return the error for an outcome that is final. again: it would be repeated, but the deadline is nearer."""
        if isinstance(outcome, Answer):
            advice = self._credentials.explain() if outcome.status == 401 else ""
            if again is not None:
                advice = f"the next attempt would be in {again.delay:.0f} s, after the deadline"
            return refusal(call, outcome, scrub=self._credentials.scrub, advice=advice)
        if outcome.kind in ("stalled", "connect-timeout"):
            if self.deadline.left() <= 0:
                return self.too_late(call)
            phase = "no complete answer" if outcome.kind == "stalled" else "no connection"
            advice = "the server or something before it is overloaded; see request_timeout"
            return DeadlineExceeded(
                f"{call.subject} at {self.server}", outcome.seconds, phase, advice
            )
        cause, dummy, advice = outcome.text.partition("\n")
        if outcome.kind == "name":
            cause, advice = "its name is not known (DNS)", "check host or the kubeconfig's server"
        elif outcome.kind == "proxy":
            cause, advice = (
                f"the proxy failed: {cause}",
                "check proxy, or the kubeconfig's proxy-url",
            )
        elif outcome.kind == "connection":
            advice = "is the API server running, and is this its address?"
        return Unreachable(self.server, call.subject, self._credentials.scrub(cause), advice)


def _target(call: Call) -> str:
    return f"{call.path}?{urlencode(call.query)}" if call.query else call.path


def _maybe_executed(outcome: Answer | TransportFault) -> bool:
    """Whether the server may have done what was asked, although it did not say so."""
    if isinstance(outcome, TransportFault):
        return outcome.sent
    return outcome.status in (500, 502, 503, 504)
