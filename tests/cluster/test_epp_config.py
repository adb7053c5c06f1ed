# SPDX-License-Identifier: GPL-3.0-or-later
"""epp_config on a real API server: it stores one key, keeps what others keep, and restarts the picker when meaning changes."""

from __future__ import annotations

from typing import Any

from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.proxy import Proxy
from tests.objects import thing

from .support.entries import Entries

KEY = "default-plugins.yaml"
PLACE: Json = {"name": "chat-epp", "target": "llmd:0.9"}


def config_map(client: Client, namespace: str) -> Json | None:
    """Return the ConfigMap of these tests."""
    return client.get("v1", "ConfigMap", "chat-epp", namespace)


def picker(client: Client, namespace: str, *args: str, **metadata: Any) -> Json:
    """Create the Deployment of a picker and return it."""
    labels = {"app": "chat-epp"}
    container = {
        "name": "epp",
        "image": "registry.example.com/epp:1",
        "args": ["--pool-name=chat", *args],
    }
    return client.create(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "chat-epp", "namespace": namespace, **metadata},
            "spec": {
                "replicas": 0,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            },
        }
    )


def test_a_configuration_is_stored_once(
    counted: Entries, proxy: Proxy, client: Client, namespace: str
) -> None:
    place = {**PLACE, "namespace": namespace, "preset": "default"}
    first = counted.picker(**place, diff=True)
    assert not first.get("failed"), first
    assert first["changed"]
    assert first["diff"][0]["after"] == first["text"]
    assert config_map(client, namespace)["data"] == {KEY: first["text"]}
    proxy.reset()
    again = counted.picker(**place)
    assert not again["changed"]
    assert again["differences"] == []
    assert (proxy.writes, proxy.requests) == (0, 1)


def test_check_mode_writes_nothing(entries: Entries, client: Client, namespace: str) -> None:
    result = entries.picker(**PLACE, namespace=namespace, preset="default", check_mode=True)
    assert result["changed"]
    assert config_map(client, namespace) is None


def test_keys_of_others_and_our_other_keys_stay(
    entries: Entries, client: Client, namespace: str
) -> None:
    client.create(thing("v1", "ConfigMap", "chat-epp", namespace, data={"notes": "theirs"}))
    place = {**PLACE, "namespace": namespace}
    entries.picker(**place, preset="default")
    entries.picker(**place, preset="random", key="other.yaml")
    assert set(config_map(client, namespace)["data"]) == {"notes", KEY, "other.yaml"}
    assert entries.picker(**place, state="absent")["changed"]
    assert set(config_map(client, namespace)["data"]) == {"notes", "other.yaml"}
    assert not entries.picker(**place, state="absent")["changed"]


def test_what_holds_nothing_else_is_deleted(
    entries: Entries, client: Client, namespace: str
) -> None:
    place = {**PLACE, "namespace": namespace}
    entries.picker(**place, preset="default")
    assert entries.picker(**place, state="absent", check_mode=True)["changed"]
    assert config_map(client, namespace) is not None
    assert entries.picker(**place, state="absent")["changed"]
    assert config_map(client, namespace) is None


def test_a_key_that_somebody_else_applied_is_a_conflict(
    entries: Entries, client: Client, namespace: str
) -> None:
    client.apply(thing("v1", "ConfigMap", "chat-epp", namespace, data={KEY: "theirs: true\n"}))
    place = {**PLACE, "namespace": namespace, "preset": "default"}
    refused = entries.picker(**place)
    assert refused["failed"]
    assert KEY in refused["msg"]
    assert config_map(client, namespace)["data"] == {KEY: "theirs: true\n"}
    assert entries.picker(**place, force_conflicts=True)["changed"]
    assert config_map(client, namespace)["data"][KEY] != "theirs: true\n"


def test_an_error_is_never_stored(entries: Entries, client: Client, namespace: str) -> None:
    result = entries.picker(**PLACE, namespace=namespace, config="plugins: [{type: nothing}]")
    assert result["failed"]
    assert config_map(client, namespace) is None


