# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of a pod where no recording shows it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from module_utils.kinds.inference_service.pods.mutation.mutate import mutated
from module_utils.kinds.inference_service.pods.mutation.subject import Subject
from module_utils.kinds.inference_service.pods.storage.several_models import common_folder
from module_utils.kinds.kserve.read_system_config import read_system_config
from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.kserve.storage.refused import StorageRefused
from module_utils.kube.manifest import Json
from tests.parity.recorded_llm_services import Recorded

from .world import NAMESPACE, config

INTERNAL = "internal.serving.kserve.io/"
URI = f"{INTERNAL}storage-initializer-sourceuri"
SPEC, KEY, PARAMETERS = (f"{INTERNAL}storage-spec{end}" for end in ("", "-key", "-param"))
SERVER: Json = {"name": "kserve-container", "image": "a:1"}


def changed(
    annotations: Json,
    *manifests: Json,
    labels: Json | None = None,
    spec: Json | None = None,
    release: KServe = KServe.V0_17,
    **blocks: Json,
) -> Subject:
    """Return a pod after all changes. blocks: of KServe's configuration."""
    reader = Recorded([config(**blocks), *manifests])
    return mutated(
        Subject(
            name="",
            namespace=NAMESPACE,
            labels=labels or {},
            annotations=annotations,
            spec={"containers": [SERVER], **(spec or {})},
            config=read_system_config("kserve", reader),
            kserve_namespace="kserve",
            reader=reader,
            release=release,
        )
    )


def fetcher(subject: Subject) -> Json:
    """Return the init container of a pod."""
    (found,) = subject.spec["initContainers"]
    return dict(found)


def variables(container: Json) -> Json:
    """Return the variables of a container that have a value."""
    return {each["name"]: each.get("value") for each in container.get("env") or ()}


def secret(name: str, **texts: str) -> Json:
    metadata = {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": texts}


def account(name: str, *secrets: str) -> Json:
    metadata = {"name": name, "namespace": NAMESPACE}
    listed = [{"name": each} for each in secrets]
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata, "secrets": listed}


def fetches(name: str = "own", **fields: Any) -> Json:
    """Return a ClusterStorageContainer for s3."""
    return {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "ClusterStorageContainer",
        "metadata": {"name": name},
        "spec": {
            "supportedUriFormats": [{"prefix": "s3://"}],
            "container": {"name": "storage-initializer", "image": "own:1", **fields},
        },
    }


def test_a_pod_without_a_model_only_learns_of_its_metrics() -> None:
    found = changed({})
    assert found.spec == {"containers": [SERVER]}
    assert set(found.annotations) == {
        "serving.kserve.io/enable-metric-aggregation",
        "serving.kserve.io/enable-prometheus-scraping",
    }


def test_a_model_is_writable_where_its_author_says_so() -> None:
    found = changed({URI: "s3://b/m", "storage.kserve.io/readonly": "false"})
    (mount,) = found.spec["containers"][0]["volumeMounts"]
    assert mount == {"name": "kserve-provision-location", "mountPath": "/mnt/models"}


def test_a_server_of_its_own_finds_its_model_by_a_variable() -> None:
    server = {**SERVER, "env": [{"name": "STORAGE_URI", "value": "s3://b/m"}]}
    found = changed({URI: "s3://b/m"}, spec={"containers": [server]})
    assert variables(found.spec["containers"][0]) == {"STORAGE_URI": "/mnt/models"}


def test_a_storage_container_says_who_fetches_and_how() -> None:
    found = changed(
        {URI: "s3://b/m"},
        fetches("b", image="late:1"),
        fetches("a", args=["all"], env=[{"name": "HF_XET_HIGH_PERFORMANCE", "value": "0"}]),
        {**fetches("0"), "disabled": True},
    )
    container = fetcher(found)
    assert (container["image"], container["args"]) == ("own:1", ["all"])
    assert variables(container)["HF_XET_HIGH_PERFORMANCE"] == "0"


def test_variables_of_a_storage_container_do_not_take_the_place_of_credentials() -> None:
    keys = secret("keys", AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="b")
    own = fetches("a", env=[{"name": "OWN", "value": "1"}])
    found = changed({URI: "s3://b/m"}, own, keys, account("default", "keys"))
    env = {each["name"]: each for each in fetcher(found)["env"]}
    assert env["OWN"] == {"name": "OWN", "value": "1"}
    assert env["AWS_ACCESS_KEY_ID"]["valueFrom"]["secretKeyRef"]["name"] == "keys"


def test_a_pattern_that_is_none_is_told_with_its_container() -> None:
    wrong = fetches()
    wrong["spec"]["supportedUriFormats"] = [{"regex": "("}]
    with pytest.raises(StorageRefused, match="error checking storage container own") as caught:
        changed({URI: "s3://b/m"}, wrong)
    assert '"("' in caught.value.advice


