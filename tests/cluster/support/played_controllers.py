# SPDX-License-Identifier: GPL-3.0-or-later
"""What the pods of a bundle would do, for nodes that run none: certificates, the authority in webhooks, and the webhooks' answers."""

from __future__ import annotations

import base64
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import ThreadingHTTPServer
from pathlib import Path

from ansible_collections.modelops.inference.plugins.module_utils.kube.manifest import Json
from tests.lab import pki
from tests.lab.client import ApiError, Client
from tests.lab.ports import LOOPBACK

from .reviews import Answers, Reviews

INJECT = "cert-manager.io/inject-ca-from"
#: Objects into which cert-manager writes the authority.
_INJECTED = (
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
)


@dataclass
class CertManager:
    """Plays cert-manager: certificates of one authority, their Secrets, and the authority where an annotation asks for it.

    injects: whether it does the last; an injector may be slow, or not there.
    """

    client: Client
    injects: bool = True
    authority: pki.Authority = field(default_factory=lambda: pki.Authority.new("webhooks"))

    @property
    def bundle(self) -> str:
        """The authority as `caBundle` has it."""
        return base64.b64encode(self.authority.pair.certificate.encode()).decode()

    def act(self) -> None:
        """Do all that is left to do."""
        # What goes while it is looked at is nothing to us; cert-manager's kinds may not be there.
        with suppress(ApiError, LookupError):
            self._certify()
        for kind in _INJECTED if self.injects else ():
            with suppress(ApiError):
                for found in self.client.list_all(*kind):
                    self._inject(found)

    def inject_everywhere(self) -> None:
        """Write the authority into every webhook without one, as managers do that make their own certificates."""
        for kind in _INJECTED[:2]:
            with suppress(ApiError):
                for found in self.client.list_all(*kind):
                    self._write(found)

    def _certify(self) -> None:
        for certificate in self.client.list_all("cert-manager.io/v1", "Certificate"):
            self._issue(certificate)
        for issuer in self.client.list_all("cert-manager.io/v1", "Issuer"):
            if not issuer.get("status"):
                self.client.patch_status(issuer, _ready())

    def _issue(self, certificate: Json) -> None:
        if certificate.get("status"):
            return
        metadata, spec = certificate["metadata"], certificate["spec"]
        names = list(spec.get("dnsNames") or [])
        pair = self.authority.server(names[0], names)
        texts = {
            "tls.crt": pair.certificate,
            "tls.key": pair.key,
            "ca.crt": self.authority.pair.certificate,
        }
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "type": "kubernetes.io/tls",
            "metadata": {
                "name": spec["secretName"],
                "namespace": metadata["namespace"],
                "annotations": {"cert-manager.io/certificate-name": metadata["name"]},
            },
            "stringData": texts,
        }
        with suppress(ApiError):
            self.client.create(secret)
        self.client.patch_status(certificate, _ready())

    def _inject(self, found: Json) -> None:
        if INJECT not in (found["metadata"].get("annotations") or {}):
            return
        if found["kind"] == "CustomResourceDefinition":
            client = (found["spec"].get("conversion") or {}).get("webhook", {}).get("clientConfig")
            if client and client.get("caBundle") != self.bundle:
                patch = {"webhook": {"clientConfig": {"caBundle": self.bundle}}}
                self.client.patch(found, {"spec": {"conversion": patch}})
            return
        self._write(found)

    def _write(self, found: Json) -> None:
        if all(each["clientConfig"].get("caBundle") == self.bundle for each in found["webhooks"]):
            return
        for each in found["webhooks"]:
            each["clientConfig"]["caBundle"] = self.bundle
        self.client.patch(found, {"webhooks": found["webhooks"]})


def _ready() -> Json:
    return {"conditions": [{"type": "Ready", "status": "True", "reason": "Played"}]}


@contextmanager
def webhook_server(
    authority: pki.Authority,
    names: list[str],
    folder: Path,
    port: int = 0,
    answers: type[Reviews] = Answers,
) -> Iterator[int]:
    """Answer every webhook and every conversion; gives the port. names: under which the API server asks. answers: what is answered."""
    pair = authority.server(names[0], names)
    certificate, key = folder / "served.crt", folder / "served.key"
    certificate.write_text(pair.certificate)
    key.write_text(pair.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = ThreadingHTTPServer((LOOPBACK, port), answers)
    server.daemon_threads = True
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def answered_here(manifests: list[Json], port: int) -> list[Json]:
    """Return a bundle whose webhooks are answered on this machine: their Services lead to it, and keep their names."""
    services = {
        (service["namespace"], service["name"])
        for manifest in manifests
        for service in _asked(manifest)
    }
    for manifest in manifests:
        metadata = manifest["metadata"]
        if manifest["kind"] == "Service" and (metadata["namespace"], metadata["name"]) in services:
            manifest["spec"] = {"type": "ExternalName", "externalName": "localhost"}
        for service in _asked(manifest):
            service["port"] = port
    return manifests


def names_of(manifests: list[Json]) -> list[str]:
    """Return the names under which the API server asks the webhooks of a bundle."""
    asked = [service for manifest in manifests for service in _asked(manifest)]
    return sorted({f"{each['name']}.{each['namespace']}.svc" for each in asked})


def _asked(manifest: Json) -> Iterator[Json]:
    """Yield the references to Services that webhooks and converters are answered by."""
    conversion = (manifest.get("spec") or {}).get("conversion") or {}
    clients = [each["clientConfig"] for each in manifest.get("webhooks") or []]
    clients.append((conversion.get("webhook") or {}).get("clientConfig") or {})
    yield from (client["service"] for client in clients if client.get("service"))


def keep_lease(client: Client, name: str, namespace: str) -> None:
    """Hold and renew the Lease of a leader, where its namespace is there."""
    found = client.get("v1", "Namespace", namespace)
    if found is None or found["metadata"].get("deletionTimestamp"):
        return
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    client.apply(
        {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"holderIdentity": "manager", "leaseDurationSeconds": 15, "renewTime": now},
        },
        manager="manager",
    )
