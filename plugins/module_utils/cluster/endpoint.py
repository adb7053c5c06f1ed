# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an API server is and how it is trusted, and what we show it to be let in: plain values, secrets hidden from repr."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One API server.

    server: its URL without a slash at the end. ca: PEM certificates; empty means those of the system.
    server_name: the name in its certificate where it is not the host of the URL.
    impersonation: headers that make the server act for somebody else.
    """

    server: str
    ca: str = ""
    verify: bool = True
    server_name: str = ""
    proxy: str = field(default="", repr=False)
    no_proxy: str = ""
    proxy_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    impersonation: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ClientCertificate:
    """A client certificate with its key, both PEM; the key may be in the certificate's text."""

    certificate: str = field(repr=False)
    key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Credential:
    """What is shown to the server with each request. Empty means anonymous."""

    authorization: str = field(default="", repr=False)
    certificate: ClientCertificate | None = None

    @property
    def secrets(self) -> tuple[str, ...]:
        """The texts that must not appear in any message."""
        scheme, dummy, value = self.authorization.partition(" ")
        if scheme == "Basic":
            return (value, b64decode(value).decode().partition(":")[2])
        return (value,) if value else ()
