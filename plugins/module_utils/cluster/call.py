# SPDX-License-Identifier: GPL-3.0-or-later
"""One request and its answer, as plain values: what is asked, how it may be repeated, where it is counted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..kube.reference import Reference
from .kinds import KindFacts

#: How a request is counted. A dry run changes nothing and counts as a read; Lease requests are counted apart.
Account = Literal["read", "write", "lease"]

#: How a server-side apply refuses an unknown field or two list items with one key, with the status 500.
UNTYPED_PATCH = "failed to create typed patch object"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request.

    verb: as in RBAC. subject: what it is about, for messages: `apply Deployment team-a/qwen`.
    idempotent: sending it twice ends as sending it once does, or is refused; so it is repeated although it may have been
    executed.
    races: a 409 without named managers is a lost race and is repeated: a server-side apply that is bound to no version of its object.
    """

    verb: str
    method: str
    path: str
    subject: str
    facts: KindFacts | None = None
    reference: Reference | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    content_type: str = "application/json"
    accept: str = "application/json"
    idempotent: bool = True
    races: bool = False
    account: Account = "read"

    @property
    def secret(self) -> bool:
        """Whether the body, or what a server says about it, may hold secret values."""
        return self.facts is not None and (self.facts.api_version, self.facts.kind) == (
            "v1",
            "Secret",
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said. Header names are in lower case. uncertain: see `ApiError`. cut: the body continues, and no more of it was read."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    uncertain: bool = False
    cut: bool = False

    def object(self) -> dict[str, Any] | None:
        """Return the body as a JSON object, None where it is something else (a proxy's page, plain text)."""
        try:
            parsed = json.loads(self.body)
        except ValueError:
            return None
        return parsed if isinstance(parsed, dict) else None

    def status_object(self) -> dict[str, Any]:
        """Return the API's Status object, empty where the body is something else."""
        parsed = self.object() or {}
        return parsed if parsed.get("kind") == "Status" else {}

    def details(self) -> dict[str, Any]:
        """Return the details of the Status."""
        details = self.status_object().get("details")
        return details if isinstance(details, dict) else {}

    def causes(self) -> list[dict[str, Any]]:
        """Return the causes in the details of the Status."""
        causes = self.details().get("causes")
        return (
            [cause for cause in causes if isinstance(cause, dict)]
            if isinstance(causes, list)
            else []
        )


@dataclass(frozen=True, slots=True)
class TransportFault:
    """A request without a complete answer.

    kind: what failed. sent: the server may have received and executed it. seconds: how long it took.
    """

    kind: Literal["name", "connection", "proxy", "tls", "connect-timeout", "stalled", "dropped"]
    text: str
    sent: bool
    seconds: float
