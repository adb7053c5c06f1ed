# SPDX-License-Identifier: GPL-3.0-or-later
"""What the certificate of a service must cover, and the Secret that holds it.

Source: KServe pkg/controller/v1alpha2/llmisvc/workload_tls_self_signed.go@v0.17.0.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from ipaddress import ip_address

from ....kube.manifest import Json, value_at
from ....kube.reader import Reader
from ....kube.reference import Reference
from ...certificates import CERTIFICATE, KEY, CertificateRequest
from ...kserve.secrets import secret_texts
from .. import labels, names
from ..children.inference_pools import API_VERSION as POOL_API_VERSION
from ..own_tokenizer import has_own_tokenizer
from ..resolved import Resolved


def certificate_request(
    resolved: Resolved, reader: Reader, *, kinds: Sequence[str] = ("Pod", "Service")
) -> CertificateRequest:
    """Return what the service's certificate must cover. kinds: whose addresses.

    Addresses that are not there yet are left out: a pod without one renews nothing, unlike with the controller.
    """
    service = names.workload_service(resolved.name)
    picker = _picker_service(resolved, reader)
    asks = has_own_tokenizer(resolved.spec, resolved.settings.release)
    tokenizer = names.tokenizer(resolved.name) if asks else ""
    served = [each for each in (service, picker, tokenizer) if each]
    hosts = {name for each in served for name in _host_names(each, resolved)}
    return CertificateRequest(
        secret_reference(resolved),
        tuple(sorted({"localhost", *hosts})),
        tuple(sorted({"127.0.0.1", *_addresses(resolved, reader, kinds)})),
        resolved.config.certificates.expiration_annotations,
    )


def secret_reference(resolved: Resolved) -> Reference:
    """Return the name of the Secret."""
    return Reference("v1", "Secret", resolved.namespace, names.certificate_secret(resolved.name))


def certificate_hash(resolved: Resolved, reader: Reader) -> str | None:
    """Return the lower-case hex SHA-256 of certificate and key, None where there is no Secret."""
    secret = reader.get(secret_reference(resolved))
    if secret is None:
        return None
    texts = secret_texts(secret)
    return hashlib.sha256((texts.get(CERTIFICATE, "") + texts.get(KEY, "")).encode()).hexdigest()


def _host_names(service: str, resolved: Resolved) -> tuple[str, str]:
    inside = f"{service}.{resolved.namespace}.svc"
    return inside, f"{inside}.{resolved.settings.cluster_domain}"


def _picker_service(resolved: Resolved, reader: Reader) -> str:
    """Return the Service of the endpoint picker as the pool names it, empty where no pool is known."""
    spec = resolved.at("router", "scheduler", "pool", "spec")
    if spec is None and resolved.pool_ref:
        reference = Reference(
            POOL_API_VERSION, "InferencePool", resolved.namespace, resolved.pool_ref
        )
        spec = (reader.get(reference) or {}).get("spec")
    return value_at(spec or {}, ("endpointPickerRef", "name")) or ""


def _addresses(resolved: Resolved, reader: Reader, kinds: Sequence[str]) -> Iterator[str]:
    for kind in kinds:
        part = "status" if kind == "Pod" else "spec"
        for manifest in reader.list("v1", kind, resolved.namespace, labels.common(resolved.name)):
            own = manifest["metadata"].get("labels") or {}
            if own.get(labels.COMPONENT_LABEL) != labels.PICKER_COMPONENT:
                yield from filter(_is_address, _given(manifest.get(part) or {}))


def _given(part: Json) -> Iterator[str]:
    """Yield the addresses of a pod's status or a Service's spec."""
    yield from (part.get("podIP") or "", part.get("clusterIP") or "")
    yield from (entry.get("ip") or "" for entry in part.get("podIPs") or ())
    yield from part.get("clusterIPs") or ()


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
