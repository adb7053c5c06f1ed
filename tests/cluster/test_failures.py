# SPDX-License-Identifier: GPL-3.0-or-later
"""What fails after the first write: the rest goes on, the result tells of everything, and the next run converges."""

from __future__ import annotations

import pytest

from module_utils.kube.manifest import Json
from tests.lab.client import Client

from .support.cluster import owned, read, there
from .support.denied import denied
from .support.entries import Entries, actions
from .support.services import children, custom_resource, deployment, full, small


def test_one_failed_child_does_not_stop_the_others(
    entries: Entries, client: Client, namespace: str
) -> None:
    bad, good = full("bad", namespace), full("good", namespace)
    with denied(client, namespace, "bad-decode"):
        result = entries.run(bad, good)
    assert result["failed"]
    assert f"Deployment {namespace}/bad-decode" in result["msg"]
    assert "not on my cluster" in result["msg"]
    assert set(owned(client, good)) == {
        f"{child['kind']}/{child['metadata']['name']}" for child in children("good", namespace)
    }


def test_every_outcome_is_listed_and_dependants_are_skipped(
    entries: Entries, client: Client, namespace: str
) -> None:
    with denied(client, namespace, "bad-decode"):
        result = entries.run(full("bad", namespace))
    done = actions(result)
    assert done["Deployment/bad-decode"] == "failed"
    assert done["Deployment/bad-epp"] == "created"
    assert done["ConfigMap/bad-epp-config"] == "created"
    assert done["HTTPRoute/bad"] == "skipped"
    assert done["InferencePool/bad"] == "skipped"
    assert len(done) == len(children("bad", namespace)) + 1


def test_failed_service_says_so_in_its_status_and_recovers(
    entries: Entries, client: Client, namespace: str
) -> None:
    def condition() -> Json:
        status = there(client, custom_resource(service))["status"]
        return next(each for each in status["conditions"] if each["type"] == "Ready")

    service = full("bad", namespace)
    with denied(client, namespace, "bad-decode"):
        entries.run(service)
        assert condition()["status"] == "False"
        assert condition()["reason"] == "ReconcileError"
        assert "not on my cluster" in condition()["message"]
    entries.reconcile(service)
    assert condition()["reason"] != "ReconcileError"
    assert len(owned(client, service)) == len(children("bad", namespace))


def test_nothing_of_a_failed_service_is_pruned(
    entries: Entries, client: Client, namespace: str
) -> None:
    entries.reconcile(full("bad", namespace))
    smaller = small("bad", namespace, engine={"image": "registry.example.com/e:2"})
    with denied(client, namespace, "bad-decode"):
        result = entries.run(smaller, max_deletions=50)
    assert result["failed"]
    assert "deleted" not in actions(result).values()
    assert read(client, deployment("bad-prefill", namespace)) is not None
    entries.reconcile(smaller, max_deletions=50)
    assert read(client, deployment("bad-prefill", namespace)) is None


def with_other_selector(client: Client, namespace: str) -> str:
    """Make the decode Deployment anew with a selector that the service does not want; return its uid."""
    live = there(client, deployment("chat-decode", namespace))
    client.delete(deployment("chat-decode", namespace))
    client.wait_for(deployment("chat-decode", namespace), lambda found: found is None)
    live["metadata"] = {
        key: live["metadata"][key] for key in ("name", "namespace", "labels", "annotations")
    }
    old = {"app": "alpha-1"}
    live["spec"]["selector"] = {"matchLabels": old}
    live["spec"]["template"]["metadata"]["labels"] = old
    live.pop("status", None)
    uid: str = client.apply(live, manager="modelops.inference")["metadata"]["uid"]
    return uid


def test_other_selector_is_refused_and_can_be_recreated(
    entries: Entries, client: Client, namespace: str
) -> None:
    service, other = small("chat", namespace), small("other", namespace)
    entries.reconcile(service)
    uid = with_other_selector(client, namespace)
    message = entries.refused(service, other)
    assert f"Deployment {namespace}/chat-decode" in message
    assert "spec.selector" in message
    assert "recreate" in message
    assert owned(client, other) == {}
    entries.reconcile(service, other, recreate=["Deployment"])
    made = there(client, deployment("chat-decode", namespace))
    assert made["metadata"]["uid"] != uid
    assert "llm-d.ai/model" in made["spec"]["selector"]["matchLabels"]
    assert not entries.reconcile(service, other)["changed"]


def test_missing_namespace_is_refused_or_made(entries: Entries, client: Client) -> None:
    name = f"new-{id(client):x}"
    service = small("chat", name)
    message = entries.refused(service)
    assert f'"{name}" does not exist' in message
    assert "create_namespaces" in message
    try:
        entries.reconcile(service, create_namespaces=True)
        assert "Deployment/chat-decode" in owned(client, service)
    finally:
        client.delete({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})


@pytest.mark.parametrize("run", [1, 2])
def test_refused_input_writes_nothing_however_often(
    entries: Entries, client: Client, namespace: str, run: int
) -> None:
    service = small("chat", namespace, decode={"replicas": "four"})
    for _time in range(run):
        message = entries.refused(service)
    assert "spec.decode.replicas" in message
    assert read(client, custom_resource(service)) is None
