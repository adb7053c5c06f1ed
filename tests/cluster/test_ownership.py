# SPDX-License-Identifier: GPL-3.0-or-later
"""What belongs to somebody else is neither taken over nor removed, and the refusal says whose it is."""

from __future__ import annotations

import pytest

from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.proxy import Proxy

from .support.cluster import OWNER, config_map, owned, read, there, written_children
from .support.entries import Entries, actions
from .support.services import children, custom_resource, deployment, full, reference, small

ROUTE = "gateway.networking.k8s.io/v1"


def route(name: str, namespace: str) -> Json:
    return {
        **reference(ROUTE, "HTTPRoute", name, namespace),
        "spec": {"parentRefs": [{"name": "mine"}], "hostnames": ["mine.example.com"]},
    }


def test_child_of_somebody_else_is_refused_before_any_write(
    counted: Entries, client: Client, proxy: Proxy, namespace: str
) -> None:
    theirs = client.apply(config_map("chat-epp-config", namespace, mine="yes"), manager="kubectl")
    service = small("chat", namespace)
    message = counted.refused(service)
    assert "ConfigMap" in message
    assert "chat-epp-config exists already and it is not ours (written by kubectl)" in message
    assert "adopt" in message
    assert proxy.writes == 0
    assert owned(client, service) == {}
    assert there(client, theirs) == {"apiVersion": "v1", "kind": "ConfigMap", **theirs}


def test_every_child_of_somebody_else_is_named_at_once(
    entries: Entries, client: Client, namespace: str
) -> None:
    client.apply(config_map("chat-epp-config", namespace), manager="kubectl")
    client.apply(route("chat", namespace), manager="argocd")
    message = entries.refused(small("chat", namespace))
    assert "kubectl" in message
    assert "argocd" in message


def test_cluster_role_of_somebody_else_is_refused(
    entries: Entries, client: Client, namespace: str
) -> None:
    name = f"{namespace}-chat-epp"
    theirs = reference("rbac.authorization.k8s.io/v1", "ClusterRole", name, "")
    client.apply({**theirs, "rules": []}, manager="kubectl")
    try:
        assert name in entries.refused(full("chat", namespace))
        assert there(client, theirs)["rules"] in (None, [])
    finally:
        client.delete(theirs)


def test_adopt_takes_over_and_sets_the_owner(
    entries: Entries, client: Client, namespace: str
) -> None:
    theirs = client.apply(config_map("chat-epp-config", namespace, mine="yes"), manager="kubectl")
    service = small("chat", namespace)
    result = entries.reconcile(service, adopt=True)
    assert actions(result)["ConfigMap/chat-epp-config"] == "adopted"
    meta = there(client, theirs)["metadata"]
    assert meta["annotations"][OWNER] == f"ModelService/{namespace}/chat"
    parent = there(client, custom_resource(service))["metadata"]["uid"]
    assert [owner["uid"] for owner in meta["ownerReferences"]] == [parent]
    assert not entries.reconcile(service)["changed"]


def test_object_of_somebody_else_survives_a_removed_feature(
    entries: Entries, client: Client, namespace: str
) -> None:
    """The operator removes a PodMonitor of that name whoever made it."""
    theirs = {
        **reference("monitoring.coreos.com/v1", "PodMonitor", "chat-prefill", namespace),
        "spec": {"selector": {}, "podMetricsEndpoints": [{"port": "mine"}]},
    }
    client.apply(theirs, manager="kubectl")
    service = small("chat", namespace, monitoring={"podMonitor": {"enabled": True}})
    entries.reconcile(service)
    entries.reconcile(small("chat", namespace))
    entries.reconcile(service, state="absent")
    assert there(client, theirs)["spec"]["podMetricsEndpoints"] == [{"port": "mine"}]


