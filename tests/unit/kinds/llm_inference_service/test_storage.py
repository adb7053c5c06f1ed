# SPDX-License-Identifier: GPL-3.0-or-later
"""How the model gets into the pods. Source: KServe
pkg/controller/v1alpha2/llmisvc/controller_workload_storage_int_test.go@v0.17.0.
"""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.manifest import Json

from .build import document
from .preset_world import account, children, config_map, pods, refusal, secret, system_config
from .release_pairs import settings

S3_NAMES = {
    "s3AccessKeyIDName": "AWS_ACCESS_KEY_ID",
    "s3SecretAccessKeyName": "AWS_SECRET_ACCESS_KEY",
}

#: What holds for single pods holds for groups.
SHAPES: dict[str, Json] = {
    "pods": {"prefill": {}},
    "groups": {"worker": {}, "parallelism": {"data": 2, "dataLocal": 1}},
}
OWN_ACCOUNT: dict[str, Json] = {
    "pods": {
        "template": {"serviceAccountName": "own"},
        "prefill": {"template": {"serviceAccountName": "own"}},
    },
    "groups": {**SHAPES["groups"], "template": {"serviceAccountName": "own"}},
}


def served(shape: str, uri: str, *manifests: Json, own: bool = False, **spec: Any) -> list[Json]:
    """Return the pods of a service of some shape."""
    fields = OWN_ACCOUNT[shape] if own else SHAPES[shape]
    given = document(**{**fields, **spec}, model={"uri": uri})
    found = list(pods(children(given, *manifests)))
    assert len(found) == 2
    return found


def part(pod: Json, name: str, field: str = "containers") -> Json:
    found: Json = next(each for each in pod[field] if each["name"] == name)
    return found


def fetcher(pod: Json) -> Json:
    return part(pod, "storage-initializer", "initContainers")


def env(pod: Json) -> Json:
    return {
        each["name"]: each.get("value", "from a Secret") for each in fetcher(pod).get("env", ())
    }


def both(promise: str) -> Any:
    """Return the mark that tries a promise on single pods and on groups."""
    rows = {"pods": f"{promise} in pods", "groups": f"{promise} in groups"}
    return pytest.mark.parametrize(
        "shape", [pytest.param(shape, id=row) for shape, row in rows.items()]
    )


@both("a volume with the model is mounted")
def test_a_volume_with_the_model_is_mounted(shape: str) -> None:
    for pod in served(shape, "pvc://models/opt"):
        assert pod["volumes"] == [
            {"name": "kserve-pvc-source", "persistentVolumeClaim": {"claimName": "models"}}
        ]
        (mount,) = part(pod, "main")["volumeMounts"]
        wanted = {"name": "kserve-pvc-source", "mountPath": "/mnt/models", "readOnly": True}
        assert mount == {**wanted, "subPath": "opt"}


@both("an image with the model runs beside the server")
def test_an_image_with_the_model_runs_beside_the_server(shape: str) -> None:
    for pod in served(shape, "oci://registry.example.com/model:1"):
        car = part(pod, "modelcar")
        assert (car["image"], pod["shareProcessNamespace"]) == (
            "registry.example.com/model:1",
            True,
        )
        assert "/proc/$$$$/root/models" in car["args"][2]
        assert car["volumeMounts"] == part(pod, "main")["volumeMounts"]
        assert {"name": "MODEL_INIT_MODE", "value": "async"} in part(pod, "main")["env"]
        assert part(pod, "modelcar-init", "initContainers")["resources"] == car["resources"]


@both("a model from a hub is fetched before the server starts")
def test_the_model_gets_into_the_pod(shape: str) -> None:
    for pod in served(shape, "hf://user/repo:tag"):
        assert fetcher(pod)["args"] == ["hf://user/repo:tag", "/mnt/models"]
        assert fetcher(pod)["image"] == "registry.example.com/fetcher:1"
        assert "readOnly" not in fetcher(pod)["volumeMounts"][0]
        assert part(pod, "main")["volumeMounts"][0]["readOnly"] is True


