# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe 0.21 does otherwise than 0.20, each by an input of which exactly that differs.

Source: KServe at aaac4e294dae (2026-08-21), the last state of its source before v0.21.0 that is to be had:
pkg/controller/v1beta1/inferenceservice/{reconcilers/ingress,utils}, pkg/webhook/admission/pod/oci_fetch.go, pkg/credentials/ms.
`tracing` and `schedulingGroup` are known from the models of PyPI's kserve 0.21.0 alone.
"""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.inference_service.conditions.routing import route_references
from module_utils.kinds.inference_service.normalise import load
from module_utils.kinds.kserve.service_address import standard_address

from .build import document
from .test_release_0_20 import EXPLAINER, TRANSFORMER, pod_of, refused, served
from .test_releases import (
    GATEWAY,
    KNATIVE_CONFIG,
    STANDARD,
    differences,
    intent_of,
    made,
    server,
    settings,
)
from .world import config, runtime, takes

Json = dict[str, Any]
OLD, NEW = "0.20", "0.21"
IMAGES = {"enableOciModelSupport": True}


@pytest.mark.parametrize("mode", ["Standard", "Knative"])
def test_a_plain_service_is_as_before(mode: str) -> None:
    given = document(annotations={"deploymentMode": mode})
    assert differences(given, server(), *KNATIVE_CONFIG, old=OLD, new=NEW) == {}


def test_the_route_of_a_predictor_keeps_its_name_and_host_while_the_predictors_name_changes() -> (
    None
):
    given = document(
        predictor=served(name="v2"),
        transformer=TRANSFORMER,
        explainer=EXPLAINER,
        annotations=STANDARD,
    )
    world = (server(), config(ingress=GATEWAY))
    before, after = made(given, OLD, *world), made(given, NEW, *world)
    assert {key for key in before if key not in after} == {("HTTPRoute", "iris-v2-predictor")}
    assert {key for key in after if key not in before} == {("HTTPRoute", "iris-predictor")}
    route = after["HTTPRoute", "iris-predictor"]["spec"]
    assert [host.partition(".")[0] for host in route["hostnames"]] == ["iris-predictor-team-a"]
    (rule,) = route["rules"]
    assert rule["backendRefs"][0]["name"] == "iris-v2-predictor"
    (title, reference), *dummy = route_references(intent_of(given, NEW, *world).basis)
    assert (title, reference.name) == ("Predictor", "iris-predictor")


@pytest.mark.parametrize(
    ("release", "target", "headless", "port"),
    [
        (OLD, 9000, True, ":8080"),
        (NEW, 9000, True, ":9000"),
        (NEW, None, True, ":8080"),
        (NEW, 9000, False, ""),
    ],
)
def test_a_service_without_an_address_of_its_own_is_called_where_its_pods_listen(
    release: str, target: int | None, headless: bool, port: str
) -> None:
    basis = intent_of(document(annotations=STANDARD), release, server()).basis
    found = standard_address(
        "iris-predictor",
        "team-a",
        basis.config.ingress,
        release=settings(release).release,
        cluster_domain="cluster.local",
        headless=headless,
        target=target,
    )
    assert found == f"http://iris-predictor.team-a.svc.cluster.local{port}"


def test_a_runtime_claims_devices_for_its_pods() -> None:
    claims = [{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}]
    image = {"name": "kserve-container", "image": "s:1", "resources": {"claims": [{"name": "gpu"}]}}
    claiming = runtime("sklearn", takes(), containers=[image], resourceClaims=claims)
    before, after = (
        pod_of(made(document(annotations=STANDARD), each, claiming)) for each in (OLD, NEW)
    )
    assert "resourceClaims" not in before
    assert after["resourceClaims"] == claims
    own = [{"name": "gpu", "resourceClaimTemplateName": "mine"}]
    given = document(predictor={"resourceClaims": own}, annotations=STANDARD)
    assert pod_of(made(given, NEW, claiming))["resourceClaims"] == own


def fetched(uri: str, release: str = NEW, **storage: Any) -> Json:
    given = document(
        predictor=served(uri, imagePullSecrets=[{"name": "login"}]), annotations=STANDARD
    )
    world = (server(), config(storageInitializer=storage))
    return pod_of(made(given, release, *world))


@pytest.mark.parametrize(
    ("uri", "storage"),
    [("oci+fetch://r.example/m:1", IMAGES), ("oci://r.example/m:1", {"ociModelMode": "fetch"})],
)
def test_models_in_images_are_fetched_where_that_is_asked(uri: str, storage: Json) -> None:
    pod = fetched(uri, **storage)
    (fetcher,) = pod["initContainers"]
    assert fetcher["args"] == ["oci://r.example/m:1", "/mnt/models"]
    mount = {"name": "mnt-models", "mountPath": "/mnt/models"}
    login = {
        "name": "kserve-oci-fetch-docker-config",
        "mountPath": "/mnt/oci-fetch-auth",
        "readOnly": True,
    }
    assert fetcher["volumeMounts"] == [login, mount]
    assert fetcher["env"] == [
        {"name": "KSERVE_OCI_DOCKER_CONFIG", "value": "/mnt/oci-fetch-auth/config.json"}
    ]
    assert mount in pod["containers"][0]["volumeMounts"]
    volumes = {each["name"]: each for each in pod["volumes"]}
    assert volumes["mnt-models"]["emptyDir"] == {}
    assert volumes["kserve-oci-fetch-docker-config"]["secret"] == {
        "secretName": "login",
        "defaultMode": 0o400,
        "items": [{"key": ".dockerconfigjson", "path": "config.json"}],
    }
    assert len(pod["containers"]) == 1


def test_registries_without_tls_are_said_to_be_such() -> None:
    pod = fetched("oci+fetch://r/m:1", **IMAGES, ociInsecureRegistry=True)
    told = pod["initContainers"][0]["env"][-1]
    assert told == {"name": "KSERVE_OCI_INSECURE_REGISTRY", "value": "true"}


def test_earlier_releases_read_such_images_from_a_container_beside() -> None:
    assert len(fetched("oci://r/m:1", OLD, ociModelMode="fetch")["containers"]) == 2


SEVERAL = [
    {"uri": "oci+fetch://r/a:1", "mountPath": "/mnt/a/m"},
    {"uri": "oci+fetch://r/b:1", "mountPath": "/mnt/b/m"},
]


def several(*uris: Json) -> Json:
    predictor = {"model": {"modelFormat": {"name": "sklearn"}}, "storageUris": [*uris]}
    return document(predictor=predictor, annotations=STANDARD)


def test_one_init_container_fetches_all_images_of_a_pod() -> None:
    world = (server(), config(storageInitializer=IMAGES))
    pod = pod_of(made(several(*SEVERAL), NEW, *world))
    (fetcher,) = pod["initContainers"]
    assert fetcher["args"] == ["oci://r/a:1", "/mnt/a/m", "oci://r/b:1", "/mnt/b/m"]
    names = [each["name"] for each in pod["containers"][0]["volumeMounts"]]
    assert names == ["mnt-a-m", "mnt-b-m"]


def test_what_that_container_would_leave_out_is_refused() -> None:
    beside = {"uri": "s3://b/c", "mountPath": "/mnt/c/m"}
    world = (server(), config(storageInitializer=IMAGES))
    told = refused(several(*SEVERAL, beside), *world, release=NEW)
    assert "leaves out what is not" in told


def test_addresses_of_images_that_are_fetched_are_known() -> None:
    told = refused(
        document(predictor=served("ftp://x/y"), annotations=STANDARD), server(), release=NEW
    )
    assert "oci+fetch://" in told


def test_tokens_of_modelscope_reach_who_fetches() -> None:
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "ms", "namespace": "team-a"},
        "data": {"MODELSCOPE_API_TOKEN": "eA=="},
    }
    account = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "default", "namespace": "team-a"},
        "secrets": [{"name": "ms"}],
    }
    found = {}
    for release in (OLD, NEW):
        pod = pod_of(made(document(annotations=STANDARD), release, server(), account, secret))
        found[release] = [each["name"] for each in pod["initContainers"][0].get("env", [])]
    assert "MODELSCOPE_API_TOKEN" not in found[OLD]
    assert "MODELSCOPE_API_TOKEN" in found[NEW]


@pytest.mark.parametrize(
    ("fields", "field", "way"),
    [
        ({"tracing": {}}, "spec.tracing", "variables of OpenTelemetry"),
        (
            {"transformer": {**TRANSFORMER, "schedulingGroup": {}}},
            "spec.transformer.schedulingGroup",
            "leave it out",
        ),
    ],
)
@pytest.mark.parametrize("release", [OLD, NEW])
def test_what_is_not_reproduced_is_refused_by_name_with_the_way_out(
    fields: Json, field: str, way: str, release: str
) -> None:
    problems = load(document(**fields), settings(release)).problems
    told = {each.path: each.message for each in problems if each.severity == "error"}
    assert list(told) == [field]
    assert "this collection does not yet" in told[field]
    assert way in told[field]
