# SPDX-License-Identifier: GPL-3.0-or-later
"""Caches of models are filled, kept, used and removed on a real API server, whose pods do nothing and end at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.filter.rights import least_privilege
from tests.lab.client import Client
from tests.lab.control_plane import ControlPlane
from tests.long import often
from tests.objects import thing

from .support.caches import JOBS, cache, group, jobs, pool, prepare, settings
from .support.cluster import read, there
from .support.entries import Entries, actions
from .support.inference_services import isvc
from .support.places import on, own_namespace

Json = dict[str, Any]
#: Requests of a settled cache.
SETTLED = 16
MANY = often(20, long=100)

client, entries = on("own_lab")
place = own_namespace("cache")


@pytest.fixture
def options(client: Client, place: str) -> Iterator[Json]:
    """Nodes and their group, both called after the namespace of the test, and the options of its tasks."""
    prepare(client)
    with pool(client, place):
        yield settings(client, place)
        client.delete(cache(place))


def user(place: str) -> Json:
    """Return a service whose model the cache of the test holds."""
    service = isvc("chat", place)
    service["spec"]["predictor"]["model"]["storageUri"] = cache(place)["spec"]["sourceModelUri"]
    return service


def waiting(options: Json) -> Json:
    """Return the options of a task that waits."""
    return {**options, "wait": True, "wait_timeout": 120.0}


def test_a_model_is_fetched_onto_each_node_and_a_second_run_writes_nothing(
    entries: Entries, client: Client, place: str, options: Json
) -> None:
    wanted = cache(place)
    predicted = entries.reconcile(wanted, check_mode=True, **options)
    first = entries.reconcile(wanted, **waiting(options))
    assert actions(predicted) == actions(first)
    assert set(actions(first).values()) == {"created"}
    assert first["services"][0]["ready"]
    live = there(client, wanted)
    nodes = [f"{place}-0", f"{place}-1"]
    assert live["status"] == {
        "nodeStatus": dict.fromkeys(nodes, "NodeDownloaded"),
        "copies": {"available": 2, "total": 2},
    }
    assert sorted(jobs(client, place)) == nodes
    for made in (
        thing("v1", "PersistentVolume", f"{place}-{place}-download"),
        thing("v1", "PersistentVolumeClaim", f"{place}-{place}", JOBS),
    ):
        (owner,) = there(client, made)["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["name"], owner["controller"]) == (
            "LocalModelCache",
            place,
            True,
        )
    second = entries.reconcile(wanted, **options)
    assert not second["changed"]
    assert second["services"][0]["ready"]
    assert second["stats"]["requests"] <= SETTLED
    assert (
        there(client, wanted)["metadata"]["resourceVersion"] == live["metadata"]["resourceVersion"]
    )


def test_a_job_that_has_gone_by_itself_does_not_fetch_the_model_again(
    entries: Entries, client: Client, place: str, options: Json
) -> None:
    wanted = cache(place)
    entries.reconcile(wanted, **waiting(options))
    for job in jobs(client, place).values():
        client.delete(job)
        client.wait_for(job, lambda found: found is None)
    again = entries.reconcile(wanted, **options)
    assert not again["changed"]
    assert not jobs(client, place)
    assert there(client, wanted)["status"]["copies"] == {"available": 2, "total": 2}


def test_services_get_a_volume_of_their_cache_and_keep_it_from_being_removed(
    entries: Entries, client: Client, place: str, options: Json
) -> None:
    wanted, service = cache(place), user(place)
    own = {**options, "fleet": place}
    entries.reconcile(wanted, **own)
    found = entries.reconcile(wanted, service, **own)
    made = {name for name, done in actions(found).items() if done == "created"}
    assert made >= {
        f"PersistentVolume/{place}-{place}-{place}",
        f"PersistentVolumeClaim/{place}-{place}",
    }
    live = there(client, thing("apps/v1", "Deployment", "chat-predictor", place))
    (volume,) = live["spec"]["template"]["spec"]["volumes"]
    assert volume["persistentVolumeClaim"]["claimName"] == f"{place}-{place}"
    again = entries.reconcile(wanted, service, **own)
    assert not again["changed"]
    assert there(client, wanted)["status"]["inferenceServices"] == [
        {"namespace": place, "name": "chat"}
    ]
    message = entries.refused(wanted, state="absent", **own)
    assert f"InferenceService {place}/chat still uses it" in message
    there(client, wanted)
    listed = entries.refused(service, state="overridden", **own)
    assert f"LocalModelCache {place}: 1 problem" in listed
    entries.reconcile(wanted, service, state="absent", **own)
    assert read(client, wanted) is None
    volume = thing("v1", "PersistentVolume", f"{place}-{place}-{place}")
    client.wait_for(volume, lambda found: found is None)


def test_a_namespace_that_no_longer_uses_a_cache_loses_its_volume(
    entries: Entries, client: Client, place: str, options: Json
) -> None:
    wanted, service = cache(place), user(place)
    entries.reconcile(wanted, service, **options)
    entries.reconcile(service, state="absent", **options)
    found = entries.reconcile(wanted, **options)
    assert {name for name, done in actions(found).items() if done == "deleted"} == {
        f"PersistentVolume/{place}-{place}-{place}",
        f"PersistentVolumeClaim/{place}-{place}",
    }
    assert "inferenceServices" not in there(client, wanted)["status"]


def test_a_new_service_does_not_read_from_a_cache_that_the_same_run_removes(
    entries: Entries, client: Client, place: str, options: Json
) -> None:
    wanted, service = cache(place), user(place)
    own = {**options, "fleet": place, "state": "overridden", "max_deletions": 50}
    entries.reconcile(wanted, **own)
    entries.reconcile(service, **own)
    assert read(client, wanted) is None
    live = there(client, thing("apps/v1", "Deployment", "chat-predictor", place))
    assert "persistentVolumeClaim" not in str(live["spec"]["template"]["spec"]["volumes"])
    entries.reconcile(service, **{**own, "state": "absent"})


def test_a_group_that_a_cache_loses_takes_its_volumes_along(
    entries: Entries, client: Client, place: str, options: Json
) -> None:
    other, service = f"{place}-other", user(place)
    both, moved = cache(place, nodeGroups=[place, other]), cache(place, nodeGroups=[other])
    with pool(client, other, 1):
        first = entries.reconcile(both, service, **options)
        assert f"PersistentVolumeClaim/{place}-{place}" in actions(first)
        entries.reconcile(both, **waiting(options))
        message = entries.refused(moved, **options)
        assert f"InferenceService {place}/chat reads the model from the volume" in message
        found = entries.reconcile(moved, service, **options)
        gone = {name for name, done in actions(found).items() if done == "deleted"}
        assert gone >= {
            f"PersistentVolume/{place}-{place}-download",
            f"PersistentVolume/{place}-{place}-{place}",
            f"PersistentVolumeClaim/{place}-{place}",
        }
        assert f"PersistentVolumeClaim/{place}-{other}" in actions(found)
        live = there(client, thing("apps/v1", "Deployment", "chat-predictor", place))
        (volume,) = live["spec"]["template"]["spec"]["volumes"]
        assert volume["persistentVolumeClaim"]["claimName"] == f"{place}-{other}"
        assert list(jobs(client, place)) == [f"{other}-0"]
        assert not entries.reconcile(moved, service, **options)["changed"]
        nodes = there(client, moved)["status"]["nodeStatus"]
        assert list(nodes) == [f"{other}-0"]
        entries.reconcile(moved, service, state="absent", **options)


def test_a_service_that_another_cache_takes_over_keeps_its_volume_until_it_moves(
    entries: Entries, client: Client, place: str, options: Json
) -> None:
    wanted, service = cache(place), user(place)
    source = wanted["spec"]["sourceModelUri"]
    own = cache("own", place, nodeGroups=[place], sourceModelUri=source)
    claim = thing("v1", "PersistentVolumeClaim", f"{place}-{place}", place)
    entries.reconcile(wanted, service, **options)
    entries.reconcile(own, **options)
    kept = entries.reconcile(wanted, **options)
    assert not kept["changed"]
    assert "still uses it" in entries.refused(wanted, state="absent", **options)
    assert there(client, wanted)["status"]["inferenceServices"]
    entries.reconcile(service, **options)
    live = there(client, thing("apps/v1", "Deployment", "chat-predictor", place))
    (volume,) = live["spec"]["template"]["spec"]["volumes"]
    assert volume["persistentVolumeClaim"]["claimName"] == f"own-{place}"
    for pod in client.list_all("v1", "Pod", place):
        if "own" not in str(pod["spec"]["volumes"]):
            client.wait_for(pod, lambda found: found is None)
    found = entries.reconcile(wanted, **options)
    gone = {name for name, done in actions(found).items() if done == "deleted"}
    assert f"PersistentVolumeClaim/{place}-{place}" in gone
    client.wait_for(claim, lambda found: found is None)
    assert not entries.reconcile(wanted, own, service, **options)["changed"]
    entries.reconcile(wanted, state="absent", **options)
    entries.reconcile(own, service, state="absent", **options)


def test_a_cache_of_the_namespace_with_the_name_of_one_of_the_cluster_does_not_take_its_volume(
    entries: Entries, client: Client, place: str, options: Json
) -> None:
    wanted, service = cache(place), user(place)
    source = wanted["spec"]["sourceModelUri"]
    twin = cache(place, place, nodeGroups=[place], sourceModelUri=source)
    entries.reconcile(wanted, service, **options)
    for given in ((twin,), (wanted, twin, service)):
        message = entries.refused(*given, **options)
        assert f"it belongs to LocalModelCache {place}; rename one of the services" in message
    assert read(client, twin) is None
    assert not entries.reconcile(wanted, service, **options)["changed"]
    entries.reconcile(wanted, service, state="absent", **options)


def test_a_cache_of_a_namespace_goes_with_all_that_stands_elsewhere(
    entries: Entries, client: Client, place: str, options: Json
) -> None:
    wanted = cache("own", place, nodeGroups=[place])
    first = entries.reconcile(wanted, **waiting(options))
    assert first["services"][0]["ready"]
    made = [
        thing("v1", "PersistentVolume", f"own-{place}-{place}-download"),
        thing("v1", "PersistentVolumeClaim", f"own-{place}-{place}-download", JOBS),
    ]
    for each in made:
        assert "ownerReferences" not in there(client, each)["metadata"]
    assert not entries.reconcile(wanted, **options)["changed"]
    entries.reconcile(wanted, state="absent", **options)
    assert read(client, wanted) is None
    for each in made:
        client.wait_for(each, lambda found: found is None)
    assert not jobs(client, "own")


def test_what_the_webhook_refuses_is_refused_before_the_first_write(
    entries: Entries, client: Client, place: str, options: Json
) -> None:
    entries.reconcile(cache(place), **options)
    moved = cache(place, sourceModelUri="s3://models/other")
    twin = cache(f"{place}-twin", sourceModelUri=f"s3://models/{place}", nodeGroups=["none"])
    message = entries.refused(moved, twin, **options)
    assert f"spec.sourceModelUri: cannot change: the cache holds s3://models/{place}" in message
    assert "spec.nodeGroups[0]: LocalModelNodeGroup none does not exist" in message
    assert read(client, twin) is None


def test_a_namespace_that_is_missing_for_a_lease_or_jobs_is_told(
    entries: Entries, client: Client, place: str, options: Json
) -> None:
    gone = f"{place}-gone"
    elsewhere = {**options, "settings": {"kserve_namespace": gone}}
    message = entries.refused(cache(place), **elsewhere)
    for missing in (gone, "kserve-localmodel-jobs"):
        assert f'"{missing}" does not exist' in message
    assert read(client, cache(place)) is None


def test_caches_are_gathered_and_looked_at(entries: Entries, place: str, options: Json) -> None:
    wanted = cache(place)
    entries.reconcile(wanted, **options)
    (found,) = entries.reconcile(wanted, state="gathered", **options)["gathered"]
    assert found["spec"] == wanted["spec"]
    assert entries.reconcile(state="gathered", namespace=place)["gathered"] == []
    (told,) = entries.info(wanted, **options)["services"]
    assert (told["name"], told["drift"]) == (place, [])


def test_what_the_controller_made_is_taken_over_and_stays_as_it_is(
    entries: Entries, client: Client, place: str, options: Json
) -> None:
    wanted = cache(place)
    made = client.create(wanted, fieldManager="kubectl-create")
    spec = group(place)["spec"]
    owner = {
        "apiVersion": wanted["apiVersion"],
        "kind": wanted["kind"],
        "name": place,
        "uid": made["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    volume = thing(
        "v1",
        "PersistentVolume",
        f"{place}-{place}-download",
        metadata={"ownerReferences": [owner]},
        spec=spec["persistentVolumeSpec"],
    )
    claim = thing(
        "v1",
        "PersistentVolumeClaim",
        f"{place}-{place}",
        JOBS,
        metadata={"ownerReferences": [owner]},
        spec={**spec["persistentVolumeClaimSpec"], "volumeName": f"{place}-{place}-download"},
    )
    before = [client.create(each, fieldManager="manager") for each in (volume, claim)]
    assert "exists already" in entries.refused(wanted, **options)
    found = entries.reconcile(wanted, adopt=True, **waiting(options))
    assert {name for name, done in actions(found).items() if done == "adopted"} == {
        f"LocalModelCache/{place}",
        f"PersistentVolume/{place}-{place}-download",
        f"PersistentVolumeClaim/{place}-{place}",
    }
    for each in before:
        live = there(client, each)
        assert live["metadata"]["uid"] == each["metadata"]["uid"]
        assert {key: live["spec"][key] for key in each["spec"]} == each["spec"]
    assert not entries.reconcile(wanted, **options)["changed"]


def test_where_the_controller_runs_its_status_says_when_a_cache_is_ready(
    entries: Entries, client: Client, place: str, options: Json
) -> None:
    wanted = cache(place)
    first = entries.reconcile(wanted, reconciler="controller", **options)
    assert set(actions(first)) == {f"LocalModelCache/{place}"}
    assert not first["services"][0]["ready"]
    client.patch_status(wanted, {"copies": {"available": 1, "total": 2}})
    assert not entries.reconcile(wanted, reconciler="controller", **options)["services"][0]["ready"]
    client.patch_status(wanted, {"copies": {"available": 2, "total": 2}})
    last = entries.reconcile(wanted, reconciler="controller", **waiting(options))
    assert last["services"][0]["ready"]


def test_a_hundred_settled_caches_cost_no_more_looks_than_one(
    entries: Entries, client: Client, place: str, options: Json
) -> None:
    fleet = [
        cache(
            f"{place}-{number}", sourceModelUri=f"s3://models/{place}/{number}", nodeGroups=["no"]
        )
        for number in range(MANY)
    ]
    with pool(client, "no", 0):
        entries.reconcile(*fleet, **options)
        settled = entries.reconcile(*fleet, **options)
        entries.reconcile(*fleet, state="absent", **options)
    assert not settled["changed"]
    assert settled["stats"]["requests"] <= SETTLED


def test_the_rights_that_are_said_to_be_needed_are_enough(
    own_lab: ControlPlane, client: Client, place: str, options: Json
) -> None:
    account = thing("v1", "ServiceAccount", place, JOBS, secrets=[{"name": place}])
    key = thing("v1", "Secret", place, JOBS, data={"HF_TOKEN": "eA=="})
    for each in (account, key):
        client.apply(each)
    fetched = {"sourceModelUri": f"hf://models/{place}", "serviceAccountName": place}
    services = [cache(place, **fetched), cache("own", place, nodeGroups=[place])]
    given = [
        account,
        key,
        there(client, thing("v1", "ConfigMap", "inferenceservice-config", place)),
        there(client, group(place)),
        *(there(client, thing("v1", "Node", f"{place}-{number}")) for number in range(2)),
    ]
    rendered = Entries(None).reconcile(
        *services, state="rendered", cluster_objects=given, **options
    )
    assert {each["kind"] for each in rendered["manifests"]} >= {"PersistentVolume", "Job"}
    subject = {"kind": "ServiceAccount", "name": "robot", "namespace": place}
    found = least_privilege(rendered, subject, name=f"{place}-robot", kserve_namespace=place)
    for each in found["manifests"]:
        client.apply(each)
    robot = Entries(own_lab.service_account_kubeconfig("robot", place))
    made = robot.reconcile(*services, fit="ignore", **waiting(options))
    assert [each["ready"] for each in made["services"]] == [True, True]
    assert not robot.reconcile(*services, **options)["changed"]
    gone = robot.reconcile(*services, state="absent", **options)
    assert "deleted" in actions(gone).values()
