# SPDX-License-Identifier: GPL-3.0-or-later
"""LLMInferenceServices whose model takes several pods, with the real manager of LeaderWorkerSets: made, changed, followed, removed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from module_utils.engine import lasting
from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.control_plane import ControlPlane
from tests.lab.crd_sources import MODEL_SERVICE as MODEL_SERVICE_KINDS
from tests.lab.faults import writes
from tests.lab.nodes import Pool
from tests.lab.proxy import Proxy

from .support.broken_pods import meanwhile, set_status
from .support.cluster import read, there
from .support.entries import Entries, actions, conditions
from .support.groups import (
    SPREAD,
    await_nothing,
    await_pods,
    demand_manager,
    env_of,
    groups,
    is_ready,
    pods,
    size_of,
    spread,
    uids,
    with_env,
)
from .support.llm_services import child, llm, prepare, routed
from .support.places import knowing, own_namespace
from .support.services import custom_resource

WAIT = {"wait": True, "wait_timeout": 180.0}


client = knowing(prepare, demand_manager)
place = own_namespace("llm")


def test_groups_of_pods_get_ready_and_a_second_run_writes_nothing(
    counted: Entries, client: Client, proxy: Proxy, place: str
) -> None:
    service = routed("chat", place, **SPREAD, prefill={"replicas": 1, **SPREAD})
    result = counted.reconcile(service, **WAIT)
    said = conditions(result)
    assert said["WorkerWorkloadReady"] == said["PrefillWorkerWorkloadReady"] == said["Ready"]
    assert result["services"][0]["ready"]
    assert size_of(client, "chat", place) == 2
    found = pods(client, "chat", place)
    assert sorted(found) == ["chat-kserve-mn-0", "chat-kserve-mn-0-1"]
    assert all(map(is_ready, found.values()))
    proxy.reset()
    second = counted.reconcile(service, fit="require")
    assert not second["changed"]
    assert second["services"][0]["ready"]
    assert proxy.count(writes()) == 0


def test_groups_come_and_go_with_the_replicas_and_the_others_stay(
    entries: Entries, client: Client, place: str
) -> None:
    entries.reconcile(spread("chat", place), **WAIT)
    first = uids(client, "chat", place)
    predicted = entries.reconcile(spread("chat", place, replicas=3), check_mode=True)
    more = entries.reconcile(spread("chat", place, replicas=3), **WAIT)
    assert actions(more) == actions(predicted)
    found = pods(client, "chat", place)
    assert len(found) == 6
    assert all(map(is_ready, found.values()))
    entries.reconcile(spread("chat", place, replicas=1), **WAIT)
    await_pods(client, "chat", place, 2)
    assert uids(client, "chat", place) == first


@pytest.mark.parametrize("part", ["worker", "template"])
def test_a_wait_for_another_template_ends_when_every_pod_is_of_it(
    entries: Entries, client: Client, place: str, part: str
) -> None:
    """The manager's status does not say of which template it speaks: right after the write it still speaks of the one before."""
    service = spread("chat", place, replicas=2)
    before = with_env(service, part, "one")
    entries.reconcile(before, **WAIT)
    first = uids(client, "chat", place)
    result = entries.reconcile(with_env(service, part, "two"), **WAIT)
    assert result["services"][0]["ready"]
    found = pods(client, "chat", place)
    assert len(found) == 4
    assert all(map(is_ready, found.values()))
    assert not set(first.values()) & set(uids(client, "chat", place).values())
    changed = [env_of(pod) for name, pod in found.items() if env_of(pod) is not None]
    assert changed == ["two"] * len(changed)
    assert changed
    assert not entries.reconcile(with_env(service, part, "two"))["changed"]


def test_without_a_wait_a_service_whose_groups_are_to_be_made_anew_is_not_called_ready(
    entries: Entries, place: str
) -> None:
    service = spread("chat", place)
    entries.reconcile(service, **WAIT)
    result = entries.reconcile(with_env(service, "worker", "two"))
    assert not result["services"][0]["ready"]


def test_a_change_that_touches_no_pod_leaves_the_service_ready(
    entries: Entries, client: Client, place: str
) -> None:
    service = with_env(spread("chat", place), "worker", "one")
    limits = {"resources": {"limits": {"cpu": "1"}}}
    service["spec"]["worker"]["containers"][0] |= limits
    entries.reconcile(service, **WAIT)
    first = uids(client, "chat", place)
    service["spec"]["worker"]["containers"][0]["resources"]["limits"]["cpu"] = "1000m"
    result = entries.reconcile(service, **WAIT)
    assert result["services"][0]["ready"]
    assert uids(client, "chat", place) == first


def test_everything_of_a_service_of_groups_goes_with_it(
    entries: Entries, client: Client, place: str
) -> None:
    service = routed("chat", place, **SPREAD)
    entries.reconcile(service, **WAIT)
    assert entries.reconcile(service, state="absent")["changed"]
    assert read(client, custom_resource(service)) is None
    assert read(client, groups("chat", place)) is None
    await_nothing(client, "chat", place)


def test_groups_become_single_pods_and_leave_nothing(
    entries: Entries, client: Client, place: str
) -> None:
    entries.reconcile(spread("chat", place), **WAIT)
    single = llm("chat", place, parallelism=SPREAD["parallelism"])
    entries.reconcile(single, max_deletions=50, **WAIT)
    assert read(client, groups("chat", place)) is None
    there(client, child("apps/v1", "Deployment", "chat-kserve", place))
    await_nothing(client, "chat", place)


