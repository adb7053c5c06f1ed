# SPDX-License-Identifier: GPL-3.0-or-later
"""A service keeps the release that made its objects; a new one gets that of the cluster's controller; the newest proved one is for the rest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.filter.rights import least_privilege
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.crd import (
    crd,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.releases import (
    BACKING,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.release import newest_proved
from tests.lab.client import Client
from tests.lab.cluster import Cluster, grant
from tests.lab.proxy import Proxy

from .support.cluster import there
from .support.entries import Entries, actions
from .support.llm_services import KSERVE, children, llm, prepare, routed
from .support.places import knowing, own_namespace

Json = dict[str, Any]
NEWEST, OLDEST = str(newest_proved(BACKING)), str(min(BACKING))
RELEASE = "inference.modelops.io/release"
PRESETS = {"config_prefix": "modelops-"}
EVERYTHING = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}


client = knowing(prepare)
place = own_namespace("found")


def under(release: str) -> Json:
    """Return the option by which a release is written down."""
    return {"releases": {"kserve": release}}


def of(result: Json) -> tuple[str, str]:
    """Return which release the only service has, and from where."""
    (service,) = result["services"]
    return service["release"]["version"], service["release"]["source"]


@contextmanager
def controller(
    client: Client, image: str, name: str = "llmisvc-controller-manager", namespace: str = KSERVE
) -> Iterator[None]:
    """A controller that was scaled to nothing is in the cluster."""
    labels = {"control-plane": name}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "containers": [
                        {"name": "kube-rbac-proxy", "image": "example.com/kube-rbac-proxy:v0.18.0"},
                        {"name": "manager", "image": image},
                    ]
                },
            },
        },
    }
    client.apply(deployment)
    try:
        yield
    finally:
        client.delete(deployment)
        client.wait_for(deployment, lambda found: found is None)


def as_made_before(client: Client, service: Json, place: str) -> None:
    """Take the note off the objects of a service, as they were before releases were noted."""
    for each in (service, *children(service["metadata"]["name"], place)):
        client.patch(each, {"metadata": {"annotations": {RELEASE: None}}})


def test_a_service_keeps_the_release_that_made_its_objects(
    entries: Entries, client: Client, place: str
) -> None:
    service = routed("chat", place)
    assert of(entries.reconcile(service, **under("0.18"))) == ("0.18", "option")
    for each in (service, *children("chat", place)):
        assert there(client, each)["metadata"]["annotations"][RELEASE] == "0.18"
    with controller(client, "kserve/llmisvc-controller:v0.19.0"):
        kept = entries.reconcile(service)
        assert (of(kept), kept["changed"], actions(kept)) == (("0.18", "objects"), False, {})
        edited = routed("chat", place, replicas=2)
        assert of(entries.reconcile(edited)) == ("0.18", "objects")


def test_a_new_service_gets_the_release_of_the_controller(
    entries: Entries, client: Client, place: str
) -> None:
    with controller(client, "registry.example.com:5000/kserve/llmisvc-controller:v0.19.0"):
        assert of(entries.reconcile(llm("chat", place), check_mode=True)) == ("0.19", "controller")
        made = entries.reconcile(llm("chat", place))
        assert of(made) == ("0.19", "controller")
    assert of(entries.reconcile(llm("chat", place))) == ("0.19", "objects")


def test_a_controller_of_a_release_that_nobody_knows_is_named(
    entries: Entries, client: Client, place: str
) -> None:
    with controller(client, "kserve/llmisvc-controller:v0.99.1"):
        result = entries.reconcile(llm("chat", place), check_mode=True)
    assert of(result) == ("0.21", "controller")
    (told,) = [text for text in result["warnings"] if "0.99" in text]
    assert "KServe 0.99 was found" in told
    assert "0.21 is taken" in told


def test_a_cluster_with_the_newest_release_has_that_one(
    entries: Entries, client: Client, place: str
) -> None:
    with controller(client, "kserve/llmisvc-controller:v0.21.0"):
        result = entries.reconcile(llm("chat", place), check_mode=True)
    assert of(result) == ("0.21", "controller")
    assert not [text for text in result["warnings"] if "0.21" in text]


def test_a_new_service_of_a_cluster_that_names_none_gets_the_newest_proved_one(
    entries: Entries, place: str
) -> None:
    result = entries.reconcile(llm("chat", place), check_mode=True)
    assert of(result) == (NEWEST, "newest")
    assert "the newest one that is proved" in result["services"][0]["release"]["reason"]


@pytest.mark.parametrize("release", ["0.17", "0.18"])
def test_objects_from_before_the_note_keep_their_release_and_are_not_written(
    entries: Entries, client: Client, place: str, release: str
) -> None:
    service = routed("chat", place)
    entries.reconcile(service, **under(release), wait=True, wait_timeout=120.0)
    as_made_before(client, service, place)
    for dummy in range(2):
        again = entries.reconcile(service)
        assert of(again) == (release, "objects")
        assert (again["changed"], again["stats"]["writes"]) == (False, 0)
    edited = routed("chat", place, replicas=2)
    entries.reconcile(edited)
    assert there(client, service)["metadata"]["annotations"][RELEASE] == release


def test_objects_that_two_releases_made_are_named_and_nothing_is_written(
    entries: Entries, client: Client, place: str
) -> None:
    service = routed("chat", place)
    entries.reconcile(service, **under("0.17"))
    (workload,) = [
        each for each in children("chat", place) if each["metadata"]["name"] == "chat-kserve"
    ]
    client.patch(workload, {"metadata": {"annotations": {RELEASE: "0.18"}}})
    message = entries.refused(service)
    assert f"Deployment {place}/chat-kserve was made as 0.18" in message
    assert "the service has 0.17" in message
    assert "releases.kserve" in message
    assert not entries.reconcile(service, **under("0.17"))["changed"]
    assert not entries.reconcile(service)["changed"]


def test_shapes_that_exclude_each_other_are_named_with_both(
    entries: Entries, client: Client, place: str
) -> None:
    service = routed("chat", place)
    entries.reconcile(service, **under("0.17"))
    as_made_before(client, service, place)
    (port,) = [
        each for each in children("chat", place) if "workload-svc" in each["metadata"]["name"]
    ]
    ports = there(client, port)["spec"]["ports"]
    client.patch(port, {"spec": {"ports": [{**ports[0], "name": "http"}]}})
    message = entries.refused(service)
    assert f"KServe 0.19 or later (Service {place}/chat-kserve-workload-svc" in message
    assert f"but KServe before 0.18 (Role {place}/chat-epp-role" in message


def test_a_written_release_is_a_plan_that_names_whose_pods_restart(
    entries: Entries, place: str
) -> None:
    service = routed("chat", place)
    entries.reconcile(service, **under("0.17"))
    predicted = entries.reconcile(service, **under("0.18"), check_mode=True)
    (told,) = [text for text in predicted["warnings"] if "restart" in text]
    assert "made by KServe 0.17 (annotation" in told
    assert f"Deployment {place}/chat-kserve" in told
    entries.reconcile(service, **under("0.18"))
    assert of(entries.reconcile(service)) == ("0.18", "objects")


def test_services_of_two_releases_stand_in_one_list(entries: Entries, place: str) -> None:
    old, new = routed("old", place), routed("new", place)
    entries.reconcile(old, **under("0.17"))
    entries.reconcile(new, **under("0.19"))
    both = entries.reconcile(old, new)
    assert (both["changed"], actions(both)) == (False, {})
    found = {each["name"]: each["release"]["version"] for each in both["services"]}
    assert found == {"old": "0.17", "new": "0.19"}
    shown = entries.info(old, new)["services"]
    assert {each["name"]: each["release"]["version"] for each in shown} == found
    assert [each["drift"] for each in shown] == [[], []]


@pytest.mark.parametrize("release", [str(each) for each in KServe])
def test_a_settled_fleet_asks_nobody_for_its_release(
    entries: Entries, counted: Entries, proxy: Proxy, place: str, release: str
) -> None:
    fleet = [routed(f"chat-{number}", place) for number in range(3)]
    entries.reconcile(*fleet, **under(release))
    counted.reconcile(*fleet, **under(release))
    proxy.reset()
    counted.reconcile(*fleet, **under(release))
    written = sorted(seen.path for seen in proxy.records)
    proxy.reset()
    assert not counted.reconcile(*fleet)["changed"]
    assert sorted(seen.path for seen in proxy.records) == written
    assert len(written) <= 20
    assert proxy.count(lambda seen: seen.resource.plural == "customresourcedefinitions") == 0


def test_without_the_right_to_look_at_the_controller_that_is_said(
    lab: Cluster, client: Client, entries: Entries, place: str
) -> None:
    robot = Entries(lab.service_account_kubeconfig("robot", place))
    grant(lab, f"{place}/robot", [EVERYTHING], place)
    look = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}
    presets = {"apiGroups": ["serving.kserve.io"], "resources": ["*"], "verbs": ["get", "list"]}
    routes = {
        "apiGroups": ["gateway.networking.k8s.io"],
        "resources": ["*"],
        "verbs": ["get", "list"],
    }
    grant(lab, f"{place}/robot", [look, presets, routes], KSERVE)
    service = llm("chat", place)
    with controller(client, "kserve/llmisvc-controller:v0.19.0"):
        result = robot.reconcile(service, reconciler="direct")
    # Its status is in every CRD.
    assert of(result) == (OLDEST, "newest")
    assert "could not look which release the controller" in "\n".join(result["warnings"])
    entries.reconcile(service, **under("0.18"))
    assert of(robot.reconcile(service, reconciler="direct")) == ("0.18", "objects")


def test_devices_are_judged_by_the_release_of_the_service(entries: Entries, place: str) -> None:
    service = llm("chat", place)
    entries.reconcile(service, **under("0.18"))
    result = entries.gpu(state="gathered", services=[service])
    assert not result.get("failed"), result["msg"]


def test_what_later_releases_would_change_is_told_of_each_service(
    entries: Entries, place: str
) -> None:
    service = routed("chat", place)
    entries.reconcile(service, **under("0.18"))
    (plain,) = entries.info(service)["services"]
    assert plain["upgrades"] == []
    (shown,) = entries.info(service, upgrades=True)["services"]
    assert [each["version"] for each in shown["upgrades"]] == ["0.19", "0.20", "0.21"]
    first = shown["upgrades"][0]
    assert first["refused"] == []
    told = {f"{each['kind']}/{each['name']}": each["action"] for each in first["changes"]}
    predicted = entries.reconcile(service, **under("0.19"), check_mode=True)
    changed = {name: "update" for name, action in actions(predicted).items() if action == "updated"}
    assert told == changed
    (warned,) = [text for text in predicted["warnings"] if "restart" in text]
    assert first["restarts"]
    assert [each for each in first["restarts"] if each not in warned] == []


def test_what_goes_in_a_downgrade_is_named_before_anything_is_written(
    entries: Entries, client: Client, place: str
) -> None:
    service = routed("chat", place)
    entries.reconcile(service, **under("0.19"), wait=True, wait_timeout=120.0)
    assert "workloads" in there(client, service)["status"]
    predicted = entries.reconcile(service, **under("0.17"), check_mode=True)
    (told,) = [text for text in predicted["warnings"] if "will be gone" in text]
    assert "KServe 0.17 does not know what 0.19 made" in told
    assert "status.workloads" in told


def test_what_a_later_controller_wrote_into_the_status_stays_and_is_told(
    entries: Entries, client: Client, place: str
) -> None:
    service = routed("chat", place)
    entries.reconcile(service, **under("0.18"))
    client.patch_status(service, {"workloads": {}})
    edited = entries.reconcile(routed("chat", place, replicas=2), **under("0.18"))
    (told,) = [text for text in edited["warnings"] if "stay as they are" in text]
    assert "the status has fields that KServe 0.18 does not know" in told
    assert "status.workloads" in told
    assert "workloads" in there(client, service)["status"]


def test_a_field_of_a_later_release_is_named_with_what_this_one_does(
    entries: Entries, place: str
) -> None:
    refs = [{"name": "gateway", "namespace": place, "sectionName": "https"}]
    service = routed(
        "chat", place, router={"gateway": {"refs": refs}, "route": {}, "scheduler": {}}
    )
    entries.reconcile(routed("chat", place), **under("0.17"))
    message = entries.refused(service)
    assert "spec.router.gateway.refs[0].sectionName" in message
    assert "KServe 0.18 knows it, and 0.17 would drop it; releases.kserve" in message


@pytest.mark.parametrize(
    ("has", "asked", "lacking"),
    [
        (KServe.V0_17, "0.19", "status.workloads"),
        (KServe.V0_19, "0.20", "status.workloads.primary.readyReplicas"),
    ],
)
def test_a_crd_that_lacks_what_a_release_writes_is_named_with_the_fields(
    entries: Entries, client: Client, place: str, has: KServe, asked: str, lacking: str
) -> None:
    client.apply(crd(has))
    try:
        message = entries.refused(llm("chat", place), **under(asked))
        assert "the CRD in the cluster does not declare" in message
        assert lacking in message
        assert of(entries.reconcile(llm("chat", place), **under("0.18"))) == ("0.18", "option")
    finally:
        client.apply(crd())


@pytest.mark.parametrize("has", [KServe.V0_17, KServe.V0_19])
def test_a_new_service_gets_a_release_whose_status_the_crd_declares(
    entries: Entries, client: Client, place: str, has: KServe
) -> None:
    client.apply(crd(has))
    try:
        result = entries.reconcile(llm("chat", place))
        proved = {release: how for release, how in BACKING.items() if release <= has}
        assert of(result) == (str(newest_proved(proved)), "newest")
        assert "whose status the CRD in the cluster declares" in str(
            result["services"][0]["release"]
        )
    finally:
        client.apply(crd())


@pytest.mark.parametrize(("release", "expected"), [("0.17", False), ("0.18", True), ("auto", True)])
def test_rights_are_those_of_the_release_that_is_written(release: str, expected: bool) -> None:
    rendered = Entries(None).reconcile(
        llm("chat", "team-a"), state="rendered", settings=PRESETS, **under(release)
    )
    subject = {"kind": "ServiceAccount", "name": "robot", "namespace": "team-a"}
    text = str(least_privilege(rendered, subject)["manifests"])
    assert ("variantautoscalings" in text) is expected
    assert "llminferenceserviceconfigs" in text


def test_rights_of_a_release_are_enough_for_a_service_that_asks_for_more(
    lab: Cluster, client: Client, place: str
) -> None:
    """0.17 stores `scaling` without effect; what a later release may have left is looked for where that is allowed."""
    wanted = {"minReplicas": 1, "maxReplicas": 3, "wva": {"hpa": {}}}
    service = llm("chat", place, scaling=wanted)
    service["spec"].pop("replicas")
    rendered = Entries(None).reconcile(service, state="rendered", settings=PRESETS, **under("0.17"))
    subject = {"kind": "ServiceAccount", "name": "robot", "namespace": place}
    for manifest in least_privilege(rendered, subject, name=f"{place}-robot")["manifests"]:
        client.apply(manifest)
    robot = Entries(lab.service_account_kubeconfig("robot", place))
    result = robot.reconcile(service, settings=PRESETS, **under("0.17"))
    assert result["changed"]
    assert not robot.reconcile(service, settings=PRESETS, **under("0.17"))["changed"]
