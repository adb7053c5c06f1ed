# SPDX-License-Identifier: GPL-3.0-or-later
"""The volumes, claims and Jobs of a cache are those that KServe's controller and its agent on the node would make.

Read in KServe pkg/controller/v1alpha1/localmodel/reconcilers/{localmodelcache_reconciler,localmodelnamespacecache_reconciler,utils}.go@v0.20.0
and pkg/controller/v1alpha1/localmodelnode/controller.go@v0.17.0, @v0.20.0.
"""

from __future__ import annotations

import pytest

from module_utils.kinds.local_model_cache.kind import LOCAL_MODEL_CACHE
from module_utils.kube.manifest import Json
from tests.objects import thing

from .build import (
    API_VERSION,
    JOBS,
    MODEL,
    cache,
    children,
    configured,
    group,
    intent,
    llm,
    node,
    service,
)

#: `printf s3://models/qwen | sha256sum | cut -c-16`
KEY = "e60ec5a139052794"


def job(found: dict[str, Json] | object) -> Json:
    """Return the only Job."""
    assert isinstance(found, dict)
    (made,) = (each for each in found.values() if each["kind"] == "Job")
    return dict(made)


def named(document: Json, *objects: Json, release: str = "0.20") -> set[str]:
    """Return what a cache becomes, Jobs without what tells them apart."""
    found = children(document, *objects, release=release)
    return {name.rpartition("-")[0] if name.startswith("Job ") else name for name in found}


def test_a_cache_of_the_cluster_has_a_volume_and_a_claim_for_the_download_and_a_job_for_each_node() -> (
    None
):
    assert named(cache(), node("n2"), node("other", "cpus")) == {
        "PersistentVolume qwen-gpus-download",
        "PersistentVolumeClaim jobs/qwen-gpus",
        "Job jobs/qwen-n1",
        "Job jobs/qwen-n2",
    }


def test_a_cache_of_a_namespace_says_so_in_the_names_of_what_it_fetches_into() -> None:
    assert named(cache(namespace="team-a")) == {
        "PersistentVolume qwen-gpus-team-a-download",
        "PersistentVolumeClaim jobs/qwen-gpus-team-a-download",
        "Job jobs/qwen-n1",
    }
    made = job(children(cache(namespace="team-a")))
    assert made["metadata"]["labels"] == {"model": "qwen", "node": "n1", "modelNamespace": "team-a"}
    (volume,) = made["spec"]["template"]["spec"]["volumes"]
    assert volume["persistentVolumeClaim"] == {"claimName": "qwen-gpus-team-a-download"}


def test_volumes_and_claims_are_as_their_group_says_and_are_not_changed_later() -> None:
    wanted = group()["spec"]
    made = intent(cache()).children
    assert all(child.unclaimed == (("spec",),) for child in made)
    found = children(cache())
    volume = found["PersistentVolume qwen-gpus-download"]
    assert volume["spec"] == wanted["persistentVolumeSpec"]
    claim = found["PersistentVolumeClaim jobs/qwen-gpus"]
    assert claim["spec"] == {
        **wanted["persistentVolumeClaimSpec"],
        "volumeName": "qwen-gpus-download",
    }


@pytest.mark.parametrize(
    ("release", "folder", "where"),
    [
        ("0.17", "qwen", {"nodeName": "n1"}),
        ("0.18", KEY, {"nodeSelector": {"kubernetes.io/hostname": "n1"}}),
        ("0.20", KEY, {"nodeSelector": {"kubernetes.io/hostname": "n1"}}),
    ],
)
def test_a_job_is_that_of_the_agent(release: str, folder: str, where: Json) -> None:
    made = job(children(cache(), release=release))
    spec = made["spec"]
    assert made["metadata"]["labels"] == {"model": "qwen", "node": "n1"}
    assert spec["ttlSecondsAfterFinished"] == 60
    pod = spec["template"]["spec"]
    (container,) = pod["containers"]
    (mount,) = container["volumeMounts"]
    assert {key: pod[key] for key in where} == where
    assert pod["restartPolicy"] == "Never"
    assert pod["securityContext"] == {"fsGroup": 1000}
    assert container["name"] == "kserve-localmodel-download"
    assert container["args"] == [MODEL, "/mnt/models"]
    assert container["terminationMessagePolicy"] == "FallbackToLogsOnError"
    assert mount == {
        "name": "kserve-pvc-source",
        "mountPath": "/mnt/models",
        "subPath": f"models/{folder}",
    }


