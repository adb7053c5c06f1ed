# SPDX-License-Identifier: GPL-3.0-or-later
"""What a graph becomes: a router by a Deployment, its Service, and who scales it."""

from __future__ import annotations

from typing import Any

import pytest

from .build import children, document, errors, node, router, service

Json = dict[str, Any]
SMALL: Json = {
    "image": "example.com/router:1",
    "cpuRequest": "100m",
    "cpuLimit": "1000m",
    "memoryRequest": "100Mi",
    "memoryLimit": "1024Mi",
}


def pod(given: Json, **blocks: Any) -> Json:
    found: Json = children(given, **blocks)["Deployment"]["spec"]["template"]["spec"]
    return found


def test_a_graph_has_a_deployment_a_service_and_an_autoscaler_of_its_name() -> None:
    made = children(document())
    assert list(made) == ["Deployment", "Service", "HorizontalPodAutoscaler"]
    assert {each["metadata"]["name"] for each in made.values()} == {"chain"}
    (port,) = made["Service"]["spec"]["ports"]
    assert port == {"name": "chain", "port": 80, "targetPort": 8080, "protocol": "TCP"}
    assert made["Service"]["spec"]["selector"] == {"app": "isvc.chain"}
    assert made["Deployment"]["spec"]["selector"]["matchLabels"] == {"app": "isvc.chain"}


def test_labels_and_annotations_of_a_graph_are_on_every_child_and_on_its_pods() -> None:
    made = children(document(labels={"team": "a"}, annotations={"example.com/note": "b"}))
    template = made["Deployment"]["spec"]["template"]
    for each in (*made.values(), template):
        labels = {"team": "a", "serving.kserve.io/inferencegraph": "chain", "app": "isvc.chain"}
        assert each["metadata"]["labels"] == labels
        assert each["metadata"]["annotations"] == {"example.com/note": "b"}


def test_the_router_comes_from_the_configuration() -> None:
    found = router(document(), router={**SMALL, "imagePullPolicy": "Always"})
    assert found["name"] == "chain"
    assert found["image"] == "example.com/router:1"
    assert found["imagePullPolicy"] == "Always"
    assert found["resources"] == {
        "limits": {"cpu": "1", "memory": "1Gi"},
        "requests": {"cpu": "100m", "memory": "100Mi"},
    }
    assert "env" not in found
    assert pod(document(), router=SMALL)["containers"][0]["imagePullPolicy"] == "IfNotPresent"


@pytest.mark.parametrize(
    ("headers", "env"),
    [
        (
            {"propagate": ["Authorization", "X-.*"]},
            [{"name": "PROPAGATE_HEADERS", "value": "Authorization,X-.*"}],
        ),
        ({"propagate": []}, [{"name": "PROPAGATE_HEADERS"}]),
        ({"propagate": None}, [{"name": "PROPAGATE_HEADERS"}]),
        ({"other": ["X"]}, None),
        ({}, None),
    ],
)
def test_headers_that_steps_get_are_told_to_the_router(headers: Json, env: Any) -> None:
    assert router(document(), router={**SMALL, "headers": headers}).get("env") == env


@pytest.mark.parametrize("headers", [{"propagate": "X"}, {"propagate": [1]}, []])
def test_headers_of_another_shape_are_told_with_their_block(headers: Any) -> None:
    (message,) = errors(document(), router={**SMALL, "headers": headers}).values()
    assert "router.headers" in message


def test_pull_secrets_come_from_the_configuration() -> None:
    found = pod(document(), router={**SMALL, "imagePullSecrets": ["a", "b"]})
    assert found["imagePullSecrets"] == [{"name": "a"}, {"name": "b"}]


def test_resources_of_the_author_take_the_place_of_all_others() -> None:
    own = {"limits": {"cpu": "2000m"}}
    assert router(document(resources=own))["resources"] == {"limits": {"cpu": "2"}}
    assert router(document(resources={}), router=SMALL)["resources"]["limits"]["memory"] == "1Gi"


@pytest.mark.parametrize(
    ("block", "words"),
    [
        (None, "router.cpuLimit: missing"),
        ({**SMALL, "cpuLimit": "much"}, 'router.cpuLimit: "much" is not a quantity'),
        ({**SMALL, "memoryRequest": ""}, "router.memoryRequest: missing"),
    ],
)
def test_a_block_of_the_router_that_cannot_be_read_is_told(block: Any, words: str) -> None:
    assert any(words in message for message in list(_all_errors(router=block)))


def _all_errors(**blocks: Any) -> list[str]:
    from module_utils.kinds.inference_graph.kind import INFERENCE_GRAPH
    from module_utils.kube.problem import InputError
    from tests.objects import Cluster

    from .build import config_map

    settings = INFERENCE_GRAPH.settings({}, {})
    typed = INFERENCE_GRAPH.load(document(), settings).service
    assert typed is not None
    with pytest.raises(InputError) as caught:
        INFERENCE_GRAPH.compile(typed, settings, Cluster([config_map(**blocks), service()]))
    return [str(each) for one in caught.value.complaints for each in one.problems]


