# SPDX-License-Identifier: GPL-3.0-or-later
"""What a server's refusal means: its Status object turned into one of our errors."""

from __future__ import annotations

from collections.abc import Callable

from ..kube.redact import redact_text, secrets_of
from .call import UNTYPED_PATCH, Answer, Call
from .errors import (
    AlreadyExists,
    ApiError,
    Cause,
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    ServerError,
    TooManyRequests,
    Unauthorized,
)

_CLASSES: dict[int, type[ApiError]] = {
    400: Invalid,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Gone,
    422: Invalid,
    429: TooManyRequests,
}
_REASONS = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    408: "Timeout",
    409: "Conflict",
    410: "Gone",
    413: "RequestEntityTooLarge",
    415: "UnsupportedMediaType",
    422: "Invalid",
    429: "TooManyRequests",
    500: "InternalError",
    502: "BadGateway",
    503: "ServiceUnavailable",
    504: "Timeout",
}
#: What the API says in these cases holds names only, never values of the object.
_NAMES_ONLY = frozenset(
    {"NotFound", "AlreadyExists", "Conflict", "Unauthorized", "TooManyRequests", "Expired", "Gone"}
)
#: Characters of a text that is not the API's own.
_LONGEST_FOREIGN_TEXT = 300


def refusal(
    call: Call, answer: Answer, *, scrub: Callable[[str], str] = str, advice: str = ""
) -> ApiError:
    """Return the error for an answer of 300 or above; secrets of the object that was sent are masked in what the server says.

    scrub: takes credentials out of a text, in case that a server or proxy sends them back.
    """
    status = answer.status_object()
    code = answer.status
    reason = str(status.get("reason") or _REASONS.get(code, "Error"))
    sent = secrets_of(call.body)

    def clean(text: object) -> str:
        return redact_text(scrub(str(text or "")), sent)

    message = str(status.get("message") or "") or _foreign_text(answer)
    details = tuple(
        Cause(
            str(cause.get("reason") or ""),
            str(cause.get("field") or ""),
            clean(cause.get("message")),
        )
        for cause in answer.causes()
    )
    cls = _CLASSES.get(code, ServerError if code >= 500 else ApiError)
    if code == 409 and reason == "AlreadyExists":
        cls = AlreadyExists
    if UNTYPED_PATCH in message:
        cls = Invalid
    if call.secret and not _harmless(reason, message):
        message, details = _without_values(details)
    error = cls(
        status=code,
        reason=reason,
        message=clean(message),
        verb=call.verb,
        subject=call.subject,
        reference=call.reference,
        details=details,
        advice=advice or _advice(call, code, message),
        uncertain=answer.uncertain,
    )
    if isinstance(error, NotFound):
        error.of_object = bool(answer.details().get("name"))
    return error


def event_refusal(call: Call, status: object) -> ApiError:
    """Return the error for an ERROR event of a watch, whose object is a Status."""
    import json

    code = status.get("code") if isinstance(status, dict) else None
    return refusal(call, Answer(code or 500, {}, json.dumps(status).encode()))


def _foreign_text(answer: Answer) -> str:
    """Return what something other than the API says: its first line, or nothing where it is a web page."""
    text = answer.body.decode(errors="replace").strip()
    if not text or text.startswith("<"):
        return "the answer does not come from the Kubernetes API"
    return text.splitlines()[0][:_LONGEST_FOREIGN_TEXT]


def _harmless(reason: str, message: str) -> bool:
    return reason in _NAMES_ONLY or (reason == "Forbidden" and " cannot " in message)


def _without_values(details: tuple[Cause, ...]) -> tuple[str, tuple[Cause, ...]]:
    """Return a text and causes that name the fields, and hold nothing of what is in them."""
    fields = ", ".join(sorted({cause.field for cause in details if cause.field}))
    text = "the server refuses the Secret; its message is not shown, because it may contain values"
    if fields:
        text = (
            f"the server refuses {fields}; its message is not shown, because it may contain values"
        )
    return text, tuple(Cause(cause.reason, cause.field, "") for cause in details)


def _advice(call: Call, code: int, message: str) -> str:
    if code == 403 and " cannot " in message and call.facts is not None:
        resource = call.facts.resource
        namespace = call.reference.namespace if call.reference else ""
        place = f" in namespace {namespace}" if namespace else " in the whole cluster"
        return f"grant that user the verb {call.verb} on {resource}{place}"
    if code == 403 and "being terminated" in message:
        return "wait until the namespace is gone, or use another"
    if code == 413:
        return "the object is larger than the API takes"
    if 300 <= code < 400:
        return "the address leads to something that redirects, not to an API server"
    return ""
