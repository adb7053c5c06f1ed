# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an API server can trust the certificate with which webhooks are answered: in its time, for the name, signed by the authority."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ...kube.text import few

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

CERTIFICATE = "tls.crt"
AUTHORITY = "ca.crt"
#: How many names a message holds.
_NAMED = 3


def same_authority(bundle: str, texts: Mapping[str, str]) -> bool:
    """Tell whether a `caBundle` is the authority in a Secret. One that names none says nothing. Both are base64."""
    held = texts.get(AUTHORITY) or ""
    return not held or _bytes(bundle) == _bytes(held)


def certificate_fault(
    bundle: str, texts: Mapping[str, str], names: Sequence[str], now: datetime
) -> str:
    """Return why an API server refuses the certificate of a Secret, empty where it does not, or where `cryptography` is missing.

    bundle: the `caBundle`. texts: the Secret's data. names: under which the server is called. now: with a time zone.
    """
    try:
        from cryptography.x509 import load_pem_x509_certificate
    except ImportError:
        return ""
    if not texts.get(CERTIFICATE):
        return f"it holds no {CERTIFICATE}"
    try:
        certificate = load_pem_x509_certificate(_bytes(texts[CERTIFICATE]))
    except ValueError as error:
        return f"its {CERTIFICATE} cannot be read: {error}"
    if certificate.not_valid_after_utc <= now:
        return f"its certificate expired on {certificate.not_valid_after_utc:%Y-%m-%d %H:%M} UTC"
    if certificate.not_valid_before_utc > now:
        return f"its certificate is valid from {certificate.not_valid_before_utc:%Y-%m-%d %H:%M} UTC on"
    if not _is_signed(certificate, bundle):
        return "its certificate is not signed by the authority in caBundle"
    missing = [name for name in names if name not in _names(certificate)]
    return f"its certificate is not for {few(missing, _NAMED)}" if missing else ""


def _is_signed(certificate: Certificate, bundle: str) -> bool:
    """Tell whether one of the authorities of a bundle signed a certificate; one that signed itself may be in the bundle."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.x509 import load_pem_x509_certificates

    try:
        authorities = load_pem_x509_certificates(_bytes(bundle))
    except ValueError:
        return False
    for authority in authorities:
        try:
            certificate.verify_directly_issued_by(authority)
        except (ValueError, TypeError, InvalidSignature):
            continue
        return True
    return certificate in authorities


def _names(certificate: Certificate) -> list[str]:
    from cryptography.x509 import DNSName, ExtensionNotFound, SubjectAlternativeName

    try:
        names = certificate.extensions.get_extension_for_class(SubjectAlternativeName).value
    except ExtensionNotFound:
        return []
    return list(names.get_values_for_type(DNSName))


def _bytes(text: str) -> bytes:
    """Return what base64 text holds; of what is none, nothing."""
    try:
        return base64.b64decode(text).strip()
    except ValueError:
        return b""
