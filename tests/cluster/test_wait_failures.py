# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting ends early where it does not help, and says why in the words of the pod, the Deployment or the gateway.

Scheduling, quotas, rollouts, deletions and missing gateways are the real thing. What a kubelet or a gateway would say is
written to the status by the test.
"""

from __future__ import annotations

import threading
import time

import pytest

from module_utils.engine import lasting
from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.cluster import Cluster

from .support.broken_pods import breaks_pods, meanwhile
from .support.cluster import there
from .support.entries import Entries
from .support.services import custom_resource, deployment, reference, small

#: No wait of these tests may last so long.
TOO_LONG = 120.0
#: How long a wait may take that is to end early; its own time-out.
PATIENCE = 300.0


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault counts as lasting after a second, not after a back-off of an image pull."""
    monkeypatch.setattr(lasting, "FAULT_LASTS_S", 1.0)
    monkeypatch.setattr(lasting, "LASTS_S", {})


@pytest.fixture
def routeless(lab: Cluster) -> Entries:
    """The modules, without the default route, whose gateway is not there."""
    return Entries(lab.kubeconfig, {"settings": {"gateway_name": ""}})


def failure(entries: Entries, *services: Json, seconds: float = PATIENCE) -> str:
    """Wait for services that cannot get ready, and return the message; it may not take the whole time."""
    began = time.monotonic()
    result = entries.run(*services, wait=True, wait_timeout=seconds)
    assert result["failed"]
    assert time.monotonic() - began < TOO_LONG
    message: str = result["msg"]
    return message


#: By service: whether it is an init container, and what the kubelet says of it.
BROKEN: dict[str, tuple[bool, str, str]] = {
    "pull": (False, "ErrImagePull", "manifest unknown"),
    "back-off": (False, "ImagePullBackOff", 'Back-off pulling image "registry.example.com/x"'),
    "image": (False, "InvalidImageName", "couldn't parse image name"),
    "crash": (False, "CrashLoopBackOff", "back-off 5m0s restarting failed container=vllm"),
    "config": (False, "CreateContainerConfigError", 'secret "token" not found'),
    "create": (False, "CreateContainerError", "no command specified"),
    "run": (False, "RunContainerError", 'exec: "vllm": executable file not found'),
    "init": (True, "CrashLoopBackOff", "back-off 10s restarting failed container=model-unpack"),
}


def test_container_that_cannot_start_is_named_with_its_own_words(
    routeless: Entries, client: Client, bare_namespace: str
) -> None:
    services = [small(name, bare_namespace) for name in BROKEN]
    with meanwhile(breaks_pods(client, bare_namespace, BROKEN.__getitem__)):
        message = failure(routeless, *services)
    lines = {line.split("/")[1].split(" ")[0]: line for line in message.splitlines()}
    for name, (dummy, reason, words) in BROKEN.items():
        for text in ("failed", f"Deployment {name}-decode, pod {name}-decode-", reason, words):
            assert text in lines[name]


def test_pod_that_fits_nowhere_is_named_with_the_words_of_the_scheduler(
    routeless: Entries, client: Client, bare_namespace: str
) -> None:
    """Unless an autoscaler says that it brings a node: then it is waited for."""
    wide = {"type": "nvidia"}, {"parallelism": {"tensor": 64}}
    service = small("chat", bare_namespace, accelerator=wide[0], decode=wide[1])
    message = failure(routeless, service)
    for text in ("failed", "pod chat-decode-", "Unschedulable", "Insufficient nvidia.com/gpu"):
        assert text in message
    pods = client.list_all("v1", "Pod", bare_namespace)
    (pod,) = [each for each in pods if each["metadata"]["name"].startswith("chat-decode")]
    client.create(_scale_up(pod))
    probe = {"type": "Warning", "reason": "Unhealthy", "message": "Startup probe failed: 503"}
    place = {"name": "probe", "namespace": bare_namespace}
    client.create(
        {**_scale_up(pod), **probe, "metadata": place, "lastTimestamp": "2999-01-01T00:00:00Z"}
    )
    message = failure(routeless, service, seconds=4.0)
    assert "is not ready after" in message
    assert "Insufficient nvidia.com/gpu" in message
    # What warns of a pod stands in events alone, and is looked up once the time is over.
    assert f"pod {pod['metadata']['name']}: " in message
    assert "Unhealthy: Startup probe failed: 503" in message


