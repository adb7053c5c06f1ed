# SPDX-License-Identifier: GPL-3.0-or-later
"""`absent` and `overridden` leave nothing behind, and take nothing that was not asked for."""

from __future__ import annotations

from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.proxy import Proxy

from .support.cluster import config_map, owned, read, there, written_children
from .support.entries import Entries, actions
from .support.services import children, custom_resource, full, small

FINALIZER = "model.otterscale.io/epp-cluster-rbac"


def name_alone(service: Json) -> Json:
    return {key: service[key] for key in ("apiVersion", "kind", "metadata")}


def test_absent_leaves_nothing(entries: Entries, client: Client, namespace: str) -> None:
    service = full("chat", namespace)
    entries.reconcile(service)
    result = entries.reconcile(name_alone(service), state="absent", wait=True, wait_timeout=60.0)
    assert set(actions(result).values()) == {"deleted"}
    assert len(actions(result)) == len(children("chat", namespace)) + 1
    assert read(client, custom_resource(service)) is None
    for child in children("chat", namespace):
        client.wait_for(child, lambda found: found is None)


def test_absent_of_what_is_not_there_changes_nothing(
    counted: Entries, proxy: Proxy, namespace: str
) -> None:
    assert not counted.reconcile(small("chat", namespace), state="absent")["changed"]
    assert proxy.writes == 0


def test_absent_removes_the_children_of_a_custom_resource_that_is_gone(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = full("chat", namespace)
    entries.reconcile(service)
    client.delete(custom_resource(service), policy="Orphan")
    client.wait_for(custom_resource(service), lambda found: found is None)
    assert owned(client, service)
    result = entries.reconcile(name_alone(service), state="absent")
    assert result["changed"]
    for child in children("chat", namespace):
        client.wait_for(child, lambda found: found is None)


def test_absent_leaves_no_orphan_and_no_finalizer(
    entries: Entries, client: Client, namespace: str
) -> None:
    """The operator is gone, and with it whoever would take its finalizer away."""
    service = full("chat", namespace)
    entries.reconcile(service)
    client.patch(custom_resource(service), {"metadata": {"finalizers": [FINALIZER]}})
    entries.reconcile(service, state="absent", wait=True, wait_timeout=60.0)
    assert read(client, custom_resource(service)) is None
    assert read(client, children("chat", namespace)[6]) is None


def test_absent_finishes_a_deletion_that_the_finalizer_holds_up(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = small("chat", namespace)
    entries.reconcile(service)
    client.patch(custom_resource(service), {"metadata": {"finalizers": [FINALIZER]}})
    client.delete(custom_resource(service))
    assert there(client, custom_resource(service))["metadata"]["deletionTimestamp"]
    entries.reconcile(service, state="absent", wait=True, wait_timeout=60.0)
    assert read(client, custom_resource(service)) is None


def test_finalizers_of_others_stay(entries: Entries, client: Client, namespace: str) -> None:
    service = small("chat", namespace)
    entries.reconcile(service)
    finalizers = [FINALIZER, "example.com/mine"]
    client.patch(custom_resource(service), {"metadata": {"finalizers": finalizers}})
    result = entries.run(service, state="absent", wait=True, wait_timeout=1.0)
    assert result["failed"]
    assert 'held by finalizer "example.com/mine"' in result["msg"]
    assert there(client, custom_resource(service))["metadata"]["finalizers"] == ["example.com/mine"]
    client.patch(custom_resource(service), {"metadata": {"finalizers": None}})


def test_other_services_are_not_touched_by_absent(
    entries: Entries, client: Client, namespace: str
) -> None:
    gone, stays = small("gone", namespace), full("stays", namespace)
    entries.reconcile(gone, stays)
    before = written_children(client, stays).keys()
    entries.reconcile(gone, state="absent")
    assert written_children(client, stays).keys() == before


def test_overridden_removes_what_the_list_does_not_name(
    entries: Entries, client: Client, namespace: str, other_namespace: str
) -> None:
    fleet = {"fleet": namespace}
    old, kept, elsewhere = (
        small("old", namespace),
        small("kept", namespace),
        small("elsewhere", other_namespace),
    )
    foreign = small("foreign", namespace)
    entries.reconcile(old, kept, elsewhere, **fleet)
    entries.reconcile(foreign)
    result = entries.reconcile(kept, state="overridden", max_deletions=30, **fleet)
    assert {name for name, action in actions(result).items() if action == "deleted"} >= {
        "Deployment/old-decode",
        "Deployment/elsewhere-decode",
        "ModelService/old",
    }
    assert not owned(client, old)
    assert not owned(client, elsewhere)
    assert "Deployment/kept-decode" in owned(client, kept)
    assert "Deployment/foreign-decode" in owned(client, foreign)


def test_overridden_keeps_a_service_that_is_named_but_not_valid(
    entries: Entries, client: Client, namespace: str
) -> None:
    broken, kept = small("broken", namespace), small("kept", namespace)
    entries.reconcile(broken, kept, fleet=namespace)
    before = written_children(client, broken)
    broken["spec"]["decode"] = {"replicas": "four"}
    result = entries.reconcile(
        broken, kept, state="overridden", fleet=namespace, skip_invalid=True, max_deletions=50
    )
    assert not result["changed"]
    assert "spec.decode.replicas" in "\n".join(result["warnings"])
    assert written_children(client, broken) == before


def test_nothing_is_pruned_of_a_service_that_is_left_out(
    entries: Entries, client: Client, namespace: str
) -> None:
    """It wants less than before, and something of somebody else stands in its way."""
    entries.reconcile(full("left", namespace), small("other", namespace))
    client.delete(config_map("left-epp-config", namespace))
    client.apply(config_map("left-epp-config", namespace), manager="kubectl")
    before = written_children(client, full("left", namespace)).keys()
    changed = small("other", namespace, engine={"image": "registry.example.com/e:2"})
    result = entries.reconcile(
        small("left", namespace), changed, skip_invalid=True, max_deletions=50
    )
    assert "deleted" not in actions(result).values()
    assert written_children(client, full("left", namespace)).keys() == before


def test_overridden_stays_within_its_budget(
    entries: Entries, client: Client, namespace: str
) -> None:
    old, kept = small("old", namespace), small("kept", namespace)
    entries.reconcile(old, kept, fleet=namespace)
    before = written_children(client, old).keys()
    message = entries.refused(kept, state="overridden", fleet=namespace)
    assert "max_deletions" in message
    assert "11 of 22 objects" in message
    assert written_children(client, old).keys() == before


def test_overridden_needs_a_fleet_and_a_list(entries: Entries, namespace: str) -> None:
    assert "fleet" in entries.refused(small("chat", namespace), state="overridden")
    assert "would remove the whole fleet" in entries.refused(state="overridden", fleet=namespace)
