# SPDX-License-Identifier: GPL-3.0-or-later
"""TLS towards an API server: trust, client certificates that never touch a disk, and errors that say what is wrong."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .endpoint import ClientCertificate, Endpoint
from .errors import LoginError

#: UTCTime of a DER certificate; the first two are its validity.
_UTC_TIME = re.compile(rb"\x17\x0d(\d{12})Z|\x18\x0f(\d{14})Z")
_OLD_CA_ADVICE = (
    "since 3.13 Python requires keyUsage (keyCertSign), basicConstraints and key identifiers in a CA certificate;"
    " renew the cluster's CA, or run this task with Python 3.12 or older"
)
#: In what OpenSSL and urllib3 say of certificates, of authorities, and of servers that speak another protocol.
_LASTING = ("certificate", "unknown ca", "doesn't match", "wrong version number", "http request")
_OLD_CA = ("key usage", "Key Identifier", "Basic Constraints")


def context(endpoint: Endpoint, certificate: ClientCertificate | None) -> ssl.SSLContext:
    """Return the TLS settings of a connection. Raises LoginError for certificates that cannot be used."""
    try:
        settings = ssl.create_default_context(cadata=endpoint.ca or None)
    except (ssl.SSLError, ValueError) as error:
        raise LoginError(f"the certificate authority is not PEM text: {_reason(error)}") from error
    if not endpoint.verify:
        settings.check_hostname = False
        settings.verify_mode = ssl.CERT_NONE
    if certificate is not None:
        _show(settings, certificate)
    settings.sslsocket_class = _Socket
    settings.set_alpn_protocols(["http/1.1"])
    # urllib3 sets them again for every connection. OpenSSL then frees a list that the handshake of another thread may be
    # copying, and the server refuses the garbled hello.
    setattr(settings, "set_alpn_protocols", lambda dummy: None)  # noqa: B010
    return settings


class _Socket(ssl.SSLSocket):
    """A TLS socket that is closed where the server resets the connection before the handshake.

    Until Python 3.13 the constructor forgets it there: a server that restarts would leave the run with open sockets.
    """

    def getpeername(self) -> Any:
        """Return the address of the server, which the constructor asks for to see whether there is a connection."""
        try:
            return super().getpeername()
        except OSError:
            self.close()
            code = errno.ECONNRESET
            raise ConnectionResetError(code, os.strerror(code)) from None


def lasting(error: BaseException) -> bool:
    """Return whether a TLS session fails each time: for a certificate, or because the other side speaks something else."""
    text = f"{_reason(error)} {error}".lower().replace("_", " ")
    return isinstance(error, ssl.SSLCertVerificationError) or any(sign in text for sign in _LASTING)


def explain(error: BaseException) -> tuple[str, str]:
    """Return (what is wrong, what to do) for a failed TLS handshake."""
    text = _reason(error)
    if any(sign.lower() in text.lower() for sign in _OLD_CA):
        return (
            f"its certificate authority is refused ({text})",
            _OLD_CA_ADVICE,
        )
    if "certificate has expired" in text:
        return ("its certificate has expired", "renew the server's certificate")
    if any(sign in text for sign in ("Hostname mismatch", "IP address mismatch", "doesn't match")):
        return (
            f"its certificate is for another name ({text})",
            "use a name in the certificate, or tls-server-name in the kubeconfig",
        )
    if "self-signed" in text or "unable to get local issuer" in text:
        return (
            f"its certificate is not signed by the certificate authority that was given ({text})",
            "give the cluster's CA as ca_cert or certificate-authority-data",
        )
    if "WRONG_VERSION_NUMBER" in text.upper().replace(" ", "_") or "http request" in text.lower():
        return ("it does not speak TLS", "use http:// in the address if that is meant")
    return (f"TLS failed: {text}", "")


def expiry(certificate: ClientCertificate) -> datetime | None:
    """Return when a certificate ends, None where its text cannot be read."""
    try:
        times = _UTC_TIME.findall(ssl.PEM_cert_to_DER_cert(_first(certificate.certificate)))
        short, full = times[1]
        text = (full or (b"20" if short < b"50" else b"19") + short).decode()
        return datetime.strptime(text, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except (ValueError, IndexError):
        return None


def _first(pem: str) -> str:
    start = pem.index("-----BEGIN CERTIFICATE-----")
    end = pem.index("-----END CERTIFICATE-----")
    return pem[start : end + len("-----END CERTIFICATE-----")]


def _show(settings: ssl.SSLContext, certificate: ClientCertificate) -> None:
    text = certificate.certificate.rstrip() + "\n" + certificate.key
    with _unlinked(text.encode()) as path:
        try:
            # A key with a passphrase would otherwise ask for it on the terminal, and wait.
            settings.load_cert_chain(path, password=lambda: b"")
        except (ssl.SSLError, OSError, ValueError) as error:
            reason = _reason(error)
            if "KEY_VALUES_MISMATCH" in reason.upper().replace(" ", "_"):
                reason = "the key does not belong to the certificate"
            raise LoginError(
                f"the client certificate or its key cannot be used: {reason};"
                " both must be PEM, the key without a passphrase"
            ) from None


@contextlib.contextmanager
def _unlinked(data: bytes) -> Iterator[str]:
    """Give `data` a path for as long as OpenSSL reads it: in memory where the system can, else a private file."""
    if hasattr(os, "memfd_create") and Path("/proc/self/fd").is_dir():
        handle = os.memfd_create("modelops")
        try:
            os.write(handle, data)
            yield f"/proc/self/fd/{handle}"
        finally:
            os.close(handle)
        return
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "client.pem"
        path.touch(mode=0o600)
        path.write_bytes(data)
        yield str(path)


def _reason(error: BaseException) -> str:
    """Return OpenSSL's own words, without Python's decoration."""
    text = getattr(error, "verify_message", "") or getattr(error, "reason", "") or str(error)
    return str(text)
