# SPDX-License-Identifier: GPL-3.0-or-later
"""What can go wrong between us and an API server: one class per reason, each text naming the thing and what to do.

No error holds a header, a token or a request body.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from ..kube.reader import NotAllowed
from ..kube.reference import Reference


class ClusterError(Exception):
    """Anything that the connection to a cluster could not do."""


class MissingLibrary(ClusterError):
    """A Python library is not installed where this runs, or has a version that does not do.

    library: with its versions, as pip takes it. state: what is there instead, for example `is not installed`.
    """

    def __init__(self, library: str, purpose: str, state: str) -> None:
        super().__init__(
            f"the Python library {library} is needed {purpose}, and {state} for the interpreter that runs this task; install it"
            f" there: {sys.executable} -m pip install '{library}'"
        )


class LoginError(ClusterError):
    """The given authentication cannot be used: a file, a context or a credential is missing or wrong."""


class Unreachable(ClusterError):
    """No answer came from the server: name, connection, proxy or TLS. `cause` says which."""

    def __init__(self, server: str, subject: str, cause: str, advice: str = "") -> None:
        self.server = server
        self.subject = subject
        self.cause = cause
        super().__init__(_sentence(f"{subject}: {server} cannot be reached: {cause}", advice))


class DeadlineExceeded(ClusterError):
    """A request took too long. `seconds`: how long was waited; `phase`: what did not come."""

    def __init__(self, subject: str, seconds: float, phase: str, advice: str = "") -> None:
        self.subject = subject
        self.seconds = seconds
        self.phase = phase
        super().__init__(_sentence(f"{subject}: {phase} after {seconds:.1f} s", advice))


class Stopped(ClusterError):
    """The connection was closed while, or before, this was asked of it."""


class LeaseBusy(ClusterError):
    """Another run holds the Lease and renews it."""

    def __init__(self, lease: Reference, holder: str, seconds: float) -> None:
        self.lease = lease
        self.holder = holder
        super().__init__(
            f"{lease} is held by {holder}, who still renews it after {seconds:.0f} s:"
            " another run changes this fleet now; wait for it, or stop it"
        )


class LeaseLost(ClusterError):
    """Somebody else took the Lease; nothing more is written."""

    def __init__(self, lease: Reference, holder: str) -> None:
        self.lease = lease
        self.holder = holder
        super().__init__(
            f"{lease} was taken by {holder or 'nobody: it is gone'}; this run writes nothing more."
            " Run it again when the other run is done"
        )


class KindMissing(ClusterError):
    """The server does not serve a kind. `served`: versions of its group that have the kind. `held`: what keeps its CRD from effect."""

    def __init__(
        self,
        api_version: str,
        kind: str,
        served: tuple[str, ...] = (),
        hint: str = "",
        held: str = "",
    ) -> None:
        self.api_version = api_version
        self.kind = kind
        self.served = served
        text = f"the cluster has no {kind} of {api_version}"
        if held:
            super().__init__(
                f"{text}: its CRD is installed, but the API server does not serve it ({held})"
            )
        elif served:
            super().__init__(f"{text}; it serves the kind as {', '.join(served)}")
        else:
            super().__init__(_sentence(f"{text}: its CRD is not installed", hint))


@dataclass(frozen=True, slots=True)
class Cause:
    """One detail of a refusal. `field` as the server writes it, for example `spec.replicas`."""

    reason: str
    field: str
    message: str


@dataclass(frozen=True, slots=True)
class FieldConflict:
    """A field that another manager owns. `manager` is its name alone."""

    field: str
    manager: str
    message: str


class ApiError(ClusterError):
    """The server answered, and refused.

    status: HTTP status. reason: the API's own word, for example `Forbidden`. verb: as in RBAC. uncertain: an earlier
    attempt of the same request may have been executed, though its answer was lost.
    """

    def __init__(
        self,
        *,
        status: int,
        reason: str,
        message: str,
        verb: str,
        subject: str,
        reference: Reference | None = None,
        details: tuple[Cause, ...] = (),
        advice: str = "",
        uncertain: bool = False,
    ) -> None:
        self.status = status
        self.reason = reason
        self.message = message
        self.verb = verb
        self.subject = subject
        self.reference = reference
        self.details = details
        self.uncertain = uncertain
        super().__init__(_sentence(f"{subject}: {message} ({status} {reason})", advice))


class NotFound(ApiError):
    """404: the object, or the namespace that is to hold it, is not there.

    of_object: the server names what it did not find; otherwise it has not the kind, or not the subresource.
    """

    of_object: bool = False


class AlreadyExists(ApiError):
    """409 AlreadyExists."""


class Conflict(ApiError):
    """409: fields of another manager (`conflicts`), a precondition, or a resourceVersion that is not current."""

    @property
    def conflicts(self) -> tuple[FieldConflict, ...]:
        """The fields that other managers own; empty where the conflict is of another sort."""
        return tuple(
            FieldConflict(cause.field, _manager(cause.message), cause.message)
            for cause in self.details
            if cause.reason == "FieldManagerConflict"
        )


class Forbidden(ApiError, NotAllowed):
    """403."""


class Unauthorized(ApiError):
    """401, also after the credential was fetched again."""


class Invalid(ApiError):
    """422 or 400, and the 500 of a server-side apply that does not fit the schema: the object itself is refused."""


class Gone(ApiError):
    """410: a continue token or a resourceVersion is too old."""


class TooManyRequests(ApiError):
    """429, still after all attempts or longer than the deadline leaves."""


class ServerError(ApiError):
    """5xx, still after all attempts."""


def _sentence(text: str, advice: str) -> str:
    return f"{text}; {advice}" if advice else text


def _manager(message: str) -> str:
    """Return NAME of `conflict with "NAME" …`."""
    return message.partition('conflict with "')[2].partition('"')[0]