def test_the_model_of_a_cache_is_read_from_its_claim() -> None:
    notes = {
        URI: "s3://b/m/v1",
        f"{INTERNAL}localmodel-sourceuri": "s3://b/m",
        f"{INTERNAL}localmodel-pvc-name": "cache-gpu",
    }
    found = changed(notes, labels={f"{INTERNAL}localmodel": "cache"})
    (mount,) = found.spec["containers"][0]["volumeMounts"]
    assert mount["subPath"] == "models/cache/v1"
    assert found.spec["volumes"][0]["persistentVolumeClaim"] == {"claimName": "cache-gpu"}
    assert "initContainers" not in found.spec


def test_the_default_account_is_there_in_each_namespace() -> None:
    notes = {URI: "s3://b/m", "serving.kserve.io/storageSecretName": "own"}
    found = changed(notes, secret("own", AWS_SECRET_ACCESS_KEY="x"))
    assert "AWS_SECRET_ACCESS_KEY" in variables(fetcher(found))


@pytest.mark.parametrize("manifests", [(), (account("reader"),)])
def test_an_account_without_secrets_gives_no_credentials(manifests: tuple[Json, ...]) -> None:
    found = changed({URI: "s3://b/m"}, *manifests, spec={"serviceAccountName": "reader"})
    assert [name for name in variables(fetcher(found)) if name.startswith("AWS")] == []


def test_a_secret_that_is_not_there_is_told_with_who_names_it() -> None:
    with pytest.raises(StorageRefused) as caught:
        changed({URI: "s3://b/m"}, account("reader", "gone"), spec={"serviceAccountName": "reader"})
    assert caught.value.message == 'secrets "gone" not found'
    assert "ServiceAccount reader" in caught.value.advice


#: What the service says, what the Secret holds, and what KServe says about it.
STORAGE_FAULTS = [
    (
        {KEY: "k"},
        None,
        'can\'t read storage secret storage-config: secrets "storage-config" not found',
    ),
    ({}, None, "unable to determine storage type"),
    (
        {KEY: "k"},
        "{",
        "invalid json encountered in key k of storage secret storage-config: at character 1",
    ),
    (
        {KEY: "k"},
        '{"type": "gs"}',
        "storage type must be one of [s3, hdfs, webhdfs]. storage type [gs] is not supported",
    ),
]


@pytest.mark.parametrize(("said", "held", "message"), STORAGE_FAULTS)
def test_a_storage_that_cannot_be_found_is_told(said: Json, held: str | None, message: str) -> None:
    notes = {URI: "<scheme-placeholder>://m", SPEC: "true", **said}
    manifests = [] if held is None else [secret("storage-config", k=held)]
    with pytest.raises(StorageRefused) as caught:
        changed(notes, *manifests)
    assert caught.value.message == message


def test_what_stands_in_a_secret_is_never_repeated() -> None:
    notes = {URI: "<scheme-placeholder>://m", SPEC: "true", KEY: "k"}
    with pytest.raises(StorageRefused) as caught:
        changed(notes, secret("storage-config", k='{"secret_access_key": "hidden'))
    assert "hidden" not in caught.value.message + caught.value.advice


def test_a_type_among_the_parameters_needs_no_secret() -> None:
    parameters = json.dumps({"type": "s3", "bucket": "b"})
    found = changed(
        {URI: "<scheme-placeholder>://m", SPEC: "true", PARAMETERS: parameters},
    )
    assert fetcher(found)["args"] == ["s3://b/m", "/mnt/models"]
    assert variables(fetcher(found))["STORAGE_OVERRIDE_CONFIG"] == '{"bucket":"b","type":"s3"}'


ISTIO = {
    "sidecar.istio.io/interceptionMode": "REDIRECT",
    "sidecar.istio.io/status": '{"containers": ["istio-proxy"]}',
}
PROXY: Json = {"name": "istio-proxy"}
#: Annotations, other containers, other init containers → the user of the init container.
USERS: list[tuple[Json, list[Json], list[Json], int | None]] = [
    ({}, [], [], None),
    ({"serving.kserve.io/storage-initializer-uid": "77"}, [], [], 77),
    ({"serving.kserve.io/storage-initializer-uid": "x", **ISTIO}, [PROXY], [], None),
    (ISTIO, [PROXY], [], 1337),
    (ISTIO, [{**PROXY, "securityContext": {"runAsUser": 5}}], [], 5),
    (ISTIO, [], [], None),
    (ISTIO, [PROXY], [{"name": "istio-init"}], None),
    ({**ISTIO, "sidecar.istio.io/interceptionMode": "TPROXY"}, [PROXY], [], None),
    ({**ISTIO, "sidecar.istio.io/status": "{"}, [PROXY], [], None),
]


