# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of a request that shows that a service answers: checked before anything is written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..kinds.request import Request
from ..kube.local_path import local_path
from ..kube.problem import Complaint, InputError, Problem

#: What is waited for where a real request has to be answered.
ANSWER = "answer"
GATEWAY, API_SERVER = "gateway", "apiserver"

#: Seconds in which a service has to answer: one that got ready a moment ago, and one of a fleet that is looked at.
PATIENCE_S, CANARY_S = 60.0, 10.0

SPEC: dict[str, Any] = {
    "type": "dict",
    "options": {
        "through": {"type": "str", "choices": [GATEWAY, API_SERVER], "default": GATEWAY},
        "path": {"type": "str"},
        "body": {"type": "raw"},
        "headers": {"type": "dict", "default": {}},
        "timeout": {"type": "float"},
        "tls": {
            "type": "dict",
            "options": {
                "ca_cert": {"type": "path"},
                "verify": {"type": "bool", "default": True},
            },
        },
    },
}

#: A field name of HTTP. Source: RFC 9110, 5.1 and 5.6.2.
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
#: What a field value may hold. Source: RFC 9110, 5.5.
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_PATH = re.compile(r"/[\x21-\x7e]*")
#: What whoever sends the request says by itself.
_OURS = frozenset({"host", "content-length", "transfer-encoding", "connection"})


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """What is sent to a service. path, body: of its author; None for what the protocol of the service says. timeout: seconds.

    headers: beside those that the route wants. ca: PEM certificates; empty for those of the system.
    """

    through: str = GATEWAY
    path: str | None = None
    body: bytes | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = PATIENCE_S
    ca: str = ""
    verify: bool = True


def answer_options(
    given: Mapping[str, Any] | None, timeout: float = PATIENCE_S, option: str = ANSWER
) -> AnswerOptions:
    """Return the options of an answer, checked. timeout: where none is given. Raises InputError with everything that is wrong.

    option: what the task calls them.
    """
    if given is None:
        return AnswerOptions(timeout=timeout)
    problems: list[Problem] = []
    headers = given["headers"] or {}
    path, tls = given["path"], given["tls"] or {}
    timeout = timeout if given["timeout"] is None else given["timeout"]
    if path is not None and not _PATH.fullmatch(path):
        problems.append(
            Problem("path", f"{path!r} does not begin with a slash, or holds what no path holds")
        )
    if not 0 < timeout < float("inf"):
        problems.append(Problem("timeout", f"{timeout:g} is not more than 0 seconds"))
    problems += _header_problems(headers, given["through"])
    body = _body(given["body"], problems)
    if body is not None and path is None:
        problems.append(
            Problem("body", "needs path, for example /v1/completions: it is posted there")
        )
    problems += _tls_problems(tls, given["through"])
    ca = _authority(tls.get("ca_cert"), problems)
    if problems:
        raise InputError([Complaint(option, tuple(problems))])
    return AnswerOptions(
        given["through"],
        path,
        body,
        {str(name): str(value) for name, value in headers.items()},
        timeout,
        ca,
        tls.get("verify", True),
    )


def way_in_problems(request: Request, options: AnswerOptions) -> Iterator[Problem]:
    """Yield why a service cannot be asked, whatever its pods do."""
    ways = bool(request.gateway or request.address)
    ways = ways or (options.through == API_SERVER and request.backend is not None)
    if request.protocol is None or not ways or request.missing:
        text = f"it cannot be asked: {request.note or 'no gateway leads to it'}"
        if request.protocol is not None and request.backend is not None and not request.missing:
            text += "; set answer.through: apiserver"
        yield Problem("wait_for", text, rule="no-way-in")
    elif options.path is not None and request.path and request.path != "/":
        rest = options.path.removeprefix(request.path.rstrip("/"))
        if rest != options.path and rest.startswith("/"):
            text = (
                f"begins with {request.path}, which the task puts in front by itself; write {rest}"
            )
            yield Problem("answer.path", text, rule="answer-path")


def _tls_problems(tls: Mapping[str, Any], through: str) -> Iterator[Problem]:
    """Yield what is said of certificates, and nobody reads."""
    if tls.get("ca_cert") is not None and not tls.get("verify", True):
        text = "is not read with verify: false; leave one of them out"
        yield Problem("tls.ca_cert", text)
    if through == API_SERVER and (tls.get("ca_cert") is not None or not tls.get("verify", True)):
        text = "is not read with through: apiserver: ca_cert and validate_certs of the task say how the API server's certificate is checked"
        yield Problem("tls", text)


def _header_problems(headers: Mapping[str, Any], through: str) -> Iterator[Problem]:
    """Yield what is wrong with headers; their values are not shown, since they may be secret."""
    for key, given in headers.items():
        place = f"headers[{key!r}]"
        name, value = str(key), str(given)
        if given is None:
            yield Problem(place, "has no value; is the variable empty that it comes from?")
            continue
        if isinstance(given, Mapping | list):
            yield Problem(place, "its value is no text; write one text for each header")
            continue
        if not _NAME.fullmatch(name):
            yield Problem(place, "is not the name of a header: it has letters, digits and -")
        elif name.lower() in _OURS:
            yield Problem(place, "is set by what sends the request")
        elif not _VALUE.fullmatch(value) or value != value.strip():
            yield Problem(place, "its value cannot be sent: no line breaks, no blanks at its ends")
        elif through == API_SERVER and name.lower() == "authorization":
            yield Problem(
                place, "the API server takes it for itself and passes none on; use through: gateway"
            )


def _body(given: Any, problems: list[Problem]) -> bytes | None:
    if given is None:
        return None
    try:
        parsed = json.loads(given) if isinstance(given, str) else given
        return json.dumps(parsed).encode()
    except (ValueError, TypeError) as error:
        where = (
            f" at line {error.lineno}, column {error.colno}"
            if isinstance(error, json.JSONDecodeError)
            else ""
        )
        single = isinstance(given, str) and given.lstrip()[:2] in ("{'", "['")
        hint = ", which has double quotes; or write a map instead of text" if single else ""
        problems.append(Problem("body", f"is not JSON{where}{hint}"))
        return None


def _authority(path: str | None, problems: list[Problem]) -> str:
    """Return the text of the certificates in a file."""
    if path is None:
        return ""
    import ssl

    try:
        text = local_path(path).read_text(encoding="utf-8")
        ssl.create_default_context(cadata=text)
    except (ssl.SSLError, ValueError):
        problems.append(Problem("tls.ca_cert", f"{path} holds no certificate in PEM form"))
    except OSError as error:
        problems.append(Problem("tls.ca_cert", f"{path} cannot be read: {error.strerror}"))
    else:
        return text
    return ""
