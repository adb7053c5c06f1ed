# SPDX-License-Identifier: GPL-3.0-or-later
"""How the model gets into the pods. The letters are those of the controller's own test suite."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.services.kserve.storage.s3 import (
    s3_environment,
)

from .build import document
from .preset_world import account, children, config_map, pods, refusal, secret, system_config

Json = dict[str, Any]

#: D1 to D8 on single pods, D13 to D20 on groups.
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


@pytest.mark.parametrize("shape", SHAPES)
def test_the_model_gets_into_the_pod(shape: str) -> None:
    for pod in served(shape, "pvc://models/opt"):
        assert pod["volumes"] == [
            {"name": "kserve-pvc-source", "persistentVolumeClaim": {"claimName": "models"}}
        ]
        (mount,) = part(pod, "main")["volumeMounts"]
        wanted = {"name": "kserve-pvc-source", "mountPath": "/mnt/models", "readOnly": True}
        assert mount == {**wanted, "subPath": "opt"}
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
    for pod in served(shape, "hf://user/repo:tag"):
        assert fetcher(pod)["args"] == ["hf://user/repo:tag", "/mnt/models"]
        assert fetcher(pod)["image"] == "registry.example.com/fetcher:1"
        assert "readOnly" not in fetcher(pod)["volumeMounts"][0]
        assert part(pod, "main")["volumeMounts"][0]["readOnly"] is True


@pytest.mark.parametrize("shape", SHAPES)
def test_credentials_come_from_the_account(shape: str) -> None:
    """D4, D6, D8."""
    found = served(
        shape, "hf://a/b", account("own", "hf"), secret("hf", {"HF_TOKEN": "t"}), own=True
    )
    assert [env(pod) for pod in found] == [{"HF_TOKEN": "from a Secret"}] * 2
    annotations = {
        "serving.kserve.io/s3-endpoint": "minio:9000",
        "serving.kserve.io/s3-usehttps": "0",
        "serving.kserve.io/s3-region": "eu",
    }
    data = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    wanted = {
        "S3_USE_HTTPS": "0",
        "S3_ENDPOINT": "minio:9000",
        "AWS_ENDPOINT_URL": "http://minio:9000",
        "AWS_DEFAULT_REGION": "eu",
    }
    keys = dict.fromkeys(data, "from a Secret")
    found = served(
        shape, "s3://b/m", account("own", "s3"), secret("s3", data, annotations), own=True
    )
    assert [env(pod) for pod in found] == [{**keys, **wanted}] * 2
    role = {**annotations, "eks.amazonaws.com/role-arn": "arn"}
    found = served(shape, "s3://b/m", account("own", annotations=role), own=True)
    assert [env(pod) for pod in found] == [wanted] * 2


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


@pytest.mark.parametrize("shape", SHAPES)
def test_s3_certificates_are_mounted(shape: str) -> None:
    """D5, D7."""
    manifests = [
        system_config(
            storageInitializer={
                "caBundleConfigMapName": "corp",
                "caBundleVolumeMountPath": "/certs",
            }
        ),
        config_map("corp", {"cabundle.crt": "PEM"}, "kserve"),
    ]
    for pod in served(shape, "s3://b/m", *manifests):
        assert env(pod) == {
            "CA_BUNDLE_CONFIGMAP_NAME": "global-ca-bundle",
            "CA_BUNDLE_VOLUME_MOUNT_POINT": "/certs",
        }
        assert pod["volumes"][-1] == {
            "name": "cabundle-cert",
            "configMap": {"name": "global-ca-bundle"},
        }
    for pod in served(shape, "hf://a/b", *manifests):
        assert env(pod) == {}
    copied = children(document(), *manifests)["ConfigMap", "global-ca-bundle"]
    assert copied["data"] == {"cabundle.crt": "PEM"}
    own = {
        "serving.kserve.io/s3-cabundle-configmap": "mine",
        "serving.kserve.io/s3-cabundle": "/x/ca.crt",
    }
    keys = secret("s3", {"AWS_SECRET_ACCESS_KEY": "b"}, own)
    for pod in served(shape, "s3://b/m", *manifests, account("own", "s3"), keys, own=True):
        found = env(pod)
        assert found["CA_BUNDLE_CONFIGMAP_NAME"] == "mine"
        assert found["CA_BUNDLE_VOLUME_MOUNT_POINT"] == "/x"


@pytest.mark.parametrize("uri", ["s3://b/m", "hf://a/b", "pvc://c/p", "oci://image"])
def test_no_storage_initializer_means_no_model(uri: str) -> None:
    """D9 to D12."""
    for pod in served("pods", uri, storageInitializer={"enabled": False}):
        assert "volumes" not in pod
        assert [each["name"] for each in pod["containers"]] == ["main"]
        assert "env" not in part(pod, "main")
        assert "storage-initializer" not in [each["name"] for each in pod.get("initContainers", ())]


#: Address of the model → what is told.
WRONG = {
    "acme/model": "invalid model URI: acme/model",
    "ftp://host/model": "unsupported schema in model URI: ftp://host/model",
}


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


@pytest.mark.parametrize("shape", SHAPES)
def test_no_role_is_made_for_pods_without_an_account(shape: str) -> None:
    told = refusal(document(**SHAPES[shape], model={"uri": "acme/model"}))
    assert (
        f"failed to reconcile {_GROUP if shape == 'groups' else _NO_GROUP}: failed to attach"
        in told
    )


def test_a_claim_without_a_name_is_an_empty_folder() -> None:
    for pod in served("pods", "pvc:///x"):
        assert pod["volumes"] == [{"name": "kserve-pvc-source", "emptyDir": {}}]


@pytest.mark.parametrize("uri", WRONG)
def test_a_wrong_address_is_told_with_its_field(uri: str) -> None:
    told = refusal(document(model={"uri": uri}))
    assert WRONG[uri] in told
    assert "spec.model.uri" in told
    assert "WorkerWorkloadReady False, ReconcileMultiNodeWorkloadError" in told


#: Endpoint, whether HTTPS is asked for → what the init container gets.
ENDPOINTS = {
    ("https://s3:1", "0"): ("1", "s3:1", "https://s3:1"),
    ("http://s3:1", "1"): ("0", "s3:1", "http://s3:1"),
    ("HTTP://s3:1", "1"): ("0", "s3:1", "HTTP://s3:1"),
    ("ftp://s3:1", "0"): ("0", "ftp://s3:1", "http://ftp://s3:1"),
    (" s3:1 ", "0"): ("0", "s3:1", "http://s3:1"),
    ("s3:1", "1"): ("1", "s3:1", "https://s3:1"),
    ("s3:1", ""): (None, "s3:1", "https://s3:1"),
    ("", "1"): (None, None, None),
}


@pytest.mark.parametrize(("endpoint", "https"), ENDPOINTS)
def test_endpoints_are_reached_as_they_are_written(endpoint: str, https: str) -> None:
    config = {"s3Endpoint": endpoint, "s3UseHttps": https}
    found = {each["name"]: each["value"] for each in s3_environment({}, {}, config)}
    names = ("S3_USE_HTTPS", "S3_ENDPOINT", "AWS_ENDPOINT_URL")
    assert tuple(found.get(name) for name in names) == ENDPOINTS[endpoint, https]


def test_an_annotation_wins_over_a_secret_and_that_over_the_configuration() -> None:
    annotations = {"serving.kserve.io/s3-region": "a"}
    data = {"AWS_DEFAULT_REGION": "b", "S3_VERIFY_SSL": "0"}
    config = {"s3Region": "c", "s3VerifySSL": "1", "s3UseAccelerate": "true"}
    found = {each["name"]: each["value"] for each in s3_environment(annotations, data, config)}
    assert found == {"AWS_DEFAULT_REGION": "a", "S3_VERIFY_SSL": "0", "S3_USE_ACCELERATE": "true"}


def test_an_empty_annotation_takes_back_what_the_configuration_says() -> None:
    annotations = {"serving.kserve.io/s3-region": "", "serving.kserve.io/s3-endpoint": ""}
    config = {"s3Region": "c", "s3Endpoint": "s3:1", "s3UseHttps": "1", "s3VerifySSL": "1"}
    (found,) = s3_environment(annotations, {"AWS_DEFAULT_REGION": "b"}, config)
    assert found == {"name": "S3_VERIFY_SSL", "value": "1"}


def test_an_image_is_shared_where_the_server_mounts_the_volume_elsewhere() -> None:
    mount = {"name": "kserve-provision-location", "mountPath": "/elsewhere"}
    server = {"name": "main", "volumeMounts": [mount]}
    for pod in served("pods", "oci://model:1", template={"containers": [server]})[:1]:
        assert part(pod, "main")["volumeMounts"] == [mount]
        assert pod["volumes"] == [{"name": "kserve-provision-location", "emptyDir": {}}]


@pytest.mark.parametrize(
    ("text", "owner", "made"),
    [
        ("PEM", None, False),
        ("PEM", "other", False),
        ("PEM", "chat", True),
        ("OLD", "other", True),
        ("OLD", None, True),
    ],
)
def test_services_of_a_namespace_share_one_copy_of_the_certificates(
    text: str, owner: str | None, made: bool
) -> None:
    copy = config_map("global-ca-bundle", {"cabundle.crt": text})
    if owner is not None:
        copy["metadata"]["ownerReferences"] = [{"kind": "LLMInferenceService", "name": owner}]
    manifests = [
        system_config(storageInitializer={"caBundleConfigMapName": "corp"}),
        config_map("corp", {"cabundle.crt": "PEM"}, "kserve"),
        copy,
    ]
    assert (("ConfigMap", "global-ca-bundle") in children(document(), *manifests)) is made
