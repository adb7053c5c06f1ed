# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lab itself: what every other test on it takes for granted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.lab import audit, paths, state
from tests.lab.client import ApiError, Client, Manifest, wait_until
from tests.lab.cluster import Cluster, grant
from tests.lab.control_plane import ControlPlane
from tests.lab.errors import LabError
from tests.lab.kubeconfig import Access
from tests.lab.layout import Layout
from tests.lab.process import is_alive
from tests.lab.proxy import Proxy
from tests.objects import thing

#: Seconds that a start may take here; the aim on an idle machine is 10.
GENEROUS = 90.0


def _deployment(namespace: str, name: str = "web", **resources: str) -> dict[str, Any]:
    labels = {"app": name}
    container = {"name": "main", "image": "example.com/none", "resources": {"limits": resources}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }


def _config_map(namespace: str, name: str = "notes") -> dict[str, Any]:
    return thing("v1", "ConfigMap", name, namespace, data={"a": "b"})


@pytest.mark.parametrize(
    ("resource", "pool"),
    [("nvidia.com/gpu", "nvidia"), ("amd.com/gpu", "amd"), ("habana.ai/gaudi", "gaudi")],
)
def test_deployment_asking_for_accelerators_becomes_ready(
    control_plane: Cluster, namespace: str, resource: str, pool: str
) -> None:
    client = control_plane.client
    wanted = _deployment(namespace, **{resource: "8"})
    client.apply(wanted)
    client.wait_for(wanted, lambda found: found and found["status"].get("readyReplicas") == 2)
    hosts = {pod["spec"]["nodeName"] for pod in client.list_all("v1", "Pod", namespace)}
    assert hosts <= {f"{pool}-{number}" for number in range(4)}


def test_deployment_that_fits_nowhere_stays_pending(control_plane: Cluster, namespace: str) -> None:
    client = control_plane.client
    client.apply(_deployment(namespace, **{"nvidia.com/gpu": "9"}))

    def look() -> tuple[bool, list[Any]]:
        conditions = [
            condition
            for pod in client.list_all("v1", "Pod", namespace)
            for condition in pod["status"].get("conditions", ())
        ]
        refused = [each for each in conditions if each.get("reason") == "Unschedulable"]
        return len(refused) == 2, conditions

    wait_until(look, "both pods to be found unschedulable")


def test_owned_object_of_a_custom_kind_is_collected(control_plane: Cluster, namespace: str) -> None:
    client = control_plane.client
    pool = client.apply(
        {
            "apiVersion": "inference.networking.k8s.io/v1",
            "kind": "InferencePool",
            "metadata": {"name": "pool", "namespace": namespace},
            "spec": {
                "selector": {"matchLabels": {"a": "b"}},
                "targetPorts": [{"number": 8000}],
                "endpointPickerRef": {"name": "picker", "port": {"number": 9002}},
            },
        }
    )
    owned = _config_map(namespace)
    owned["metadata"]["ownerReferences"] = [
        {
            "apiVersion": pool["apiVersion"],
            "kind": pool["kind"],
            "name": "pool",
            "uid": pool["metadata"]["uid"],
        }
    ]
    client.apply(owned)
    client.delete(pool)
    # Below the half minute after which the garbage collector looks for new kinds.
    client.wait_for(owned, lambda found: found is None, deadline=20)


def _route(namespace: str) -> dict[str, Any]:
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": "route", "namespace": namespace},
        "spec": {"parentRefs": [{"name": "gateway"}], "rules": [{}]},
    }


def _accepted(generation: int, route: Manifest | None) -> bool:
    parents = (route or {}).get("status", {}).get("parents", ())
    conditions = [condition for parent in parents for condition in parent["conditions"]]
    return any(each["observedGeneration"] == generation for each in conditions)


def test_stage_accepts_route_again_after_a_change(control_plane: Cluster, namespace: str) -> None:
    client = control_plane.client
    route = _route(namespace)
    for generation in (1, 2):
        route["spec"]["hostnames"] = [f"host-{generation}.example.com"]
        client.apply(route)
        found = client.wait_for(route, partial(_accepted, generation))
        assert found
        assert found["status"]["parents"][0]["parentRef"]["name"] == "gateway"


def test_stage_leaves_bare_namespaces_alone(
    control_plane: Cluster, namespace: str, bare_namespace: str
) -> None:
    client = control_plane.client
    bare = client.apply(_route(bare_namespace))
    watched = client.apply(_route(namespace))
    client.wait_for(watched, lambda found: found and found.get("status", {}).get("parents"))
    untouched = client.get(bare["apiVersion"], bare["kind"], "route", bare_namespace)
    assert untouched
    assert not untouched.get("status", {}).get("parents")