@both("a token of the account reaches the fetcher")
def test_credentials_come_from_the_account(shape: str) -> None:
    found = served(
        shape, "hf://a/b", account("own", "hf"), secret("hf", {"HF_TOKEN": "t"}), own=True
    )
    assert [env(pod) for pod in found] == [{"HF_TOKEN": "from a Secret"}] * 2


#: An endpoint of S3 in annotations, and what the init container gets of it.
ENDPOINT = {
    "serving.kserve.io/s3-endpoint": "minio:9000",
    "serving.kserve.io/s3-usehttps": "0",
    "serving.kserve.io/s3-region": "eu",
    "serving.kserve.io/s3-useanoncredential": "false",
}
REACHED = {
    "S3_USE_HTTPS": "0",
    "S3_ENDPOINT": "minio:9000",
    "AWS_ENDPOINT_URL": "http://minio:9000",
    "AWS_DEFAULT_REGION": "eu",
    "awsAnonymousCredential": "false",
}
S3_KEYS = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}


@both("keys and endpoint of S3 reach the fetcher with the configured certificates")
def test_keys_of_s3_come_from_the_account(shape: str) -> None:
    local = {"s3CABundleConfigMap": "local", "s3CABundle": "/certs/local.crt"}
    own = [
        system_config(credentials={"s3": {**S3_NAMES, **local}}),
        account("own", "s3"),
        secret("s3", S3_KEYS, ENDPOINT),
    ]
    certificates = {
        "AWS_CA_BUNDLE": "/certs/local.crt",
        "AWS_CA_BUNDLE_CONFIGMAP": "local",
        "CA_BUNDLE_CONFIGMAP_NAME": "local",
        "CA_BUNDLE_VOLUME_MOUNT_POINT": "/certs",
    }
    for pod in served(shape, "s3://b/m", *own, own=True):
        assert env(pod) == {**dict.fromkeys(S3_KEYS, "from a Secret"), **REACHED, **certificates}


@both("an account with a role of AWS needs no keys")
def test_a_role_of_aws_needs_no_keys(shape: str) -> None:
    annotations = {**ENDPOINT, "eks.amazonaws.com/role-arn": "arn"}
    found = served(shape, "s3://b/m", account("own", annotations=annotations), own=True)
    assert [env(pod) for pod in found] == [REACHED] * 2


def test_groups_do_not_use_the_default_account() -> None:
    default = (account("default", "hf"), secret("hf", {"HF_TOKEN": "t"}))
    assert [env(pod) for pod in served("groups", "hf://a/b", *default)] == [{}, {}]
    (single,) = pods(children(document(), *default))
    assert env(single) == {"HF_TOKEN": "from a Secret"}


#: Entries of a Secret → variables of the init container, in their order, or the path of the volume.
SECRETS: dict[str, tuple[dict[str, str], list[str] | str]] = {
    "gcs": ({"gcloud-application-credentials.json": "{}"}, ["GOOGLE_APPLICATION_CREDENTIALS"]),
    "azure": (
        {"AZ_CLIENT_ID": "c", "AZ_TENANT_ID": "t", "AZURE_SERVICE_URL": "u"},
        ["AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_SERVICE_URL"],
    ),
    "azure token": ({"AZURE_ACCESS_TOKEN": "t"}, ["AZURE_TENANT_ID", "AZURE_ACCESS_TOKEN"]),
    "azure key": ({"AZURE_STORAGE_ACCESS_KEY": "k"}, ["AZURE_STORAGE_ACCESS_KEY"]),
    "https": ({"https-host": "h", "headers": "a: b"}, ["h-headers"]),
    "https without headers": ({"https-host": "h"}, []),
    "hdfs": ({"HDFS_NAMENODE": "n"}, "/var/secrets/kserve-hdfscreds"),
    "something else": ({"user": "a"}, []),
    "the first that fits": (
        {"HF_TOKEN": "a", "AZURE_STORAGE_ACCESS_KEY": "b"},
        ["AZURE_STORAGE_ACCESS_KEY"],
    ),
}


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_used_for_what_it_holds(name: str) -> None:
    data, wanted = SECRETS[name]
    (pod,) = pods(children(document(), account("default", "s"), secret("s", data)))
    if isinstance(wanted, str):
        assert fetcher(pod)["volumeMounts"][-1]["mountPath"] == wanted
    else:
        assert list(env(pod)) == wanted