def test_the_picker_restarts_when_the_meaning_changes_and_only_then(
    entries: Entries, client: Client, namespace: str
) -> None:
    picker(client, namespace, f"--config-file=/config/{KEY}")
    place = {**PLACE, "namespace": namespace, "restart": "chat-epp"}

    def generation() -> int:
        live = client.get("apps/v1", "Deployment", "chat-epp", namespace)
        return int(live["metadata"]["generation"])

    first = entries.picker(**place, preset="default")
    assert first["restarted"]
    started = generation()
    live = client.get("apps/v1", "Deployment", "chat-epp", namespace)
    template = live["spec"]["template"]["metadata"]
    assert template["annotations"] == {"inference.modelops.io/epp-config": first["hash"]}
    assert template["labels"] == {"app": "chat-epp"}

    again = entries.picker(**place, preset="default")
    assert not again["changed"]
    rewritten = entries.picker(**place, config=f"# a comment\n{first['text']}")
    assert (rewritten["changed"], rewritten["restarted"]) == (True, False)
    assert rewritten["differences"] == []
    assert generation() == started

    weight = {
        "schedulingProfiles": [
            {"name": "default", "plugins": [{"pluginRef": "queue-scorer", "weight": 9}]}
        ]
    }
    other = entries.picker(**place, preset="default", overrides=weight)
    assert other["restarted"]
    assert [item["change"] for item in other["differences"]] == ["weight"]
    assert generation() == started + 1


def test_a_deployment_that_cannot_run_it_stops_everything(
    entries: Entries, client: Client, namespace: str
) -> None:
    picker(client, namespace, "--config-file=/config/other.yaml")
    result = entries.picker(**PLACE, namespace=namespace, preset="default", restart="chat-epp")
    assert result["failed"]
    assert "set key: other.yaml" in result["msg"]
    assert config_map(client, namespace) is None
    missing = entries.picker(**PLACE, namespace=namespace, preset="default", restart="nobody")
    assert "does not exist" in missing["msg"]


def test_objects_of_a_service_are_left_to_it(
    entries: Entries, client: Client, namespace: str
) -> None:
    owner = {"inference.modelops.io/owner": f"ModelService/{namespace}/chat"}
    picker(client, namespace, annotations=owner)
    result = entries.picker(**PLACE, namespace=namespace, preset="default", restart="chat-epp")
    assert result["failed"]
    assert f"ModelService/{namespace}/chat" in result["msg"]
    assert not result["changed"]
    assert config_map(client, namespace) is None


def test_config_map_of_a_service_is_left_to_it(
    entries: Entries, client: Client, namespace: str
) -> None:
    owner = {"inference.modelops.io/owner": f"ModelService/{namespace}/chat"}
    client.create(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "chat-epp", "namespace": namespace, "annotations": owner},
            "data": {KEY: "kind: EndpointPickerConfig\n"},
        }
    )
    for options in ({"preset": "default"}, {"state": "absent"}):
        result = entries.picker(**PLACE, namespace=namespace, **options)
        assert result["failed"]
        assert f"ModelService/{namespace}/chat" in result["msg"]
        assert "spec.prefill" in result["msg"]
    assert config_map(client, namespace)["data"] == {KEY: "kind: EndpointPickerConfig\n"}


def test_what_is_stored_may_be_broken(entries: Entries, client: Client, namespace: str) -> None:
    """A configuration without names is compared, reported by gathered and replaced."""
    client.create(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "chat-epp", "namespace": namespace},
            "data": {KEY: "schedulingProfiles: [{plugins: [{weight: 1}]}]\n"},
        }
    )
    found = entries.picker(**PLACE, namespace=namespace, state="gathered")
    assert found["verdict"] == "reject"
    stored = entries.picker(**PLACE, namespace=namespace, preset="default", force_conflicts=True)
    assert not stored.get("failed"), stored
    assert stored["changed"]
    assert stored["differences"]


def test_gathered_returns_what_is_stored(entries: Entries, namespace: str) -> None:
    place = {**PLACE, "namespace": namespace}
    assert not entries.picker(**place, state="gathered")["exists"]
    stored = entries.picker(**place, preset="default")
    found = entries.picker(**place, state="gathered")
    assert found["exists"]
    assert not found["changed"]
    assert (found["text"], found["hash"]) == (stored["text"], stored["hash"])
    assert found["verdict"] == "accept"
