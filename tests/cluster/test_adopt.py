# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects made by hand become a service's own: wholly, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from aiohttp import web

from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.proxy import ConnectionAbort, Proxy
from tests.lab.proxy_record import Record

from .support.by_hand import Hand
from .support.cluster import owned, there
from .support.entries import Entries, actions, reasons
from .support.services import CHILDREN, custom_resource, full, reference, small

OURS = "modelops.inference"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def manifests(entries: Entries, service: Json) -> list[Json]:
    """Return what `rendered` tells people to apply, without our marks: as somebody who never heard of us has them."""
    found: list[Json] = entries.reconcile(service, state="rendered")["manifests"]
    for manifest in found:
        meta = manifest["metadata"]
        meta["labels"] = {key: meta["labels"][key] for key in meta["labels"] if OURS not in key}
        for marks in (meta["labels"], meta.get("annotations", {})):
            for key in [key for key in marks if key.startswith("inference.modelops.io/")]:
                del marks[key]
    return [each for each in found if each["kind"] != "ModelService"]


def one(found: list[Json], kind: str, name: str) -> Json:
    return next(each for each in found if (each["kind"], each["metadata"]["name"]) == (kind, name))


def owners_of(live: Json) -> dict[str, Json]:
    """Return who owns fields of an object, those of a status apart."""
    return {
        f"{entry['manager']} {entry['operation']}": entry["fieldsV1"]
        for entry in live["metadata"].get("managedFields") or []
        if not entry.get("subresource")
    }


@pytest.fixture
def hand(lab: Cluster, tmp_path: Path) -> Hand:
    return Hand(lab.kubeconfig, tmp_path)


def applied(hand: Hand, manifest: Json) -> None:
    hand.kubectl("apply", manifest=manifest)


def applied_by_server(hand: Hand, manifest: Json) -> None:
    hand.kubectl("apply", "--server-side", manifest=manifest)


def created(hand: Hand, manifest: Json) -> None:
    hand.kubectl("create", manifest=manifest)


def replaced(hand: Hand, manifest: Json) -> None:
    hand.kubectl("create", manifest={**manifest, "spec": {**manifest["spec"], "replicas": 0}})
    # A status that its controller writes at that moment would be a conflict.
    meta = manifest["metadata"]
    hand.kubectl("rollout", "status", f"deployment/{meta['name']}", "-n", meta["namespace"])
    hand.kubectl("replace", manifest=manifest)


def by_library(hand: Hand, manifest: Json) -> None:
    hand.by_library(manifest)


@pytest.mark.parametrize("make", [applied, applied_by_server, created, replaced, by_library])
def test_field_of_an_adopted_object_goes_when_the_service_drops_it(
    entries: Entries,
    client: Client,
    namespace: str,
    hand: Hand,
    make: Callable[[Hand, Json], None],
) -> None:
    extra = [{"name": "EXTRA", "value": "1"}]
    image = {"image": "registry.example.com/serving/vllm:0.11.0"}
    before = small("chat", namespace, engine={**image, "env": extra})
    after = small("chat", namespace, engine=image)
    theirs = one(manifests(entries, before), "Deployment", "chat-decode")
    make(hand, theirs)
    template = there(client, theirs)["spec"]["template"]
    entries.reconcile(before, adopt=True)
    live = there(client, theirs)
    assert live["spec"]["template"] == template
    assert LAST_APPLIED not in live["metadata"].get("annotations", {})
    assert {name for name in owners_of(live) if not name.startswith("kube-controller-manager")} == {
        f"{OURS} Apply"
    }
    assert not entries.reconcile(before)["changed"]
    entries.reconcile(after)
    (container,) = there(client, theirs)["spec"]["template"]["spec"]["containers"]
    assert "EXTRA" not in [each["name"] for each in container["env"]]