def _groups(namespace: str, **rollout: Any) -> Manifest:
    pod = {"containers": [{"name": "main", "image": "example.com/none"}]}
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": "wide", "namespace": namespace},
        "spec": {
            "replicas": 2,
            "leaderWorkerTemplate": {"size": 3, "workerTemplate": {"spec": pod}},
            **({"rolloutStrategy": {"rollingUpdateConfiguration": rollout}} if rollout else {}),
        },
    }


def test_groups_of_pods_are_made_by_their_real_manager(
    control_plane: Cluster, namespace: str
) -> None:
    client = control_plane.client
    wanted = _groups(namespace)
    client.apply(wanted)
    client.wait_for(
        wanted, lambda found: found and (found.get("status") or {}).get("readyReplicas") == 2
    )
    pods = {pod["metadata"]["name"] for pod in client.list_all("v1", "Pod", namespace)}
    assert pods == {f"wide-{group}{part}" for group in (0, 1) for part in ("", "-1", "-2")}


def test_groups_that_could_not_be_made_are_refused_by_their_managers_webhook(
    control_plane: Cluster, namespace: str
) -> None:
    with pytest.raises(ApiError, match="must not be 0 when `maxSurge` is 0"):
        control_plane.client.apply(_groups(namespace, maxUnavailable=0, maxSurge=0, partition=0))


def test_proxy_counts_what_passes(control_plane: Cluster, namespace: str, proxy: Proxy) -> None:
    through = Client.of(proxy.kubeconfig)
    notes = _config_map(namespace)
    through.apply(notes)
    through.get("v1", "ConfigMap", "notes", namespace)
    through.create(_config_map(namespace, "other"), dryRun="All")
    control_plane.client.apply(_config_map(namespace, "past"))
    objects = [each for each in proxy.records if each.resource.plural == "configmaps"]
    assert [each.verb for each in objects] == ["apply", "get", "create"]
    assert [each.status for each in objects] == [
        200 if each.verb == "get" else 201 for each in objects
    ]
    assert proxy.writes == 1
    assert objects[0].json == notes
    proxy.reset()
    assert proxy.requests == 0


def test_audit_log_tells_who_wrote(control_plane: Cluster, namespace: str) -> None:
    log = control_plane.audit_log
    if log is None:
        pytest.skip("the audit log of a cluster that the user brings cannot be read")
    start = log.stat().st_size
    control_plane.client.apply(_config_map(namespace))
    control_plane.client.get("v1", "ConfigMap", "notes", namespace)
    ours = [
        event
        for event in audit.events(log, start)
        if event.namespace == namespace and event.name == "notes"
    ]
    assert [(event.verb, event.code, event.user) for event in ours] == [
        ("patch", 201, "lab-admin"),
        ("get", 200, "lab-admin"),
    ]
    assert ours[0].request["data"] == {"a": "b"}
    assert ours[1].request is None


def test_service_account_has_only_what_it_was_granted(
    control_plane: Cluster, namespace: str
) -> None:
    robot = Client.of(control_plane.service_account_kubeconfig("robot", namespace))
    with pytest.raises(ApiError, match=r"403 Forbidden.*configmaps"):
        robot.list_all("v1", "ConfigMap", namespace)
    rules = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}]
    grant(control_plane, f"{namespace}/robot", rules, namespace)
    _await_right(robot, namespace)
    with pytest.raises(ApiError, match=r"403 Forbidden.*create"):
        robot.create(_config_map(namespace))


def test_user_known_by_certificate_has_only_what_it_was_granted(
    control_plane: Cluster, namespace: str
) -> None:
    if not isinstance(control_plane, ControlPlane):
        pytest.skip("only the lab's own control plane can sign certificates")
    ann = Client.of(control_plane.user_kubeconfig("ann", ["team-a"], namespace))
    with pytest.raises(ApiError, match=r'403 Forbidden.*User "ann"'):
        ann.list_all("v1", "ConfigMap", namespace)
    rules = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}]
    grant(control_plane, "ann", rules, namespace)
    _await_right(ann, namespace)


def _await_right(client: Client, namespace: str) -> None:
    # RBAC reads its rules from a cache that is a moment behind.
    def look() -> tuple[bool, str]:
        try:
            client.list_all("v1", "ConfigMap", namespace)
        except ApiError as error:
            return False, str(error)
        return True, ""

    wait_until(look, "the granted right", 10)


