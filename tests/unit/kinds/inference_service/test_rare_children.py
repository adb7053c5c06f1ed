# SPDX-License-Identifier: GPL-3.0-or-later
"""What components want that say something rare, as KServe's controller does it."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.manifest import Json

from .test_children import (
    AUTOSCALER,
    DOMAIN,
    INSIDE,
    KNATIVE,
    OWN,
    STANDARD,
    hosts,
    knative,
    refusal,
    spec_of,
    wanted,
)
from .world import config, model, only, runtime, takes

STOPPED = {"annotations": {"serving.kserve.io/stop": "true"}}
BOTH = (AUTOSCALER, DOMAIN)


def own(**fields: Any) -> Json:
    """Return a predictor of a container with these fields."""
    return {"containers": [{**OWN["containers"][0], **fields}]}


def test_pods_may_be_ended_at_once() -> None:
    found = wanted({**model(), "terminationGracePeriodSeconds": 0})
    pod = spec_of(found["Deployment/chat-predictor"])["template"]["spec"]
    assert pod["terminationGracePeriodSeconds"] == 0


def test_a_metric_of_a_resource_counts_whatever_its_type_says() -> None:
    target = {"type": "Utilization", "averageUtilization": 30}
    metric = {"type": "External", "resource": {"name": "cpu", "target": target}}
    found = wanted({**model(), "autoScaling": {"metrics": [metric]}})
    (scaled,) = spec_of(found["HorizontalPodAutoscaler/chat-predictor"])["metrics"]
    assert scaled["resource"]["target"] == target


@pytest.mark.parametrize(("kind", "field"), [("Value", "value"), ("AverageValue", "averageValue")])
def test_a_trigger_has_the_amount_of_its_type(kind: str, field: str) -> None:
    target = {"type": kind, field: "3", "averageUtilization": 30}
    metric = {"type": "Resource", "resource": {"name": "cpu", "target": target}}
    keda = {"serving.kserve.io/autoscalerClass": "keda"}
    predictor = {**model(), "autoScaling": {"metrics": [metric]}, "annotations": keda}
    (trigger,) = spec_of(wanted(predictor)["ScaledObject/chat-predictor"])["triggers"]
    assert trigger["metadata"] == {"value": "3"}


def test_a_stopped_component_has_nothing_and_the_service_no_way_in() -> None:
    transformer = {"containers": [{"name": "kserve-container", "image": "t:1"}]}
    ingresses = config(ingress={"enableGatewayApi": False})
    found = wanted({**model(), **STOPPED}, ingresses, transformer=transformer)
    assert found.keys() == {
        f"{kind}/chat-transformer" for kind in ("Deployment", "Service", "HorizontalPodAutoscaler")
    }


def test_a_stopped_component_has_no_route_and_the_others_have_theirs() -> None:
    gateways = config(ingress={"enableGatewayApi": True})
    transformer = {"containers": [{"name": "kserve-container", "image": "t:1"}]}
    found = wanted({**model(), **STOPPED}, gateways, transformer=transformer)
    assert [key for key in found if key.startswith("HTTPRoute")] == ["HTTPRoute/chat-transformer"]


def test_a_stopped_component_has_nothing_with_knative() -> None:
    assert knative(DOMAIN, **STOPPED).keys() == {"Service/chat"}


def test_a_component_may_be_local_by_itself() -> None:
    local = {"networking.knative.dev/visibility": "cluster-local"}
    assert hosts(knative(DOMAIN, labels={})) != [INSIDE]
    found = wanted({**model(), "labels": local}, *BOTH, annotations=KNATIVE)
    assert hosts(found) == [INSIDE]


def test_workers_find_the_head_of_a_service_that_is_called_like_a_predictor() -> None:
    worker = {"containers": [{"name": "worker-container", "image": "w:1"}]}
    server = runtime("many", takes("many"), workerSpec=worker)
    predictor = {**model("many", storageUri="pvc://c/m"), "workerSpec": {}}
    found = only(predictor, server, annotations=STANDARD, name="my-predictor")
    assert found.workers is not None
    told = {each["name"]: each["value"] for each in found.workers.pod["containers"][0]["env"]}
    assert told["HEAD_SVC"] == found.head_service


@pytest.mark.parametrize(
    ("predictor", "words"),
    [
        (
            {**OWN, "activeDeadlineSeconds": 9},
            "spec.predictor.activeDeadlineSeconds: pods that are kept running have no deadline",
        ),
        (
            own(livenessProbe={"tcpSocket": {"port": 0}}),
            "livenessProbe.tcpSocket.port: kserve-container: 0 is not a port",
        ),
        (
            own(ports=[{"containerPort": 1}, {"containerPort": 2, "name": "b"}]),
            "spec.predictor.containers[0].ports[0].name: port 80 has no name",
        ),
    ],
)
def test_what_the_api_refuses_of_an_object_is_told_before_any_write(
    predictor: Json, words: str
) -> None:
    assert words in refusal(predictor)


@pytest.mark.parametrize(
    ("predictor", "words"),
    [
        (own(readinessProbe={"initialDelaySeconds": 4}), "one of exec, httpGet"),
        (own(livenessProbe={"tcpSocket": {"port": 0}}), "0 is not a port"),
    ],
)
def test_knative_fills_in_how_a_server_is_probed(predictor: Json, words: str) -> None:
    assert "Service/chat-predictor" in wanted(predictor, *BOTH, annotations=KNATIVE)
    assert words in refusal(predictor, annotations=STANDARD)


def test_an_amount_of_memory_is_written_in_short() -> None:
    target = {"type": "AverageValue", "averageValue": "1000000"}
    metric = {"type": "Resource", "resource": {"name": "memory", "target": target}}
    found = wanted({**model(), "autoScaling": {"metrics": [metric]}})
    (scaled,) = spec_of(found["HorizontalPodAutoscaler/chat-predictor"])["metrics"]
    assert scaled["resource"]["target"]["averageValue"] == "1M"


def test_labels_that_a_runtime_asks_for_are_not_on_the_list_of_models() -> None:
    server = runtime("kserve-mlserver", takes("many"))
    predictor = {"model": {"modelFormat": {"name": "many"}, "protocolVersion": "v2"}}
    found = wanted(predictor, server, labels={"team": "red"})
    assert dict(found["ConfigMap/modelconfig-chat-0"].manifest.labels) == {"team": "red"}
    assert found["Deployment/chat-predictor"].manifest.labels["modelClass"]


@pytest.mark.parametrize(
    ("annotations", "own_word", "path"),
    [
        ({"serving.kserve.io/deploymentMode": "Foo"}, None, "metadata.annotations"),
        (STANDARD, "Foo", "spec.predictor.annotations"),
    ],
)
def test_a_word_that_is_no_mode_forbids_objects_of_standard_mode(
    annotations: Json, own_word: str | None, path: str
) -> None:
    own_part = {"annotations": {"serving.kserve.io/deploymentMode": own_word}} if own_word else {}
    told = refusal({**model(), **own_part}, annotations=annotations)
    assert path in told
    assert '"Foo": the service is run as Standard' in told


@pytest.mark.parametrize(
    ("template", "uris"),
    [
        ("/", [{"prefix": "/"}, {"exact": ""}]),
        ("/{{ .Name }}/", [{"prefix": "/chat/"}, {"exact": "/chat"}]),
    ],
)
def test_a_path_may_be_the_root_and_loses_a_slash_at_its_end(
    template: str, uris: list[Json]
) -> None:
    path = {"pathTemplate": template, "ingressDomain": "example.com"}
    rules = spec_of(knative(DOMAIN, config(ingress=path))["VirtualService/chat"])["http"]
    assert [match["uri"] for match in rules[-1]["match"]] == uris
    gateways = config(ingress={**path, "enableGatewayApi": True})
    route = spec_of(wanted(model(), gateways)["HTTPRoute/chat"])
    assert route["rules"][-1]["matches"][0]["path"]["value"] == uris[0]["prefix"]
    assert "example.com" in route["hostnames"]