def test_what_the_service_does_not_want_goes_with_the_adoption_and_is_shown(
    entries: Entries, client: Client, namespace: str, hand: Hand
) -> None:
    service = small("chat", namespace)
    theirs = one(manifests(entries, service), "ConfigMap", "chat-epp-config")
    created(hand, theirs)
    hand.edit(theirs)
    assert there(client, theirs)["data"]["edited"] == "by hand"
    foreseen = entries.run(service, adopt=True, check_mode=True, diff=True)
    assert there(client, theirs)["data"]["edited"] == "by hand"
    result = entries.run(service, adopt=True, diff=True)
    assert "edited" not in there(client, theirs)["data"]
    assert set(owners_of(there(client, theirs))) == {f"{OURS} Apply"}
    for each in (foreseen, result):
        (shown,) = [part for part in each["diff"] if part["before_header"].startswith("ConfigMap")]
        assert "edited: by hand" in shown["before"]
        assert "edited" not in shown["after"]


def test_object_without_a_record_of_who_wrote_it_is_ours_alone(
    entries: Entries, client: Client, namespace: str, hand: Hand
) -> None:
    service = small("chat", namespace)
    theirs = one(manifests(entries, service), "ConfigMap", "chat-epp-config")
    created(hand, theirs)
    client.patch(theirs, {"metadata": {"managedFields": [{}]}})
    entries.reconcile(service, adopt=True)
    assert set(owners_of(there(client, theirs))) == {f"{OURS} Apply"}


def test_somebody_who_goes_on_writing_keeps_his_fields_and_is_named(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = small("chat", namespace)
    theirs = one(manifests(entries, service), "ConfigMap", "chat-epp-config")
    client.apply(theirs, manager="argocd-controller")
    result = entries.reconcile(service, adopt=True)
    assert any(
        "argocd-controller writes fields of ConfigMap" in text for text in result["warnings"]
    )
    assert "argocd-controller Apply" in owners_of(there(client, theirs))


def test_replicas_that_an_autoscaler_set_stay(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = small("chat", namespace)
    theirs = one(manifests(entries, service), "Deployment", "chat-decode")
    client.create(
        {**theirs, "spec": {**theirs["spec"], "replicas": 3}}, fieldManager="kubectl-create"
    )
    entries.reconcile(service, adopt=True)
    assert there(client, theirs)["spec"]["replicas"] == 3
    assert not entries.reconcile(service)["changed"]


def other_release(manifest: Json) -> None:
    for labels in (
        manifest["metadata"]["labels"],
        manifest["spec"]["template"]["metadata"]["labels"],
    ):
        labels["app.kubernetes.io/version"] = "v1.0.1"


def other_image(manifest: Json) -> None:
    (container,) = manifest["spec"]["template"]["spec"]["containers"]
    container["image"] = "registry.example.com/other:1"


def more_environment(manifest: Json) -> None:
    (container,) = manifest["spec"]["template"]["spec"]["containers"]
    container["env"].append({"name": "THEIRS", "value": "1"})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (other_release, ['"v1.0.1"', '"v0.9.0-alpha.2"', "Deployment", "releases"]),
        (other_image, ["spec.template.spec.containers[0].image", "allow_restart"]),
        (more_environment, ["spec.template.spec.containers[0].env", "allow_restart"]),
    ],
)
def test_adoption_that_would_restart_pods_is_refused_and_nothing_is_written(
    counted: Entries,
    client: Client,
    proxy: Proxy,
    namespace: str,
    change: Callable[[Json], None],
    said: list[str],
) -> None:
    service = small("chat", namespace)
    theirs = one(manifests(counted, service), "Deployment", "chat-decode")
    change(theirs)
    client.create(theirs, fieldManager="kubectl-create")
    before = owners_of(there(client, theirs))["kubectl-create Update"]
    message = counted.refused(service, adopt=True)
    for word in said:
        assert word in message
    assert proxy.writes == 0
    live = there(client, theirs)
    assert owners_of(live)["kubectl-create Update"] == before
    assert f"{OURS} Apply" not in owners_of(live)
    assert owned(client, service) == {}
    if "allow_restart" in said:
        result = counted.reconcile(service, adopt=True, allow_restart=True)
        assert actions(result)["Deployment/chat-decode"] == "adopted"
        (container,) = there(client, theirs)["spec"]["template"]["spec"]["containers"]
        assert container["image"] == "registry.example.com/serving/vllm:0.11.0"
        assert "THEIRS" not in [each["name"] for each in container["env"]]


