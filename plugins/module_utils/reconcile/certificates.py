# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the keys and certificates that services need, and compiles the services with them.

A service is compiled, asked whether its certificate can stay, and compiled again with a new one where it cannot. A certificate names
the addresses of Services: as long as these are not there, a stand-in is compiled, which is never sent.
Source: KServe pkg/controller/v1alpha2/llmisvc/workload_tls_self_signed.go@v0.17.0.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

from ..cluster.connection import Cluster
from ..cluster.errors import Forbidden
from ..cluster.libraries import need
from ..fleet.cluster_reader import ClusterReader
from ..fleet.service import Service
from ..kinds.certificates import AUTHORITY, CERTIFICATE, KEY, CertificateRequest
from ..kube.intent import Intent, Stage
from ..kube.labels import selector_text
from ..kube.manifest import Json
from ..kube.reference import Reference

#: A new certificate is wanted after so many days, and the old one is valid for some more.
RENEWED_AFTER, VALID = timedelta(days=8 * 365), timedelta(days=12 * 365)
#: Bits of a key that is to hold for that long.
KEY_BITS = 3072
#: A read of each Secret is less than a list up to so many services.
READ_UP_TO = 1
_TYPE = "kubernetes.io/tls"
_STAND_IN = {CERTIFICATE: "made when it is applied", KEY: "made when it is applied"}


class KeyMaker:
    """Compiles services. real: whether keys are made; a prediction does with stand-ins.

    reader: what the services see; gets the new certificates. unfinished: services that were compiled with a stand-in because
    Services of theirs are not there yet.
    """

    def __init__(self, reader: ClusterReader, *, real: bool) -> None:
        self.unfinished: set[Reference] = set()
        self.reader = reader
        self._real = real

    def compile(self, service: Service) -> Intent:
        """Return what a service wants to exist, as seen by the reader. Raises InputError.

        Raises MissingLibrary before anything is written, also in a prediction, where a service has keys and `cryptography` is not there.
        """
        self.unfinished.discard(service.reference)
        intent = service.compile(self.reader)
        request = self._request(service, intent)
        if request is None:
            return intent
        there = self._services_are_there(intent)
        if not there:
            self.unfinished.add(service.reference)
        texts = new_certificate(request) if there and self._real else _STAND_IN
        self.reader.put(_secret(request, texts))
        return service.compile(self.reader)

    def _request(self, service: Service, intent: Intent) -> CertificateRequest | None:
        kept = service.kind.certificates
        if kept is None or intent.nothing:
            return None
        need("cryptography.x509", f"for the keys of {service.reference}")
        return kept.wanted(intent.basis, self.reader, datetime.now(UTC))

    def _services_are_there(self, intent: Intent) -> bool:
        services = [
            child.manifest.reference for child in intent.children if child.stage is Stage.SERVICE
        ]
        return all(self.reader.get(reference) is not None for reference in services)


def read_certificates(cluster: Cluster, services: Sequence[Service], reader: ClusterReader) -> None:
    """Read the certificates of many services at once: Secrets of their type alone, so that no token is fetched.

    Where that is not allowed, each is read by its name when it is asked for.
    """
    namespaces = sorted({service.reference.namespace for service in services})
    kinds = {service.kind.key: service.kind for service in services if service.kind.certificates}
    if len(services) <= READ_UP_TO:
        return
    for kind in kinds.values():
        labels = kind.certificates.labels if kind.certificates else {}
        try:
            found = cluster.list(
                "v1",
                "Secret",
                namespace=namespaces[0] if len(namespaces) == 1 else "",
                selector=selector_text(labels),
                fields=f"type={_TYPE}",
            )
        except Forbidden:
            continue
        for secret in found.items:
            reader.put(secret)


def _secret(request: CertificateRequest, texts: Mapping[str, str]) -> Json:
    renew = (datetime.now(UTC) + RENEWED_AFTER).strftime("%Y-%m-%dT%H:%M:%SZ")
    manifest = request.secret.to_manifest()
    metadata = {**manifest["metadata"], "annotations": {request.expiration_annotations[0]: renew}}
    # A certificate that signs itself is its own authority; kinds take the entries that they know.
    texts = {**texts, AUTHORITY: texts[CERTIFICATE]}
    data = {key: b64encode(text.encode()).decode() for key, text in texts.items()}
    return {**manifest, "metadata": metadata, "type": _TYPE, "data": data}


def new_certificate(request: CertificateRequest) -> Mapping[str, str]:
    """Return a new key and a certificate that it signs itself, as PEM by the keys of their Secret."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    key = rsa.generate_private_key(public_exponent=65537, key_size=KEY_BITS)
    name = x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Kserve Self Signed")])
    now = datetime.now(UTC)
    names = [
        *(x509.DNSName(each) for each in request.dns_names),
        *(x509.IPAddress(ip_address(each)) for each in request.addresses),
    ]
    usage = dict.fromkeys(
        (
            "content_commitment",
            "data_encipherment",
            "key_agreement",
            "key_cert_sign",
            "crl_sign",
            "encipher_only",
            "decipher_only",
        ),
        False,
    )
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + VALID)
        .add_extension(
            x509.KeyUsage(digital_signature=True, key_encipherment=True, **usage), critical=True
        )
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    encoding = serialization.Encoding.PEM
    return {
        CERTIFICATE: certificate.public_bytes(encoding).decode(),
        KEY: key.private_bytes(
            encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode(),
    }
