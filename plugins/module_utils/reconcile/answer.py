# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether services answer: one real request to each, by the gateway or by the API server's proxy, until it is answered or time is up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from ..cluster.call import Answer, TransportFault
from ..cluster.connection import Cluster
from ..cluster.endpoint import Credential, Endpoint
from ..cluster.errors import ClusterError
from ..cluster.retry import backoff
from ..cluster.timing import Deadline
from ..cluster.transport import Transport
from ..fleet.cluster_reader import ClusterReader
from ..kinds.answered import Answered
from ..kinds.entrance import Backend
from ..kinds.request import Request
from ..kube.reader import Lookup, Reader
from ..kube.reference import Reference
from .answer_options import API_SERVER, AnswerOptions
from .compiled_service import CompiledService
from .status import request_for
from .verdict import LIMIT, Verdict, judge, served_by

#: Makes the request to a service anew: what leads to it may have changed.
Renew = Callable[[], Request]
#: The label by which gateway controllers mark the Service of a Gateway. Source: Gateway API, GEP-1762.
_GATEWAY_LABEL = "gateway.networking.k8s.io/gateway-name"
#: Seconds that an attempt has at least, so that the last one does not fail for want of time.
_ATTEMPT_S = 1.0
_CLIENT = {"Accept": "*/*", "Accept-Encoding": "identity", "User-Agent": "modelops.inference"}


class Sent(NamedTuple):
    """What came of a request. seconds: after how many."""

    where: str
    outcome: Answer | TransportFault
    seconds: float


@dataclass(slots=True)
class Inquiry:
    """One service to ask. request: as far as it is known now. renew: makes it anew."""

    request: Request
    renew: Renew

    @classmethod
    def of(
        cls,
        cluster: Cluster,
        target: CompiledService,
        objects: Lookup,
        others: Reader,
        url: str,
    ) -> Inquiry:
        """Return the inquiry of a service. objects, others, url: as in `request_for`."""
        return cls(
            request_for(target, objects, others, url),
            lambda: request_for(target, objects, ClusterReader(cluster), url),
        )


def ask_all(
    cluster: Cluster, inquiries: Mapping[Reference, Inquiry], options: AnswerOptions
) -> dict[Reference, Answered]:
    """Ask each service, as many at a time as the connection allows, and return what came back."""
    calls = [partial(ask, cluster, inquiry, options) for inquiry in inquiries.values()]
    found = {}
    for reference, outcome in zip(inquiries, cluster.parallel(calls, ClusterError), strict=True):
        if isinstance(outcome, ClusterError):
            found[reference] = Answered(through=options.through, fault=str(outcome))
        else:
            found[reference] = outcome
    return found


def ask(cluster: Cluster, inquiry: Inquiry, options: AnswerOptions) -> Answered:
    """Ask one service until it answers, what it says is final, or its time is up."""
    timing = cluster.requests.timing
    deadline = Deadline.after(min(options.timeout, cluster.requests.deadline.left()), timing)
    attempt = 0
    while True:
        attempt += 1
        answered, verdict = _once(cluster, inquiry.request, options, max(deadline.left(), 0.01))
        pause = backoff(attempt, timing.random)
        if not verdict.again or pause + _ATTEMPT_S > deadline.left():
            return answered
        cluster.requests.pause(pause)
        inquiry.request = inquiry.renew()


def _once(
    cluster: Cluster, request: Request, options: AnswerOptions, seconds: float
) -> tuple[Answered, Verdict]:
    blank = Answered(through=options.through)
    if request.protocol is None:
        return replace(blank, fault=request.note), Verdict(request.note)
    hop = _by_api_server if options.through == API_SERVER else _by_gateway
    sent = hop(cluster, request, options, min(seconds, cluster.requests.request_timeout))
    if isinstance(sent, Verdict):
        return replace(blank, fault=sent.fault), sent
    where, outcome, lasted = sent
    verdict = judge(request, options, outcome, where)
    answered = replace(blank, model=verdict.model, fault=verdict.fault)
    if isinstance(outcome, Answer):
        answered = replace(
            answered,
            status=outcome.status,
            served_by=served_by(outcome),
            latency_ms=round(lasted * 1000),
        )
    return answered, verdict


def _by_gateway(
    cluster: Cluster, request: Request, options: AnswerOptions, seconds: float
) -> Sent | Verdict:
    """Send a request to the address of its gateway."""
    if not request.address:
        return Verdict(f"no address: {request.note}", again=True)
    origin = request.origin
    endpoint = Endpoint(origin, ca=options.ca, verify=options.verify, server_name=request.host)
    transport = Transport(endpoint, Credential(), connections=1)
    headers = {**_CLIENT, **_headers(request, options)}
    method = "GET" if options.body is None else "POST"
    now = cluster.requests.timing.monotonic
    started = now()
    try:
        outcome = transport.exchange(
            method, _path(request, options), options.body, headers, seconds, limit=LIMIT
        )
    finally:
        transport.close()
    return Sent(origin, outcome, now() - started)


def _by_api_server(
    cluster: Cluster, request: Request, options: AnswerOptions, seconds: float
) -> Sent | Verdict:
    """Send a request by the API server's proxy: to the Service of the gateway, else to the service's own."""
    backend = _service_of(cluster, request)
    through = request
    if backend is None:
        # The service's own pods know nothing of what the route wants.
        backend, through = request.backend, replace(request, path="", host="", headers={})
    if backend is None:
        return Verdict(
            f"no address: {request.gateway} has no Service, and its pods have none of their own"
        )
    service = Reference("v1", "Service", backend.namespace, backend.name)
    now = cluster.requests.timing.monotonic
    started = now()
    outcome = cluster.ask_through(
        service,
        backend.port,
        _path(through, options),
        tls=backend.tls,
        body=options.body,
        headers=_headers(through, options),
        timeout=seconds,
        limit=LIMIT,
    )
    return Sent(f"{service} (by the API server)", outcome, now() - started)


def _service_of(cluster: Cluster, request: Request) -> Backend | None:
    """Return the Service that a gateway's controller made for it, where it has the port of the listener."""
    if request.gateway is None:
        return None
    place, name = request.gateway.namespace, request.gateway.name
    listed = cluster.list("v1", "Service", namespace=place, selector=f"{_GATEWAY_LABEL}={name}")
    found = sorted(listed.items, key=lambda service: str(service["metadata"]["name"]))
    if not found and (own := cluster.get(Reference("v1", "Service", place, name))):
        found = [own]
    for service in found:
        for port in service["spec"].get("ports") or ():
            if port.get("port") == request.port:
                return Backend(
                    service["metadata"]["name"], place, request.port, request.scheme == "https"
                )
    return None


def _path(request: Request, options: AnswerOptions) -> str:
    own = options.path
    if own is None:
        own = request.protocol.check_path(request.model) if request.protocol else ""
    return f"{request.path}{own}"


def _headers(request: Request, options: AnswerOptions) -> dict[str, str]:
    found = {**request.headers, **options.headers}
    if request.host:
        found["Host"] = request.host
    if options.body is not None and "content-type" not in map(str.lower, found):
        found["Content-Type"] = "application/json"
    return found


def unanswered(answers: Mapping[Reference, Answered]) -> Sequence[str]:
    """Return a text for each service that did not answer."""
    return [
        f"{reference} is ready, but does not answer: {answered.fault}"
        for reference, answered in answers.items()
        if answered.fault
    ]