def test_object_of_another_controller_is_refused_also_with_adopt(
    counted: Entries, client: Client, proxy: Proxy, namespace: str
) -> None:
    owner = client.apply(reference("v1", "ConfigMap", "owner", namespace))
    service = small("chat", namespace)
    theirs = one(manifests(counted, service), "ConfigMap", "chat-epp-config")
    theirs["metadata"]["ownerReferences"] = [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "name": "owner",
            "uid": owner["metadata"]["uid"],
            "controller": True,
        }
    ]
    client.create(theirs, fieldManager="some-operator")
    message = counted.refused(service, adopt=True)
    assert "belongs to ConfigMap owner (written by some-operator)" in message
    assert proxy.writes == 0


def test_reference_to_an_earlier_object_of_the_service_is_replaced(
    entries: Entries, client: Client, namespace: str
) -> None:
    """A restored backup: every object has come back, and the custom resource with another uid."""
    service = small("chat", namespace)
    theirs = one(manifests(entries, service), "ConfigMap", "chat-epp-config")
    uid = client.create(service, fieldManager="velero")["metadata"]["uid"]
    earlier = {
        "apiVersion": service["apiVersion"],
        "kind": "ModelService",
        "name": "chat",
        "uid": uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    theirs["metadata"]["ownerReferences"] = [earlier]
    client.create(theirs, fieldManager="manager")
    client.delete(custom_resource(service), policy="Orphan")
    client.wait_for(custom_resource(service), lambda found: found is None)
    client.patch(theirs, {"metadata": {"ownerReferences": [earlier]}})
    entries.reconcile(service, adopt=True)
    (owner,) = there(client, theirs)["metadata"]["ownerReferences"]
    assert owner["uid"] == there(client, custom_resource(service))["metadata"]["uid"] != uid


class Stop:
    """Breaks the connection at the n-th write of a child; nothing after it arrives."""

    def __init__(self, number: int) -> None:
        self.left = number

    async def before(self, request: Record) -> web.StreamResponse | None:
        if request.is_write and request.resource.plural == "deployments":
            self.left -= 1
        if self.left < 0 and request.is_write and request.resource.plural != "leases":
            raise ConnectionAbort
        return None


def children_by_hand(entries: Entries, client: Client, service: Json) -> list[Json]:
    found = manifests(entries, service)
    for manifest in found:
        client.create(manifest, fieldManager="kubectl-create")
    return found


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_adoption_that_breaks_off_at_any_write_is_completed_by_the_next_run(
    lab: Cluster, entries: Entries, client: Client, namespace: str, number: int
) -> None:
    service = full("chat", namespace)
    made = children_by_hand(entries, client, service)
    templates = [
        there(client, each)["spec"]["template"] for each in made if each["kind"] == "Deployment"
    ]
    with Proxy(lab, hooks=[Stop(number)]) as proxy:
        broken = Entries(proxy.kubeconfig).run(
            service, adopt=True, reconciler="direct", deadline=20.0
        )
    assert broken["failed"]
    entries.reconcile(service, adopt=True, reconciler="direct")
    assert len(owned(client, service)) == len(CHILDREN)
    for each in made:
        live = there(client, each)
        assert "kubectl-create Update" not in owners_of(live), live["kind"]
        if live["kind"] == "Deployment":
            assert live["spec"]["template"] in templates
    assert not entries.reconcile(service)["changed"]


def test_prediction_of_an_adoption_is_what_the_adoption_does(
    counted: Entries, client: Client, proxy: Proxy, namespace: str
) -> None:
    service = full("chat", namespace)
    children_by_hand(counted, client, service)
    foreseen = counted.run(service, adopt=True, check_mode=True, diff=True)
    assert proxy.writes == 0
    assert owned(client, service) == {}
    result = counted.run(service, adopt=True, diff=True)
    assert actions(foreseen) == actions(result)
    assert reasons(foreseen) == reasons(result)
    assert foreseen["diff"] == result["diff"]
    assert foreseen["changed"] is result["changed"] is True
    assert not counted.reconcile(service, adopt=True)["changed"]
