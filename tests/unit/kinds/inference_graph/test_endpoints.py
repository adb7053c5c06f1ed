# SPDX-License-Identifier: GPL-3.0-or-later
"""Whom a step asks: the address of its InferenceService, with the path of the protocol that this speaks."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.manifest import Json
from tests.unit.modules.task import run

from .build import document, errors, graph_json, node, service

HERE = "http://iris.example"
INSIDE = "http://iris-predictor.team-a.svc.cluster.local"
V1 = "/v1/models/iris:predict"
URI: Json = {"storageUri": "gs://m/s"}


def container(name: str = "kserve-container", *args: str, **env: str) -> Json:
    variables = [{"name": key, "value": value} for key, value in env.items()]
    return {"name": name, "image": "a:1", "args": list(args), "env": variables}


def runtime(name: str, *protocols: str, namespace: str = "") -> Json:
    return {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "ServingRuntime" if namespace else "ClusterServingRuntime",
        "metadata": {"name": name, **({"namespace": namespace} if namespace else {})},
        "spec": {"protocolVersions": list(protocols)} if protocols else {},
    }


def url(*objects: Json, **blocks: Any) -> str:
    """Return whom the only step of a graph asks."""
    (step,) = graph_json(document(), *objects, **blocks)["nodes"]["root"]["steps"]
    return str(step["serviceUrl"])


@pytest.mark.parametrize(
    ("predictor", "path"),
    [
        ({"model": {"modelFormat": {"name": "sklearn"}, **URI}}, V1),
        ({"sklearn": URI}, V1),
        ({"triton": URI}, "/v2/models/iris/infer"),
        ({"huggingface": {}}, "/v2/models/iris/infer"),
        ({"sklearn": {**URI, "protocolVersion": "v2"}}, "/v2/models/iris/infer"),
        ({"sklearn": {**URI, "protocolVersion": "grpc-v2"}}, ""),
        ({"model": {"modelFormat": {"name": "sklearn"}}}, ""),
        ({"model": {"modelFormat": {"name": "huggingface"}}}, V1),
        ({"model": {"modelFormat": {"name": "a"}}, "storageUris": [{"uri": "s3://a"}]}, V1),
        ({"sklearn": {**URI, "args": ["--model_name=wine"]}}, "/v1/models/wine:predict"),
        ({"sklearn": {**URI, "args": ["--model_name", "wine"]}}, "/v1/models/wine:predict"),
        ({"sklearn": {**URI, "args": ["--model_name", "--x"]}}, V1),
        (
            {"sklearn": {**URI, "env": [{"name": "MLSERVER_MODEL_NAME", "value": "w"}]}},
            "/v1/models/w:predict",
        ),
        ({"containers": [container()]}, V1),
        ({"containers": [container(PROTOCOL="v2")]}, "/v2/models/iris/infer"),
        ({"containers": [container("kserve-container", "--model_name=w")]}, "/v1/models/w:predict"),
        ({"containers": [container(MULTI_MODEL_SERVER="true")]}, ""),
        (
            {
                "containers": [
                    container(PROTOCOL="v1"),
                    container("transformer-container", PROTOCOL="v2"),
                ]
            },
            "/v2/models/iris/infer",
        ),
    ],
)
def test_the_path_is_that_of_the_server_s_protocol(predictor: Json, path: str) -> None:
    assert url(service(predictor=predictor, address=HERE)) == f"{HERE}{path}"


@pytest.mark.parametrize(
    ("protocols", "path"),
    [
        (("v2",), "/v2/models/iris/infer"),
        (("grpc-v2", "v1", "v2"), V1),
        ((), V1),
    ],
)
def test_a_runtime_that_is_named_decides_the_protocol(protocols: Any, path: str) -> None:
    model = {"modelFormat": {"name": "sklearn"}, "runtime": "own", **URI}
    given = service(predictor={"model": model}, address=HERE)
    assert url(given, runtime("own", *protocols)) == f"{HERE}{path}"
    own = runtime("own", "v2", namespace="team-a")
    assert url(given, runtime("own", *protocols), own).endswith("/v2/models/iris/infer")


def test_a_transformer_is_asked_in_its_own_protocol() -> None:
    transformer = {"containers": [container("t", "--model_name=wine", PROTOCOL="v2")]}
    found = url(service(address=HERE, transformer=transformer))
    assert found == f"{HERE}/v2/models/wine/infer"


@pytest.mark.parametrize(
    ("given", "blocks", "address"),
    [
        (service(), {}, INSIDE),
        (service(), {"service": {"serviceClusterIPNone": True}}, f"{INSIDE}:8080"),
        (
            service(transformer={"containers": [container("t")]}),
            {},
            "http://iris-transformer.team-a.svc.cluster.local",
        ),
        (
            service(predictor={"name": "blue", "sklearn": URI}),
            {},
            "http://iris-blue-predictor.team-a.svc.cluster.local",
        ),
        (
            service(annotations={"serving.kserve.io/deploymentMode": "Serverless"}),
            {},
            "http://iris.team-a.svc.cluster.local",
        ),
        (
            service(status={"deploymentMode": "Knative"}),
            {"ingress": {"ingressGateway": "a/b", "disableIstioVirtualHost": True}},
            INSIDE,
        ),
    ],
)
def test_a_service_that_is_not_ready_is_asked_where_it_will_be(
    given: Json, blocks: Json, address: str
) -> None:
    assert url(given, **blocks) == f"{address}{V1}"


@pytest.mark.parametrize(
    ("release", "scheme"), [("0.17", "https"), ("0.18", "http"), ("0.20", "http")]
)
def test_a_service_that_is_not_ready_is_asked_as_its_release_will_say(
    release: str, scheme: str
) -> None:
    found = url(service(), release=release, ingress={"ingressGateway": "a/b", "urlScheme": "https"})
    assert found == f"{INSIDE.replace('http', scheme)}{V1}"


def test_services_that_cannot_be_asked_are_told_all_at_once() -> None:
    steps = [{"serviceName": name} for name in ("iris", "nobody", "grpc", "mesh", "lost")]

    def by(name: str, runtime_name: str) -> Json:
        model = {"modelFormat": {"name": "a"}, "runtime": runtime_name, **URI}
        return service(name, {"model": model}, address=HERE)

    found = errors(
        document({"root": node("Sequence", *steps)}),
        service(),
        by("grpc", "grpc"),
        by("lost", "lost"),
        service("mesh", annotations={"serving.kserve.io/deploymentMode": "ModelMesh"}),
        runtime("grpc", "grpc-v2"),
    )
    said = {path.split("steps")[1]: message for path, message in found.items()}
    assert "does not exist" in said["[1].serviceName"]
    assert "speaks neither v1 nor v2" in said["[2].serviceName"]
    assert "ModelMesh" in said["[3].serviceName"]
    assert "runtime lost does not exist" in said["[4].serviceName"]
    assert len(said) == 4


def test_a_service_of_the_same_task_need_not_be_there_yet() -> None:
    wine = service("wine")
    del wine["status"]
    graph = document({"root": node("Sequence", {"serviceName": "wine"})})
    sklearn = {
        **runtime("sk", "v1"),
        "spec": {
            "supportedModelFormats": [{"name": "sklearn", "autoSelect": True}],
            "containers": [{"name": "kserve-container", "image": "a:1"}],
        },
    }
    result = run(state="rendered", services=[graph, wine], cluster_objects=[sklearn])
    assert not result.get("failed"), result["msg"]
    (made,) = [
        each
        for each in result["manifests"]
        if each["kind"] == "Deployment" and each["metadata"]["name"] == "chain"
    ]
    asked = made["spec"]["template"]["spec"]["containers"][0]["args"][1]
    assert "http://wine-predictor.team-a.svc.cluster.local/v1/models/wine:predict" in asked
    alone = run(state="rendered", services=[graph], cluster_objects=[sklearn])
    assert (
        "InferenceService wine cannot be asked: it is not among the given objects" in alone["msg"]
    )


def test_a_step_that_names_an_llm_inference_service_is_told_the_way_out() -> None:
    llm = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": {"name": "chat", "namespace": "team-a"},
        "spec": {"model": {"uri": "hf://a/b", "name": "b"}},
    }
    graph = document({"root": node("Sequence", {"serviceName": "chat"})})
    said = run(state="rendered", services=[graph, llm])["msg"]
    assert "graphs know no LLMInferenceServices: give the URL of that one in serviceUrl" in said
    llm["metadata"] = {"name": "chat", "namespace": "team-b"}
    assert "graphs know no" not in run(state="rendered", services=[graph, llm])["msg"]


def test_a_given_service_of_a_wrong_shape_is_told() -> None:
    broken = service()
    broken["spec"]["predictor"] = []
    result = run(state="rendered", services=[document()], cluster_objects=[broken])
    assert result["failed"]
    assert "spec.predictor" in result["msg"]
    del broken["spec"]
    assert "spec: missing" in run(
        state="rendered", services=[document()], cluster_objects=[broken]
    ).get("msg", "")