def test_only_later_releases_fetch_with_the_configured_image() -> None:
    own = configured()
    own["data"]["storageInitializer"] = own["data"]["storageInitializer"].replace(
        "kserve/storage-initializer", "mirror/fetcher"
    )
    images = {
        release: job(children(cache(), own, release=release))["spec"]["template"]["spec"][
            "containers"
        ][0]["image"].partition(":")[0]
        for release in ("0.17", "0.20")
    }
    assert images == {"0.17": "kserve/storage-initializer", "0.20": "mirror/fetcher"}


def test_a_storage_container_for_downloads_takes_the_place_of_the_usual_one() -> None:
    def container(name: str, workload: str, prefix: str = "s3://") -> Json:
        spec = {
            "container": {"name": "own", "image": name, "env": [{"name": "A", "value": "b"}]},
            "supportedUriFormats": [{"prefix": prefix}],
            "workloadType": workload,
        }
        return thing(API_VERSION, "ClusterStorageContainer", name, spec=spec)

    objects = [
        container("a", "initContainer"),
        container("b", "localModelDownloadJob", "hf://"),
        container("c", "localModelDownloadJob"),
        container("d", "localModelDownloadJob"),
    ]
    (made,) = job(children(cache(), *objects))["spec"]["template"]["spec"]["containers"]
    assert (made["name"], made["image"]) == ("own", "c")
    assert made["env"] == [{"name": "A", "value": "b"}]
    assert made["args"] == [MODEL, "/mnt/models"]


@pytest.mark.parametrize(
    ("parameters", "more"),
    [
        ({}, []),
        (
            {"region": "eu", "bucket": "b"},
            [{"name": "STORAGE_OVERRIDE_CONFIG", "value": '{"bucket":"b","region":"eu"}'}],
        ),
    ],
)
def test_a_storage_secret_brings_credentials_in_place_of_an_account(
    parameters: Json, more: list[Json]
) -> None:
    text = '{"type": "s3", "bucket": "models", "cabundle_configmap": "ca"}'
    secret = {**thing("v1", "Secret", "storage-config", JOBS), "stringData": {"own": text}}
    storage = {"key": "own", **({"parameters": parameters} if parameters else {})}
    made = job(children(cache(serviceAccountName="nobody", storage=storage), secret))
    (container,) = made["spec"]["template"]["spec"]["containers"]
    assert container["args"] == [MODEL, "/mnt/models"]
    reference = {"secretKeyRef": {"name": "storage-config", "key": "own"}}
    assert container["env"] == [
        {"name": "AWS_CA_BUNDLE_CONFIGMAP", "value": "ca"},
        {"name": "STORAGE_CONFIG", "valueFrom": reference},
        *more,
    ]


def test_the_account_of_a_cache_brings_its_credentials() -> None:
    account = thing("v1", "ServiceAccount", "fetcher", JOBS, secrets=[{"name": "s3"}])
    secret = thing(
        "v1",
        "Secret",
        "s3",
        JOBS,
        data={"AWS_ACCESS_KEY_ID": "YQ==", "AWS_SECRET_ACCESS_KEY": "Yg=="},
    )
    made = job(children(cache(serviceAccountName="fetcher"), account, secret))
    (container,) = made["spec"]["template"]["spec"]["containers"]
    names = [each["name"] for each in container["env"]]
    assert names[:2] == ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]
    assert not job(children(cache()))["spec"]["template"]["spec"]["containers"][0].get("env")


