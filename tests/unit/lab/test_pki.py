# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Certificates: what Python 3.13 and the API server ask of them."""

from __future__ import annotations

import ssl
from pathlib import Path

from cryptography import x509
from cryptography.x509.oid import NameOID

from tests.lab.pki import Authority, KeyPair


def _parsed(pair: KeyPair) -> x509.Certificate:
    return x509.load_pem_x509_certificate(pair.certificate.encode())


def test_authority_has_critical_constraints_and_key_identifiers() -> None:
    extensions = _parsed(Authority.new("lab").pair).extensions
    constraints = extensions.get_extension_for_class(x509.BasicConstraints)
    usage = extensions.get_extension_for_class(x509.KeyUsage)
    assert constraints.critical
    assert constraints.value.ca
    assert usage.critical
    assert usage.value.key_cert_sign
    assert usage.value.crl_sign
    subject = extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    issuer = extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value
    assert subject.digest == issuer.key_identifier


def test_client_certificate_names_user_and_groups() -> None:
    subject = _parsed(Authority.new("lab").client("ann", ["team-a", "team-b"])).subject
    assert [each.value for each in subject.get_attributes_for_oid(NameOID.COMMON_NAME)] == ["ann"]
    groups = [each.value for each in subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)]
    assert groups == ["team-a", "team-b"]


def test_loaded_authority_signs_what_the_first_one_vouches_for(tmp_path: Path) -> None:
    first = Authority.new("lab")
    (tmp_path / "crt").write_text(first.pair.certificate)
    (tmp_path / "key").write_text(first.pair.key)
    signed = _parsed(Authority.load(tmp_path / "crt", tmp_path / "key").client("ann"))
    signed.verify_directly_issued_by(_parsed(first.pair))


def test_strict_handshake_accepts_the_server(tmp_path: Path) -> None:
    authority = Authority.new("lab")
    pair = authority.server("api", ["127.0.0.1", "localhost"])
    (tmp_path / "crt").write_text(pair.certificate)
    (tmp_path / "key").write_text(pair.key)
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(tmp_path / "crt", tmp_path / "key")
    asking = ssl.create_default_context(cadata=authority.pair.certificate)
    asking.verify_flags |= ssl.VERIFY_X509_STRICT
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = serving.wrap_bio(to_server, to_client, server_side=True)
    client = asking.wrap_bio(to_client, to_server, server_hostname="127.0.0.1")
    done = [False, False]
    for dummy in range(10):
        for number, side in enumerate((client, server)):
            try:
                side.do_handshake()
                done[number] = True
            except ssl.SSLWantReadError:
                pass
    assert done == [True, True]
