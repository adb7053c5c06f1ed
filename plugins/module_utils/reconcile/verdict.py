# SPDX-License-Identifier: GPL-3.0-or-later
"""What came back from a service means: it answers, or which hop failed and whether asking again may help."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..cluster.call import Answer, TransportFault
from ..kinds.request import Request
from ..kube.redact import redact_text
from .answer_options import AnswerOptions

#: Bytes of an answer that are read.
LIMIT = 1024 * 1024
#: Letters of others' words that are repeated.
_WORDS = 200
#: Where gateways and servers say which pod answered. The last is the endpoint picker's protocol, and names an address.
_SERVED_BY = ("x-served-by", "x-pod-name", "x-gateway-destination-endpoint-served")
_BUSY = (429, 500, 502, 503, 504)


@dataclass(frozen=True, slots=True)
class Verdict:
    """fault: what failed, empty where the service answers. again: asking once more may help. model: what it says that it serves."""

    fault: str = ""
    again: bool = False
    model: str = ""


def judge(
    request: Request, options: AnswerOptions, outcome: Answer | TransportFault, where: str
) -> Verdict:
    """Return what an outcome means. where: to whom the request was sent, in words."""
    if isinstance(outcome, TransportFault):
        return _unreached(outcome, where)
    status = outcome.status
    if 200 <= status < 300:
        return _answered(request, options, outcome, where)
    if 300 <= status < 400:
        target = redact_text(outcome.headers.get("location", "nowhere"))
        return Verdict(f"{where} redirects to {target}, which is not followed")
    parsed = _parsed(outcome.body)
    # What the API server says by itself, not whoever is behind its proxy.
    refused = isinstance(parsed, Mapping) and parsed.get("kind") == "Status"
    said = _words(
        outcome, str(parsed.get("message")) if isinstance(parsed, Mapping) and refused else ""
    )
    if refused and status == 403:
        return Verdict(
            f"{where}: 403, the user of this task needs the verb get, or create with a body, on services/proxy{said}"
        )
    if status in (401, 403):
        return Verdict(
            f"{where}: {status}, credentials are required; set them in answer.headers{said}"
        )
    if status == 404 and not refused:
        return Verdict(
            f"{where}: 404, no route matches the request; expected is {wanted(request)}{said}",
            again=True,
        )
    if status == 503 or (refused and status == 404):
        return Verdict(f"{where}: {status}, no endpoint is ready behind it{said}", again=True)
    return Verdict(f"{where}: {status}{said}", again=status in _BUSY)


def served_by(outcome: Answer) -> str:
    """Return which pod answered, empty where nothing tells."""
    return next((outcome.headers[name] for name in _SERVED_BY if name in outcome.headers), "")


def wanted(request: Request) -> str:
    """Return what a route takes, in words."""
    parts = [f"{request.route}" if request.route else "a route"]
    parts.append(f"with a path below {request.path or '/'}")
    if request.host:
        parts.append(f"host {request.host}")
    parts += [f"header {name}: {value}" for name, value in request.to_dict()["headers"].items()]
    return ", ".join(parts)


def _unreached(fault: TransportFault, where: str) -> Verdict:
    why, dummy, advice = fault.text.partition("\n")
    if fault.kind == "tls":
        hint = "give its authority as answer.tls.ca_cert, or set answer.tls.verify: false"
        return Verdict(
            f"TLS with {where} failed: {why}; {hint if 'signed' in why else advice or hint}"
        )
    if fault.kind == "stalled":
        return Verdict(f"{where} gave no complete answer within {fault.seconds:.0f} s", again=True)
    if fault.kind == "dropped":
        return Verdict(f"{where} broke off without an answer: {why}", again=True)
    if fault.kind == "name":
        why = "its name is not known (DNS)"
    return Verdict(f"no connection to {where}: {why}", again=True)


def _answered(request: Request, options: AnswerOptions, answer: Answer, where: str) -> Verdict:
    """Judge an answer that went well: it has to name the model, where the protocol's own path was asked."""
    protocol = request.protocol
    if options.path is not None or protocol is None:
        return Verdict(model=request.model)
    if answer.cut:
        return Verdict(
            f"{where}: the answer is longer than {LIMIT} bytes, of which no more is read"
        )
    said = _parsed(answer.body)
    if protocol.lists_models:
        names = _models(said)
        if request.model in names:
            return Verdict(model=request.model)
        found = ", ".join(names[:5]) or "none"
        return Verdict(f"{where} answers, but does not serve {request.model}; it names {found}")
    if isinstance(said, Mapping) and str(said.get("ready", True)).lower() == "false":
        return Verdict(f"{where} answers that {request.model} is not ready", again=True)
    return Verdict(model=request.model)


def _models(said: Any) -> Sequence[str]:
    listed = said.get("data") if isinstance(said, Mapping) else None
    return [
        str(one.get("id"))
        for one in (listed if isinstance(listed, list) else ())
        if isinstance(one, Mapping)
    ]


def _parsed(body: bytes) -> Any:
    """Return what a body says as JSON, None where it is something else."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _words(answer: Answer, message: str) -> str:
    """Return what others say of a failure, in one line and without secrets."""
    text = message or answer.body[: _WORDS * 4].decode(errors="replace")
    line = " ".join(redact_text(text).split())[:_WORDS]
    return f": {line}" if line else ""
