# SPDX-License-Identifier: GPL-3.0-or-later
"""LLMInferenceServices are made, kept, found and removed on a real API server. The lab plays the gateway's controller."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from typing import Any

import pytest
from cryptography.x509 import (
    DNSName,
    IPAddress,
    SubjectAlternativeName,
    load_pem_x509_certificate,
)

from tests.lab.client import Client

from .support.cluster import read, there
from .support.entries import Entries, conditions
from .support.llm_services import API_VERSION, child, llm, prepare, routed
from .support.places import knowing, own_namespace
from .support.services import custom_resource

Json = dict[str, Any]
WAIT = {"wait": True, "wait_timeout": 120.0}


client = knowing(prepare)
place = own_namespace("llm")


def test_every_part_of_a_split_service_gets_ready(entries: Entries, place: str) -> None:
    result = entries.reconcile(routed("chat", place, prefill={"replicas": 1}), **WAIT)
    said = conditions(result)
    assert said["PrefillWorkloadReady"] == said["MainWorkloadReady"] == said["Ready"] == "True"


def test_the_old_version_is_taken_and_the_new_one_stored(
    entries: Entries, client: Client, place: str
) -> None:
    service = llm("chat", place)
    old = {**service, "apiVersion": "serving.kserve.io/v1alpha1"}
    assert entries.reconcile(old)["changed"]
    assert there(client, custom_resource(service))["apiVersion"] == API_VERSION
    assert not entries.reconcile(service)["changed"]
    assert entries.reconcile(old, state="absent")["changed"]
    assert read(client, custom_resource(service)) is None


# The certificate.


def certificate(client: Client, name: str, place: str) -> tuple[Json, set[str]]:
    """Return the Secret with the certificate of a service, and every name and address that it covers."""
    secret = there(client, child("v1", "Secret", f"{name}-kserve-self-signed-certs", place))
    found = load_pem_x509_certificate(b64decode(secret["data"]["tls.crt"]))
    names = found.extensions.get_extension_for_class(SubjectAlternativeName).value
    addresses = map(str, names.get_values_for_type(IPAddress))
    return secret, {*names.get_values_for_type(DNSName), *addresses}


def workload_service(client: Client, place: str) -> Json:
    return there(client, child("v1", "Service", "chat-kserve-workload-svc", place))


def test_the_certificate_covers_the_address_of_the_service(
    entries: Entries, client: Client, place: str
) -> None:
    entries.reconcile(routed("chat", place))
    dummy, covered = certificate(client, "chat", place)
    assert workload_service(client, place)["spec"]["clusterIP"] in covered
    assert f"chat-epp-service.{place}.svc" in covered


def test_another_address_renews_the_certificate(
    entries: Entries, client: Client, place: str
) -> None:
    entries.reconcile(llm("chat", place))
    before, covered = certificate(client, "chat", place)
    client.delete(workload_service(client, place))
    entries.reconcile(llm("chat", place))
    after, renewed = certificate(client, "chat", place)
    assert after["data"] != before["data"]
    assert workload_service(client, place)["spec"]["clusterIP"] in renewed - covered
    assert not entries.reconcile(llm("chat", place))["changed"]


@pytest.mark.parametrize("key", ["tls.crt", "tls.key"])
def test_a_certificate_that_cannot_be_read_is_renewed(
    entries: Entries, client: Client, place: str, key: str
) -> None:
    entries.reconcile(llm("chat", place))
    secret, dummy = certificate(client, "chat", place)
    client.patch(secret, {"data": {key: "eA=="}})
    assert entries.reconcile(llm("chat", place))["changed"]
    assert certificate(client, "chat", place)[0]["data"] != secret["data"]
    assert not entries.reconcile(llm("chat", place))["changed"]


# What is found, kept and removed.


def test_a_stopped_service_keeps_nothing_that_runs(
    entries: Entries, client: Client, place: str
) -> None:
    service = routed("chat", place)
    entries.reconcile(service)
    service["metadata"]["annotations"] = {"serving.kserve.io/stop": "true"}
    result = entries.reconcile(service)
    assert conditions(result)["MainWorkloadReady"] == "False"
    assert read(client, child("apps/v1", "Deployment", "chat-kserve", place)) is None
    assert not entries.reconcile(service)["changed"]


def test_the_key_stands_in_no_output(entries: Entries, client: Client, place: str) -> None:
    service = routed("chat", place)
    told: list[str] = []
    keys: list[bytes] = []
    for dummy in range(2):
        for options in ({"check_mode": True}, {}):
            lines: list[str] = []
            every = {"diff": True, "verbose_result": True, "progress": lines, **options}
            told += [json.dumps(entries.run(service, **every)), *lines]
        secret, dummy_names = certificate(client, "chat", place)
        keys.append(b64decode(secret["data"]["tls.key"]))
        client.patch(secret, {"data": {"tls.crt": "eA=="}})
    told.append(json.dumps(entries.info(service)))
    told.append(json.dumps(entries.reconcile(service, state="gathered")))
    assert keys[0] != keys[1]
    printed = "\n".join(told).encode()
    for key in keys:
        body = key.split(b"\n")[1:-2]
        assert body
        for line in body:
            assert line[:20] not in printed
            assert b64encode(line)[:20] not in printed
