# SPDX-License-Identifier: GPL-3.0-or-later
"""Check mode says what a run does and writes nothing; a diff shows what we send, and no secrets."""

from __future__ import annotations

import json

from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.proxy import Proxy

from .support.cluster import owned, written_children
from .support.entries import Entries, actions
from .support.services import children, deployment, full, small


def fixture(entries: Entries, client: Client, namespace: str) -> tuple[Json, Json, Json]:
    """A service with drift and a removed feature, one that stays as it is, and one that is new."""
    entries.reconcile(full("old", namespace), small("same", namespace))
    client.patch(deployment("old-epp", namespace), {"spec": {"replicas": 3}})
    client.delete(children("old", namespace)[1])
    changed = full("old", namespace, prefill=None, decode={"replicas": 1})
    del changed["spec"]["prefill"], changed["spec"]["routingProxy"]
    return changed, small("same", namespace), small("new", namespace)


def test_check_mode_predicts_the_run(
    counted: Entries, client: Client, proxy: Proxy, bare_namespace: str
) -> None:
    services = fixture(counted, client, bare_namespace)
    before = {service["metadata"]["name"]: set(owned(client, service)) for service in services}
    proxy.reset()
    predicted = counted.reconcile(*services, check_mode=True, diff=True)
    assert proxy.writes == 0
    assert proxy.count(lambda seen: seen.dry_run) > 0
    assert {
        service["metadata"]["name"]: set(owned(client, service)) for service in services
    } == before
    done = counted.reconcile(*services, diff=True)
    assert predicted["changed"]
    assert done["changed"]
    assert actions(predicted) == actions(done)
    for told, seen in zip(predicted["diff"], done["diff"], strict=True):
        assert told == seen
    assert predicted["stats"]["writes"] == 0


def test_check_mode_of_a_settled_service_predicts_no_change(
    entries: Entries, namespace: str
) -> None:
    service = small("chat", namespace)
    entries.reconcile(service)
    predicted = entries.reconcile(service, check_mode=True, diff=True)
    assert not predicted["changed"]
    assert predicted["diff"] == []


def test_check_mode_works_where_the_namespace_would_be_made(
    entries: Entries, client: Client
) -> None:
    service = small("chat", "not-made-yet")
    predicted = entries.reconcile(service, check_mode=True, create_namespaces=True)
    assert actions(predicted)["Deployment/chat-decode"] == "created"
    assert client.get("v1", "Namespace", "not-made-yet") is None


def test_check_mode_of_absent_removes_nothing(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = full("chat", namespace)
    entries.reconcile(service)
    before = written_children(client, service).keys()
    predicted = entries.reconcile(service, state="absent", check_mode=True)
    assert predicted["changed"]
    assert set(actions(predicted).values()) == {"deleted"}
    assert written_children(client, service).keys() == before


def test_diff_shows_the_fields_that_we_send(
    entries: Entries, client: Client, namespace: str
) -> None:
    entries.reconcile(small("chat", namespace))
    client.patch(
        deployment("chat-decode", namespace),
        {"metadata": {"labels": {"example.com/theirs": "label"}}},
    )
    changed = small("chat", namespace, engine={"image": "registry.example.com/e:2"})
    diff = entries.reconcile(changed, diff=True)["diff"]
    headers = [each["before_header"] for each in diff]
    assert headers == [f"ModelService {namespace}/chat", f"Deployment {namespace}/chat-decode"]
    assert "registry.example.com/e:2" in diff[1]["after"]
    assert "registry.example.com/e:2" not in diff[1]["before"]
    text = json.dumps(diff)
    for foreign in ("theirs", "managedFields", "resourceVersion", "status", "clusterIP", "uid"):
        assert foreign not in text, foreign


def test_diff_and_result_mask_secrets(entries: Entries, namespace: str) -> None:
    env = [{"name": "HF_TOKEN", "value": "hf_verysecret"}, {"name": "PLAIN", "value": "seen"}]
    engine = {"image": "registry.example.com/e:2", "env": env}
    result = entries.reconcile(full("chat", namespace, engine=engine), diff=True)
    text = json.dumps(result)
    assert "hf_verysecret" not in text
    assert "<masked" in text
    assert "seen" in text
    other = [{"name": "HF_TOKEN", "value": "hf_another"}]
    engine = {"image": "registry.example.com/e:2", "env": other}
    diff = entries.reconcile(full("chat", namespace, engine=engine), diff=True)["diff"]
    assert "hf_another" not in json.dumps(diff)
    decode = next(each for each in diff if each["before_header"].endswith("chat-decode"))
    assert decode["before"] != decode["after"]
