# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Faults of real pods: a wait ends with the kubelet's own words. Engine and storage initializer are stand-ins in all of them."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.cluster.support.entries import Entries
from tests.cluster.support.llm_services import llm, routed
from tests.cluster.support.services import deployment
from tests.lab.client import Client

from . import images
from .lab import Live
from .pickers import without_rights
from .test_hand_over import made_by_operator
from .test_model_service import READY_WITHIN

Json = dict[str, Any]
#: Time-out of a wait that is to end early, and how long it may take.
PATIENCE, AT_MOST = 600.0, 150.0

_ABSENT = f"{images.REGISTRY}/absent:1"
#: By name: what the service says of its engine and its pods, and words of the kubelet.
FAULTS: dict[str, tuple[Json, Json, tuple[str, ...]]] = {
    "image-that-is-not-there": ({"image": _ABSENT}, {}, ("ErrImagePull", _ABSENT)),
}

#: By name: what an LLMInferenceService says of its model and its engine, and words of the kubelet about it.
PROBED: dict[str, tuple[Json, Json, tuple[str, ...]]] = {
    "engine-that-ends": (
        {},
        {"env": [{"name": "STAND_IN_FAILURE", "value": "no device was found"}]},
        ("CrashLoopBackOff", "no device was found"),
    ),
    "engine-with-too-little-memory": (
        {},
        {
            "env": [{"name": "STAND_IN_MEMORY_MIB", "value": "512"}],
            "resources": {"limits": {"memory": "128Mi"}, "requests": {"memory": "64Mi"}},
        },
        ("OOMKilled",),
    ),
    "engine-whose-probe-fails": (
        {},
        {
            "env": [{"name": "STAND_IN_SICK", "value": "1"}],
            "startupProbe": {"periodSeconds": 1, "failureThreshold": 2},
        },
        ("CrashLoopBackOff", "Startup probe failed: HTTP probe failed with statuscode: 503"),
    ),
    "model-that-is-not-there": (
        {"uri": "hf://acme/absent"},
        {},
        ("hf://acme/absent was not found",),
    ),
}


def test_wait_that_runs_out_ends_with_the_probe_of_the_kubelet_that_fails_for_a_stand_in(
    secured: Entries, namespace: str
) -> None:
    """A probe that fails may be one of an engine that loads yet, so it ends no wait before its time."""
    sick = {"env": [{"name": "STAND_IN_SICK", "value": "1"}], "startupProbe": {"periodSeconds": 1}}
    service = llm("slow", namespace, template={"containers": [{"name": "main", **sick}]})
    result = secured.run(service, wait=True, wait_timeout=40.0)
    assert result.get("failed"), result
    for text in ("is not ready after 4", "Startup probe failed: HTTP probe failed"):
        assert text in result["msg"], result["msg"]


@pytest.mark.parametrize("fault", FAULTS)
def test_wait_for_a_stand_in_engine_ends_with_the_words_of_the_kubelet(
    live: Live, namespace: str, fault: str
) -> None:
    engine, decode, words = FAULTS[fault]
    image = {"image": live.images[images.ENGINE]}
    service = live.model_service("broken", namespace, engine={**image, **engine}, decode=decode)
    # A route, and nothing but a route, waits for the gateway.
    entries = Entries(live.kubeconfig, {"settings": {"gateway_name": ""}})
    began = time.monotonic()
    result = entries.run(service, wait=True, wait_timeout=PATIENCE)
    assert result.get("failed"), result
    assert time.monotonic() - began < AT_MOST
    for text in ("Deployment broken-decode, pod broken-decode-", *words):
        assert text in result["msg"], result["msg"]


def test_key_that_went_away_ends_a_wait_for_a_stand_in_engine(
    live: Live, entries: Entries, client: Client, namespace: str
) -> None:
    """A key that is missing from the beginning is told before anything is written."""
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": meta("token", namespace)}
    client.apply({**secret, "stringData": {"token": "x"}})
    reference = {"secretKeyRef": {"name": "token", "key": "token"}}
    env = [{"name": "TOKEN", "valueFrom": reference}]
    engine = {"image": live.images[images.ENGINE], "env": env}
    service = live.model_service("keyless", namespace, engine=engine)
    entries.reconcile(service, wait=True, wait_timeout=READY_WITHIN)
    client.delete(secret)
    for pod in client.list_all("v1", "Pod", namespace):
        if "-decode-" in pod["metadata"]["name"]:
            client.delete({"apiVersion": "v1", "kind": "Pod", **pod})
    client.wait_for(
        deployment("keyless-decode", namespace),
        lambda found: found and not (found.get("status") or {}).get("readyReplicas"),
        deadline=AT_MOST,
    )
    began = time.monotonic()
    result = entries.run(service, wait=True, wait_timeout=PATIENCE)
    assert result.get("failed"), result
    assert time.monotonic() - began < AT_MOST
    for text in ("CreateContainerConfigError", 'secret "token" not found'):
        assert text in result["msg"], result["msg"]


