# SPDX-License-Identifier: GPL-3.0-or-later
"""What a service's certificate has to cover, and when it is made anew. The letters are those of the controller's test suite."""

from __future__ import annotations

from base64 import b64encode
from datetime import UTC, datetime, timedelta
from functools import cache
from ipaddress import ip_address

import pytest

from module_utils.kinds.llm_inference_service.certificate.renewal import (
    is_expired,
    renewal_reason,
    wanted_certificate,
)
from module_utils.kinds.llm_inference_service.certificate.request import (
    CertificateRequest,
    certificate_request,
    secret_reference,
)
from module_utils.kube.manifest import Json
from module_utils.reconcile.certificates import new_certificate

from .build import document
from .preset_world import ROUTER, resolved, system_config, world

NOW = datetime(2026, 6, 1, tzinfo=UTC)
LABELS = {"app.kubernetes.io/name": "chat", "app.kubernetes.io/part-of": "llminferenceservice"}
ANNOTATIONS = ("one/expiration", "two/expiration")


@cache
def keys(days: int = 30) -> dict[str, str]:
    """Return a certificate for a.b and 10.0.0.1, valid for some days from NOW, and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.ORGANIZATION_NAME, "test")])
    names = [x509.DNSName("a.b"), x509.DNSName("c.d"), x509.IPAddress(ip_address("10.0.0.1"))]
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key())
        .serial_number(1)
        .not_valid_before(NOW - timedelta(days=90))
        .not_valid_after(NOW + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return {
        "tls.crt": certificate.public_bytes(serialization.Encoding.PEM).decode(),
        "tls.key": private.decode(),
    }


def kept(data: dict[str, str], **annotations: str) -> Json:
    encoded = {key: b64encode(value.encode()).decode() for key, value in data.items()}
    found = {f"{key}/expiration": value for key, value in annotations.items()}
    return {"kind": "Secret", "metadata": {"annotations": found}, "data": encoded}


def wanted(
    names: tuple[str, ...] = ("a.b",), addresses: tuple[str, ...] = ("10.0.0.1",)
) -> CertificateRequest:
    reference = secret_reference(resolved(document()))
    return CertificateRequest(reference, names, addresses, ANNOTATIONS)


PAST, FUTURE = "2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z"
RENEWALS = {
    "without a Secret one is made": (lambda: None, {}, "there is none"),
    "a certificate whose time has come is renewed": (
        lambda: kept(keys(), one=PAST),
        {},
        "its time has come",
    ),
    "a Secret without a key is renewed": (
        lambda: kept({"tls.crt": keys()["tls.crt"]}),
        {},
        "the Secret lacks",
    ),
    "a Secret without a certificate is renewed": (
        lambda: kept({"tls.key": keys()["tls.key"]}),
        {},
        "the Secret lacks",
    ),
    "a certificate that cannot be read is renewed": (
        lambda: kept({**keys(), "tls.crt": "x"}),
        {},
        "cannot be read",
    ),
    "a key that cannot be read is renewed": (
        lambda: kept({**keys(), "tls.key": "x"}),
        {},
        "cannot be read",
    ),
    "a name that is not covered renews": (
        lambda: kept(keys()),
        {"names": ("a.b", "x.y")},
        "not cover x.y",
    ),
    "an address that is not covered renews": (
        lambda: kept(keys()),
        {"addresses": ("10.0.0.2",)},
        "not cover 10.0.0.2",
    ),
    "a certificate that covers all is kept": (lambda: kept(keys(), one=FUTURE), {}, ""),
    "a certificate that covers more is kept": (lambda: kept(keys()), {"addresses": ()}, ""),
    "a second annotation that is in time keeps it": (lambda: kept(keys(), two=FUTURE), {}, ""),
    "a second annotation whose time has come renews": (
        lambda: kept(keys(), two=PAST),
        {},
        "its time has come",
    ),
    "a certificate that is not valid any more is renewed": (
        lambda: kept(keys(-1), one=FUTURE),
        {},
        "not valid any more",
    ),
    "a time that is none does not renew": (lambda: kept(keys(), one="soon"), {}, ""),
}


@pytest.mark.parametrize("name", RENEWALS)
def test_a_certificate_is_renewed_when_it_has_to_be(name: str) -> None:
    secret, request, reason = RENEWALS[name]
    found = renewal_reason(secret(), wanted(**request), NOW)
    assert reason in found
    assert bool(reason) == bool(found)


def test_a_pod_that_comes_later_renews_nothing() -> None:
    service, now = resolved(document()), datetime.now(UTC)
    first = certificate_request(service, world())
    secret = {**first.secret.to_manifest(), "data": kept(dict(new_certificate(first)))["data"]}
    there = world(secret, addressed("Pod", "status", {"podIP": "10.0.0.9"}))
    assert wanted_certificate(service, there, now) is None
    later = wanted_certificate(service, there, now + timedelta(days=20 * 365))
    assert later is not None
    assert "10.0.0.9" in later.addresses


#: The Secret that is there: what is changed of a fresh one, and whether another certificate is wanted then.
EXPIRES = "certificates.kserve.io/expiration"
KEPT: dict[str, tuple[Json, Json, bool]] = {
    "the same certificate stays": ({}, {}, False),
    "other data is replaced": ({}, {"tls.crt": b64encode(b"other").decode()}, True),
    "a certificate whose time has come is replaced": ({EXPIRES: PAST}, {}, True),
    "another annotation alone replaces nothing": (
        {EXPIRES: None, "old/key": FUTURE},
        {},
        False,
    ),
    "an old annotation whose time has come replaces": (
        {EXPIRES: None, "old/key": PAST},
        {},
        True,
    ),
}


@pytest.mark.parametrize("row", KEPT)
def test_a_certificate_stays_as_long_as_it_holds(row: str) -> None:
    annotations, data, renewed = KEPT[row]
    both_keys = system_config(scheduler={"expirationAnnotations": [EXPIRES, "old/key"]})
    service, now = resolved(document(), both_keys), datetime.now(UTC)
    first = certificate_request(service, world(both_keys))
    secret = {**first.secret.to_manifest(), "data": kept(dict(new_certificate(first)))["data"]}
    secret["data"] |= data
    known = {EXPIRES: FUTURE, **annotations}
    secret["metadata"]["annotations"] = {key: at for key, at in known.items() if at}
    found = wanted_certificate(service, world(both_keys, secret), now)
    assert (found is not None) is renewed


def test_the_first_annotation_that_is_there_counts() -> None:
    both = {"one/expiration": FUTURE, "two/expiration": PAST}
    assert not is_expired(both, ANNOTATIONS, NOW)


def addressed(kind: str, part: str, fields: Json, **labels: str) -> Json:
    metadata = {
        "name": f"x-{len(str(fields))}",
        "namespace": "team-a",
        "labels": {**LABELS, **labels},
    }
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, part: fields}


def request(given: Json, *manifests: Json) -> CertificateRequest:
    return certificate_request(resolved(given, *manifests), world(*manifests))


def test_services_and_pods_are_covered() -> None:
    scheduler = {"app.kubernetes.io/component": "llminferenceservice-router-scheduler"}
    found = request(
        document(router=ROUTER),
        addressed(
            "Service", "spec", {"clusterIP": "10.96.0.7", "clusterIPs": ["10.96.0.7", "fd00::7"]}
        ),
        addressed("Pod", "status", {"podIP": "10.0.0.9", "podIPs": [{"ip": "10.0.0.9"}]}),
        addressed("Service", "spec", {"clusterIP": "10.96.0.99"}, **scheduler),
    )
    assert found.addresses == ("10.0.0.9", "10.96.0.7", "127.0.0.1", "fd00::7")
    assert found.dns_names == (
        "chat-epp-service.team-a.svc",
        "chat-epp-service.team-a.svc.cluster.local",
        "chat-kserve-workload-svc.team-a.svc",
        "chat-kserve-workload-svc.team-a.svc.cluster.local",
        "localhost",
    )


#: What the only pod says of its addresses, and what a certificate that is made then covers beside this machine.
POD_ADDRESSES: dict[str, tuple[Json, set[str]]] = {
    "addresses that a pod has got are covered": (
        {"podIP": "10.0.0.9", "podIPs": [{"ip": "10.0.0.9"}, {"ip": "fd00::9"}]},
        {"10.0.0.9", "fd00::9"},
    ),
    "another address takes the place of the first": (
        {"podIP": "10.0.0.8", "podIPs": [{"ip": "10.0.0.8"}]},
        {"10.0.0.8"},
    ),
    "an address that is told twice is covered once": (
        {"podIP": "10.0.0.9", "podIPs": [{"ip": "10.0.0.9"}]},
        {"10.0.0.9"},
    ),
}


@pytest.mark.parametrize("row", POD_ADDRESSES)
def test_addresses_of_pods_are_covered(row: str) -> None:
    status, covered = POD_ADDRESSES[row]
    found = request(document(), addressed("Pod", "status", status)).addresses
    assert sorted(found) == sorted({"127.0.0.1", *covered})


def test_without_a_pool_the_workload_alone_is_covered() -> None:
    assert len(request(document()).dns_names) == 3


def test_somebody_elses_picker_is_covered() -> None:
    pool = {
        "apiVersion": "inference.networking.k8s.io/v1",
        "kind": "InferencePool",
        "metadata": {"name": "theirs", "namespace": "team-a"},
        "spec": {"endpointPickerRef": {"name": "their-epp"}},
    }
    router = {"scheduler": {"pool": {"ref": {"name": "theirs"}}}}
    assert "their-epp.team-a.svc" in request(document(router=router), pool).dns_names


def test_what_has_no_address_renews_nothing() -> None:
    found = request(
        document(),
        addressed("Pod", "status", {"podIP": "", "phase": "Pending"}),
        addressed("Service", "spec", {"clusterIP": "None", "clusterIPs": ["None"]}),
    )
    assert found.addresses == ("127.0.0.1",)
