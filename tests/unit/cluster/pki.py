# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates for tests: authorities new and old, servers, clients that are valid or have expired."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Pair:
    """A certificate and its key, in PEM."""

    certificate: str
    key: str


class Authority:
    """Signs certificates. old: as authorities were made for years, without keyUsage and key identifiers."""

    def __init__(self, *, old: bool = False) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("authority")
        public = self._key.public_key()
        builder = _builder(self._name, self._name, public, timedelta(days=1)).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True
        )
        if not old:
            usage = x509.KeyUsage(
                **dict.fromkeys(
                    (
                        "digital_signature",
                        "content_commitment",
                        "key_encipherment",
                        "data_encipherment",
                        "key_agreement",
                        "encipher_only",
                        "decipher_only",
                    ),
                    False,
                ),
                key_cert_sign=True,
                crl_sign=True,
            )
            identifier = x509.SubjectKeyIdentifier.from_public_key(public)
            builder = builder.add_extension(usage, critical=True).add_extension(identifier, False)
        self._certificate = builder.sign(self._key, hashes.SHA256())
        self.pem = _pem(self._certificate)

    def issue(self, name: str, valid: timedelta = timedelta(days=1), host: str = "") -> Pair:
        """Return a certificate for a server at `host` or for a client; negative `valid`: expired so long ago."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(_name(name), self._name, key.public_key(), valid)
        authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        builder = builder.add_extension(authority, False)
        if host:
            names = [_server_name(host)]
            builder = builder.add_extension(x509.SubjectAlternativeName(names), False)
        secret = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        return Pair(_pem(builder.sign(self._key, hashes.SHA256())), secret.decode())


def _server_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, valid: timedelta
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=2))
        .not_valid_after(now + valid)
    )


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()