def test_object_with_our_label_alone_is_not_removed(
    entries: Entries, client: Client, namespace: str
) -> None:
    theirs = config_map("chat-copy", namespace)
    theirs["metadata"]["labels"] = {"inference.modelops.io/fleet": "default"}
    client.apply(theirs, manager="kubectl")
    service = small("chat", namespace)
    entries.reconcile(service)
    entries.reconcile(service, state="absent")
    assert read(client, theirs) is not None


def test_custom_resource_that_its_author_applied_is_the_service(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = small("chat", namespace)
    uid = client.apply(service, manager="kubectl")["metadata"]["uid"]
    entries.reconcile(service)
    assert there(client, custom_resource(service))["metadata"]["uid"] == uid
    assert "Deployment/chat-decode" in owned(client, service)


def test_two_services_with_one_picker_are_both_refused(
    counted: Entries, proxy: Proxy, namespace: str
) -> None:
    first, second = small("llama-3.1", namespace), small("llama-3-1", namespace)
    message = counted.refused(first, second)
    assert '"llama-3.1" and "llama-3-1"' in message or '"llama-3-1" and "llama-3.1"' in message
    assert "services[0]" in message
    assert "services[1]" in message
    assert proxy.writes == 0


def test_picker_of_a_live_service_is_refused_to_another(
    entries: Entries, client: Client, namespace: str
) -> None:
    first, second = small("llama-3.1", namespace), small("llama-3-1", namespace)
    entries.reconcile(first)
    before = set(owned(client, first))
    message = entries.refused(second)
    assert f"belongs to ModelService {namespace}/llama-3.1" in message
    assert owned(client, second) == {}
    assert set(owned(client, first)) == before


def test_service_of_another_fleet_is_refused(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = full("chat", namespace)
    entries.reconcile(service, fleet="blue")
    before = written_children(client, service)
    message = entries.refused(service, fleet="green")
    assert "fleet blue" in message
    assert "fleet blue" in entries.refused(service, fleet="green", state="absent")
    assert written_children(client, service) == before


def test_fleets_do_not_see_each_other(entries: Entries, client: Client, namespace: str) -> None:
    blue, green = small("blue", namespace), small("green", namespace)
    entries.reconcile(blue, fleet=f"{namespace}-blue")
    entries.reconcile(green, fleet=f"{namespace}-green")
    entries.reconcile(
        small("other", namespace), fleet=f"{namespace}-green", state="overridden", max_deletions=50
    )
    assert owned(client, green) == {}
    assert "Deployment/blue-decode" in owned(client, blue)


def test_container_of_somebody_else_stays(entries: Entries, client: Client, namespace: str) -> None:
    service = small("chat", namespace)
    entries.reconcile(service)
    side = {"name": "side", "image": "registry.example.com/side:1"}
    decode = deployment("chat-decode", namespace)
    pod = {"template": {"spec": {"containers": [side]}}}
    client.apply({**decode, "spec": pod}, manager="injector")
    assert not entries.reconcile(service)["changed"]
    entries.reconcile(small("chat", namespace, engine={"image": "registry.example.com/e:2"}))
    containers = there(client, decode)["spec"]["template"]["spec"]["containers"]
    images = {each["name"]: each["image"] for each in containers}
    assert images == {"vllm": "registry.example.com/e:2", "side": "registry.example.com/side:1"}


@pytest.mark.parametrize("skip_invalid", [False, True], ids=["refused", "skipped"])
def test_one_refused_service_stops_the_list_unless_it_may_be_skipped(
    entries: Entries, client: Client, namespace: str, skip_invalid: bool
) -> None:
    client.apply(config_map("bad-epp-config", namespace), manager="kubectl")
    bad, good = small("bad", namespace), small("good", namespace)
    result = entries.run(bad, good, skip_invalid=skip_invalid)
    assert bool(result.get("failed")) is not skip_invalid
    assert bool(owned(client, good)) is skip_invalid
    assert owned(client, bad) == {}
    said = result["msg"] if not skip_invalid else "\n".join(result["warnings"])
    assert "bad-epp-config exists already" in said


def test_names_of_children_are_complete(namespace: str) -> None:
    assert len(children("chat", namespace)) == 17
