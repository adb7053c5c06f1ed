# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Certificates of one control plane: its authority, and what the authority signs.

The authority carries critical basicConstraints and keyUsage and both key identifiers; Python 3.13 and newer refuse
one that does not.
"""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_LIFETIME = datetime.timedelta(days=30)
_CLOCK_SKEW = datetime.timedelta(hours=1)


@dataclass(frozen=True)
class KeyPair:
    """A certificate and its private key, both as PEM text."""

    certificate: str
    key: str


def _new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _key_text(key: ec.EllipticCurvePrivateKey) -> str:
    plain = serialization.NoEncryption()
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain
    ).decode()


def _certificate_text(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def _name(common_name: str, organizations: Sequence[str] = ()) -> x509.Name:
    groups = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in organizations]
    return x509.Name([*groups, x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _key_usage(*, authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=authority,
        crl_sign=authority,
        encipher_only=False,
        decipher_only=False,
    )


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    public_key: ec.EllipticCurvePublicKey,
    lifetime: datetime.timedelta = _LIFETIME,
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCK_SKEW)
        .not_valid_after(now + lifetime)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
    )


class Authority:
    """A certificate authority that signs for one control plane."""

    def __init__(self, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> None:
        self._certificate = certificate
        self._key = key

    @classmethod
    def new(cls, common_name: str) -> Authority:
        key = _new_key()
        name = _name(common_name)
        certificate = (
            _builder(name, name, key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_key_usage(authority=True), critical=True)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False
            )
            .sign(key, hashes.SHA256())
        )
        return cls(certificate, key)

    @classmethod
    def load(cls, certificate: Path, key: Path) -> Authority:
        private = serialization.load_pem_private_key(key.read_bytes(), password=None)
        assert isinstance(private, ec.EllipticCurvePrivateKey)
        return cls(x509.load_pem_x509_certificate(certificate.read_bytes()), private)

    @property
    def pair(self) -> KeyPair:
        return KeyPair(_certificate_text(self._certificate), _key_text(self._key))

    def server(
        self, common_name: str, hosts: Sequence[str], lifetime: datetime.timedelta = _LIFETIME
    ) -> KeyPair:
        """Sign a certificate for a server that is reached under these names and addresses. A lifetime below zero is over."""
        return self._sign(_name(common_name), ExtendedKeyUsageOID.SERVER_AUTH, hosts, lifetime)

    def client(self, user: str, groups: Sequence[str] = ()) -> KeyPair:
        """Sign a certificate that the API server takes for this user in these groups."""
        return self._sign(_name(user, groups), ExtendedKeyUsageOID.CLIENT_AUTH, ())

    def _sign(
        self,
        subject: x509.Name,
        usage: x509.ObjectIdentifier,
        hosts: Sequence[str],
        lifetime: datetime.timedelta = _LIFETIME,
    ) -> KeyPair:
        key = _new_key()
        identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        builder = (
            _builder(subject, self._certificate.subject, key.public_key(), lifetime)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(authority=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
            .add_extension(identifier, critical=False)
        )
        if hosts:
            builder = builder.add_extension(
                x509.SubjectAlternativeName([_host(host) for host in hosts]), critical=False
            )
        return KeyPair(_certificate_text(builder.sign(self._key, hashes.SHA256())), _key_text(key))


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def signing_keys() -> KeyPair:
    """Keys for ServiceAccount tokens; `certificate` holds the public half."""
    key = _new_key()
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return KeyPair(public.decode(), _key_text(key))