def test_token_kubeconfig_is_an_administrator(control_plane: Cluster) -> None:
    if not isinstance(control_plane, ControlPlane):
        pytest.skip("a cluster that the user brings has the kubeconfig that it has")
    client = Client.of(control_plane.token_kubeconfig)
    assert client.access.token
    assert len(client.list_all("v1", "Node")) == len(control_plane.client.list_all("v1", "Node"))


def _processes(name: str) -> list[int]:
    found = state.read(Layout(paths.control_plane(name)))
    return [found.supervisor, *found.pids.values()] if found else []


def _await_gone(pids: list[int]) -> None:
    def look() -> tuple[bool, list[int]]:
        left = [pid for pid in pids if is_alive(pid)]
        return not left, left

    wait_until(look, "every process to end", 40)


@pytest.fixture(scope="module")
def second(control_plane: Cluster) -> Iterator[ControlPlane]:
    """A control plane beside the first; its start is a second start, with everything in the cache."""
    assert control_plane.access.server
    began = time.monotonic()
    with ControlPlane(nodes="cpu") as plane:
        took = time.monotonic() - began
        print(f"second start: {took:.1f} s")
        assert took < GENEROUS
        yield plane


def test_two_control_planes_side_by_side_know_nothing_of_each_other(
    control_plane: Cluster, second: ControlPlane
) -> None:
    assert control_plane.access.server != second.access.server
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "only-in-second"}}
    second.client.create(namespace)
    assert second.client.get("v1", "Namespace", "only-in-second")
    assert control_plane.client.get("v1", "Namespace", "only-in-second") is None
    with pytest.raises(ApiError, match="401"):
        Client(Access(second.access.server, second.access.authority, token="x")).list_all(
            "v1", "Node"
        )


def test_name_in_use_is_refused(second: ControlPlane) -> None:
    with pytest.raises(LabError, match=f"{second.name} runs already"):
        ControlPlane(second.name).start()
    assert second.client.list_all("v1", "Node")


_OWNER = textwrap.dedent(
    """
    import signal, sys, threading
    from tests.lab.control_plane import ControlPlane
    # Whoever starts the tests in the background has their interrupts ignored, and those of their children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with ControlPlane(sys.argv[1]):
        print("started", flush=True)
        threading.Event().wait()
    """
)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_ended_owner_leaves_no_process(number: signal.Signals) -> None:
    name = f"owner-{os.getpid()}-{number.name.lower()}"
    with subprocess.Popen(
        [sys.executable, "-c", _OWNER, name],
        cwd=paths.CHECKOUT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as owner:
        assert owner.stdout
        assert owner.stdout.readline() == "started\n"
        pids = _processes(name)
        assert len(pids) == 6
        assert all(is_alive(pid) for pid in pids)
        owner.send_signal(number)
    _await_gone(pids)
    assert not paths.control_plane(name).exists()


def test_killed_supervisor_leaves_no_process_and_is_reported() -> None:
    plane = ControlPlane(f"killed-{os.getpid()}")
    plane.start()
    pids = _processes(plane.name)
    os.kill(pids[0], signal.SIGKILL)
    _await_gone(pids)
    found = plane.state
    assert found
    assert found.phase == "dead"
    plane.stop()
    assert plane.state is None


def test_crashed_program_ends_the_rest_and_its_last_words_are_kept() -> None:
    plane = ControlPlane(f"crash-{os.getpid()}")
    plane.start()
    pids = _processes(plane.name)
    found = plane.state
    assert found
    os.kill(found.pids["etcd"], signal.SIGKILL)
    _await_gone(pids)
    found = plane.state
    assert found
    assert found.phase == "failed"
    assert found.message.startswith("etcd ended by itself with code -9")
    status = _lab("status")
    assert status.returncode == 1
    assert "etcd ended by itself" in status.stdout
    plane.stop()


def _lab(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.lab", *arguments],
        cwd=paths.CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_commands_up_kubeconfig_status_down() -> None:
    name = f"by-hand-{os.getpid()}"
    up = _lab("up", name, "--nodes", "cpu", "--crds", "")
    assert up.returncode == 0, up.stderr
    try:
        kubeconfig = _lab("kubeconfig", name).stdout.strip()
        assert f"KUBECONFIG={kubeconfig}" in up.stdout
        assert len(Client.of(Path(kubeconfig)).list_all("v1", "Node")) == 2
        assert f"{name}: ready" in _lab("status").stdout
        pids = _processes(name)
    finally:
        down = _lab("down", name)
    assert down.stdout == f"{name}: ended\n"
    assert not [pid for pid in pids if is_alive(pid)]
    assert _lab("down", name).stdout == f"{name}: does not run\n"
    refused = _lab("kubeconfig", name)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "does not run" in refused.stderr
