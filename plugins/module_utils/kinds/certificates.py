# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of whoever makes the keys of a service. The keys themselves are no business of what is pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..kube.reader import Reader
from ..kube.reference import Reference

#: Keys of a Secret of the type `kubernetes.io/tls`.
CERTIFICATE, KEY = "tls.crt", "tls.key"
#: The certificate of whoever signed the one in the Secret.
AUTHORITY = "ca.crt"


@dataclass(frozen=True, slots=True)
class CertificateRequest:
    """One certificate that is wanted.

    secret: where it is kept. dns_names, addresses: what it must cover at least, sorted.
    expiration_annotations: the first is set to the time from which a new certificate is wanted.
    """

    secret: Reference
    dns_names: tuple[str, ...]
    addresses: tuple[str, ...]
    expiration_annotations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Certificates:
    """How a kind keeps the certificates of its services.

    labels: what the Secrets carry. wanted: from an intent's `basis`, a reader and the time, with zone: what a new certificate has to
    be like, None where none is needed or the one that the reader shows can stay.
    """

    labels: Mapping[str, str]
    wanted: Callable[[Any, Reader, datetime], CertificateRequest | None]
