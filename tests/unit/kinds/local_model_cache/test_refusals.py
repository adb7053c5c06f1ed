# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe's webhook and the API server would refuse of a cache, and what would never work, is told before the first write.

Read in KServe pkg/webhook/admission/localmodelcache/localmodelcache_validator.go@v0.20.0.
"""

from __future__ import annotations

import re

import pytest

from module_utils.kinds.inference_service.kind import INFERENCE_SERVICE
from module_utils.kinds.local_model_cache.remaining_readers import still_used
from module_utils.kube.manifest import Json
from module_utils.kube.problem import InputError
from tests.objects import Cluster, thing

from .build import JOBS, MODEL, cache, configured, group, intent, llm, refused, service

LABEL = "internal.serving.kserve.io/localmodel"


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ({}, []),
        ({"sourceModelUri": ""}, [("spec.sourceModelUri", "missing")]),
        ({"modelSize": "much"}, [("spec.modelSize", "quantity")]),
        ({"nodeGroups": []}, [("spec.nodeGroups", "length")]),
        (
            {"nodeGroups": ["gpus", "none", "nowhere"]},
            [("spec.nodeGroups[1]", "node-group"), ("spec.nodeGroups[2]", "node-group")],
        ),
        ({"serviceAccountName": "nobody"}, [("spec.serviceAccountName", "account")]),
        ({"storage": {"key": "s3"}}, [("spec.storage.key", "cache-storage")]),
        ({"storage": {"key": ""}}, [("spec.storage", "cache-storage")]),
        ({"storage": {"key": "", "parameters": {"type": "s3"}}}, []),
    ],
)
def test_what_is_wrong_with_a_spec_is_told_at_its_field(
    spec: Json, found: list[tuple[str, str]]
) -> None:
    assert refused(cache(**spec)) == found


@pytest.mark.parametrize(
    ("entry", "field", "words"),
    [
        ({"other": "{}"}, "spec.storage.key", "name one of its keys: other"),
        ({"key": "{"}, "spec.storage.key", "invalid json"),
        ({"key": '{"bucket": "b"}'}, "spec.storage", "unable to determine storage type"),
        ({"key": '{"type": "ftp"}'}, "spec.storage", "one of [s3, hdfs, webhdfs]"),
    ],
)
def test_a_storage_secret_that_does_not_say_how_is_told(
    entry: Json, field: str, words: str
) -> None:
    secret = {**thing("v1", "Secret", "storage-config", JOBS), "stringData": entry}
    with pytest.raises(InputError, match=re.escape(words)) as caught:
        intent(cache(storage={"key": "key"}), [secret])
    ((problem,),) = [each.problems for each in caught.value.complaints]
    assert (problem.path, problem.rule) == (field, "cache-storage")


@pytest.mark.parametrize("name", ["", "Jobs", "a.b"])
def test_a_namespace_of_jobs_that_cannot_be_is_told(name: str) -> None:
    place = "ConfigMap kserve/inferenceservice-config"
    assert refused(cache(), configured(jobNamespace=name)) == [(place, "system-config")]


def test_all_that_is_wrong_is_told_at_once() -> None:
    before = cache(sourceModelUri="s3://models/before")
    twin = cache("twin")
    wrong = cache(nodeGroups=["none"])
    assert refused(wrong, before, twin, configured(jobNamespace="")) == [
        ("ConfigMap kserve/inferenceservice-config", "system-config"),
        ("spec.nodeGroups[0]", "node-group"),
        ("spec.sourceModelUri", "cache-source"),
        ("spec.sourceModelUri", "cache-twice"),
    ]


def test_caches_of_namespaces_may_hold_the_same_model() -> None:
    assert not refused(cache(namespace="team-a"), cache())
    assert not refused(cache(namespace="team-a"), cache("twin", "team-a"))
    assert not refused(cache(), cache(namespace="team-a"))


def test_kserve_0_17_has_no_credentials_and_no_caches_of_namespaces() -> None:
    assert refused(cache(serviceAccountName="fetcher"), release="0.17") == [
        ("spec.serviceAccountName", "unknown-field")
    ]


@pytest.mark.parametrize("name", ["Qwen", "q" * 64])
def test_a_name_that_no_job_can_carry_is_refused(name: str) -> None:
    ((path, dummy),) = refused(cache(name))
    assert path == "metadata.name"


def test_a_cache_of_the_cluster_has_no_namespace() -> None:
    document = cache()
    document["metadata"]["namespace"] = "team-a"
    assert refused(document) == [("metadata.namespace", "kind")]


GROUP = "serving.kserve.io/nodegroup"


@pytest.mark.parametrize(
    ("groups", "used", "told"),
    [
        (["gpus", "more"], service(), False),
        (["more", "gpus"], service(), True),
        (["more"], service(), True),
        (["more"], llm(), True),
        (["more"], service(labels={LABEL: "qwen"}, uri="s3://moved"), True),
        (["more"], service(uri="s3://other"), False),
        (["more"], service(annotations={GROUP: "elsewhere"}), False),
        (["more", "gpus"], service(annotations={GROUP: "gpus"}), False),
        (["more"], service(annotations={GROUP: "gpus"}), True),
    ],
)
def test_a_group_whose_volume_a_service_reads_stays(
    groups: list[str], used: Json, told: bool
) -> None:
    there = (cache(), group("more", "more"), used)
    found = [("spec.nodeGroups", "cache-group")] if told else []
    assert refused(cache(nodeGroups=groups), *there) == found
    without = configured(disableVolumeManagement=True)
    assert not refused(cache(nodeGroups=groups), *there, without)


def test_a_new_cache_may_have_users_already() -> None:
    assert not refused(cache(), service(), service("marked", labels={LABEL: "qwen"}))


def test_a_service_of_the_task_follows_its_cache_to_another_group() -> None:
    kind = INFERENCE_SERVICE
    used = kind.load(service(), kind.settings({}, {"kserve": "0.20"})).service
    made = intent(
        cache(nodeGroups=["more"]), [cache(), group("more", "more"), service()], beside=[used]
    )
    names = {child.manifest.name for child in made.children}
    assert {"qwen-more", "qwen-more-team-a"} <= names
    assert not {"qwen-gpus", "qwen-gpus-team-a"} & names


NAMED: Json = {
    "status": {
        "inferenceServices": [{"namespace": "team-a", "name": "chat"}],
        "llmInferenceServices": [{"namespace": "team-b", "name": "talk"}],
    }
}


@pytest.mark.parametrize(
    ("objects", "users"),
    [
        ([], []),
        ([service()], ["InferenceService team-a/chat"]),
        (
            [service(uri=f"{MODEL}/part"), llm()],
            ["InferenceService team-a/chat", "LLMInferenceService team-b/talk"],
        ),
        ([service(labels={LABEL: "qwen"}, uri="s3://moved")], ["InferenceService team-a/chat"]),
        ([service(labels={LABEL: "other"})], []),
        ([service(labels={LABEL: "qwen", f"{LABEL}-namespace": "team-a"})], []),
        ([service(uri="s3://moved"), llm(uri=f"{MODEL}-2")], []),
        ([service("unknown")], []),
    ],
)
def test_services_that_still_use_a_cache_keep_it(objects: list[Json], users: list[str]) -> None:
    found = still_used({**cache(), **NAMED}, Cluster([group(), *objects]))
    assert [str(each) for each in found] == users


def test_a_container_for_downloads_with_a_wrong_pattern_is_told() -> None:
    spec = {
        "container": {"name": "own", "image": "x"},
        "supportedUriFormats": [{"regex": "("}],
        "workloadType": "localModelDownloadJob",
    }
    wrong = thing("serving.kserve.io/v1alpha1", "ClusterStorageContainer", "own", spec=spec)
    assert refused(cache(), wrong) == [("ClusterStorageContainer own", "storage-container")]
