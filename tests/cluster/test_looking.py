# SPDX-License-Identifier: GPL-3.0-or-later
"""`gathered` and llmisvc_info tell what is there and write nothing."""

from __future__ import annotations

from typing import Any

from tests.lab.client import Client
from tests.lab.proxy import Proxy

from .support.cluster import owned
from .support.entries import Entries
from .support.services import children, custom_resource, deployment, full, small


def test_gathered_returns_what_was_applied(counted: Entries, proxy: Proxy, namespace: str) -> None:
    service = full("chat", namespace)
    service["metadata"]["labels"] = {"team": "a"}
    counted.reconcile(service)
    proxy.reset()
    result = counted.reconcile(service, state="gathered")
    assert proxy.writes == 0
    assert not result["changed"]
    (found,) = result["gathered"]
    assert found["metadata"] == service["metadata"]
    assert "status" not in found
    for block in ("model", "accelerator", "httpRoute"):
        assert service["spec"][block].items() <= found["spec"][block].items()


def test_gathered_names_what_is_not_there(entries: Entries, namespace: str) -> None:
    entries.reconcile(small("one", namespace))
    result = entries.reconcile(small("one", namespace), small("two", namespace), state="gathered")
    assert [each["metadata"]["name"] for each in result["gathered"]] == ["one"]
    assert result["warnings"] == [f"ModelService {namespace}/two: there is no such service"]


def test_gathered_can_be_given_back(entries: Entries, namespace: str) -> None:
    entries.reconcile(full("chat", namespace))
    gathered = entries.reconcile(state="gathered", namespace=namespace)["gathered"]
    assert len(gathered) == 1
    assert not entries.reconcile(*gathered)["changed"]


def test_gathered_of_a_namespace_or_a_fleet(
    entries: Entries, namespace: str, other_namespace: str
) -> None:
    entries.reconcile(small("one", namespace), fleet=namespace)
    entries.reconcile(small("two", other_namespace))

    def found(**options: Any) -> list[str]:
        result = entries.reconcile(state="gathered", **options)
        return [each["metadata"]["name"] for each in result["gathered"]]

    assert found(namespace=namespace) == ["one"]
    assert found(namespace=other_namespace) == ["two"]
    assert found(namespace=other_namespace, fleet=namespace) == []
    assert found(fleet=namespace) == ["one"]


def test_info_of_a_settled_service_shows_no_drift(
    counted: Entries, client: Client, proxy: Proxy, namespace: str
) -> None:
    service = small("chat", namespace)
    counted.reconcile(service, wait=True, wait_timeout=90.0)
    client.patch(deployment("chat-decode", namespace), {"spec": {"replicas": 2}})
    proxy.reset()
    info = counted.info(service)
    assert proxy.writes == 0
    (found,) = info["services"]
    assert found["drift"] == []
    assert found["reconciler"] == "direct"
    assert {child["kind"] for child in found["children"]} >= {"Deployment", "InferencePool"}
    assert info["orphans"] == []


def test_info_shows_drift(entries: Entries, client: Client, namespace: str) -> None:
    service = full("chat", namespace)
    entries.reconcile(service)
    client.patch(deployment("chat-epp", namespace), {"spec": {"replicas": 3}})
    client.delete(children("chat", namespace)[1])
    (found,) = entries.info(namespace=namespace)["services"]
    drift = {f"{each['kind']}/{each['name']}": each["action"] for each in found["drift"]}
    assert drift == {"ConfigMap/chat-epp-config": "create", "Deployment/chat-epp": "update"}


def test_objects_without_a_living_owner_are_named(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = full("chat", namespace)
    entries.reconcile(service, fleet=namespace)
    left = set(owned(client, service))
    client.delete(custom_resource(service), policy="Orphan")
    client.wait_for(custom_resource(service), lambda found: found is None)
    info = entries.info(fleet=namespace)
    assert info["services"] == []
    assert {f"{each['kind']}/{each['name']}" for each in info["orphans"]} == left
    assert {each["service"] for each in info["orphans"]} == {f"{namespace}/chat"}


def test_info_of_a_service_that_is_not_there_says_so(entries: Entries, namespace: str) -> None:
    info = entries.info(small("nobody", namespace))
    assert info["services"] == []
    assert any("there is no such service" in text for text in info["warnings"])


def test_topology_leads_from_the_gateway_to_the_pods(
    counted: Entries, client: Client, proxy: Proxy, namespace: str
) -> None:
    service = full("chat", namespace)
    counted.reconcile(service, wait=True, wait_timeout=90.0, wait_for="DecodeReady")
    client.delete(children("chat", namespace)[1])
    proxy.reset()
    (found,) = counted.info(service, topology=True)["services"]
    assert proxy.writes == 0
    rows = {(row["layer"], row["name"]): row for row in found["topology"]}
    assert rows["gateway", "edge"]["state"] == "missing"
    assert rows["workload", "chat-decode"]["message"] == "2/2 replicas ready"
    assert rows["picker", "chat-epp"]["written"]
    assert rows["other", "chat-epp-config"]["state"] == "missing"
    pods = [row for row in found["topology"] if row["layer"] == "pod"]
    assert sorted(pod["of"] for pod in pods) == [
        "chat-decode",
        "chat-decode",
        "chat-epp",
        "chat-prefill",
    ]
    assert {pod["state"] for pod in pods} == {"ready"}
    assert all(pod["node"] for pod in pods)
    (without,) = counted.info(service)["services"]
    assert without["topology"] == []