def test_a_namespace_whose_services_use_a_cache_gets_a_volume_and_a_claim() -> None:
    served = {
        "PersistentVolume qwen-gpus-team-a",
        "PersistentVolumeClaim team-a/qwen-gpus",
    }
    assert named(cache(), service()) >= served
    assert not named(cache()) & served
    below = service(uri=f"{MODEL}/part")
    assert named(cache(), below) >= served
    for other in (
        service(uri=f"{MODEL}-2"),
        service(annotations={"serving.kserve.io/disable-localmodel": "true"}),
        service(annotations={"serving.kserve.io/nodegroup": "others"}),
    ):
        assert not named(cache(), other) & served
    off = configured(disableVolumeManagement=True)
    assert not named(cache(), service(), off) & served


@pytest.mark.parametrize(("release", "uses"), [("0.17", False), ("0.18", False), ("0.19", True)])
def test_llm_services_use_caches_since_a_release(release: str, uses: bool) -> None:
    served = "PersistentVolumeClaim team-b/qwen-gpus"
    assert (served in named(cache(), llm(), release=release)) is uses


def test_a_service_chooses_the_group_of_nodes() -> None:
    both = cache(nodeGroups=["gpus", "cpus"])
    chosen = service(annotations={"serving.kserve.io/nodegroup": "cpus"})
    found = named(both, group("cpus", "cpus"), chosen)
    assert "PersistentVolumeClaim team-a/qwen-cpus" in found
    assert "PersistentVolumeClaim team-a/qwen-gpus" not in found
    assert {"PersistentVolume qwen-gpus-download", "PersistentVolume qwen-cpus-download"} <= found


def test_a_cache_of_a_namespace_serves_that_namespace_alone_and_first() -> None:
    own = cache(namespace="team-a")
    elsewhere = service(namespace="team-c")
    assert "PersistentVolumeClaim team-a/qwen-gpus" in named(own, service(), elsewhere)
    assert "PersistentVolumeClaim team-c/qwen-gpus" not in named(own, service(), elsewhere)
    of_cluster = named(cache("all"), own, service(), elsewhere)
    assert "PersistentVolumeClaim team-a/all-gpus" not in of_cluster
    assert "PersistentVolumeClaim team-c/all-gpus" in of_cluster


def test_services_and_caches_of_the_same_task_count_as_they_will_be() -> None:
    settings = LOCAL_MODEL_CACHE.settings({}, {"kserve": "0.20"})
    earlier = LOCAL_MODEL_CACHE.load(cache("a", sourceModelUri="s3://models"), settings).service
    found = intent(cache("b"), [service()], beside=[earlier])
    assert not any(child.manifest.namespace == "team-a" for child in found.children)


def test_a_node_that_has_the_model_needs_no_job_and_keeps_one_that_is_there() -> None:
    had = {**cache(), "status": {"nodeStatus": {"n1": "NodeDownloaded"}}}
    assert "Job jobs/qwen-n1" not in named(cache(), had)
    there = job(children(cache()))
    assert "Job jobs/qwen-n1" in named(cache(), had, there)
    failed = {**cache(), "status": {"nodeStatus": {"n1": "NodeDownloadError"}}}
    assert "Job jobs/qwen-n1" in named(cache(), failed)


def test_a_node_that_is_not_ready_gets_its_job_later() -> None:
    assert named(cache(), node(ready=False)) == {
        "PersistentVolume qwen-gpus-download",
        "PersistentVolumeClaim jobs/qwen-gpus",
    }


def test_names_of_jobs_fit_and_are_told_apart() -> None:
    long = {f"{'n' * 60}.example.{number}" for number in range(9)}
    found = children(cache("m" * 63), *(node(name) for name in long))
    names = [each["metadata"]["name"] for each in found.values() if each["kind"] == "Job"]
    assert len(set(names)) == 1 + len(long)
    assert max(map(len, names)) <= 63
    one = job(children(cache("a-b", namespace="x"), node("n1")))["metadata"]["name"]
    other = job(children(cache("a-b", namespace="y"), node("n1")))["metadata"]["name"]
    assert one != other


def test_a_node_of_two_groups_belongs_to_the_first() -> None:
    both = cache(nodeGroups=["second", "gpus"])
    found = children(both, group("second", "gpus"))
    (volume,) = job(found)["spec"]["template"]["spec"]["volumes"]
    assert volume["persistentVolumeClaim"] == {"claimName": "qwen-second"}