def test_five_services_of_groups_get_ready_side_by_side(
    entries: Entries, client: Client, place: str
) -> None:
    names = [f"chat-{number}" for number in range(5)]
    services = [spread(name, place, replicas=2) for name in names]
    result = entries.reconcile(*services, **WAIT)
    assert all(each["ready"] for each in result["services"])
    assert all(len(pods(client, name, place)) == 4 for name in names)
    changed = [with_env(service, "worker", "two") for service in services]
    entries.reconcile(*changed, **WAIT)
    for name in names:
        assert [env_of(pod) for pod in pods(client, name, place).values()].count("two") == 2
    assert not entries.reconcile(*changed)["changed"]


def test_the_way_of_a_request_ends_at_the_pods_of_the_groups(entries: Entries, place: str) -> None:
    service = spread("chat", place)
    entries.reconcile(service, **WAIT)
    (found,) = entries.info(service, topology=True)["services"]
    rows = {(row["layer"], row["name"]): row for row in found["topology"]}
    assert rows["workload", "chat-kserve-mn"]["state"] == "ready"
    for name in ("chat-kserve-mn-0", "chat-kserve-mn-0-1"):
        assert rows["pod", name]["of"] == "chat-kserve-mn"
        assert rows["pod", name]["state"] == "ready"
    assert found["drift"] == []


# What stops a group.


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault counts as lasting after a second, not after a back-off of an image pull."""
    monkeypatch.setattr(lasting, "FAULT_LASTS_S", 1.0)
    monkeypatch.setattr(lasting, "LASTS_S", {})


@pytest.mark.usefixtures("_impatient")
@pytest.mark.parametrize(
    ("part", "broken"), [("template", "chat-kserve-mn-0"), ("worker", "chat-kserve-mn-0-1")]
)
def test_a_pod_of_a_group_that_cannot_start_ends_the_wait_with_its_own_words(
    entries: Entries, client: Client, place: str, part: str, broken: str
) -> None:
    """For the manager a group is ready when its leader is and its workers were made."""

    def act() -> None:
        if pod := pods(client, "chat", place).get(broken):
            set_status(client, pod, _no_image(pod))

    # A gate keeps the pod from the lab's nodes, which would start it.
    held = {"containers": [], "schedulingGates": [{"name": "example.com/held"}]}
    with meanwhile(act):
        result = entries.run(spread("chat", place, **{part: held}), wait=True, wait_timeout=300.0)
    assert result["failed"]
    message = result["msg"]
    assert f"LeaderWorkerSet chat-kserve-mn, pod {broken}, container main" in message
    assert "ImagePullBackOff" in message
    assert "is not ready after" not in message


def _no_image(pod: Json) -> Json:
    container = pod["spec"]["containers"][0]
    waiting = {"reason": "ImagePullBackOff", "message": "Back-off pulling image"}
    return {
        "phase": "Pending",
        "conditions": [{"type": "Ready", "status": "False"}],
        "containerStatuses": [
            {
                "name": container["name"],
                "image": container["image"],
                "imageID": "",
                "ready": False,
                "restartCount": 0,
                "state": {"waiting": waiting},
            }
        ],
    }


@pytest.mark.usefixtures("_impatient")
def test_a_group_that_fits_nowhere_is_named_with_the_words_of_the_scheduler(
    entries: Entries, place: str
) -> None:
    container = {"name": "main", "resources": {"limits": {"nvidia.com/gpu": "64"}}}
    service = spread("chat", place, worker={"containers": [container]})
    result = entries.run(service, wait=True, wait_timeout=300.0, fit="ignore")
    assert result["failed"]
    assert "LeaderWorkerSet chat-kserve-mn, pod chat-kserve-mn-0-1" in result["msg"]
    assert "Insufficient nvidia.com/gpu" in result["msg"]


@pytest.fixture
def full() -> Iterator[ControlPlane]:
    """A control plane of this test alone, with as many GPUs as one group takes: tests that share one would take them."""
    with ControlPlane(nodes="none", crds=[*MODEL_SERVICE_KINDS, "lws"]) as plane:
        prepare(plane.client)
        plane.add_nodes(Pool("gpus", 2, {"nvidia.com/gpu": "8"}))
        plane.client.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
        yield plane


def test_a_group_that_is_there_needs_no_second_room(full: ControlPlane) -> None:
    """All GPUs are the group's own: what changes nothing fits, and so does a template whose pods take the place of the old ones."""
    entries = Entries(full.kubeconfig)
    container = {"name": "main", "resources": {"limits": {"nvidia.com/gpu": "8"}}}
    parts = {"template": {"containers": [container]}, "worker": {"containers": [container]}}
    service = spread("chat", "team", **parts)
    entries.reconcile(service, fit="require", **WAIT)
    assert not entries.reconcile(service, fit="require")["changed"]
    found = entries.gpu(state="gathered", services=[there(full.client, groups("chat", "team"))])
    assert found["fit"]["fits"], found["fit"]
    more = {**service, "spec": {**service["spec"], "replicas": 2}}
    message = entries.refused(more, fit="require")
    assert "LeaderWorkerSet team/chat-kserve-mn" in message
    env = [{"name": "REVISION", "value": "two"}]
    parts["worker"] = {"containers": [{**container, "env": env}]}
    result = entries.reconcile(spread("chat", "team", **parts), fit="require", **WAIT)
    assert result["services"][0]["ready"]
    assert [env_of(pod) for pod in pods(full.client, "chat", "team").values()].count("two") == 1
