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
    assert 'Secret "b" not found' in told
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