def test_the_annotation_names_the_only_secret() -> None:
    given = document()
    given["metadata"]["annotations"] = {"serving.kserve.io/secretName": "b"}
    manifests = [
        account("default", "a"),
        secret("a", {"HF_TOKEN": "a"}),
        secret("b", {"AZURE_STORAGE_ACCESS_KEY": "b"}),
    ]
    (pod,) = pods(children(given, *manifests))
    assert list(env(pod)) == ["AZURE_STORAGE_ACCESS_KEY"]
    told = refusal(given, *manifests[:2])
    assert 'secrets "b" not found' in told
    assert "metadata.annotations" in told


#: KServe's configuration with the certificates of S3 endpoints, and these.
BUNDLE = [
    system_config(
        storageInitializer={
            "caBundleConfigMapName": "corp",
            "caBundleVolumeMountPath": "/certs",
        }
    ),
    config_map("corp", {"cabundle.crt": "PEM"}, "kserve"),
]


@both("certificates of S3 are mounted")
def test_certificates_are_mounted(shape: str) -> None:
    for pod in served(shape, "s3://b/m", *BUNDLE):
        assert env(pod) == {
            "CA_BUNDLE_CONFIGMAP_NAME": "global-ca-bundle",
            "CA_BUNDLE_VOLUME_MOUNT_POINT": "/certs",
        }
        assert pod["volumes"][-1] == {
            "name": "cabundle-cert",
            "configMap": {"name": "global-ca-bundle"},
        }
    for pod in served(shape, "hf://a/b", *BUNDLE):
        assert env(pod) == {}
    copied = children(document(), *BUNDLE)["ConfigMap", "global-ca-bundle"]
    assert copied["data"] == {"cabundle.crt": "PEM"}


@both("certificates that a Secret names beat the common ones")
def test_certificates_that_a_secret_names_beat_the_common_ones(shape: str) -> None:
    named = {
        "serving.kserve.io/s3-cabundle-configmap": "mine",
        "serving.kserve.io/s3-cabundle": "/x/ca.crt",
    }
    keys = secret("s3", {"AWS_SECRET_ACCESS_KEY": "b"}, named)
    for pod in served(shape, "s3://b/m", *BUNDLE, account("own", "s3"), keys, own=True):
        found = env(pod)
        assert found["CA_BUNDLE_CONFIGMAP_NAME"] == "mine"
        assert found["CA_BUNDLE_VOLUME_MOUNT_POINT"] == "/x"


#: Models that nothing brings into pods.
LEFT_OUT = {
    "a model of S3 is left to the server": "s3://b/m",
    "a model of a hub is left to the server": "hf://a/b",
    "a volume is left to the author": "pvc://c/p",
    "an image is left to the author": "oci://image",
}


@pytest.mark.parametrize("uri", LEFT_OUT.values(), ids=LEFT_OUT)
def test_no_storage_initializer_means_no_model(uri: str) -> None:
    for pod in served("pods", uri, storageInitializer={"enabled": False}):
        assert "volumes" not in pod
        assert [each["name"] for each in pod["containers"]] == ["main"]
        assert "env" not in part(pod, "main")
        assert "storage-initializer" not in [each["name"] for each in pod.get("initContainers", ())]