@pytest.mark.parametrize(("notes", "beside", "before", "user"), USERS)
def test_the_init_container_is_let_through_by_istio(
    notes: Json, beside: list[Json], before: list[Json], user: int | None
) -> None:
    spec = {"containers": [SERVER, *beside], "initContainers": before}
    found = changed({URI: "s3://b/m", **notes}, spec=spec)
    container = found.spec["initContainers"][-1]
    assert (container.get("securityContext") or {}).get("runAsUser") == user


@pytest.mark.parametrize(("resource", "selector"), [("nvidia.com/gpu", "t4"), ("cpu", None)])
def test_gpus_of_gke_are_chosen_by_an_annotation(resource: str, selector: str | None) -> None:
    server = {**SERVER, "resources": {"limits": {resource: "1"}}}
    found = changed({"serving.kserve.io/gke-accelerator": "t4"}, spec={"containers": [server]})
    wanted = {} if selector is None else {"cloud.google.com/gke-accelerator": selector}
    assert (found.spec.get("nodeSelector") or {}) == wanted


def test_metrics_of_server_and_proxy_are_put_together() -> None:
    notes = {
        "serving.kserve.io/enable-metric-aggregation": "true",
        "serving.kserve.io/enable-prometheus-scraping": "true",
        "prometheus.kserve.io/port": "8082",
    }
    found = changed(notes, spec={"containers": [SERVER, {"name": "queue-proxy"}]})
    proxy = found.spec["containers"][1]
    assert variables(proxy) == {
        "KSERVE_CONTAINER_PROMETHEUS_METRICS_PORT": "8082",
        "KSERVE_CONTAINER_PROMETHEUS_METRICS_PATH": "/metrics",
        "AGGREGATE_PROMETHEUS_METRICS_PORT": "9088",
    }
    assert proxy["ports"] == [{"name": "aggr-metric", "containerPort": 9088, "protocol": "TCP"}]
    assert found.annotations["prometheus.io/port"] == "9088"


def test_the_agent_knows_the_probe_with_the_defaults_of_the_api_server() -> None:
    """A template has not passed the API server yet, a pod that the webhook sees has."""
    headers = [{"value": "b", "name": "a"}]
    probe = {
        "httpGet": {"port": 8080, "path": "/ready", "httpHeaders": headers},
        "periodSeconds": 3,
    }
    found = changed(
        {f"{INTERNAL}batcher": "true"}, spec={"containers": [{**SERVER, "readinessProbe": probe}]}
    )
    agent = found.spec["containers"][-1]
    assert variables(agent)["SERVING_READINESS_PROBE"] == (
        '{"httpGet":{"path":"/ready","port":8080,"scheme":"HTTP","httpHeaders":[{"name":"a","value":"b"}]},'
        '"timeoutSeconds":1,"periodSeconds":3,"successThreshold":1,"failureThreshold":3}'
    )


def test_a_probe_by_command_stays_with_the_server() -> None:
    server = {**SERVER, "readinessProbe": {"exec": {"command": ["ready"]}}}
    found = changed({f"{INTERNAL}logger": "true"}, spec={"containers": [server]})
    assert "env" not in found.spec["containers"][-1]


def test_the_logger_trusts_the_certificates_that_are_configured() -> None:
    found = changed(
        {f"{INTERNAL}logger": "true"},
        logger={"caBundle": "certs", "caCertFile": "ca.pem", "tlsSkipVerify": True},
    )
    agent = found.spec["containers"][-1]
    assert agent["args"][-6:-2] == [
        *("--logger-ca-cert-file", "ca.pem"),
        *("--logger-tls-skip-verify", "true"),
    ]
    assert found.spec["volumes"] == [
        {"name": "agent-ca-bundle", "configMap": {"name": "certs", "optional": True}}
    ]


def test_a_second_time_changes_nothing() -> None:
    """Where both we and the webhook do the work, nothing is done twice."""
    notes = {URI: "oci://example.com/m:1", f"{INTERNAL}batcher": "true"}
    once = changed(notes)
    again = changed(dict(once.annotations), spec=once.spec)
    assert (again.spec, again.annotations) == (once.spec, once.annotations)


@pytest.mark.parametrize(
    ("paths", "folder"),
    [
        (["/mnt/models"], "/mnt/models"),
        (["/mnt/models/a", "/mnt/models/b/c"], "/mnt/models"),
        (["/a/b", "/a/bc"], "/a"),
        (["/a", "/b"], "/"),
    ],
)
def test_models_are_fetched_into_the_folder_that_holds_all(paths: list[str], folder: str) -> None:
    assert common_folder(paths) == folder