def test_where_pods_run_is_the_author_s_choice() -> None:
    wanted = {
        "nodeSelector": {"disk": "ssd"},
        "nodeName": "one",
        "serviceAccountName": "router",
        "tolerations": [{"key": "a", "operator": "Exists"}],
        "affinity": {"nodeAffinity": {}},
    }
    found = pod(document(**wanted))
    assert {name: found[name] for name in wanted} == wanted
    assert found["automountServiceAccountToken"] is False


@pytest.mark.parametrize(
    ("spec", "limits", "metrics"),
    [
        ({}, (1, 1), [("cpu", 80)]),
        ({"minReplicas": 2}, (2, 2), [("cpu", 80)]),
        ({"minReplicas": 0, "maxReplicas": 3}, (1, 3), [("cpu", 80)]),
        ({"minReplicas": 4, "maxReplicas": 3}, (4, 4), [("cpu", 80)]),
        ({"scaleTarget": 50}, (1, 1), [("cpu", 50)]),
        ({"scaleMetric": "memory", "scaleTarget": 60}, (1, 1), [("memory", 60)]),
        ({"scaleMetric": "memory"}, (1, 1), []),
        ({"scaleMetric": "rps", "scaleTarget": 60}, (1, 1), []),
    ],
)
def test_pods_are_added_by_a_metric(spec: Json, limits: Any, metrics: Any) -> None:
    found = children(document(**spec))["HorizontalPodAutoscaler"]["spec"]
    assert (found["minReplicas"], found["maxReplicas"]) == limits
    said = [each["resource"] for each in found.get("metrics", ())]
    assert [(each["name"], each["target"]["averageUtilization"]) for each in said] == metrics


@pytest.mark.parametrize(("wanted", "replicas"), [("none", 3), ("external", None)])
def test_who_leaves_scaling_to_others_has_no_autoscaler(wanted: str, replicas: int | None) -> None:
    made = children(document(annotations={"autoscalerClass": wanted}, minReplicas=3))
    assert list(made) == ["Deployment", "Service"]
    assert made["Deployment"]["spec"].get("replicas") == replicas


@pytest.mark.parametrize("wanted", ["keda", "HPA", ""])
def test_an_autoscaler_that_cannot_be_is_refused(wanted: str) -> None:
    (field,) = errors(document(annotations={"autoscalerClass": wanted}))
    assert "autoscalerClass" in field


@pytest.mark.parametrize(
    ("annotation", "default", "words"),
    [
        ("Standard", "Knative", None),
        ("RawDeployment", "Serverless", None),
        ("", "RawDeployment", None),
        ("Serverless", "Standard", "install Knative Serving"),
        ("Knative", "Standard", "install Knative Serving"),
        ("", "Serverless", "install Knative Serving"),
        ("ModelMesh", "Standard", "write Standard or Knative"),
        ("", "ModelMesh", "the default of inferenceservice-config"),
        ("raw", "Standard", "is no mode"),
    ],
)
def test_a_mode_that_cannot_be_is_refused(annotation: str, default: str, words: str | None) -> None:
    given = document(annotations={"deploymentMode": annotation} if annotation else None)
    found = errors(given, deploy={"defaultDeploymentMode": default})
    assert bool(found) == (words is not None)
    assert words is None or any(words in message for message in found.values())


def test_a_rollout_that_is_configured_counts() -> None:
    rollout = {"defaultRollout": {"maxSurge": "1", "maxUnavailable": "0"}}
    deploy = {"defaultDeploymentMode": "Standard", "deploymentRolloutStrategy": rollout}
    found = children(document(), deploy=deploy)["Deployment"]["spec"]["strategy"]
    assert found["rollingUpdate"] == {"maxSurge": "1", "maxUnavailable": "0"}


def test_a_headless_service_is_asked_for_by_the_configuration() -> None:
    made = children(document(), service={"serviceClusterIPNone": True})
    assert made["Service"]["spec"]["clusterIP"] == "None"


def test_a_host_name_that_cannot_be_is_told() -> None:
    ingress = {"ingressGateway": "a/b", "domainTemplate": "{{.Name}}_x.example.com"}
    assert "domainTemplate" in errors(document(), ingress=ingress)["metadata.name"]


def test_a_stopped_graph_wants_nothing_whatever_it_leads_to() -> None:
    nodes = {"root": node("Sequence", {"serviceName": "nobody"})}
    for scaler in ("hpa", "keda", "odd"):
        notes = {"stop": "TRUE", "autoscalerClass": scaler}
        assert children(document(nodes, annotations=notes)) == {}