_GROUP = "multi-node service account: failed to build the expected main LWS for building the Role"
_NO_GROUP = "multi-node main workload: failed to build the expected main LWS"
_PREFILL = "multi-node prefill workload: failed to build the expected prefill LWS"
_MAIN_POD = "service account: failed to get expected main deployment: failed to attach model artifacts to main deployment"
_PREFILL_POD = "prefill workload: failed to get expected prefill deployment: failed to attach model artifacts to prefill deployment"
_OWN = {"serviceAccountName": "own"}
_WORKERS: Json = {"worker": {}, "parallelism": {"data": 2, "dataLocal": 1}}
#: Spec, whose account names a Secret that is not there → the step in which the controller fails.
STEPS: dict[str, tuple[Json, str, str]] = {
    "pods": ({}, "default", _MAIN_POD),
    "pods of an account": ({"template": _OWN}, "own", f"{_GROUP}: {{leader}}"),
    "groups": ({**_WORKERS, "template": _OWN}, "own", f"{_GROUP}: {{leader}}"),
    "prefill pods": (
        {"template": {"serviceAccountName": "fine"}, "prefill": {}},
        "default",
        _PREFILL_POD,
    ),
    "prefill pods of an account": (
        {"prefill": {"template": _OWN}},
        "own",
        f"{_PREFILL}: {{prefill leader}}",
    ),
    "prefill groups": (
        {"prefill": {**_WORKERS, "template": _OWN}},
        "own",
        f"{_PREFILL}: {{prefill leader}}",
    ),
}


@pytest.mark.parametrize("name", STEPS)
def test_a_missing_secret_is_told_by_the_step_of_the_controller(name: str) -> None:
    spec, of, step = STEPS[name]
    lacking = account(of, "lost")
    others = [account(each) for each in ("fine", "default") if each != of]
    for part_ in ("prefill leader", "leader"):
        step = step.replace(f"{{{part_}}}", f"failed to attach model artifacts to {part_} template")
    told = refusal(document(**spec, model={"uri": "hf://a/b"}), lacking, *others)
    assert f'failed to reconcile {step}: secrets "lost" not found' in told


@pytest.mark.parametrize("prefill", [{}, _WORKERS], ids=["pods", "groups"])
def test_a_secret_that_the_service_names_is_missed_by_the_other_group_first(prefill: Json) -> None:
    given = document(model={"uri": "s3://b/m"}, prefill=prefill)
    given["metadata"]["annotations"] = {"serving.kserve.io/secretName": "lost"}
    told = refusal(given, account("default"), settings=settings("0.17"))
    assert f"{_NO_GROUP}: failed to attach model artifacts to leader template" in told


@pytest.mark.parametrize("shape", SHAPES)
def test_no_role_is_made_for_pods_without_an_account(shape: str) -> None:
    told = refusal(document(**SHAPES[shape], model={"uri": "acme/model"}))
    assert (
        f"failed to reconcile {_GROUP if shape == 'groups' else _NO_GROUP}: failed to attach"
        in told
    )


def test_a_model_of_prefill_groups_fails_where_the_other_group_is_built_first() -> None:
    spec = {"prefill": _WORKERS, "model": {"uri": "acme/model"}}
    told = refusal(document(**spec))
    assert f"failed to reconcile {_NO_GROUP}: failed to attach model artifacts to leader" in told


def test_groups_need_no_secret_of_the_default_account() -> None:
    lacking = account("default", "lost")
    model = {"model": {"uri": "hf://a/b"}}
    found = children(document(**_WORKERS, **model), lacking)
    assert ("LeaderWorkerSet", "chat-kserve-mn") in found
    assert 'secrets "lost" not found' in refusal(document(**model), lacking)


def test_a_claim_without_a_name_is_an_empty_folder() -> None:
    for pod in served("pods", "pvc:///x"):
        assert pod["volumes"] == [{"name": "kserve-pvc-source", "emptyDir": {}}]


def test_an_image_is_shared_where_the_server_mounts_the_volume_elsewhere() -> None:
    mount = {"name": "kserve-provision-location", "mountPath": "/elsewhere"}
    server = {"name": "main", "volumeMounts": [mount]}
    for pod in served("pods", "oci://model:1", template={"containers": [server]})[:1]:
        assert part(pod, "main")["volumeMounts"] == [mount]
        assert pod["volumes"] == [{"name": "kserve-provision-location", "emptyDir": {}}]
