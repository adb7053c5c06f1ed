# SPDX-License-Identifier: GPL-3.0-or-later
"""A cache that loses a service to another one keeps its volume until the pods of the service have left it.

With KServe, too, a service changes its cache when it is written itself: then its webhook changes its label.
"""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.inference_service.kind import INFERENCE_SERVICE
from module_utils.kinds.local_model_cache.kind import LOCAL_MODEL_CACHE
from module_utils.kinds.local_model_cache.remaining_readers import remaining_readers, still_used
from module_utils.kinds.local_model_cache.users import User
from module_utils.kube.manifest import Json
from module_utils.kube.reader import NotAllowed
from module_utils.kube.reference import Reference
from tests.objects import Cluster, thing

from .build import cache, children, configured, group, intent, refused, service

LABEL = "internal.serving.kserve.io/localmodel"
GROUP = "serving.kserve.io/nodegroup"
#: The same model for the namespace alone, in a cache of another name.
OWN = cache("own", "team-a")
BOTH = {"PersistentVolume qwen-gpus-team-a", "PersistentVolumeClaim team-a/qwen-gpus"}


def claim(name: str = "qwen-gpus", volume: str = "qwen-gpus-team-a", place: str = "team-a") -> Json:
    """Return a claim that the cache has made for the services of a namespace."""
    owner = {"kind": "LocalModelCache", "name": "qwen"}
    return thing(
        "v1",
        "PersistentVolumeClaim",
        name,
        place,
        metadata={"ownerReferences": [owner]},
        spec={"volumeName": volume},
    )


def pods_of(claim_name: str = "qwen-gpus", marked: str = "qwen") -> Json:
    """Return the template of a service's pods."""
    volume = {"name": "model", "persistentVolumeClaim": {"claimName": claim_name}}
    labels = {LABEL: marked, "serving.kserve.io/inferenceservice": "chat"}
    return {"metadata": {"labels": labels}, "spec": {"volumes": [volume]}}


def pod(phase: str = "Running", **rest: Any) -> Json:
    """Return a pod of the service."""
    made = pods_of(**rest)
    return thing(
        "v1",
        "Pod",
        "chat-1",
        "team-a",
        metadata=made["metadata"],
        spec=made["spec"],
        status={"phase": phase},
    )


def deployment(**rest: Any) -> Json:
    """Return the workload of the service, which has no pods at the moment."""
    spec = {"replicas": 0, "template": pods_of(**rest)}
    return thing("apps/v1", "Deployment", "chat-predictor", "team-a", spec=spec)


def told(document: Json) -> Json:
    """Return a cache whose status names the service."""
    return {
        **document,
        "status": {"inferenceServices": [{"namespace": "team-a", "name": "chat"}]},
    }


@pytest.mark.parametrize(
    ("reason", "objects"),
    [
        ("a cache of the namespace", [OWN, service()]),
        ("a cache that comes first", [cache("a", sourceModelUri="s3://models"), service()]),
        ("a change of the author's", [service(uri="s3://other")]),
        ("caches are off", [configured(enabled=False), service()]),
        ("the service asks for none", [service(annotations={"serving.kserve.io/disable-localmodel": ""})]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("reads", [pod(), deployment()], ids=lambda each: str(each["kind"]))
def test_a_volume_stays_while_pods_of_a_service_read_from_it(
    reason: str, objects: list[Json], reads: Json
) -> None:
    found = children(cache(), told(cache()), claim(), reads, *objects)
    assert set(found) >= BOTH, reason


@pytest.mark.parametrize(
    "objects",
    [
        [service()],
        [service(), pod("Succeeded")],
        [service(), pod(claim_name="own-gpus", marked="own")],
        [service(), deployment(claim_name="own-gpus", marked="own")],
        [pod(), deployment()],
    ],
    ids=["no pods", "ended", "pods have left", "its workload has left", "the service is gone"],
)
def test_a_volume_goes_once_nobody_reads_from_it(objects: list[Json]) -> None:
    assert not BOTH & set(children(cache(), told(cache()), claim(), OWN, *objects))


def test_a_service_of_the_same_task_leaves_with_it() -> None:
    used = INFERENCE_SERVICE.load(service(), INFERENCE_SERVICE.settings({}, {"kserve": "0.20"}))
    objects = [told(cache()), claim(), pod(), OWN, service()]
    made = intent(cache(), objects, beside=[used.service])
    assert not BOTH & {str(child.manifest.reference) for child in made.children}


def test_a_service_that_asks_for_another_group_keeps_the_old_one_until_its_pods_change() -> None:
    groups = ["gpus", "more"]
    moved = service(annotations={GROUP: "more"})
    there = [group("more", "more"), told(cache(nodeGroups=groups)), claim(), pod(), moved]
    found = children(cache(nodeGroups=groups), *there)
    assert set(found) >= {*BOTH, "PersistentVolumeClaim team-a/qwen-more"}
    assert refused(cache(nodeGroups=["more"]), *there) == [("spec.nodeGroups", "cache-group")]


def test_who_may_not_look_at_pods_keeps_the_volume() -> None:
    class Closed(Cluster):
        def list(self, api_version: str, kind: str, *rest: Any) -> Any:
            if kind == "Pod":
                raise NotAllowed
            return super().list(api_version, kind, *rest)

    loaded = LOCAL_MODEL_CACHE.load(cache(), LOCAL_MODEL_CACHE.settings({}, {}))
    assert loaded.service is not None
    reader = Closed([claim(), service()])
    found = remaining_readers(loaded.service, told(cache()), (), reader)
    assert [(str(each.service), each.group) for each in found] == [
        ("InferenceService team-a/chat", "gpus")
    ]


def test_a_settled_cache_looks_at_no_pods() -> None:
    class Counting(Cluster):
        def list(self, api_version: str, kind: str, *rest: Any) -> Any:
            assert kind != "Pod"
            return super().list(api_version, kind, *rest)

    loaded = LOCAL_MODEL_CACHE.load(cache(), LOCAL_MODEL_CACHE.settings({}, {}))
    assert loaded.service is not None
    user = User(Reference.of(service()), None)
    assert not remaining_readers(loaded.service, told(cache()), [user], Counting([claim()]))


@pytest.mark.parametrize(
    ("objects", "users"),
    [
        ([service(uri="s3://moved"), deployment()], ["InferenceService team-a/chat"]),
        ([service(), deployment(claim_name="own-gpus", marked="own")], []),
        ([service(uri="s3://moved"), deployment(marked="own")], []),
        ([service()], ["InferenceService team-a/chat"]),
        ([deployment()], []),
    ],
)
def test_a_cache_whose_volume_pods_mount_is_not_removed(
    objects: list[Json], users: list[str]
) -> None:
    found = still_used(told(cache()), Cluster(objects))
    assert [str(each) for each in found] == users