def _scale_up(pod: Json) -> Json:
    meta = pod["metadata"]
    subject = {"apiVersion": "v1", "kind": "Pod"} | {
        key: meta[key] for key in ("name", "namespace", "uid")
    }
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "scale-up", "namespace": meta["namespace"]},
        "involvedObject": subject,
        "reason": "TriggeredScaleUp",
        "message": "pod triggered scale-up: [{gpu-pool 1->2 (max: 8)}]",
        "source": {"component": "cluster-autoscaler"},
        "type": "Normal",
    }


def test_pods_beyond_the_quota_are_named_with_it(
    routeless: Entries, client: Client, bare_namespace: str
) -> None:
    meta = {"name": "small-team", "namespace": bare_namespace}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": meta}
    client.create({**quota, "spec": {"hard": {"pods": "0"}}})
    client.wait_for(quota, lambda live: live and (live.get("status") or {}).get("hard"))
    message = failure(routeless, small("chat", bare_namespace))
    for text in ("failed", "Deployment chat-decode", "FailedCreate", "exceeded quota: small-team"):
        assert text in message


def test_rollout_past_its_deadline_and_one_that_is_paused_are_failures(
    routeless: Entries, client: Client, bare_namespace: str
) -> None:
    service = small("chat", bare_namespace)
    routeless.reconcile(service)
    decode = deployment("chat-decode", bare_namespace)
    client.patch(decode, {"spec": {"paused": True}})
    image = "registry.example.com/serving/vllm:0.12.0"
    message = failure(routeless, small("chat", bare_namespace, engine={"image": image}))
    for text in ("failed", "DeploymentPaused", "Deployment chat-decode is paused"):
        assert text in message
    # No kubelet starts pods of a node that is not there.
    nowhere = {"template": {"spec": {"nodeName": "nowhere"}}}
    client.patch(decode, {"spec": {"paused": False, "progressDeadlineSeconds": 1, **nowhere}})
    message = failure(routeless, small("chat", bare_namespace, engine={"image": image}))
    for text in ("failed", "Deployment chat-decode: ProgressDeadlineExceeded"):
        assert text in message


def test_route_that_its_gateway_refuses_is_named_with_the_words_of_the_gateway(
    entries: Entries, client: Client, bare_namespace: str
) -> None:
    refusals = {
        "Accepted": ("NotAllowedByListeners", "namespace is not admitted"),
        "ResolvedRefs": ("BackendNotFound", "no InferencePool chat"),
    }
    service = small("chat", bare_namespace)
    entries.reconcile(service)
    route = reference("gateway.networking.k8s.io/v1", "HTTPRoute", "chat", bare_namespace)
    for kind, (reason, text) in refusals.items():
        live = there(client, route)
        condition = {
            "type": kind,
            "status": "False",
            "reason": reason,
            "message": text,
            "observedGeneration": live["metadata"]["generation"],
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
        parent = {
            "controllerName": "example.com/gateway",
            "parentRef": live["spec"]["parentRefs"][0],
            "conditions": [condition],
        }
        client.patch_status(route, {"parents": [parent]})
        message = failure(entries, service)
        for words in ("failed", "HTTPRoute chat", reason, text):
            assert words in message


def test_gateway_that_is_not_there_is_named(entries: Entries, bare_namespace: str) -> None:
    route = {"gatewayRef": {"name": "edge", "namespace": bare_namespace}}
    message = failure(entries, small("chat", bare_namespace, httpRoute=route))
    assert "failed" in message
    assert f"Gateway {bare_namespace}/edge does not exist" in message


@pytest.mark.parametrize("kind", ["ModelService", "Deployment"])
def test_object_that_is_deleted_during_the_wait_is_named(
    routeless: Entries, client: Client, bare_namespace: str, kind: str
) -> None:
    service = small("chat", bare_namespace)
    routeless.reconcile(service)
    victim = {
        "ModelService": custom_resource(service),
        "Deployment": deployment("chat-decode", bare_namespace),
    }[kind]
    lines: list[str] = []
    deleted = threading.Event()

    def delete_once_it_waits() -> None:
        if lines and not deleted.is_set():
            deleted.set()
            client.delete(victim)

    with meanwhile(delete_once_it_waits):
        # Nobody reports on pools here, so that it waits.
        result = routeless.run(
            service, wait=True, wait_for="PoolAccepted", wait_timeout=PATIENCE, progress=lines
        )
    assert result["failed"]
    assert f"{kind} {bare_namespace}/{victim['metadata']['name']} is" in result["msg"]
    assert "deleted" in result["msg"]