def meta(name: str, namespace: str) -> Json:
    return {"name": name, "namespace": namespace}


@pytest.fixture(scope="module")
def probed(secured: Entries, shared_namespace: str) -> tuple[Json, float]:
    """What one task says of services with all these faults, and how many seconds it took."""
    services = []
    for name, (model, engine, dummy) in PROBED.items():
        template = {"containers": [{"name": "main", **engine}]}
        service = llm(name, shared_namespace, template=template)
        service["spec"]["model"] |= model
        services.append(service)
    began = time.monotonic()
    result = secured.run(*services, wait=True, wait_timeout=PATIENCE)
    assert result.get("failed"), result
    return result, time.monotonic() - began


@pytest.mark.parametrize("fault", PROBED)
def test_wait_for_probed_pods_ends_with_the_reason_of_a_stand_in_and_does_not_run_out(
    probed: tuple[Json, float], fault: str
) -> None:
    result, took = probed
    assert took < AT_MOST
    (told,) = (
        each for each in result["msg"].split("LLMInferenceService ") if f"/{fault} failed: " in each
    )
    for text in PROBED[fault][2]:
        assert text in told, result["msg"]


def test_wait_ends_with_the_words_of_pickers_whose_account_has_no_rights_beside_stand_in_engines(
    live: Live, entries: Entries, secured: Entries, client: Client, namespace: str
) -> None:
    """Both kinds of services. The kubelet says no more than that such a picker is not ready."""
    with without_rights(client, namespace):
        for who, service in (
            (entries, live.model_service("blind", namespace)),
            (secured, routed("unseeing", namespace)),
        ):
            told_by_picker(who, service, account="default")


def test_wait_for_a_stand_in_operator_ends_with_the_words_of_a_picker_whose_binding_somebody_deleted(
    live: Live, entries: Entries, client: Client, namespace: str
) -> None:
    service = live.model_service("unbound", namespace)
    made_by_operator(entries, client, service)
    binding = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding"}
    client.delete({**binding, "metadata": meta("unbound-epp", namespace)})
    for pod in client.list_all("v1", "Pod", namespace):
        client.delete({"apiVersion": "v1", "kind": "Pod", **pod})
    told_by_picker(entries, service, account="unbound-epp", reconciler="controller")


def told_by_picker(entries: Entries, service: Json, *, account: str, **options: Any) -> None:
    """Wait for a service, which has to end early with what its picker says that the API server refuses to this account."""
    began = time.monotonic()
    result = entries.run(service, wait=True, wait_timeout=PATIENCE, **options)
    assert result.get("failed"), result
    assert time.monotonic() - began < AT_MOST
    user = f"system:serviceaccount:{service['metadata']['namespace']}:{account}"
    for text in ("Forbidden: Deployment ", f'is forbidden: User "{user}" cannot list resource "'):
        assert text in result["msg"], result["msg"]


def test_answer_shows_an_engine_that_counts_as_ready_and_ends_a_stand_in_again_and_again(
    live: Live, entries: Entries, namespace: str
) -> None:
    """Pods of a ModelService have no probe (docs/differences.md, W29)."""
    failing = [{"name": "STAND_IN_FAILURE", "value": "no device was found"}]
    engine = {"image": live.images[images.ENGINE], "env": failing}
    service = live.model_service("crashing", namespace, engine=engine)
    answer = {"timeout": 20.0}
    result = entries.run(service, wait=True, wait_timeout=60.0, wait_for="answer", answer=answer)
    assert result["failed"], result
    assert "crashing" in result["msg"]


def test_gateway_that_is_not_programmed_is_told_as_a_missing_address_before_any_stand_in(
    live: Live, entries: Entries, client: Client, namespace: str
) -> None:
    gateway = {"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway"}
    address = {"type": "Hostname", "value": f"nowhere.{namespace}.svc.cluster.local"}
    listeners = [{"name": "http", "port": 80, "protocol": "HTTP"}]
    spec = {"gatewayClassName": "istio", "addresses": [address], "listeners": listeners}
    client.apply({**gateway, "metadata": meta("edge", namespace), "spec": spec})
    route = {"gatewayRef": meta("edge", namespace)}
    service = live.model_service("stranded", namespace, httpRoute=route)
    asking: Json = {"wait": True, "wait_timeout": READY_WITHIN, "wait_for": "answer"}
    result = entries.run(service, **asking, answer={"timeout": 3.0})
    assert result["failed"], result
    assert f"Gateway {namespace}/edge has no address yet" in result["msg"], result["msg"]
