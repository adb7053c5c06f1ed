# SPDX-License-Identifier: GPL-3.0-or-later
"""The credential of a connection: fetched once, fetched again when the server no longer takes it, shared by all threads."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from ..kube.redact import redact_text
from . import tls
from .endpoint import Credential
from .errors import LoginError


@dataclass(frozen=True, slots=True)
class Source:
    """Where a credential comes from. fetch: takes the seconds that it may need. renewable: asking again may give another one."""

    fetch: Callable[[float], Credential]
    renewable: bool = False
    what: str = "the credential"

    @classmethod
    def fixed(cls, credential: Credential, what: str) -> Source:
        """Return a source that always gives the same."""
        return cls(lambda dummy: credential, what=what)


class Credentials:
    """Holds the current credential. A generation is one fetched value: of several threads that are refused with the
    same one, only the first fetches again, and a value that was refused freshly fetched is not fetched any more.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._generation = 0
        self._accepted = -1
        self._current: Credential | None = None

    def current(self, within: float) -> tuple[int, Credential]:
        """Return the credential and its generation. within: seconds that fetching it may need. Raises LoginError."""
        with self._lock:
            if self._current is None:
                self._current = _checked(self._source.fetch(within))
            return self._generation, self._current

    def accepted(self, generation: int) -> None:
        """Note that the server took a credential."""
        self._accepted = max(self._accepted, generation)

    def renew(self, refused: int, within: float) -> bool:
        """Fetch again after a refusal, within so many seconds. Return whether there is something new to try. Raises LoginError."""
        with self._lock:
            if refused != self._generation:
                return True
            if not self._source.renewable:
                return False
            # The first value may be old (a cache of the plugin, a rotated file); of the later ones each must have worked.
            if self._generation > 0 and self._accepted < self._generation:
                return False
            self._current = _checked(self._source.fetch(within))
            self._generation += 1
            return True

    def scrub(self, text: str) -> str:
        """Return a text without the credential, in case that something sends it back."""
        return redact_text(text, self._current.secrets if self._current else ())

    def explain(self) -> str:
        """Return what can be said about a credential that the server refuses, and what to do."""
        what = self._source.what
        ended = _end(self._current) if self._current else None
        if self._current and not self._current.authorization and not self._current.certificate:
            return "no credential was given: set api_key, client_cert or kubeconfig"
        if ended is not None and ended <= datetime.now(UTC):
            return (
                f"{what} expired on {ended:%Y-%m-%d %H:%M:%S} UTC: log in again or give a new one"
            )
        again = ", and was fetched again once" if self._generation else ""
        return f"{what} is not accepted{again}: it is expired, revoked or of another cluster; log in again"


def _checked(credential: Credential) -> Credential:
    if any(not 32 <= ord(sign) < 127 for sign in credential.authorization):
        raise LoginError(
            "the token or password contains characters that cannot be sent in a header"
        )
    return credential


def _end(credential: Credential) -> datetime | None:
    """Return when a certificate or a JSON web token ends, where it says so."""
    if credential.certificate is not None:
        return tls.expiry(credential.certificate)
    for secret in credential.secrets:
        parts = secret.split(".")
        if len(parts) != 3:
            continue
        try:
            claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
            return datetime.fromtimestamp(float(claims["exp"]), UTC)
        except (ValueError, KeyError, TypeError, OverflowError, OSError):
            continue
    return None
