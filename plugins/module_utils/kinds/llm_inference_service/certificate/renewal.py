# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the certificate that a service has can stay. Source: KServe pkg/controller/v1alpha2/llmisvc/workload_tls_self_signed.go@v0.17.0.

Every reason to renew is visible in the Secret and the request; the clock is handed in.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from ....kube.manifest import Json
from ....kube.reader import Reader
from ...certificates import CERTIFICATE, KEY, CertificateRequest
from ...kserve.secrets import secret_texts
from ..resolved import Resolved
from .request import certificate_request

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

_KEY_TYPE = "-----BEGIN PRIVATE KEY-----"


def wanted_certificate(
    resolved: Resolved, reader: Reader, now: datetime
) -> CertificateRequest | None:
    """Return what a new certificate has to be like; None where the service is stopped, or the one in its Secret can stay.

    A new one covers the pods that are there; a pod that comes later is no reason for the next, unlike with the controller: each
    new certificate restarts the endpoint picker.
    """
    if resolved.stopped:
        return None
    least = certificate_request(resolved, reader, kinds=("Service",))
    secret = reader.get(least.secret)
    if not renewal_reason(secret, least, now):
        return None
    return least if secret is None else certificate_request(resolved, reader)


def renewal_reason(secret: Json | None, request: CertificateRequest, now: datetime) -> str:
    """Return why a new certificate is wanted, empty where the one in the Secret can stay. now: with a time zone."""
    if secret is None:
        return "there is none"
    texts = secret_texts(secret)
    if not texts.get(CERTIFICATE) or not texts.get(KEY):
        return f"the Secret lacks {CERTIFICATE} or {KEY}"
    annotations = (secret.get("metadata") or {}).get("annotations") or {}
    if is_expired(annotations, request.expiration_annotations, now):
        return "its time has come"
    certificate = _certificate(texts)
    if certificate is None:
        return "certificate or key cannot be read"
    if certificate.not_valid_after_utc <= now:
        return "it is not valid any more"
    return _uncovered(certificate, request)


def is_expired(annotations: Mapping[str, str], keys: tuple[str, ...], now: datetime) -> bool:
    """Tell whether the time in the first annotation that is there has passed. One that is no time says nothing."""
    text = next((annotations[key] for key in keys if annotations.get(key)), "")
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return False
    return time.tzinfo is not None and time <= now


def _certificate(texts: Mapping[str, str]) -> Certificate | None:
    """Return the certificate, None where it or its key cannot be read. The key has to be in PKCS#8."""
    from cryptography.hazmat.primitives.serialization import load_pem_private_key
    from cryptography.x509 import load_pem_x509_certificate

    if _KEY_TYPE not in texts[KEY]:
        return None
    try:
        # Whether the numbers of a key fit together takes half a second, and says nothing about who made it.
        load_pem_private_key(
            texts[KEY].encode(), password=None, unsafe_skip_rsa_key_validation=True
        )
        return load_pem_x509_certificate(texts[CERTIFICATE].encode())
    except (ValueError, TypeError):
        return None


def _uncovered(certificate: Certificate, request: CertificateRequest) -> str:
    from cryptography.x509 import DNSName, ExtensionNotFound, IPAddress, SubjectAlternativeName

    try:
        names = certificate.extensions.get_extension_for_class(SubjectAlternativeName).value
    except ExtensionNotFound:
        return "it covers no name"
    covered = {*names.get_values_for_type(DNSName), *map(str, names.get_values_for_type(IPAddress))}
    missing = [name for name in (*request.dns_names, *request.addresses) if name not in covered]
    return f"it does not cover {', '.join(missing)}" if missing else ""
